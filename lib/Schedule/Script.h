//===- Script.h - A schedule in the making -------------------- -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_SCHEDULE_SCRIPT_H
#define MERCURY_LIB_SCHEDULE_SCRIPT_H

#include "Contraction.h"
#include "Mercury/Schedule/Primitives.h"

namespace mercury {

/// The primitives on one operator, from the replicated schedule on. They do
/// nothing once one of them has failed, nor where `over` has no axes.
class Script {
public:
  Script(Schedule &s, const OperatorModel &op, const TopologyModel &topology)
      : s(s), c{op, topology}, axes(allAxes(topology)) {
    s = Schedule::replicated(op);
  }

  void fail(std::string reason) {
    if (verdict)
      verdict = Verdict::no(std::move(reason));
  }
  void parallelize(size_t loop, const AxisList &over) {
    if (go(over))
      verdict = mercury::parallelize(s, c, loop, over);
  }
  /// Input `x` enters sharded along the loop.
  void shard(size_t x, size_t loop, const AxisList &over) {
    if (go(over))
      verdict = mercury::shard(s, c, x, *c.op.inputs[x].dimOfLoop(loop), over);
  }
  void replicate(size_t x, const AxisList &over) {
    if (go(over))
      verdict = mercury::replicate(s, c, x, over);
  }
  void fetch(size_t x, const AxisList &over) {
    if (go(over))
      verdict = mercury::fetch(s, c, x, over);
  }
  void shardResults(size_t loop, const AxisList &over) {
    for (size_t r = 0; r < s.results.size(); ++r)
      if (go(over))
        verdict = mercury::shardResult(s, c, r,
                                       *c.op.results[r].dimOfLoop(loop), over);
  }
  void replicateResults(const AxisList &over) {
    for (size_t r = 0; r < s.results.size(); ++r)
      if (go(over))
        verdict = mercury::replicateResult(s, c, r, over);
  }
  /// Results leave sharded along the loop.
  void shardExits(size_t loop, const AxisList &over) {
    for (size_t r = 0; r < s.results.size(); ++r)
      if (go(over))
        verdict =
            mercury::shardExit(s, c, r, *c.op.results[r].dimOfLoop(loop), over);
  }
  /// Cuts the loop into as many steps as `over` has ranks.
  void tile(size_t loop, const AxisList &over) {
    if (go(over))
      verdict = mercury::tile(s, c, loop, over);
  }
  /// Staggers the innermost factor of the loop.
  void shift(size_t loop, const AxisList &over, int64_t offset = 0) {
    if (go(over))
      verdict =
          mercury::shift(s, c, loop, s.loops[loop].size() - 1, over, 1, offset);
  }
  /// What the loop's innermost factor makes travel does so both ways.
  void bothWays(size_t loop) {
    if (verdict)
      verdict = mercury::bidirectional(s, c, loop, s.loops[loop].size() - 1);
  }
  /// The inputs' shards along the loop travel: a ring per list of axes, the
  /// outer one's around the inner one's.
  void rotate(std::initializer_list<size_t> inputs, size_t loop,
              const std::vector<AxisList> &rings) {
    for (const AxisList &ring : rings) {
      if (ring.empty())
        continue;
      tile(loop, ring);
      for (size_t x : inputs)
        shard(x, loop, ring);
      shift(loop, ring);
    }
  }
  /// The same for the partial result, which ends where it belongs: at the last
  /// step, N - 1, with offset 1, rank r works on tile r.
  void accumulate(size_t loop, const std::vector<AxisList> &rings) {
    for (const AxisList &ring : rings) {
      if (ring.empty())
        continue;
      tile(loop, ring);
      shardResults(loop, ring);
      shift(loop, ring, /*offset=*/1);
    }
  }
  /// Each level by itself.
  std::vector<AxisList> levels() const {
    std::vector<AxisList> list;
    for (const AxisRef &axis : axes)
      list.push_back({axis});
    return list;
  }
  Verdict done() const {
    return verdict ? verify(s, c.op, c.topology) : verdict;
  }

  Schedule &s;
  ScheduleContext c;
  AxisList axes;

private:
  bool go(const AxisList &over) const { return verdict && !over.empty(); }
  Verdict verdict = Verdict::ok();
};

/// The axes of a 2-D schedule: the first level and the others, or a single
/// level cut into factors as near to a square as its size allows.
struct RowsAndColumns {
  AxisList rows, columns;
};
RowsAndColumns rowsAndColumns(const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_LIB_SCHEDULE_SCRIPT_H
