//===- ScheduleTraffic.cpp - What a schedule communicates -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScheduleTraffic.h"

#include <algorithm>
#include <numeric>

using namespace mercury;

static bool contains(const AxisList &axes, const AxisRef &axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

TrafficReader::TrafficReader(const CostProblem &problem, const LinkTimes &links)
    : problem(problem), links(links), topology(links.topology()),
      numRanks(topology.numRanks()) {}

int64_t TrafficReader::sizeOf(const AxisList &axes) const {
  return topology.sizeOf(axes);
}

double TrafficReader::gradientScale(int64_t elementBytes) const {
  return problem.gradientBytes
             ? double(problem.gradientBytes) / double(elementBytes)
             : 1;
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// Some tensor is sharded along the loop at some time.
bool TrafficReader::isDivided(const Schedule &s, size_t loop) const {
  const OperatorModel &op = problem.op;
  for (size_t i = 0; i < s.inputs.size(); ++i)
    if (std::optional<size_t> d = op.inputs[i].dimOfLoop(int(loop)))
      if (!s.inputs[i].entry.dims[*d].empty() ||
          !s.inputs[i].nest.dims[*d].empty())
        return true;
  for (size_t r = 0; r < s.results.size(); ++r)
    if (std::optional<size_t> d = op.results[r].dimOfLoop(int(loop)))
      if (!s.results[r].nest.dims[*d].empty() ||
          !s.results[r].exit.dims[*d].empty())
        return true;
  return false;
}

void TrafficReader::readExtents(const Schedule &s) {
  const OperatorModel &op = problem.op;
  extents.padded.clear();
  extents.tile.clear();
  bool isNatural = s.tokens.empty();
  for (const OperandPlan &input : s.inputs)
    isNatural &= input.entry.isNatural() && input.nest.isNatural();
  for (const ResultPlan &result : s.results)
    isNatural &= result.nest.isNatural() && result.exit.isNatural();
  for (size_t l = 0; l < op.loops.size(); ++l) {
    int64_t count = 1, halves = 1, padded = op.loops[l].extent;
    for (const Factor &factor : s.loops[l]) {
      count *= factor.count(topology);
      halves *= factor.bidirectional ? 2 : 1;
    }
    // Shards of natural order divide what all ranks divide.
    if (!isNatural || (padded % std::lcm(count * halves, numRanks) != 0 &&
                       (count * halves > 1 || isDivided(s, l))))
      padded = paddedExtent(s, op, l, topology);
    extents.padded.push_back(padded);
    extents.tile.push_back(padded / count);
  }
  auto bytesOf = [&](const OperatorModel::Tensor &tensor,
                     const std::vector<int64_t> &shape,
                     const Placement &placement, std::vector<double> &shards,
                     std::vector<double> &tiles) {
    double shard = tensor.elementBytes, tile = tensor.elementBytes;
    for (size_t d = 0; d < tensor.loopOfDim.size(); ++d) {
      int loop = tensor.loopOfDim[d];
      int64_t whole = loop >= 0 ? extents.padded[loop] : shape[d],
              ranks = sizeOf(placement.dims[d]);
      shard *= double((whole + ranks - 1) / ranks);
      tile *= double(loop >= 0 ? extents.tile[loop] : whole);
    }
    shards.push_back(shard);
    tiles.push_back(tile);
  };
  extents.inputs.clear();
  extents.inputTiles.clear();
  extents.results.clear();
  extents.resultTiles.clear();
  extents.partials.clear();
  for (size_t i = 0; i < op.inputs.size(); ++i)
    bytesOf(op.inputs[i], problem.inputShapes[i], s.inputs[i].nest,
            extents.inputs, extents.inputTiles);
  for (size_t r = 0; r < op.results.size(); ++r)
    bytesOf(op.results[r], problem.resultShapes[r], s.results[r].nest,
            extents.results, extents.resultTiles);
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

void TrafficReader::collective(std::vector<Transfer> &list, Primitive primitive,
                               const AxisList &axes, double bytes) {
  if (axes.empty() || bytes <= 0)
    return;
  for (auto &[known, group] : groupOfAxes)
    if (known == axes) {
      list.push_back({false, primitive, group, bytes, 0});
      return;
    }
  groups.push_back(links.shapeOf(axes));
  groupOfAxes.emplace_back(axes, groups.size() - 1);
  list.push_back({false, primitive, groups.size() - 1, bytes, 0});
}

/// What goes the same way goes in one group of messages.
void TrafficReader::shift(std::vector<Transfer> &list, const AxisList &axes,
                          const std::vector<int64_t> &strides, double bytes) {
  size_t hop = hops.size();
  for (const HopKey &key : hopKeys)
    if (key.axes == axes && key.strides == strides) {
      hop = key.hop;
      break;
    }
  if (hop == hops.size()) {
    hops.push_back(links.hopOf(axes, strides));
    hopKeys.push_back({axes, strides, hop});
  }
  for (Transfer &other : list)
    if (other.isHop && other.shape == hop) {
      other.bytes += bytes;
      return;
    }
  list.push_back({true, Primitive::SendRecv, hop, bytes, 0});
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

size_t TrafficReader::timeLoopOf(const Schedule &s, size_t loop,
                                 const AxisRef &axis, bool shifted) const {
  size_t any = traffic.loops.size();
  for (size_t t = traffic.loops.size(); t-- > 0;) {
    if (traffic.loops[t].loop != loop)
      continue;
    const Factor &factor = s.loops[loop][traffic.loops[t].factor];
    if (shifted)
      for (const Shift &shift : factor.shifts)
        if (contains(shift.axes, axis))
          return t;
    if (!shifted && contains(factor.axes, axis))
      return t;
    any = t;
  }
  return any;
}

/// The factor's shift over `axis`.
static const Shift *shiftOver(const Factor &factor, const AxisRef &axis) {
  for (const Shift &shift : factor.shifts)
    if (contains(shift.axes, axis))
      return &shift;
  return nullptr;
}

/// How far behind a rank stands the one that has next what the rank has now:
/// t + 1 + stride * c = t + stride * c' for c' = c + 1 / stride, mod steps.
static int64_t hopStride(const Factor &factor, const Shift &shift,
                         int64_t steps) {
  int64_t stride = (shift.stride % steps + steps) % steps;
  for (int64_t inverse = 1; inverse < steps; ++inverse)
    if (stride * inverse % steps == 1)
      return factor.backwards ? -inverse : inverse;
  return factor.backwards ? -1 : 1;
}

void TrafficReader::readLoopArrivals(const Schedule &s, size_t i,
                                     bool backward) {
  const OperatorModel &op = problem.op;
  const OperatorModel::Tensor &tensor = op.inputs[i];
  const OperandPlan &plan = s.inputs[i];
  double gradient = gradientScale(tensor.elementBytes);
  for (size_t d = 0; d < plan.nest.dims.size(); ++d) {
    const AxisList &axes = plan.nest.dims[d];
    int loop = tensor.loopOfDim[d];
    for (size_t a = 0; a < axes.size() && loop >= 0;) {
      Arrival arrival = arrivalOf(s, op, i, axes[a]);
      bool shifted = arrival == Arrival::Rotate || arrival == Arrival::Fetch;
      if (!shifted && arrival != Arrival::Broadcast) {
        ++a;
        continue;
      }
      size_t t = timeLoopOf(s, loop, axes[a], shifted);
      if (t == traffic.loops.size()) {
        ++a;
        continue;
      }
      LoopTraffic &at = traffic.loops[t];
      const Factor &factor = s.loops[loop][at.factor];
      // Neighbouring axes that arrive alike move together.
      AxisList group;
      const Shift *shift = shifted ? shiftOver(factor, axes[a]) : nullptr;
      for (; a < axes.size(); ++a) {
        if (arrivalOf(s, op, i, axes[a]) != arrival ||
            timeLoopOf(s, loop, axes[a], shifted) != t ||
            (shift && !contains(shift->axes, axes[a])))
          break;
        group.push_back(axes[a]);
      }
      double bytes = extents.inputs[i];
      if (arrival == Arrival::Broadcast) {
        collective(at.ahead, Primitive::Broadcast, group, bytes);
        if (backward)
          // Gradients are summed at the owner.
          collective(at.ahead, Primitive::Broadcast, group, bytes * gradient);
      } else if (arrival == Arrival::Rotate) {
        int64_t steps = factor.count(topology),
                stride = hopStride(factor, *shift, steps);
        std::vector<int64_t> strides = {stride};
        if (factor.bidirectional) {
          strides.push_back(-stride);
          bytes /= 2;
        }
        this->shift(at.passed, group, strides, bytes);
        if (backward)
          this->shift(at.moved, group, strides, bytes * gradient);
      } else {
        // A reader gets the part of the block that it reads.
        for (size_t other = 0; other < plan.nest.dims.size(); ++other) {
          int around = tensor.loopOfDim[other];
          if (around < 0 || other == d)
            continue;
          for (const Factor &f : s.loops[around])
            if (f.kind == Factor::Kind::Rank)
              for (const AxisRef &axis : f.axes)
                if (!contains(plan.nest.dims[other], axis))
                  bytes /= double(topology.sizeOf(axis));
        }
        int64_t owners = sizeOf(group) - 1,
                looked = std::min(owners, maxStrides);
        std::vector<int64_t> strides;
        for (int64_t k = 0; k < looked; ++k)
          strides.push_back(1 + k * owners / looked);
        // The first tile is the rank's own.
        if (looked > 0)
          this->shift(at.passed, group, strides, bytes / double(looked));
        if (backward && looked > 0)
          this->shift(at.moved, group, strides,
                      bytes * gradient / double(looked));
      }
    }
  }
}

bool TrafficReader::isApart(const OperatorModel::Tensor &tensor,
                            const std::vector<int64_t> &shape,
                            const Placement &placement, size_t dim) const {
  for (size_t d = 0; d < dim; ++d) {
    int loop = tensor.loopOfDim[d];
    if ((loop >= 0 ? extents.padded[loop] : shape[d]) >
        sizeOf(placement.dims[d]))
      return true;
  }
  return false;
}

void TrafficReader::readInput(const Schedule &s, size_t i, bool backward) {
  const OperatorModel &op = problem.op;
  const OperandPlan &plan = s.inputs[i];
  AxisList gathered, exchanged, reordered;
  bool unpacks = false, exchangesApart = false;
  for (size_t d = 0; d < plan.entry.dims.size(); ++d)
    for (const AxisRef &axis : plan.entry.dims[d]) {
      Arrival arrival = arrivalOf(s, op, i, axis);
      if (arrival != Arrival::Gather && arrival != Arrival::AllToAll)
        continue;
      bool apart = isApart(op.inputs[i], problem.inputShapes[i], plan.nest, d);
      if (arrival == Arrival::Gather) {
        gathered.push_back(axis);
        unpacks |= apart;
      } else {
        exchanged.push_back(axis);
        exchangesApart |= apart;
      }
    }
  // Chunks of another order lie on other ranks.
  for (size_t d = 0; d < plan.nest.dims.size(); ++d)
    if (plan.entry.dims[d] == plan.nest.dims[d] &&
        !(plan.entry.orderOf(d) == plan.nest.orderOf(d)))
      for (const AxisRef &axis : plan.nest.dims[d])
        reordered.push_back(axis);
  double bytes = extents.inputs[i], shard = bytes / double(sizeOf(gathered)),
         gradient = gradientScale(op.inputs[i].elementBytes);
  if (!backward) {
    collective(traffic.before, Primitive::AllToAll, reordered, shard);
    collective(traffic.before, Primitive::AllToAll, exchanged, shard);
    if (exchangesApart)
      traffic.before.back().copied = 2 * shard;
    collective(traffic.before, Primitive::AllGather, gathered, bytes);
    if (unpacks)
      traffic.before.back().copied = 2 * bytes;
  } else {
    // Gathered tensors are not kept; gradients are summed where shards live.
    collective(traffic.before, Primitive::AllGather, gathered, bytes);
    collective(traffic.after, Primitive::ReduceScatter, gathered,
               bytes * gradient);
    collective(traffic.after, Primitive::AllToAll, exchanged, shard);
    collective(traffic.after, Primitive::AllToAll, reordered, shard);
  }
  readLoopArrivals(s, i, backward);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Of `bytes` of a result what is moved when the loops have ended.
double TrafficReader::leaving(size_t r, double bytes) const {
  const OperatorModel &op = problem.op;
  if (problem.finishedBytes == 0 || op.coupled.empty())
    return bytes;
  const std::vector<size_t> &state = op.coupled.front();
  size_t place = std::find(state.begin(), state.end(), r) - state.begin();
  if (place == 0)
    return bytes * double(problem.finishedBytes) /
           double(op.results[r].elementBytes);
  // Maximum and sum become one.
  bool stays =
      place < state.size() && !(problem.returnsLogSumExp && place == 1);
  return stays ? 0 : bytes;
}

void TrafficReader::readResult(const Schedule &s, size_t r,
                               const AxisList &reduced, bool backward) {
  const OperatorModel &op = problem.op;
  const ResultPlan &plan = s.results[r];
  double bytes = extents.results[r];
  AxisList summed, scattered, gathered, exchanged;
  bool packs = false, unpacks = false, exchangesApart = false;
  const OperatorModel::Tensor &tensor = op.results[r];
  const std::vector<int64_t> &shape = problem.resultShapes[r];
  for (const AxisRef &axis : reduced) {
    Ending ending = endingOf(s, op, r, axis);
    if (ending == Ending::AllReduce) {
      summed.push_back(axis);
    } else if (ending == Ending::ReduceScatter) {
      scattered.push_back(axis);
      packs |= isApart(tensor, shape, plan.nest, *plan.nest.dimOf(axis));
    } else {
      size_t dim = *plan.nest.dimOf(axis);
      int loop = op.results[r].loopOfDim[dim];
      size_t t = timeLoopOf(s, loop, axis, /*shifted=*/true);
      if (t == traffic.loops.size())
        continue;
      LoopTraffic &at = traffic.loops[t];
      const Factor &factor = s.loops[loop][at.factor];
      const Shift *over = shiftOver(factor, axis);
      // The first of the axes that move together stands for all.
      AxisList group;
      for (const AxisRef &other : plan.nest.dims[dim])
        if (over && contains(over->axes, other) && contains(reduced, other))
          group.push_back(other);
      if (!over || group.empty() || !(group.front() == axis))
        continue;
      shift(at.moved, group, {hopStride(factor, *over, factor.count(topology))},
            bytes);
    }
  }
  extents.partials.push_back(bytes * double(sizeOf(scattered)));
  for (const AxisList &axes : plan.nest.dims)
    for (const AxisRef &axis : axes) {
      std::optional<size_t> to = plan.exit.dimOf(axis);
      size_t from = *plan.nest.dimOf(axis);
      if (!to) {
        gathered.push_back(axis);
        unpacks |= isApart(tensor, shape, plan.nest, from);
      } else if (*to != from) {
        exchanged.push_back(axis);
        exchangesApart |= isApart(tensor, shape, plan.exit, *to);
      }
    }
  std::vector<Transfer> &list = backward ? traffic.before : traffic.after;
  if (backward) {
    // The gradient of a gathered result is there; of a sum it is the same.
    collective(list, Primitive::AllToAll, exchanged, bytes);
    collective(list, Primitive::AllGather, scattered,
               bytes * double(sizeOf(scattered)));
    return;
  }
  auto copies = [&](bool apart, const AxisList &axes, double bytes) {
    if (apart && !axes.empty() && bytes > 0)
      list.back().copied = 2 * bytes;
  };
  double partial = bytes * double(sizeOf(scattered)), left = leaving(r, bytes),
         whole = left * double(sizeOf(gathered));
  collective(list, Primitive::ReduceScatter, scattered, partial);
  copies(packs, scattered, partial);
  collective(list, Primitive::AllReduce, summed, bytes);
  collective(list, Primitive::AllToAll, exchanged, left);
  copies(exchangesApart, exchanged, left);
  collective(list, Primitive::AllGather, gathered, whole);
  copies(unpacks, gathered, whole);
}

void TrafficReader::read(const Schedule &s, bool backward) {
  readExtents(s);
  traffic.before.clear();
  traffic.after.clear();
  std::vector<std::pair<size_t, size_t>> order = timeLoops(s);
  traffic.loops.resize(order.size());
  for (size_t t = 0; t < order.size(); ++t) {
    LoopTraffic &at = traffic.loops[t];
    std::tie(at.loop, at.factor) = order[t];
    at.steps = s.loops[at.loop][at.factor].count(topology);
    at.passed.clear();
    at.ahead.clear();
    at.moved.clear();
  }
  for (size_t i = 0; i < s.inputs.size(); ++i)
    readInput(s, i, backward);
  AxisList reduced = reductionAxes(s, problem.op);
  for (size_t r = 0; r < s.results.size(); ++r)
    readResult(s, r, reduced, backward);
}
