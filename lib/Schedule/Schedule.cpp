//===- Schedule.cpp - What follows from a schedule's data -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Schedule.h"
#include "AxisUtils.h"

#include <algorithm>
#include <numeric>

using namespace mercury;

std::string_view mercury::stringify(Arrival arrival) {
  switch (arrival) {
  case Arrival::Local:
    return "local";
  case Arrival::Gather:
    return "gather";
  case Arrival::Broadcast:
    return "broadcast";
  case Arrival::AllToAll:
    return "all_to_all";
  case Arrival::Rotate:
    return "rotate";
  case Arrival::Fetch:
    return "fetch";
  }
  return "";
}

std::string_view mercury::stringify(Ending ending) {
  switch (ending) {
  case Ending::AllReduce:
    return "all_reduce";
  case Ending::ReduceScatter:
    return "reduce_scatter";
  case Ending::Moving:
    return "moving";
  }
  return "";
}

std::optional<size_t> OperatorModel::Tensor::dimOfLoop(int loop) const {
  if (loop >= 0)
    for (size_t d = 0; d < loopOfDim.size(); ++d)
      if (loopOfDim[d] == loop)
        return d;
  return std::nullopt;
}

int64_t Factor::count(const TopologyModel &topology) const {
  return kind == Kind::Time && axes.empty() ? steps : topology.sizeOf(axes);
}

bool OperatorModel::combines() const {
  auto all = [](const std::vector<bool> &list) {
    return std::find(list.begin(), list.end(), false) == list.end();
  };
  return hasCombiner.size() >= results.size() && all(hasCombiner) &&
         all(hasCollective);
}

AxisList Schedule::rankAxes() const {
  AxisList axes;
  for (const LoopPlan &loop : loops)
    for (const Factor &factor : loop)
      if (factor.kind == Factor::Kind::Rank)
        axes.insert(axes.end(), factor.axes.begin(), factor.axes.end());
  return axes;
}

Schedule Schedule::replicated(const OperatorModel &op) {
  Schedule s;
  s.loops.resize(op.loops.size());
  for (const OperatorModel::Tensor &input : op.inputs) {
    Placement whole = Placement::replicated(input.loopOfDim.size());
    s.inputs.push_back({whole, whole, {}});
  }
  for (const OperatorModel::Tensor &result : op.results) {
    Placement whole = Placement::replicated(result.loopOfDim.size());
    s.results.push_back({whole, whole});
  }
  return s;
}

AxisList mercury::reductionAxes(const Schedule &schedule,
                                const OperatorModel &op) {
  AxisList axes;
  for (size_t l = 0; l < op.loops.size() && l < schedule.loops.size(); ++l)
    if (op.loops[l].reduction)
      for (const Factor &factor : schedule.loops[l])
        if (factor.kind == Factor::Kind::Rank)
          axes.insert(axes.end(), factor.axes.begin(), factor.axes.end());
  return axes;
}

/// True when a time factor of the loop is staggered by `axis`.
static bool isShiftedBy(const LoopPlan &loop, const AxisRef &axis) {
  for (const Factor &factor : loop)
    for (const Shift &shift : factor.shifts)
      if (contains(shift.axes, axis))
        return true;
  return false;
}

Arrival mercury::arrivalOf(const Schedule &schedule, const OperatorModel &op,
                           size_t input, const AxisRef &axis) {
  const OperandPlan &plan = schedule.inputs[input];
  std::optional<size_t> from = plan.entry.dimOf(axis);
  std::optional<size_t> to = plan.nest.dimOf(axis);
  if (!to)
    return from ? Arrival::Gather : Arrival::Local;
  if (from && *from != *to)
    return Arrival::AllToAll;
  int loop = op.inputs[input].loopOfDim[*to];
  if (loop < 0)
    return Arrival::Local;
  const LoopPlan &factors = schedule.loops[loop];
  for (const Factor &factor : factors)
    if (factor.kind == Factor::Kind::Rank && contains(factor.axes, axis))
      return Arrival::Local;
  if (!isShiftedBy(factors, axis))
    return Arrival::Broadcast;
  return contains(plan.fetch, axis) ? Arrival::Fetch : Arrival::Rotate;
}

Ending mercury::endingOf(const Schedule &schedule, const OperatorModel &op,
                         size_t result, const AxisRef &axis) {
  std::optional<size_t> dim = schedule.results[result].nest.dimOf(axis);
  if (!dim)
    return Ending::AllReduce;
  int loop = op.results[result].loopOfDim[*dim];
  if (loop >= 0 && isShiftedBy(schedule.loops[loop], axis))
    return Ending::Moving;
  return Ending::ReduceScatter;
}

int64_t mercury::numTiles(const LoopPlan &loop, const TopologyModel &topology) {
  int64_t tiles = 1;
  for (const Factor &factor : loop)
    tiles *= factor.count(topology) * (factor.bidirectional ? 2 : 1);
  return tiles;
}

static int64_t roundUp(int64_t value, int64_t multiple) {
  return (value / multiple + (value % multiple != 0)) * multiple;
}

int64_t mercury::paddedExtent(int64_t extent, const LoopPlan &loop,
                              const TopologyModel &topology) {
  return roundUp(extent, numTiles(loop, topology));
}

int64_t mercury::paddedExtent(const Schedule &schedule, const OperatorModel &op,
                              size_t loop, const TopologyModel &topology) {
  int64_t multiple = std::lcm(numTiles(schedule.loops[loop], topology),
                              schedule.orderOf(loop).granularity());
  auto add = [&](const OperatorModel::Tensor &tensor, const Placement &p) {
    for (size_t d = 0; d < tensor.loopOfDim.size(); ++d)
      if (tensor.loopOfDim[d] == static_cast<int>(loop))
        multiple = std::lcm(multiple, granularity(p, d, topology));
  };
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    add(op.inputs[i], schedule.inputs[i].entry);
    add(op.inputs[i], schedule.inputs[i].nest);
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    add(op.results[i], schedule.results[i].nest);
    add(op.results[i], schedule.results[i].exit);
  }
  return roundUp(op.loops[loop].extent, multiple);
}

std::vector<std::pair<size_t, size_t>>
mercury::timeLoops(const Schedule &schedule) {
  std::vector<std::pair<size_t, size_t>> loops;
  for (size_t l = 0; l < schedule.loops.size(); ++l)
    for (size_t f = 0; f < schedule.loops[l].size(); ++f)
      if (schedule.loops[l][f].kind == Factor::Kind::Time)
        loops.emplace_back(l, f);
  auto orderOf = [&](const std::pair<size_t, size_t> &loop) {
    return schedule.loops[loop.first][loop.second].order;
  };
  std::sort(loops.begin(), loops.end(), [&](const auto &a, const auto &b) {
    return std::pair(orderOf(a), a) < std::pair(orderOf(b), b);
  });
  return loops;
}

int64_t mercury::factorIndex(const Factor &factor, int64_t step, int64_t rank,
                             const TopologyModel &topology) {
  if (factor.kind == Factor::Kind::Rank)
    return topology.coordinate(rank, factor.axes);
  int64_t count = factor.count(topology);
  int64_t index = factor.backwards ? -(step % count) : step % count;
  for (const Shift &shift : factor.shifts)
    index += shift.stride % count * topology.coordinate(rank, shift.axes) +
             shift.offset % count;
  return (index % count + count) % count;
}

int64_t mercury::tileIndex(const Schedule &schedule, size_t loop,
                           const std::vector<int64_t> &time, int64_t rank,
                           const TopologyModel &topology) {
  std::vector<std::pair<size_t, size_t>> order = timeLoops(schedule);
  int64_t index = 0;
  for (size_t f = 0; f < schedule.loops[loop].size(); ++f) {
    const Factor &factor = schedule.loops[loop][f];
    auto *it = std::find(order.data(), order.data() + order.size(),
                         std::pair<size_t, size_t>(loop, f));
    size_t position = it - order.data();
    int64_t step = position < time.size() ? time[position] : 0;
    index = index * factor.count(topology) +
            factorIndex(factor, step, rank, topology);
  }
  return index;
}

size_t mercury::hashValue(const Schedule &schedule) {
  // FNV-1a over the text: the same number in every process.
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : print(schedule))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}
