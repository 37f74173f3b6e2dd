//===- VisiblePairs.h - Pairs that a mask lets through ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counting by runs of positions: a mask's range moves by one position per query
// or stays, so that sums over a run have a closed form.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_VISIBLEPAIRS_H
#define MERCURY_LIB_SCHEDULE_VISIBLEPAIRS_H

#include "Mercury/Schedule/Mask.h"

namespace mercury {

/// Numbers [begin, end).
struct Run {
  int64_t begin = 0, end = 0;
  bool operator==(const Run &) const = default;
};
/// A set of numbers: its runs by size, none empty, no two touch.
using Runs = std::vector<Run>;
/// Sorts and joins runs that are disjoint; empty ones are dropped.
Runs normalized(Runs runs);
/// How many numbers the set has.
int64_t sizeOf(const Runs &runs);

/// Pairs of a query and a key, given by their positions, that the mask lets
/// through.
int64_t countVisible(const Runs &queries, const Runs &keys, const Mask &mask);

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_VISIBLEPAIRS_H
