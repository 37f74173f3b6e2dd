//===- PlacementPrimitives.cpp - shard, replicate, fetch, patch -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AxisUtils.h"
#include "PrimitiveChecks.h"

using namespace mercury;

Verdict mercury::shard(Schedule &s, const ScheduleContext &c, size_t input,
                       size_t dim, const AxisList &axes) {
  if (Verdict v = checkTensor(s, c, "input", input, s.inputs.size()); !v)
    return v;
  if (Verdict v = checkAxes(axes, c.topology); !v)
    return v;
  OperandPlan &plan = s.inputs[input];
  if (Verdict v = checkIndex("dimension", dim, plan.entry.dims.size(),
                             "input " + str(input));
      !v)
    return v;
  for (const AxisRef &axis : axes)
    if (plan.entry.dimOf(axis) == dim)
      return Verdict::no("dimension " + str(dim) + " of input " + str(input) +
                         " is already sharded over axis '" + print(axis) + "'");
  OperandPlan edited = plan;
  remove(edited.entry, axes);
  append(edited.entry.dims[dim], axes);
  if (Verdict v = verify(edited.entry, c.topology, edited.entry.dims.size());
      !v)
    return Verdict::no("input " + str(input) + ": " + v.reason());
  // Where a loop takes an axis, its shards are needed there while it runs, and
  // an all-to-all lies between.
  int loop = c.op.inputs[input].loopOfDim[dim];
  for (const AxisRef &axis : axes)
    if (!edited.nest.dimOf(axis))
      edited.nest.dims[dim].push_back(axis);
  if (loop >= 0)
    sortLike(edited.nest.dims[dim], s.loops[loop]);
  plan = std::move(edited);
  return Verdict::ok();
}

Verdict mercury::shardResult(Schedule &s, const ScheduleContext &c,
                             size_t result, size_t dim, const AxisList &axes) {
  if (Verdict v = checkTensor(s, c, "result", result, s.results.size()); !v)
    return v;
  if (Verdict v = checkAxes(axes, c.topology); !v)
    return v;
  ResultPlan edited = s.results[result];
  if (Verdict v = checkIndex("dimension", dim, edited.nest.dims.size(),
                             "result " + str(result));
      !v)
    return v;
  int loop = c.op.results[result].loopOfDim[dim];
  for (Placement *p : {&edited.nest, &edited.exit}) {
    append(p->dims[dim], axes);
    if (loop >= 0)
      sortLike(p->dims[dim], s.loops[loop]);
    if (Verdict v = verify(*p, c.topology, p->dims.size()); !v)
      return Verdict::no("result " + str(result) + ": " + v.reason());
  }
  s.results[result] = std::move(edited);
  return Verdict::ok();
}

Verdict mercury::shardExit(Schedule &s, const ScheduleContext &c, size_t result,
                           size_t dim, const AxisList &axes) {
  if (Verdict v = checkTensor(s, c, "result", result, s.results.size()); !v)
    return v;
  if (Verdict v = checkAxes(axes, c.topology); !v)
    return v;
  Placement exit = s.results[result].exit;
  if (Verdict v = checkIndex("dimension", dim, exit.dims.size(),
                             "result " + str(result));
      !v)
    return v;
  remove(exit, axes);
  append(exit.dims[dim], axes);
  if (Verdict v = verify(exit, c.topology, exit.dims.size()); !v)
    return Verdict::no("result " + str(result) + ": " + v.reason());
  s.results[result].exit = std::move(exit);
  return Verdict::ok();
}

Verdict mercury::replicate(Schedule &s, const ScheduleContext &c, size_t input,
                           const AxisList &axes) {
  if (Verdict v = checkTensor(s, c, "input", input, s.inputs.size()); !v)
    return v;
  if (Verdict v = checkAxes(axes, c.topology); !v)
    return v;
  OperandPlan &plan = s.inputs[input];
  for (const AxisRef &axis : axes)
    if (!plan.entry.dimOf(axis) && !plan.nest.dimOf(axis))
      return Verdict::no("input " + str(input) + " with placement " +
                         print(plan.entry) + " is not sharded over axis '" +
                         print(axis) + "'");
  remove(plan.nest, axes);
  remove(plan.fetch, axes);
  return Verdict::ok();
}

Verdict mercury::replicateResult(Schedule &s, const ScheduleContext &c,
                                 size_t result, const AxisList &axes) {
  if (Verdict v = checkTensor(s, c, "result", result, s.results.size()); !v)
    return v;
  if (Verdict v = checkAxes(axes, c.topology); !v)
    return v;
  Placement &exit = s.results[result].exit;
  for (const AxisRef &axis : axes)
    if (!exit.dimOf(axis))
      return Verdict::no("result " + str(result) + " with placement " +
                         print(exit) + " is not sharded over axis '" +
                         print(axis) + "'");
  remove(exit, axes);
  return Verdict::ok();
}

Verdict mercury::fetch(Schedule &s, const ScheduleContext &c, size_t input,
                       const AxisList &axes) {
  if (Verdict v = checkTensor(s, c, "input", input, s.inputs.size()); !v)
    return v;
  if (Verdict v = checkAxes(axes, c.topology); !v)
    return v;
  OperandPlan edited = s.inputs[input];
  for (const AxisRef &axis : axes) {
    std::optional<size_t> dim = edited.entry.dimOf(axis);
    if (!dim)
      return Verdict::no(
          "input " + str(input) + " with placement " + print(edited.entry) +
          " has no owners to fetch from over axis '" + print(axis) + "'");
    if (contains(edited.fetch, axis))
      return Verdict::no("input " + str(input) +
                         " is already fetched over axis '" + print(axis) + "'");
    edited.fetch.push_back(axis);
    // It stays where it entered: each step gets its part from there.
    if (edited.nest.dimOf(axis) == dim)
      continue;
    remove(edited.nest, {axis});
    edited.nest.dims[*dim].push_back(axis);
    if (int loop = c.op.inputs[input].loopOfDim[*dim]; loop >= 0)
      sortLike(edited.nest.dims[*dim], s.loops[loop]);
  }
  s.inputs[input] = std::move(edited);
  return Verdict::ok();
}

Verdict mercury::arrange(Schedule &s, const ScheduleContext &c, size_t loop,
                         const TokenOrder &order) {
  if (Verdict v = checkSchedule(s, c); !v)
    return v;
  if (Verdict v =
          checkIndex("loop", loop, s.loops.size(), "'" + c.op.name + "'");
      !v)
    return v;
  if (Verdict v = canHaveOrder(c.op, loop, order); !v)
    return v;
  setLoopOrder(s, c.op, loop, order, /*whileLoopsRun=*/true);
  return Verdict::ok();
}

Verdict mercury::patch(Schedule &s, const ScheduleContext &c,
                       std::string kernel) {
  if (Verdict v = checkSchedule(s, c); !v)
    return v;
  TextCursor cursor(kernel);
  if (cursor.word() != kernel)
    return Verdict::no("kernel name '" + kernel +
                       "' is not a word of letters, digits, underscores and "
                       "dots");
  s.patch = std::move(kernel);
  return Verdict::ok();
}
