//===- Mask.h - Which keys a query may see ----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_MASK_H
#define MERCURY_SCHEDULE_MASK_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mercury {

class TextCursor;
class Verdict;

/// One condition: the query at position p sees the keys at positions
/// [p - left, max(p + right + 1, prefix)). What is left out does not limit.
///   right 0                causal
///   right 24               causal, queries begin 24 keys later (prefill)
///   left 4 right 0         the window of 5 that ends at the query
///   right 0 prefix 16      the first 16 keys for all, causal behind
struct MaskTerm {
  std::optional<int64_t> left, right;
  int64_t prefix = 0; ///< only with `right`
  bool operator==(const MaskTerm &) const = default;
};

/// The intersection of conditions; none of them: every query sees every key.
/// Both ends of the range grow with the position or stay.
struct Mask {
  std::vector<MaskTerm> terms;
  bool operator==(const Mask &) const = default;

  /// Positions of keys [begin, end).
  struct Range {
    int64_t begin = 0, end = INT64_MAX;
  };
  /// What the query at `position` sees; empty where end <= begin.
  Range at(int64_t position) const;
  bool isEverything() const { return terms.empty(); }
};

/// A mask between two loops of an operator: which of their iterations do any
/// work. Limits that are known at run time only come on top.
struct LoopMask {
  size_t query = 0, key = 0; ///< loops
  Mask mask;
  /// Positions of the loops' first iterations.
  int64_t queryStart = 0, keyStart = 0;
};

/// `right 0`, `left 4 right 0 and right 0 prefix 16`; nothing for no term.
std::string print(const Mask &mask);
bool parse(TextCursor &cursor, Mask &mask, std::string &error);
/// Legal: a term limits something, a prefix is positive and stands beside
/// `right`, and no window is empty (left + right >= 0).
Verdict verify(const Mask &mask);

} // namespace mercury

#endif // MERCURY_SCHEDULE_MASK_H
