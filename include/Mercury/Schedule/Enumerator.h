//===- Enumerator.h - All schedules of an operator --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_ENUMERATOR_H
#define MERCURY_SCHEDULE_ENUMERATOR_H

#include "Mercury/Schedule/Schedule.h"

#include <functional>

namespace mercury {

/// Which operands that run over the loop that an axis parallelizes may enter
/// sharded along another dimension: all-to-all before, or fetched part by part.
enum class Relays {
  /// One, where all other operands arrive locally and, where several axes are
  /// used, all reductions end in all-reduce.
  Alone,
  /// All that run over the loop: by all-to-all beside anything that happens
  /// over other axes, part by part where no other time loop runs.
  Together,
  All ///< any, beside anything
};

struct EnumeratorOptions {
  /// Also factor each level into its divisors (gpu=4 as 2 x 2).
  bool subAxes = true;
  /// Axes may take no loop: their ranks repeat each other's work.
  bool idleAxes = true;
  Relays relays = Relays::Alone;
  /// What rotates along a reduction loop also does so in both directions.
  bool bothDirections = false;
  /// Also list what costs the same as another schedule, or lies between two:
  /// inputs that the same loops index (K and V) differ; tensors are cut along
  /// batch loops, of which everything has a part, along each of several loops
  /// that the same tensors have, and along dimensions without a loop.
  bool equivalents = false;
};

/// Calls `visit` once for every distinct legal schedule, in a deterministic
/// order; stops when it returns false. With a mask each also comes balanced, by
/// zigzag, where the rank that works most gains by it. Fixed: local tile sizes,
/// one chunk, one direction (stride 1), all ranks.
void enumerateSchedules(const OperatorModel &op, const TopologyModel &topology,
                        const EnumeratorOptions &options,
                        const std::function<bool(const Schedule &)> &visit);

} // namespace mercury

#endif // MERCURY_SCHEDULE_ENUMERATOR_H
