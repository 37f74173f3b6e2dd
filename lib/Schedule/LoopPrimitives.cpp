//===- LoopPrimitives.cpp - tile, join, reorder, parallelize, shift -------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AxisUtils.h"
#include "PrimitiveChecks.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace mercury;

static bool isTime(const Factor &factor) {
  return factor.kind == Factor::Kind::Time;
}

static Verdict checkLoop(const Schedule &s, const ScheduleContext &c,
                         size_t loop) {
  if (Verdict v = checkSchedule(s, c); !v)
    return v;
  return checkIndex("loop", loop, s.loops.size(), "'" + c.op.name + "'");
}

static Verdict checkFactor(const Schedule &s, const ScheduleContext &c,
                           size_t loop, size_t factor) {
  if (Verdict v = checkLoop(s, c, loop); !v)
    return v;
  return checkIndex("factor", factor, s.loops[loop].size(),
                    "loop " + str(loop));
}

/// Orders are small numbers; one read from text may be anything.
static constexpr int64_t maxOrder = int64_t(1) << 31;

static int64_t nextOrder(const Schedule &s) {
  int64_t order = 0;
  for (const LoopPlan &loop : s.loops)
    for (const Factor &factor : loop)
      if (isTime(factor))
        order = std::max(order, std::min(factor.order, maxOrder) + 1);
  return order;
}

Verdict mercury::tile(Schedule &s, const ScheduleContext &c, size_t loop,
                      int64_t steps) {
  if (Verdict v = checkLoop(s, c, loop); !v)
    return v;
  if (steps < 1)
    return Verdict::no("loop " + str(loop) + " cannot be cut into " +
                       str(steps) + " steps");
  Factor factor;
  factor.kind = Factor::Kind::Time;
  factor.steps = steps;
  factor.order = nextOrder(s);
  s.loops[loop].push_back(std::move(factor));
  return Verdict::ok();
}

Verdict mercury::tile(Schedule &s, const ScheduleContext &c, size_t loop,
                      const AxisList &axes) {
  if (Verdict v = checkLoop(s, c, loop); !v)
    return v;
  if (Verdict v = checkAxes(axes, c.topology); !v)
    return v;
  Factor factor;
  factor.kind = Factor::Kind::Time;
  factor.axes = axes;
  factor.order = nextOrder(s);
  s.loops[loop].push_back(std::move(factor));
  return Verdict::ok();
}

Verdict mercury::localTile(Schedule &s, const ScheduleContext &c, size_t loop,
                           int64_t size) {
  if (Verdict v = checkLoop(s, c, loop); !v)
    return v;
  if (size < 0)
    return Verdict::no("loop " + str(loop) +
                       " cannot be computed in blocks of " + str(size) +
                       " elements");
  s.tile.resize(s.loops.size());
  s.tile[loop] = size;
  if (std::all_of(s.tile.begin(), s.tile.end(),
                  [](int64_t tile) { return tile == 0; }))
    s.tile.clear();
  return Verdict::ok();
}

/// The staggers of two neighbouring time factors as staggers of their join:
/// only where each is staggered by its own axes, in the same way.
static Verdict joinShifts(Factor &outer, const Factor &inner) {
  if (outer.shifts.empty() && inner.shifts.empty())
    return Verdict::ok();
  auto own = [](const Factor &f) {
    return f.shifts.size() == 1 && f.shifts[0].axes == f.axes &&
           f.shifts[0].stride == 1;
  };
  if (!own(outer) || !own(inner) ||
      outer.shifts[0].offset != inner.shifts[0].offset)
    return Verdict::no("time factors over " + print(outer.axes) + " and " +
                       print(inner.axes) +
                       " are shifted in different ways and cannot be joined");
  append(outer.shifts[0].axes, inner.axes);
  return Verdict::ok();
}

Verdict mercury::join(Schedule &s, const ScheduleContext &c, size_t loop,
                      size_t factor) {
  if (Verdict v = checkFactor(s, c, loop, factor); !v)
    return v;
  if (Verdict v = checkIndex("factor", factor + 1, s.loops[loop].size(),
                             "loop " + str(loop));
      !v)
    return v;
  Factor outer = s.loops[loop][factor];
  const Factor &inner = s.loops[loop][factor + 1];
  std::string both = "factors " + str(factor) + " and " + str(factor + 1) +
                     " of loop " + str(loop);
  if (outer.kind != inner.kind)
    return Verdict::no(both + " are a rank and a time factor and cannot be "
                              "joined");
  if (outer.axes.empty() != inner.axes.empty())
    return Verdict::no(both + " have " + str(outer.count(c.topology)) +
                       " and " + str(inner.count(c.topology)) +
                       " steps, of which only one is over axes, and cannot be "
                       "joined");
  if (Verdict v = joinShifts(outer, inner); !v)
    return v;
  if (outer.axes.empty()) {
    if (outer.steps < 1 || inner.steps < 1)
      return Verdict::no(both + " have " + str(outer.steps) + " and " +
                         str(inner.steps) + " steps, expected at least 1");
    if (outer.steps > std::numeric_limits<int64_t>::max() / inner.steps)
      return Verdict::no(both + " have too many steps: " + str(outer.steps) +
                         " times " + str(inner.steps));
    outer.steps *= inner.steps;
  }
  append(outer.axes, inner.axes);
  if (!outer.axes.empty())
    if (Verdict v = checkAxes(outer.axes, c.topology); !v)
      return v;
  s.loops[loop][factor] = std::move(outer);
  s.loops[loop].erase(s.loops[loop].begin() + factor + 1);
  return Verdict::ok();
}

Verdict mercury::reorder(Schedule &s, const ScheduleContext &c,
                         const std::vector<std::pair<size_t, size_t>> &order) {
  if (Verdict v = checkSchedule(s, c); !v)
    return v;
  std::vector<std::pair<size_t, size_t>> want = timeLoops(s), have = order;
  std::sort(want.begin(), want.end());
  std::sort(have.begin(), have.end());
  if (want.size() != have.size())
    return Verdict::no("order names " + str(have.size()) +
                       " time loops, schedule has " + str(want.size()));
  for (size_t i = 0; i < want.size(); ++i)
    if (want[i] != have[i])
      return Verdict::no("order does not name each time loop once: it has (" +
                         str(have[i].first) + ", " + str(have[i].second) +
                         ") where (" + str(want[i].first) + ", " +
                         str(want[i].second) + ") is expected");
  for (size_t i = 0; i < order.size(); ++i)
    s.loops[order[i].first][order[i].second].order = i;
  return Verdict::ok();
}

Verdict mercury::parallelize(Schedule &s, const ScheduleContext &c, size_t loop,
                             const AxisList &axes) {
  if (Verdict v = checkLoop(s, c, loop); !v)
    return v;
  if (Verdict v = checkAxes(axes, c.topology); !v)
    return v;
  for (size_t l = 0; l < s.loops.size(); ++l)
    for (const Factor &factor : s.loops[l])
      if (!isTime(factor))
        for (const AxisRef &used : factor.axes)
          for (const AxisRef &axis : axes)
            if (c.topology.overlap(used, axis))
              return Verdict::no("axis '" + print(axis) +
                                 "' is used twice: by loop " + str(loop) +
                                 " and, as '" + print(used) + "', by loop " +
                                 str(l));
  if (c.op.loops[loop].reduction)
    for (size_t r = 0; r < c.op.results.size(); ++r)
      if (r >= c.op.hasCombiner.size() || !c.op.hasCombiner[r])
        return Verdict::no("axes " + print(axes) +
                           " cannot parallelize reduction loop " + str(loop) +
                           ": result " + str(r) + " of '" + c.op.name +
                           "' has no known combiner");

  AxisList before = factorAxes(s.loops[loop]);
  bool cutBySteps = std::any_of(
      s.loops[loop].begin(), s.loops[loop].end(), [](const Factor &f) {
        return isTime(f) && f.axes.empty() && f.steps != 1;
      });
  Factor factor;
  factor.axes = axes;
  s.loops[loop].push_back(std::move(factor));
  for (size_t i = 0; i < s.inputs.size(); ++i) {
    std::optional<size_t> dim =
        c.op.inputs[i].mapped ? c.op.inputs[i].dimOfLoop(loop) : std::nullopt;
    OperandPlan &plan = s.inputs[i];
    // Behind an unsharded factor a rank's tiles are no block: it slices them
    // off a replica.
    if (!dim || cutBySteps || plan.nest.dims[*dim] != before)
      continue;
    remove(plan.nest, axes);
    append(plan.nest.dims[*dim], axes);
    // Already placed on entry: it is moved between (all-to-all).
    AxisList placed = plan.entry.axes();
    if (std::any_of(axes.begin(), axes.end(), [&](const AxisRef &axis) {
          return contains(placed, axis);
        }))
      continue;
    AxisList &entry = plan.entry.dims[*dim];
    bool shared = entry.size() >= before.size() &&
                  std::equal(before.begin(), before.end(), entry.begin());
    entry.insert(shared ? entry.begin() + before.size() : entry.end(),
                 axes.begin(), axes.end());
  }
  for (size_t r = 0; r < s.results.size(); ++r) {
    std::optional<size_t> dim = c.op.results[r].dimOfLoop(loop);
    if (!dim || c.op.loops[loop].reduction)
      continue;
    for (Placement *p : {&s.results[r].nest, &s.results[r].exit}) {
      append(p->dims[*dim], axes);
      sortLike(p->dims[*dim], s.loops[loop]);
    }
  }
  return Verdict::ok();
}

Verdict mercury::shift(Schedule &s, const ScheduleContext &c, size_t loop,
                       size_t factor, const AxisList &axes, int64_t stride,
                       int64_t offset) {
  if (Verdict v = checkFactor(s, c, loop, factor); !v)
    return v;
  if (Verdict v = checkAxes(axes, c.topology); !v)
    return v;
  Factor &time = s.loops[loop][factor];
  std::string what = "factor " + str(factor) + " of loop " + str(loop);
  if (!isTime(time))
    return Verdict::no(what + " is over ranks " + print(time.axes) +
                       ", only time factors are shifted");
  int64_t count = time.count(c.topology), size = c.topology.sizeOf(axes);
  if (count != size)
    return Verdict::no(what + " has " + str(count) + " steps, but axes " +
                       print(axes) + " have " + str(size) + " ranks");
  if (stride == std::numeric_limits<int64_t>::min() ||
      std::gcd(stride, count) != 1)
    return Verdict::no("stride " + str(stride) +
                       " has a common factor with the " + str(count) +
                       " steps of " + what);
  for (const Shift &other : time.shifts)
    for (const AxisRef &used : other.axes)
      for (const AxisRef &axis : axes)
        if (c.topology.overlap(used, axis))
          return Verdict::no(what + " is shifted by axis '" + print(axis) +
                             "' and already by '" + print(used) + "'");
  time.shifts.push_back({axes, stride, offset});
  return Verdict::ok();
}

Verdict mercury::bidirectional(Schedule &s, const ScheduleContext &c,
                               size_t loop, size_t factor) {
  if (Verdict v = checkFactor(s, c, loop, factor); !v)
    return v;
  Factor &time = s.loops[loop][factor];
  if (time.shifts.empty() || time.backwards || !c.op.loops[loop].reduction)
    return Verdict::no("factor " + str(factor) + " of loop " + str(loop) +
                       " of '" + c.op.name +
                       "' is no shifted time factor of a reduction and cannot "
                       "run in both directions");
  time.bidirectional = true;
  return Verdict::ok();
}

Verdict mercury::backwards(Schedule &s, const ScheduleContext &c, size_t loop,
                           size_t factor) {
  if (Verdict v = checkFactor(s, c, loop, factor); !v)
    return v;
  Factor &time = s.loops[loop][factor];
  if (time.shifts.empty() || time.bidirectional)
    return Verdict::no("factor " + str(factor) + " of loop " + str(loop) +
                       " of '" + c.op.name +
                       "' is no shifted time factor of one direction and "
                       "cannot run backwards");
  time.backwards = true;
  return Verdict::ok();
}
