//===- PrimitiveChecks.h - What primitives share ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_PRIMITIVECHECKS_H
#define MERCURY_LIB_SCHEDULE_PRIMITIVECHECKS_H

#include "Mercury/Schedule/Primitives.h"

namespace mercury {

/// Non-empty, legal, no two share a coordinate.
Verdict checkAxes(const AxisList &axes, const TopologyModel &topology);
/// The schedule has the loops, tensors and dimensions of the operator.
Verdict checkSchedule(const Schedule &s, const ScheduleContext &c);
/// `index` is one of the `size` that `of` has; `what` names it.
Verdict checkIndex(const char *what, size_t index, size_t size,
                   const std::string &of);
/// The schedule fits, and `index` is one of the operator's `size` tensors of
/// the kind ("input", "result").
Verdict checkTensor(const Schedule &s, const ScheduleContext &c,
                    const char *kind, size_t index, size_t size);
/// The order is legal, and the operator's loop can have it.
Verdict canHaveOrder(const OperatorModel &op, size_t loop,
                     const TokenOrder &order);
/// Gives the order to what runs over the loop: on entry and exit where it is
/// sharded there, and with `whileLoopsRun` to the loop and all in its nest.
void setLoopOrder(Schedule &s, const OperatorModel &op, size_t loop,
                  const TokenOrder &order, bool whileLoopsRun);
void remove(Placement &placement, const AxisList &some);
/// The axes of `loop`'s factors in their order: the order in which shards of a
/// dimension that runs over the loop are blocks.
AxisList factorAxes(const LoopPlan &loop);
/// Sorts `axes` as the loop's factors have them; axes of no factor stay behind.
void sortLike(AxisList &axes, const LoopPlan &loop);

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_PRIMITIVECHECKS_H
