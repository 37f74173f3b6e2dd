//===- Support.h - What the benchmarks share -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_SUPPORT_H
#define MERCURY_BENCHMARKS_SUPPORT_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mercury::bench {

inline double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  size_t half = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

inline double minimum(const std::vector<double> &values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

[[noreturn]] inline void fail(const llvm::Twine &message) {
  llvm::outs().flush();
  llvm::errs() << "error: " << message << '\n';
  _Exit(1);
}

[[noreturn]] inline void fail(llvm::Error error) {
  fail(llvm::toString(std::move(error)));
}

template <typename T> T orFail(llvm::Expected<T> value) {
  if (!value)
    fail(value.takeError());
  return std::move(*value);
}

/// Seconds of processor time of all threads of this process.
inline double processSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

/// Options of the form --name=value; each is known with its default.
class Options {
public:
  Options(int argc, char **argv, std::map<std::string, std::string> defaults)
      : values(std::move(defaults)) {
    for (int i = 1; i < argc; ++i) {
      llvm::StringRef argument = argv[i];
      auto [name, value] = argument.split('=');
      auto found = values.find(name.ltrim('-').str());
      if (!argument.starts_with("--") || !argument.contains('=') ||
          found == values.end()) {
        llvm::errs() << "unknown argument '" << argument << "'; options are:";
        for (const auto &[known, initial] : values)
          llvm::errs() << " --" << known << "=" << initial;
        llvm::errs() << '\n';
        exit(2);
      }
      found->second = value.str();
    }
  }
  const std::string &text(const std::string &name) const {
    return values.at(name);
  }
  /// A positive number.
  double number(const std::string &name) const {
    double value = atof(text(name).c_str());
    if (!(value > 0)) {
      llvm::errs() << "--" << name << " must be positive\n";
      exit(2);
    }
    return value;
  }

private:
  std::map<std::string, std::string> values;
};

/// One JSON object a line, after the text: to the file `path`, or to the
/// standard output when it is empty.
class JsonLines {
public:
  explicit JsonLines(std::string path) : path(std::move(path)) {}
  ~JsonLines() {
    if (path.empty()) {
      llvm::outs() << lines;
      return;
    }
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    if (error)
      fail(path + ": " + error.message());
    file << lines;
  }
  void add(llvm::json::Object object) {
    lines += llvm::formatv("{0}\n", llvm::json::Value(std::move(object)));
  }

private:
  std::string path, lines;
};

/// A function @gemm of f32 matrices; `attributes` stand on the matmul.
inline std::string gemmText(int64_t m, int64_t n, int64_t k,
                            llvm::StringRef attributes = "") {
  auto tensor = [](int64_t rows, int64_t columns) {
    return llvm::formatv("tensor<{0}x{1}xf32>", rows, columns).str();
  };
  std::string a = tensor(m, k), b = tensor(k, n), c = tensor(m, n);
  return "func.func @gemm(%a: " + a + ", %b: " + b + ") -> " + c +
         " {\n"
         "  %zero = arith.constant 0.0 : f32\n"
         "  %empty = tensor.empty() : " +
         c + "\n  %init = linalg.fill ins(%zero : f32) outs(%empty : " + c +
         ") -> " + c + "\n  %c = linalg.matmul " + attributes.str() +
         " ins(%a, %b : " + a + ", " + b + ") outs(%init : " + c + ") -> " + c +
         "\n  return %c : " + c + "\n}\n";
}

/// 1 / sqrt(features), as IR spells it.
inline std::string attentionScale(int64_t features) {
  return llvm::formatv("{0:E12}", 1 / std::sqrt(double(features))).str();
}

/// A function @attention of f32 tensors of heads x sequence x features, scaled;
/// `attributes` stand on the operator, `mask` is what it says about keys:
/// `visible <right 0>`.
inline std::string attentionText(int64_t heads, int64_t sequence,
                                 int64_t features,
                                 llvm::StringRef attributes = "",
                                 llvm::StringRef mask = "") {
  std::string t =
      llvm::formatv("tensor<{0}x{1}x{2}xf32>", heads, sequence, features).str();
  std::string map = "affine_map<(h, m, n, d, e) -> ";
  return "func.func @attention(%q: " + t + ", %k: " + t + ", %v: " + t +
         ") -> " + t + " {\n  %empty = tensor.empty() : " + t +
         "\n  %o = commir.attention maps [" + map + "(h, m, d)>, " + map +
         "(h, n, d)>, " + map + "(h, n, e)>, " + map + "(h, m, e)>] scale " +
         attentionScale(features) + "\n    ins(%q, %k, %v : " + t + ", " + t +
         ", " + t + ") " + mask.str() + " outs(%empty : " + t + ") " +
         attributes.str() + " -> " + t + "\n  return %o : " + t + "\n}\n";
}

} // namespace mercury::bench

#endif // MERCURY_BENCHMARKS_SUPPORT_H
