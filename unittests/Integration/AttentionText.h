//===- AttentionText.h - Functions that are one attention -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_INTEGRATION_ATTENTIONTEXT_H
#define MERCURY_UNITTESTS_INTEGRATION_ATTENTIONTEXT_H

#include <map>
#include <string>
#include <vector>

namespace mercury::test {

/// An attention as the dimensions of its operands, one letter each: m queries,
/// n keys, d and e features, any other a parallel loop (b batch, h KV heads, g
/// query heads of each).
struct AttentionText {
  std::map<char, int64_t> extents;
  std::string query = "hmd", key = "hnd", value = "hne", out = "hme", mask;
  std::string type = "f32", outType = "f32", maskType = "f32";
  double scale = 1;
  /// What is seen by positions, `right 0` for example; queries begin at
  /// `queryStart`. Keys are packed documents of these lengths, if there are
  /// any.
  std::string visible;
  int64_t queryStart = 0;
  std::vector<int64_t> documents;

  std::string rows() const { return out.substr(0, out.size() - 1); }
  std::string tensor(const std::string &dims, const std::string &of) const {
    std::string text = "tensor<";
    for (char dim : dims)
      text += std::to_string(extents.at(dim)) + "x";
    return text + of + ">";
  }

  /// @f of query, key, value (and the mask) gives output and log-sum-exp.
  std::string attention() const {
    return function("attention", {out, rows()}, {outType, "f32"},
                    /*isContinued=*/false);
  }
  /// @f of query, key, value (, mask), accumulator, maximum and sum continues
  /// that state.
  std::string online() const {
    return function("online_attention", {out, rows(), rows()},
                    {"f32", "f32", "f32"}, /*isContinued=*/true);
  }

private:
  static std::string join(const std::vector<std::string> &list) {
    std::string text;
    for (const std::string &item : list)
      text += (text.empty() ? "" : ", ") + item;
    return text;
  }
  std::string map(const std::string &dims) const {
    auto list = [](const std::string &letters) {
      std::vector<std::string> names;
      for (char letter : letters)
        names.emplace_back(1, letter);
      return "(" + join(names) + ")";
    };
    return "affine_map<" + list(rows() + "nde") + " -> " + list(dims) + ">";
  }
  std::string function(const std::string &name,
                       const std::vector<std::string> &outputs,
                       const std::vector<std::string> &elements,
                       bool isContinued) const {
    std::string inputTypes =
        join({tensor(query, type), tensor(key, type), tensor(value, type)});
    std::vector<std::string> maps = {map(query), map(key), map(value)},
                             parameters = {"%q: " + tensor(query, type),
                                           "%k: " + tensor(key, type),
                                           "%v: " + tensor(value, type)},
                             types, names, results;
    std::string given, made;
    if (!mask.empty()) {
      maps.push_back(map(mask));
      parameters.push_back("%mask: " + tensor(mask, maskType));
      given = " mask(%mask : " + tensor(mask, maskType) + ")";
    }
    if (!visible.empty())
      given += " visible <" + visible + ">";
    if (queryStart != 0) {
      made += "  %start = arith.constant " + std::to_string(queryStart) +
              " : index\n";
      given += " query_start(%start)";
    }
    if (!documents.empty()) {
      std::vector<std::string> lengths;
      for (int64_t length : documents)
        lengths.push_back(std::to_string(length));
      std::string types = join({tensor("m", "i32"), tensor("m", "i32")});
      made += "  %begin, %end = commir.document_ranges static [" +
              join(lengths) + "]" +
              (queryStart != 0 ? " query_start(%start)" : "") + " -> " + types +
              "\n";
      given += " key_range(%begin, %end : " + types + ")";
      maps.insert(maps.end(), 2, map("m"));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string number = std::to_string(i);
      maps.push_back(map(outputs[i]));
      types.push_back(tensor(outputs[i], elements[i]));
      names.push_back("%o" + number);
      results.push_back("%r#" + number);
      if (isContinued)
        parameters.push_back(names.back() + ": " + types.back());
      else
        made +=
            "  " + names.back() + " = tensor.empty() : " + types.back() + "\n";
    }
    return "func.func @f(" + join(parameters) + ") -> (" + join(types) +
           ") {\n" + made + "  %r:" + std::to_string(outputs.size()) +
           " = commir." + name + " maps [" + join(maps) + "] scale " +
           std::to_string(scale) + "\n      ins(%q, %k, %v : " + inputTypes +
           ")" + given + "\n      outs(" + join(names) + " : " + join(types) +
           ") -> " + join(types) + "\n  return " + join(results) + " : " +
           join(types) + "\n}\n";
  }
};

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_INTEGRATION_ATTENTIONTEXT_H
