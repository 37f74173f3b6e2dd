//===- Motion.h - How the shards of a dimension move ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a dimension is sharded while loops run, its tiles have an owner and
// readers (or writers). This compares the two by evaluating the index
// arithmetic for every step and rank; nothing here looks at how a loop nest
// was written.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_MOTION_H
#define MERCURY_LIB_SCHEDULE_MOTION_H

#include "Mercury/Schedule/Schedule.h"

namespace mercury {

/// How the owner's coordinate on some axes relates to the reader's.
enum class Motion {
  /// The reader is the owner, at every step.
  Local,
  /// At every step all ranks of the axes read the same shard.
  Same,
  /// At every step a permutation of the owners, which each step of a time loop
  /// advances by the same number of ranks.
  Rotation,
  /// At every step a permutation of the owners.
  Permutation
};

/// Some neighbouring axes of a dimension, which move together.
struct AxesMotion {
  AxisList axes;
  Motion motion = Motion::Local;
};

/// Evaluates how the shards of a dimension over `axes` meet the tiles of its
/// loop, for the fewest axes at a time. Illegal when a tile lies in more than
/// one shard or the owners of some axes follow none of the patterns.
Verdict evaluateMotion(const LoopPlan &loop, const AxisList &axes,
                       const TopologyModel &topology,
                       std::vector<AxesMotion> &motions);

/// True when the loop's tile differs between the ranks of one of `axes` at some
/// step; with `rankFactorsOnly` when it does so at all steps together (a tile
/// that is read by some of the ranks only).
bool dependsOn(const LoopPlan &loop, const AxisList &axes,
               bool rankFactorsOnly);

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_MOTION_H
