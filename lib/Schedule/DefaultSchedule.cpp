//===- DefaultSchedule.cpp - The plain rule -------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Attention.h"
#include "Contraction.h"
#include "Mercury/Schedule/Primitives.h"

#include <algorithm>

using namespace mercury;

std::optional<Contraction> mercury::matchContraction(const OperatorModel &op) {
  if (op.inputs.size() < 2 || op.results.size() != 1)
    return std::nullopt;
  Contraction roles;
  for (size_t l = 0; l < op.loops.size(); ++l) {
    bool a = op.inputs[0].mapped && op.inputs[0].dimOfLoop(l);
    bool b = op.inputs[1].mapped && op.inputs[1].dimOfLoop(l);
    bool c = op.results[0].mapped && op.results[0].dimOfLoop(l);
    if (op.loops[l].reduction ? (a && b && !c) : (a && b && c))
      (op.loops[l].reduction ? roles.k : roles.batch).push_back(l);
    else if (!op.loops[l].reduction && c && a != b)
      (a ? roles.m : roles.n).push_back(l);
  }
  if (roles.k.empty())
    return std::nullopt;
  for (std::vector<size_t> *list :
       {&roles.batch, &roles.m, &roles.n, &roles.k}) {
    auto larger = [&](size_t x, size_t y) {
      return std::pair(-op.loops[x].extent, x) <
             std::pair(-op.loops[y].extent, y);
    };
    std::sort(list->begin(), list->end(), larger);
  }
  return roles;
}

AxisList mercury::allAxes(const TopologyModel &topology) {
  AxisList axes;
  for (const Level &level : topology.levels)
    axes.push_back({level.name});
  return axes;
}

/// At most a tenth of the work is padding.
static bool fits(int64_t extent, int64_t parts) {
  int64_t padded = (extent / parts + (extent % parts != 0)) * parts;
  return extent >= parts && padded - extent <= extent / 10;
}

/// The loops that may be parallelized, the best first: batch or heads, rows,
/// columns, then whatever else is parallel.
static std::vector<size_t> candidates(const OperatorModel &op, int64_t ranks) {
  std::vector<size_t> loops;
  if (std::optional<Attention> roles = matchAttention(op)) {
    loops = roles->batch;
    // Heads of one KV head need all of its keys. With fewer rows than ranks, as
    // for one token, keys are what there is most of.
    if (!fits(op.loops[roles->query].extent, ranks))
      loops.push_back(roles->key);
  }
  auto add = [&](size_t l) {
    for (const OperatorModel::Tensor &result : op.results)
      if (!result.mapped || !result.dimOfLoop(l))
        return;
    if (std::find(loops.begin(), loops.end(), l) == loops.end())
      loops.push_back(l);
  };
  if (std::optional<Contraction> roles = matchContraction(op)) {
    // Batch loops in the order of the operator: the outer ones are contiguous.
    std::sort(roles->batch.begin(), roles->batch.end());
    for (const std::vector<size_t> &list : {roles->batch, roles->m, roles->n})
      std::for_each(list.begin(), list.end(), add);
  }
  for (size_t l = 0; l < op.loops.size(); ++l)
    if (!op.loops[l].reduction)
      add(l);
  return loops;
}

/// Gives each level to the first loop that it still divides well.
static bool spreadLevels(Schedule &s, const ScheduleContext &c,
                         const std::vector<size_t> &loops) {
  std::vector<int64_t> parts(c.op.loops.size(), 1);
  Schedule spread = s;
  for (const Level &level : c.topology.levels) {
    auto it = std::find_if(loops.begin(), loops.end(), [&](size_t l) {
      return fits(c.op.loops[l].extent, parts[l] * level.size);
    });
    if (it == loops.end() || !parallelize(spread, c, *it, {{level.name}}))
      return false;
    parts[*it] *= level.size;
  }
  for (LoopPlan &loop : spread.loops)
    while (loop.size() > 1) {
      loop[0].axes.insert(loop[0].axes.end(), loop[1].axes.begin(),
                          loop[1].axes.end());
      loop.erase(loop.begin() + 1);
    }
  s = std::move(spread);
  return true;
}

Verdict mercury::fillDefault(Schedule &s, const OperatorModel &op,
                             const TopologyModel &topology) {
  ScheduleContext c{op, topology};
  AxisList axes = allAxes(topology);
  s = Schedule::replicated(op);
  if (axes.empty())
    return Verdict::ok();
  int64_t ranks = topology.numRanks();
  std::vector<size_t> loops = candidates(op, ranks);
  for (size_t l : loops) {
    if (op.loops[l].reduction)
      break; // what stands before it takes some levels, it takes the rest
    if (fits(op.loops[l].extent, ranks))
      return parallelize(s, c, l, axes);
  }
  if (spreadLevels(s, c, loops))
    return Verdict::ok();
  std::optional<size_t> reduction;
  for (size_t l = 0; l < op.loops.size(); ++l)
    if (op.loops[l].reduction &&
        (!reduction || op.loops[l].extent > op.loops[*reduction].extent))
      reduction = l;
  if (reduction && op.combines() && fits(op.loops[*reduction].extent, ranks))
    return parallelize(s, c, *reduction, axes);
  // Everything pads; the largest loop pads least.
  std::optional<size_t> best;
  for (size_t l : loops)
    if (!best || op.loops[l].extent > op.loops[*best].extent)
      best = l;
  if (reduction && op.combines() && (!best || op.loops[*best].extent < ranks) &&
      (!best || op.loops[*reduction].extent > op.loops[*best].extent))
    best = reduction;
  if (best && op.loops[*best].extent > 1)
    return parallelize(s, c, *best, axes);
  return Verdict::ok();
}
