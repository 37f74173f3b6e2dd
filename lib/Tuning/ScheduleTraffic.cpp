//===- ScheduleTraffic.cpp - What a schedule communicates -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScheduleTraffic.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace mercury;

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
                                 const AxisList &axes, size_t index) const {
  // Axes of a dimension and factors of its loop are digits of one number.
  int64_t before = sizeOf(AxisList(axes.begin(), axes.begin() + index)),
          behind = before * topology.sizeOf(axes[index]), outer = 1;
  size_t innermost = traffic.loops.size();
  for (size_t f = 0; f < s.loops[loop].size(); ++f) {
    const Factor &factor = s.loops[loop][f];
    int64_t inner = outer * factor.count(topology);
    if (factor.kind == Factor::Kind::Time && inner > outer && inner > before &&
        outer < behind)
      for (size_t t = 0; t < traffic.loops.size(); ++t)
        if (traffic.loops[t].loop == loop && traffic.loops[t].factor == f &&
            (innermost == traffic.loops.size() || t > innermost))
          innermost = t;
    outer = inner;
  }
  return innermost;
}

/// The factor's shift over `axis`.
const Shift *TrafficReader::shiftOver(const Factor &factor,
                                      const AxisRef &axis) {
  for (const Shift &shift : factor.shifts)
    if (contains(shift.axes, axis))
      return &shift;
  return nullptr;
}

/// Whether a rank has its own tile at the first step, or at the last one, of
/// what moves by `shift`.
bool TrafficReader::isOwn(const Factor &factor, const Shift &shift,
                          bool atLast) const {
  int64_t count = factor.count(topology), step = atLast ? count - 1 : 0;
  return factor.shifts.size() == 1 && shift.stride == 1 &&
         sizeOf(shift.axes) == count &&
         ((factor.backwards ? -step : step) + shift.offset) % count == 0;
}

/// How far behind a rank stands the one that has next what the rank has now:
/// t + 1 + stride * c = t + stride * c' for c' = c + 1 / stride, mod steps.
int64_t TrafficReader::hopStride(const Factor &factor, const Shift &shift,
                                 int64_t steps) {
  int64_t stride = (shift.stride % steps + steps) % steps;
  for (int64_t inverse = 1; inverse < steps; ++inverse)
    if (stride * inverse % steps == 1)
      return factor.backwards ? -inverse : inverse;
  return factor.backwards ? -1 : 1;
}

bool TrafficReader::isBefore(const AxisRef &a, const AxisRef &b) const {
  auto place = [&](const AxisRef &axis) {
    return std::pair(topology.find(axis.level) - topology.levels.data(),
                     axis.pre);
  };
  return place(a) < place(b);
}

Communicators TrafficReader::communicator(const AxisList &axes) {
  auto *it = std::find(communicators.begin(), communicators.end(), axes);
  size_t number = it - communicators.begin();
  if (it == communicators.end())
    communicators.push_back(axes);
  return Communicators(1) << number;
}

/// One message of each tile that lies elsewhere than it is needed.
void TrafficReader::putRight(std::vector<Transfer> &list, Skew skew,
                             double bytes) {
  // Those that go different ways fill the ports as a ring does.
  if (!skew.isEqual) {
    AxisList all;
    for (const LinkTimes::Offset &offset : skew.offsets)
      all.insert(all.end(), offset.axes.begin(), offset.axes.end());
    llvm::sort(all, [&](const AxisRef &a, const AxisRef &b) {
      return isBefore(a, b);
    });
    skew.offsets = {{all, 1}};
  }
  auto known = llvm::find_if(hopOfOffsets, [&](const auto &other) {
    return other.first == skew.offsets;
  });
  if (known == hopOfOffsets.end()) {
    hops.push_back(links.hopOf(skew.offsets));
    known = hopOfOffsets.insert(known, {skew.offsets, hops.size() - 1});
  }
  list.push_back(
      {true, Primitive::SendRecv, known->second, skew.part * bytes, 0});
}

/// Adds the part of the tiles that lie elsewhere than a rank needs its first,
/// or has its last, where isOwn() is false: all, as far as the factor has
/// turned by then, or, where other axes say how far, all but one in so many.
void TrafficReader::addSkew(Skew &skew, const Factor &factor,
                            const Shift &shift, const AxisList &axes,
                            bool atLast) const {
  bool isAlone = factor.shifts.size() == 1;
  int64_t turned = atLast ? factor.count(topology) - 1 : 0, size = sizeOf(axes);
  turned = (factor.backwards ? -turned : turned) + shift.offset;
  // What comes first comes from there, what is last goes there.
  int64_t stride = ((atLast ? -turned : turned) % size + size) % size;
  skew.offsets.push_back({axes, isAlone && stride != 0 ? stride : 1});
  skew.isEqual &= isAlone;
  skew.part = std::max(skew.part, isAlone ? 1 : 1 - 1 / double(sizeOf(axes)));
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

/// Calls `visit` with each collective between two placements: all-to-all, or
/// all-gather along a dimension.
void TrafficReader::reshard(
    const Placement &from, const Placement &to,
    llvm::function_ref<void(Primitive, const AxisList &, size_t)> visit) const {
  if (from.dims == to.dims)
    return;
  if (from.dims.size() > maxDims) {
    for (size_t d = 0; d < from.dims.size(); ++d)
      if (from.dims[d] != to.dims[d] && !from.dims[d].empty())
        visit(Primitive::AllGather, from.dims[d], d);
    return;
  }
  llvm::SmallVector<const AxisRef *, 8> axes;
  auto numbers = [&](const Placement &placement, AxisSequence *dims) {
    for (size_t d = 0; d < placement.dims.size(); ++d)
      for (const AxisRef &axis : placement.dims[d]) {
        if (topology.sizeOf(axis) == 1)
          continue;
        auto *it = llvm::find_if(
            axes, [&](const AxisRef *known) { return *known == axis; });
        dims[d].push_back(uint8_t(it - axes.begin()));
        if (it == axes.end())
          axes.push_back(&axis);
      }
  };
  AxisSequence before[maxDims], behind[maxDims];
  numbers(from, before);
  numbers(to, behind);
  for (const ReshardStep &step :
       reshardSteps(before, behind, from.dims.size())) {
    AxisList list;
    for (uint8_t axis : step.axes)
      list.push_back(*axes[axis]);
    visit(step.isExchange ? Primitive::AllToAll : Primitive::AllGather, list,
          step.dim);
  }
}

void TrafficReader::readInput(const Schedule &s, size_t i, bool backward) {
  const OperatorModel &op = problem.op;
  const OperandPlan &plan = s.inputs[i];
  AxisList reordered;
  // Chunks of another order lie on other ranks.
  for (size_t d = 0; d < plan.nest.dims.size(); ++d)
    if (plan.entry.dims[d] == plan.nest.dims[d] &&
        !(plan.entry.orderOf(d) == plan.nest.orderOf(d)))
      for (const AxisRef &axis : plan.nest.dims[d])
        reordered.push_back(axis);
  double gradient = gradientScale(op.inputs[i].elementBytes),
         shard = extents.inputs[i] * double(sizeOf(plan.nest.axes())) /
                 double(sizeOf(plan.entry.axes()));
  if (!backward)
    collective(traffic.before, Primitive::AllToAll, reordered, shard);
  // Gathered tensors are not kept for backward; gradients are summed where
  // shards live.
  reshard(plan.entry, plan.nest,
          [&](Primitive primitive, const AxisList &axes, size_t dim) {
            if (primitive == Primitive::AllGather)
              shard *= double(sizeOf(axes));
            if (!backward || primitive == Primitive::AllGather)
              collective(traffic.before, primitive, axes, shard);
            if (backward)
              collective(
                  traffic.after,
                  primitive == Primitive::AllGather ? Primitive::ReduceScatter
                                                    : Primitive::AllToAll,
                  axes,
                  shard * (primitive == Primitive::AllGather ? gradient : 1));
            else if (shard > 0 && isApart(op.inputs[i], problem.inputShapes[i],
                                          plan.nest, dim))
              traffic.before.back().copied = 2 * shard;
          });
  if (backward)
    collective(traffic.after, Primitive::AllToAll, reordered, shard);
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
  double bytes = extents.results[r], partial = bytes;
  const OperatorModel::Tensor &tensor = op.results[r];
  const std::vector<int64_t> &shape = problem.resultShapes[r];
  // One dimension after the other.
  std::vector<AxisList> scattered(plan.nest.dims.size());
  AxisList summed;
  AxisList moving;
  for (const AxisRef &axis : reduced) {
    Ending ending = endingOf(s, op, r, axis);
    if (ending == Ending::AllReduce) {
      summed.push_back(axis);
    } else if (ending == Ending::ReduceScatter) {
      scattered[*plan.nest.dimOf(axis)].push_back(axis);
      partial *= double(topology.sizeOf(axis));
    } else {
      moving.push_back(axis);
    }
  }
  // What moves is not scattered yet.
  Skew home;
  for (const AxisRef &axis : moving) {
    size_t dim = *plan.nest.dimOf(axis);
    int loop = op.results[r].loopOfDim[dim];
    const AxisList &axes = plan.nest.dims[dim];
    size_t t =
        timeLoopOf(s, loop, axes,
                   std::find(axes.begin(), axes.end(), axis) - axes.begin());
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
          partial);
    at.movedBytes += partial;
    flights[t].hops |= communicator(group);
    if (!isOwn(factor, *over, /*atLast=*/true))
      addSkew(home, factor, *over, group, /*atLast=*/true);
  }
  if (!home.offsets.empty() && !backward)
    putRight(traffic.after, home, partial);
  extents.partials.push_back(partial);
  std::vector<Transfer> &list = backward ? traffic.before : traffic.after;
  if (backward) {
    // The gradient of a gathered result is there; of a sum it is the same.
    reshard(plan.nest, plan.exit,
            [&](Primitive primitive, const AxisList &axes, size_t) {
              if (primitive == Primitive::AllToAll)
                collective(list, primitive, axes, bytes);
            });
    for (size_t d = scattered.size(); d-- > 0;) {
      bytes *= double(sizeOf(scattered[d]));
      collective(list, Primitive::AllGather, scattered[d], bytes);
    }
    return;
  }
  traffic.isPartial |= partial > bytes || !summed.empty();
  for (size_t d = 0; d < scattered.size(); ++d) {
    if (scattered[d].empty())
      continue;
    collective(list, Primitive::ReduceScatter, scattered[d], partial);
    if (partial > 0 && isApart(tensor, shape, plan.nest, d))
      list.back().copied = 2 * partial;
    partial /= double(sizeOf(scattered[d]));
  }
  collective(list, Primitive::AllReduce, summed, bytes);
  if (!summed.empty() && !traffic.loops.empty())
    traffic.summed += 2 * bytes;
  double left = leaving(r, bytes);
  if (left <= 0)
    return;
  reshard(plan.nest, plan.exit,
          [&](Primitive primitive, const AxisList &axes, size_t dim) {
            if (primitive == Primitive::AllGather)
              left *= double(sizeOf(axes));
            collective(list, primitive, axes, left);
            if (isApart(tensor, shape, plan.nest, dim))
              list.back().copied = 2 * left;
          });
}

void TrafficReader::read(const Schedule &s, bool backward) {
  readExtents(s);
  traffic.before.clear();
  traffic.after.clear();
  traffic.cut = traffic.summed = 0;
  traffic.isPartial = false;
  std::vector<std::pair<size_t, size_t>> order = timeLoops(s);
  traffic.loops.resize(order.size());
  for (size_t t = 0; t < order.size(); ++t) {
    LoopTraffic &at = traffic.loops[t];
    std::tie(at.loop, at.factor) = order[t];
    at.steps = s.loops[at.loop][at.factor].count(topology);
    at.passed.clear();
    at.ahead.clear();
    at.moved.clear();
    at.fetched.clear();
    at.entered.clear();
    at.waited.clear();
    at.waitedFetched.clear();
    at.movedBytes = 0;
  }
  communicators.clear();
  flights.assign(order.size(), FlightLoop());
  arrivals.assign(order.size(), {});
  for (size_t i = 0; i < s.inputs.size(); ++i)
    readInput(s, i, backward);
  AxisList reduced = reductionAxes(s, problem.op);
  for (size_t r = 0; r < s.results.size(); ++r)
    readResult(s, r, reduced, backward);
  sortArrivals();
}
