//===- CandidateTraffic.cpp - What candidates communicate -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CandidateCost.h"
#include "ReshardSteps.h"
#include "ScheduleTraffic.h"

#include <bit>

using namespace mercury;

AxisList CandidateCost::listOf(uint64_t axes) const {
  AxisList list;
  for (uint64_t rest = axes; rest != 0; rest &= rest - 1)
    list.push_back(known[std::countr_zero(rest)]);
  auto place = [&](const AxisRef &axis) {
    return std::pair(topology.find(axis.level) - topology.levels.data(),
                     axis.pre);
  };
  std::sort(list.begin(), list.end(), [&](const AxisRef &a, const AxisRef &b) {
    return place(a) < place(b);
  });
  return list;
}

const LinkSeconds &CandidateCost::timeOf(const Message &message) {
  auto [it, isNew] =
      times.try_emplace(Key{message.axes, message.way, message.bytes});
  LinkSeconds &seconds = it->second;
  if (!isNew)
    return seconds;
  AxisList list = listOf(message.axes);
  LinkTime time;
  if (message.way < passOn) {
    time = links.collective(static_cast<Primitive>(message.way),
                            links.shapeOf(list), message.bytes);
  } else {
    auto [hop, isNewHop] = hops.try_emplace(Key{message.axes, message.way, 0});
    if (isNewHop) {
      std::vector<int64_t> strides = {1};
      if (message.way == passBothWays)
        strides.push_back(-1);
      if (message.way == fetchFromOwner) {
        int64_t owners = topology.sizeOf(list) - 1,
                looked = std::min(owners, maxStrides);
        strides.clear();
        for (int64_t k = 0; k < looked; ++k)
          strides.push_back(1 + k * owners / looked);
      }
      hop->second = links.hopOf(list, strides);
    }
    time = links.hop(hop->second, message.bytes);
  }
  seconds.seconds = time.seconds;
  seconds.fixed = time.fixed;
  seconds.launch = time.launch;
  for (const LinkLoad &load : time.loads)
    seconds.level[load.level] += load.seconds;
  return seconds;
}

void CandidateCost::send(FixedList<Message, maxTensors * 2> &list,
                         AxisMask axes, int way, double bytes) {
  if (axes == 0 || bytes <= 0)
    return;
  uint64_t all = namesOf(axes);
  // What goes the same way goes in one group of messages.
  if (way >= passOn)
    for (Message &other : list)
      if (other.axes == all && other.way == way) {
        other.bytes += bytes;
        return;
      }
  if (!list.isFull())
    list.push_back({all, way, bytes});
}

void CandidateCost::add(Bundle &bundle,
                        const FixedList<Message, maxTensors * 2> &list) {
  for (const Message &message : list) {
    const LinkSeconds &time = timeOf(message);
    bundle.fixed = std::max(bundle.fixed, time.fixed);
    bundle.launch = std::max(bundle.launch, time.launch);
    for (size_t l = 0; l < topology.levels.size(); ++l) {
      bundle.level[l] += time.level[l];
      bundle.streamed = std::max(bundle.streamed, bundle.level[l]);
    }
  }
}

void CandidateCost::follow(Bundle &bundle, const Message &message) {
  const LinkSeconds &time = timeOf(message);
  bundle.fixed += time.fixed;
  bundle.launch += time.launch;
  bundle.streamed += time.seconds - time.fixed;
  for (size_t l = 0; l < topology.levels.size(); ++l)
    bundle.level[l] += time.level[l];
}

size_t CandidateCost::timeOf(const Candidate &c, size_t loop,
                             const AxisSequence &list, size_t index) const {
  // As TrafficReader::timeLoopOf(): digits of one number.
  int64_t before = 1;
  for (size_t a = 0; a < index; ++a)
    before *= division->sizes[list[a]];
  int64_t behind = before * division->sizes[list[index]],
          outer = division->sizeOf(c.ranks[loop]);
  size_t innermost = c.times.size();
  for (size_t t = 0; t < c.times.size(); ++t) {
    if (c.times[t].loop != loop)
      continue;
    int64_t inner = outer * loops[t].steps;
    if (inner > outer && inner > before && outer < behind &&
        (innermost == c.times.size() ||
         c.times[t].order > c.times[innermost].order))
      innermost = t;
    outer = inner;
  }
  return innermost;
}

const Candidate::Time::Member *
CandidateCost::shiftOver(const Candidate::Time &time, uint8_t axis) const {
  for (const Candidate::Time::Member &m : time.members)
    if (m.shifted && division->units[m.unit] >> axis & 1)
      return &m;
  return nullptr;
}

static int64_t shiftsOf(const Candidate::Time &time) {
  return std::count_if(
      time.members.begin(), time.members.end(),
      [](const Candidate::Time::Member &m) { return m.shifted; });
}

bool CandidateCost::isOwn(const Candidate::Time &time,
                          const Candidate::Time::Member &shift,
                          bool atLast) const {
  int64_t steps = division->sizeOf(division->units[time.members[0].unit]),
          at = (atLast ? steps - 1 : 0) + shift.offset;
  return shiftsOf(time) == 1 &&
         division->sizeOf(division->units[shift.unit]) == steps &&
         at % steps == 0;
}

void CandidateCost::addSkew(Skew &skew, const Candidate::Time &time,
                            const Candidate::Time::Member &shift,
                            AxisMask group, bool atLast) const {
  bool isAlone = shiftsOf(time) == 1;
  int64_t steps = division->sizeOf(division->units[time.members[0].unit]),
          size = division->sizeOf(group),
          turned = (atLast ? steps - 1 : 0) + shift.offset,
          stride = ((atLast ? -turned : turned) % size + size) % size;
  skew.offsets.push_back({namesOf(group), isAlone && stride != 0 ? stride : 1});
  skew.isEqual &= isAlone;
  skew.part = std::max(skew.part, isAlone ? 1 : 1 - 1 / double(size));
}

double CandidateCost::putRight(Skew skew, double bytes) {
  if (skew.offsets.empty())
    return 0;
  if (!skew.isEqual) {
    uint64_t all = 0;
    for (const Offset &offset : skew.offsets)
      all |= offset.axes;
    skew.offsets = {{all, 1}};
  }
  auto [hop, isNew] = hopOfOffsets.try_emplace(skew.offsets);
  if (isNew) {
    llvm::SmallVector<LinkTimes::Offset, 4> offsets;
    for (const Offset &offset : skew.offsets)
      offsets.push_back({listOf(offset.axes), offset.stride});
    hop->second = links.hopOf(offsets);
  }
  return links.hop(hop->second, skew.part * bytes).seconds;
}

bool CandidateCost::isApart(const Candidate &c, size_t t, size_t dim) const {
  size_t inputs = problem.op.inputs.size();
  const OperatorModel::Tensor &model =
      t < inputs ? problem.op.inputs[t] : problem.op.results[t - inputs];
  const std::vector<int64_t> &shape =
      t < inputs ? problem.inputShapes[t] : problem.resultShapes[t - inputs];
  for (size_t d = 0; d < dim; ++d) {
    int loop = model.loopOfDim[d];
    if ((loop >= 0 ? padded[loop] : shape[d]) >
        division->sizeOf(c.tensors[t].nest[d]))
      return true;
  }
  return false;
}

/// Packs or unpacks what a collective moves.
void CandidateCost::copy(double bytes) {
  if (!fillsFirst)
    return;
  finish += 2 * bytes / memoryRate;
  ++finishes;
}

void CandidateCost::readInput(const Candidate &c, size_t i) {
  const Candidate::Tensor &tensor = c.tensors[i];
  size_t dims = problem.op.inputs[i].loopOfDim.size();
  double bytes = shard[i];
  for (size_t d = 0; d < dims; ++d)
    bytes *= double(division->sizeOf(tensor.nest[d])) /
             double(division->sizeOf(tensor.entry[d]));
  bool isMoved = false;
  for (size_t d = 0; d < dims; ++d)
    isMoved |= !(tensor.entry[d] == tensor.nest[d]);
  if (!isMoved)
    return;
  for (const ReshardStep &step :
       reshardSteps(tensor.entry, tensor.nest, dims)) {
    AxisMask mask = 0;
    for (uint8_t axis : step.axes)
      mask |= AxisMask(1) << axis;
    if (!step.isExchange)
      bytes *= double(division->sizeOf(mask));
    before +=
        timeOf(Message{namesOf(mask),
                       static_cast<int>(step.isExchange ? Primitive::AllToAll
                                                        : Primitive::AllGather),
                       bytes})
            .seconds;
    if (isApart(c, i, step.dim))
      copy(bytes);
  }
}

void CandidateCost::readResult(const Candidate &c, size_t r) {
  const OperatorModel::Tensor &model = problem.op.results[r];
  size_t number = problem.op.inputs.size() + r;
  const Candidate::Tensor &tensor = c.tensors[number];
  AxisMask summed = partial, scattered[maxDims] = {}, moving[maxDims] = {};
  double whole = shard[number];
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    int loop = model.loopOfDim[d];
    for (uint8_t axis : tensor.nest[d]) {
      AxisMask bit = AxisMask(1) << axis;
      if (!(partial & bit))
        continue;
      summed &= ~bit;
      if (loop < 0 || !(shifts[loop] & bit)) {
        scattered[d] |= bit;
        whole *= double(division->sizes[axis]);
      } else {
        moving[d] |= bit;
      }
    }
  }
  Skew home;
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    AxisMask seen = 0;
    for (size_t a = 0; a < tensor.nest[d].size(); ++a) {
      AxisMask bit = AxisMask(1) << tensor.nest[d][a];
      if (!(moving[d] & bit) || seen & bit)
        continue;
      size_t t = timeOf(c, model.loopOfDim[d], tensor.nest[d], a);
      const Candidate::Time::Member *shift =
          t == c.times.size() ? nullptr
                              : shiftOver(c.times[t], tensor.nest[d][a]);
      if (!shift)
        continue;
      AxisMask group = 0;
      for (uint8_t other : tensor.nest[d])
        group |= AxisMask(1) << other & division->units[shift->unit] & partial;
      seen |= group;
      send(loops[t].moved, group, passOn, whole);
      loops[t].movedBytes += whole;
      flights[c.times[t].order].hops |= flightOf(group);
      if (!isOwn(c.times[t], *shift, /*atLast=*/true))
        addSkew(home, c.times[t], *shift, group, /*atLast=*/true);
    }
  }
  auto collective = [&](Primitive primitive, AxisMask axes, double bytes) {
    if (axes != 0 && bytes > 0)
      after +=
          timeOf(Message{namesOf(axes), static_cast<int>(primitive), bytes})
              .seconds;
  };
  after += putRight(home, whole);
  added += whole;
  bool isAttention = problem.kind == LocalWork::Kind::Attention;
  isPartial |= whole > shard[number] || summed != 0;
  if (fillsFirst && isAttention) {
    // The state is divided by its sums, the first result by the last; partial
    // ones are brought to one maximum before.
    if (r == 0)
      finish += (whole * (isPartial ? 3 : 1) +
                 whole * double(problem.op.inputs.front().elementBytes) /
                     double(model.elementBytes)) /
                memoryRate;
    if (r + 1 == problem.op.results.size()) {
      finish += whole * (isPartial ? 3 : 1) / memoryRate;
      finishes += isPartial ? 3 : 1;
    }
  }
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    if (scattered[d] == 0)
      continue;
    collective(Primitive::ReduceScatter, scattered[d], whole);
    if (isApart(c, number, d))
      copy(whole);
    whole /= double(division->sizeOf(scattered[d]));
  }
  collective(Primitive::AllReduce, summed, shard[number]);
  if (summed != 0 && !c.times.empty() && !isAttention)
    copied += 2 * shard[number];
}

void CandidateCost::readTimes(const Candidate &c) {
  before = after = finish = entering = cut = added = copied = 0;
  finishes = 0;
  isPartial = false;
  communicators.clear();
  size_t count = c.times.size();
  for (size_t t = 0; t < count; ++t) {
    readOrders[t] = c.times[t].order;
    loops[t].steps =
        division->sizeOf(division->units[c.times[t].members[0].unit]);
    loops[t].passed.clear();
    loops[t].moved.clear();
    loops[t].movedBytes = 0;
    flights[t].hops = 0;
    flights[t].arrivals.clear();
    arrivals[t].clear();
  }
  for (size_t i = 0; i < problem.op.inputs.size(); ++i) {
    readInput(c, i);
    readLoops(c, i);
  }
  for (size_t r = 0; r < problem.op.results.size(); ++r)
    readResult(c, r);
  before += entering;
  findFlights({flights, count});
  fill = 0;
  fills = 0;
  if (fillsFirst) {
    bool movesFirst = false;
    for (size_t t = 0; t < count; ++t)
      movesFirst |= c.times[t].order == 0 && loops[t].movedBytes > 0;
    if (!movesFirst) {
      fill += added / memoryRate;
      ++fills;
    }
    if (cut > 0) {
      fill += cut / memoryRate;
      ++fills;
    }
    if (copied > 0) {
      finish += copied / memoryRate;
      ++finishes;
    }
  }
  for (size_t t = 0; t < count; ++t)
    addTimes(c, t);
}
