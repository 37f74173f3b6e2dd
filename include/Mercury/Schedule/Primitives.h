//===- Primitives.h - Functions that edit a schedule ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The primitives. Each returns the edited schedule's verdict and leaves
// the schedule unchanged when the request is illegal. Transform dialect ops,
// pass options, named schedules, the enumerator and the tuner call these.
//
// A primitive refuses what no later request can mend: an axis used twice, a
// reduction without combiner, a stride that skips tiles. What depends on the
// rest of the script is left to verify(): a shard along a loop that is still to
// be cut, a shift that moves nothing yet, a primitive that a level lacks.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_PRIMITIVES_H
#define MERCURY_SCHEDULE_PRIMITIVES_H

#include "Mercury/Schedule/Schedule.h"

namespace mercury {

/// What the primitives check against.
struct ScheduleContext {
  const OperatorModel &op;
  const TopologyModel &topology;
};

/// Cuts `loop` into `steps` sequential tiles: a time factor inside its present
/// factors, innermost of the time loops.
Verdict tile(Schedule &s, const ScheduleContext &c, size_t loop, int64_t steps);
/// As above with as many steps as `axes` have ranks; needed before a shift.
Verdict tile(Schedule &s, const ScheduleContext &c, size_t loop,
             const AxisList &axes);
/// Generated code computes `loop` in blocks of `size` elements inside a rank; 0
/// leaves the choice to it.
Verdict localTile(Schedule &s, const ScheduleContext &c, size_t loop,
                  int64_t size);
/// Joins the factors `factor` and `factor + 1` of `loop`, of the same kind,
/// into one over both axes lists (a flat ring over two levels, one collective).
Verdict join(Schedule &s, const ScheduleContext &c, size_t loop, size_t factor);
/// Gives the order of the time loops, outermost first, as (loop, factor) pairs.
Verdict reorder(Schedule &s, const ScheduleContext &c,
                const std::vector<std::pair<size_t, size_t>> &order);
/// Gives the next inner factor of `loop` to `axes`. Operands and results that
/// run over the loop are placed there; a reduction ends in all-reduce. An input
/// that is sharded over the axes elsewhere keeps its entry (all-to-all); one
/// whose outer factors are not sharded is read from a replica.
Verdict parallelize(Schedule &s, const ScheduleContext &c, size_t loop,
                    const AxisList &axes);
/// Shards dimension `dim` of input `input` over `axes` on entry, and while
/// loops run, except over axes that parallelize another of its dimensions.
Verdict shard(Schedule &s, const ScheduleContext &c, size_t input, size_t dim,
              const AxisList &axes);
/// Shards dimension `dim` of result `result` over `axes`: of a parallelized
/// reduction this asks for reduce-scatter or, with a shifted time factor over
/// the axes on that dimension's loop, for a moving accumulator.
Verdict shardResult(Schedule &s, const ScheduleContext &c, size_t result,
                    size_t dim, const AxisList &axes);
/// Shards dimension `dim` of result `result` over `axes` on exit only: after
/// the loops it is moved there from where they held it (all-to-all) or cut.
Verdict shardExit(Schedule &s, const ScheduleContext &c, size_t result,
                  size_t dim, const AxisList &axes);
/// Takes `axes` off the placement with which input `input` enters the loops: it
/// is gathered before them when it is sharded there on entry.
Verdict replicate(Schedule &s, const ScheduleContext &c, size_t input,
                  const AxisList &axes);
/// The same for a result on exit: it is gathered after the loops.
Verdict replicateResult(Schedule &s, const ScheduleContext &c, size_t result,
                        const AxisList &axes);
/// Staggers the time factor `factor` of `loop` by the coordinate on `axes`.
Verdict shift(Schedule &s, const ScheduleContext &c, size_t loop, size_t factor,
              const AxisList &axes, int64_t stride = 1, int64_t offset = 0);
/// Cuts the tiles of the shifted time factor `factor` of reduction loop `loop`
/// into halves that travel in opposite directions.
Verdict bidirectional(Schedule &s, const ScheduleContext &c, size_t loop,
                      size_t factor);
/// Lets the shifted time factor `factor` of `loop` take its steps backwards.
Verdict backwards(Schedule &s, const ScheduleContext &c, size_t loop,
                  size_t factor);
/// Divides `loop` in `order`: all that runs over it is stored so while loops
/// run, and on entry and exit where it is sharded along the loop.
Verdict arrange(Schedule &s, const ScheduleContext &c, size_t loop,
                const TokenOrder &order);
/// Tiles that `input` reads over `axes` come from their owner at each step.
Verdict fetch(Schedule &s, const ScheduleContext &c, size_t input,
              const AxisList &axes);
/// Puts the registered kernel `kernel` in the place of the local tile.
Verdict patch(Schedule &s, const ScheduleContext &c, std::string kernel);

} // namespace mercury

#endif // MERCURY_SCHEDULE_PRIMITIVES_H
