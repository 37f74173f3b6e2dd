//===- AttentionProblem.h - Online attention and its values in f64 -*- C++
//-*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_UNITTESTS_GPU_ATTENTIONPROBLEM_H
#define MERCURY_UNITTESTS_GPU_ATTENTIONPROBLEM_H

#include "KernelHarness.h"

#include <map>
#include <random>

namespace mercury::test {

/// A kernel of one `commir.online_attention`. Its maps' domain is (h, i, g, m,
/// n, d, e): parallel loops, of which `i` and `g` are groups that share keys,
/// then query, key and features.
struct AttentionProblem {
  static constexpr const char *kLoops = "higmnde";
  std::map<char, int64_t> extents = {{'h', 1}, {'i', 1}, {'g', 1}, {'m', 1},
                                     {'n', 1}, {'d', 1}, {'e', 1}};

  /// An operand: the loops of its dimensions, and what an element's type is.
  struct Operand {
    std::string loops, type = "f32";
    /// Elements between rows, and the stride of the last dimension.
    int64_t room = 0, spread = 1;
    int64_t alignment = 16; ///< 0: nothing is said
  };
  Operand query{"higmd"}, key{"hnd"}, value{"hne"}, mask{"mn"},
      begin{"m", "i32"}, end{"m", "i32"}, accumulator{"higme"}, maximum{"higm"},
      sum{"higm"};
  bool hasMask = false, hasValid = false;
  double scale = 1;

  // Data.
  int64_t valid = 0;
  double amplitude = 1;   ///< of the query
  bool isWhole = false;   ///< of query and key: sums of products are exact
  bool continues = false; ///< a state of other keys
  bool hides = false;     ///< the mask has -inf, and rows of it
  /// The keys that the row at a position (per loop) sees; null: all. Called for
  /// the loops of `begin` and of `end`.
  using Position = std::map<char, int64_t>;
  std::function<std::pair<int64_t, int64_t>(const Position &)> range;

  /// Inputs of a type.
  void setType(const std::string &type) {
    query.type = key.type = value.type = type;
  }
  std::string stateType() const { return accumulator.type; }

  std::string text() const;
  /// The check with random data by `seed`. What lies beyond the valid keys, and
  /// before the first or after the last that any row sees, is NaN.
  KernelCheck check(unsigned seed) const;

private:
  std::vector<const Operand *> operands() const;
  /// Of the arguments of a kernel.
  size_t numberOf(const Operand &operand) const;
  void fill(KernelArguments &arguments, unsigned seed) const;
  /// What a row sees, cut to the keys that there are.
  std::pair<int64_t, int64_t> rangeAt(const KernelArguments &arguments,
                                      const Position &at) const;
  void compute(KernelArguments &arguments) const;
};

} // namespace mercury::test

#endif // MERCURY_UNITTESTS_GPU_ATTENTIONPROBLEM_H
