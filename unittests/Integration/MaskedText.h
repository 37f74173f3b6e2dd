//===- MaskedText.h - Masked attention by its definition --------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_INTEGRATION_MASKEDTEXT_H
#define MERCURY_UNITTESTS_INTEGRATION_MASKEDTEXT_H

#include "AttentionText.h"
#include "Programs.h"
#include <cmath>

namespace mercury::test {

/// Whether query m sees key n, both counted from 0.
using Sees = std::function<bool(int64_t, int64_t)>;

/// One or several heads (with `group` query heads each, 1: that loop is left
/// out) under a mask.
inline AttentionText maskedText(const std::string &visible, int64_t heads,
                                int64_t queries, int64_t keys,
                                int64_t group = 1, int64_t features = 4) {
  AttentionText form;
  form.extents = {{'h', heads}, {'g', group},    {'m', queries},
                  {'n', keys},  {'d', features}, {'e', features}};
  form.scale = 0.5;
  form.visible = visible;
  if (group > 1) {
    form.query = "hgmd";
    form.out = "hgme";
  }
  return form;
}

/// Output and log-sum-exp of `form`, key by key in f64: no key, zero and -inf.
inline ComputeResults attentionOf(const AttentionText &form, const Sees &sees) {
  return [=](const std::vector<run::HostTensor> &arguments,
             std::vector<run::HostTensor> &results) {
    int64_t extents[128] = {}, at[128] = {};
    for (auto [letter, extent] : form.extents)
      extents[static_cast<int>(letter)] = extent;
    auto index = [&](const std::string &dims) {
      int64_t i = 0;
      for (int letter : dims)
        i = i * extents[letter] + at[letter];
      return i;
    };
    const std::string rows = form.rows();
    int64_t &n = at['n'], &d = at['d'], &e = at['e'];
    for (int64_t row = 0; row < results[1].spec.numElements(); ++row) {
      int64_t rest = row;
      for (auto it = rows.rbegin(); it != rows.rend(); ++it) {
        int letter = *it;
        at[letter] = rest % extents[letter];
        rest /= extents[letter];
      }
      std::vector<std::pair<int64_t, double>> scores;
      double maximum = -INFINITY, sum = 0;
      for (n = 0; n < extents['n']; ++n) {
        if (!sees(at['m'], n))
          continue;
        double score = 0;
        for (d = 0; d < extents['d']; ++d)
          score += arguments[0].get(index(form.query)) *
                   arguments[1].get(index(form.key));
        scores.push_back({n, score * form.scale});
        maximum = std::max(maximum, scores.back().second);
      }
      for (auto &[key, score] : scores)
        sum += score = std::exp(score - maximum);
      for (e = 0; e < extents['e']; ++e) {
        double value = 0;
        for (auto &[key, weight] : scores) {
          n = key;
          value += weight / sum * arguments[2].get(index(form.value));
        }
        results[0].set(index(form.out), value);
      }
      results[1].set(index(rows), maximum + std::log(sum));
    }
  };
}

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_INTEGRATION_MASKEDTEXT_H
