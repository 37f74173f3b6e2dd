//===- UnitRounds.h - Units between blocks, by permutations -----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_UNITROUNDS_H
#define MERCURY_LIB_TRANSFORMS_UNITROUNDS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mercury {

/// A unit that goes from one slot of a block to one of another block.
struct Unit {
  int64_t from = 0, to = 0;
};
using UnitList = std::vector<Unit>;

/// One permutation of blocks, in which each sends and receives as many units.
struct UnitRound {
  std::vector<int64_t> to, from;                   ///< per block, a block
  std::vector<std::vector<int64_t>> send, receive; ///< per block, its slots
  /// Every block sends to itself.
  bool isLocal() const;
};

/// Rounds that serve `owed`[block][block]; each block sends and receives as
/// many units in all. What stays in its block on all of them comes first.
std::vector<UnitRound> makeRounds(std::vector<std::vector<UnitList>> owed);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_UNITROUNDS_H
