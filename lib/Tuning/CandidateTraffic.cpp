//===- CandidateTraffic.cpp - What candidates communicate -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CandidateCost.h"
#include "ScheduleTraffic.h"

#include <bit>

using namespace mercury;

// Ways of messages beside collectives, whose way is their primitive.
static constexpr int passOn = 16, passBothWays = 17, fetchFromOwner = 18;

const LinkSeconds &CandidateCost::timeOf(const Message &message) {
  auto [it, isNew] =
      times.try_emplace(Key{message.axes, message.way, message.bytes});
  LinkSeconds &seconds = it->second;
  if (!isNew)
    return seconds;
  AxisList list;
  for (uint64_t rest = message.axes; rest != 0; rest &= rest - 1)
    list.push_back(known[std::countr_zero(rest)]);
  // Axes stand in the order of the topology.
  auto place = [&](const AxisRef &axis) {
    return std::pair(topology.find(axis.level) - topology.levels.data(),
                     axis.pre);
  };
  std::sort(list.begin(), list.end(), [&](const AxisRef &a, const AxisRef &b) {
    return place(a) < place(b);
  });
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

static bool contains(const AxisSequence &axes, uint8_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

size_t CandidateCost::timeOf(const Candidate &c, size_t loop, uint8_t axis,
                             bool shifted) const {
  // From the innermost loop outwards.
  size_t any = c.times.size();
  for (size_t order = c.times.size(); order-- > 0;)
    for (size_t t = 0; t < c.times.size(); ++t) {
      const Candidate::Time &time = c.times[t];
      if (time.order != order || time.loop != loop)
        continue;
      if (!shifted && division->units[time.members[0].unit] >> axis & 1)
        return t;
      for (const Candidate::Time::Member &m : time.members)
        if (shifted && m.shifted && division->units[m.unit] >> axis & 1)
          return t;
      any = t;
    }
  return any;
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
  AxisMask gathered = 0, exchanged = 0;
  bool unpacks = false, exchangesApart = false;
  for (size_t d = 0; d < dims; ++d)
    for (uint8_t axis : tensor.entry[d]) {
      bool isHere = contains(tensor.nest[d], axis), isElsewhere = false;
      for (size_t other = 0; other < dims; ++other)
        isElsewhere |= other != d && contains(tensor.nest[other], axis);
      if (isElsewhere) {
        exchanged |= AxisMask(1) << axis;
        exchangesApart |= isApart(c, i, d);
      } else if (!isHere) {
        gathered |= AxisMask(1) << axis;
        unpacks |= isApart(c, i, d);
      }
    }
  auto collective = [&](Primitive primitive, AxisMask axes, double bytes) {
    if (axes != 0 && bytes > 0)
      before +=
          timeOf(Message{namesOf(axes), static_cast<int>(primitive), bytes})
              .seconds;
  };
  double part = shard[i] / double(division->sizeOf(gathered));
  collective(Primitive::AllToAll, exchanged, part);
  if (exchangesApart)
    copy(part);
  collective(Primitive::AllGather, gathered, shard[i]);
  if (unpacks)
    copy(shard[i]);
  readLoops(c, i);
}

void CandidateCost::readLoops(const Candidate &c, size_t i) {
  const OperatorModel::Tensor &model = problem.op.inputs[i];
  const Candidate::Tensor &tensor = c.tensors[i];
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    const AxisSequence &list = tensor.nest[d];
    int loop = model.loopOfDim[d];
    for (size_t a = 0; a < list.size() && loop >= 0;) {
      auto arrivalOf = [&](uint8_t axis) {
        if (c.ranks[loop] >> axis & 1)
          return Arrival::Local;
        for (size_t other = 0; other < model.loopOfDim.size(); ++other)
          if (other != d && contains(tensor.entry[other], axis))
            return Arrival::AllToAll;
        if (!(shifts[loop] >> axis & 1))
          return Arrival::Broadcast;
        return tensor.fetch >> axis & 1 ? Arrival::Fetch : Arrival::Rotate;
      };
      Arrival arrival = arrivalOf(list[a]);
      bool shifted = arrival == Arrival::Rotate || arrival == Arrival::Fetch;
      size_t t = shifted || arrival == Arrival::Broadcast
                     ? timeOf(c, loop, list[a], shifted)
                     : c.times.size();
      if (t == c.times.size()) {
        ++a;
        continue;
      }
      const Candidate::Time &time = c.times[t];
      // Neighbouring axes that arrive alike move together.
      AxisMask unit = ~AxisMask(0), group = 0;
      for (const Candidate::Time::Member &m : time.members)
        if (shifted && m.shifted && division->units[m.unit] >> list[a] & 1)
          unit = division->units[m.unit];
      for (; a < list.size(); ++a) {
        if (arrivalOf(list[a]) != arrival || !(unit >> list[a] & 1) ||
            timeOf(c, loop, list[a], shifted) != t)
          break;
        group |= AxisMask(1) << list[a];
      }
      double bytes = shard[i];
      if (arrival == Arrival::Broadcast) {
        readsOrder |= time.members.size() > 1 ||
                      !(division->units[time.members[0].unit] & group);
        send(loops[t].ahead, group, static_cast<int>(Primitive::Broadcast),
             bytes);
      } else if (arrival == Arrival::Rotate) {
        if (time.bothDirections)
          send(loops[t].passed, group, passBothWays, bytes / 2);
        else
          send(loops[t].passed, group, passOn, bytes);
      } else {
        // A reader gets the part of the block that it reads.
        for (size_t other = 0; other < model.loopOfDim.size(); ++other)
          if (int around = model.loopOfDim[other]; around >= 0 && other != d)
            for (AxisMask rest = c.ranks[around]; rest != 0; rest &= rest - 1)
              if (uint8_t axis = std::countr_zero(rest);
                  !contains(tensor.nest[other], axis))
                bytes /= double(division->sizes[axis]);
        // The first tile is the rank's own. The other one of two ranks is the
        // next one, too.
        int64_t owners = division->sizeOf(group) - 1,
                looked = std::min(owners, maxStrides);
        if (looked > 0)
          send(loops[t].passed, group, owners == 1 ? passOn : fetchFromOwner,
               bytes / double(looked));
      }
    }
  }
}

void CandidateCost::readResult(const Candidate &c, size_t r) {
  const OperatorModel::Tensor &model = problem.op.results[r];
  size_t number = problem.op.inputs.size() + r;
  const Candidate::Tensor &tensor = c.tensors[number];
  AxisMask summed = partial, scattered = 0;
  bool packs = false;
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    int loop = model.loopOfDim[d];
    AxisMask seen = 0;
    for (uint8_t axis : tensor.nest[d]) {
      AxisMask bit = AxisMask(1) << axis;
      if (!(partial & bit))
        continue;
      summed &= ~bit;
      if (loop < 0 || !(shifts[loop] & bit)) {
        scattered |= bit;
        packs |= isApart(c, number, d);
        continue;
      }
      if (seen & bit)
        continue;
      size_t t = timeOf(c, loop, axis, /*shifted=*/true);
      if (t == c.times.size())
        continue;
      AxisMask group = 0;
      for (const Candidate::Time::Member &m : c.times[t].members)
        if (m.shifted && division->units[m.unit] & bit)
          for (uint8_t other : tensor.nest[d])
            group |= AxisMask(1) << other & division->units[m.unit] & partial;
      seen |= group;
      send(loops[t].moved, group, passOn, shard[number]);
    }
  }
  auto collective = [&](Primitive primitive, AxisMask axes, double bytes) {
    if (axes != 0 && bytes > 0)
      after +=
          timeOf(Message{namesOf(axes), static_cast<int>(primitive), bytes})
              .seconds;
  };
  double whole = shard[number] * double(division->sizeOf(scattered));
  if (fillsFirst) {
    fill += whole / memoryRate;
    fills = 1;
    // Attention divides the state by its sums: the first by the last of them.
    if (problem.kind == LocalWork::Kind::Attention) {
      if (r == 0)
        finish +=
            (whole + whole * double(problem.op.inputs.front().elementBytes) /
                         double(model.elementBytes)) /
            memoryRate;
      if (r + 1 == problem.op.results.size()) {
        finish += whole / memoryRate;
        ++finishes;
      }
    }
  }
  collective(Primitive::ReduceScatter, scattered, whole);
  if (packs)
    copy(whole);
  collective(Primitive::AllReduce, summed, shard[number]);
}

void CandidateCost::readTimes(const Candidate &c) {
  before = after = fill = finish = 0;
  fills = finishes = 0;
  readsOrder = false;
  for (size_t t = 0; t < c.times.size(); ++t) {
    Loop &loop = loops[t];
    loop.steps = division->sizeOf(division->units[c.times[t].members[0].unit]);
    loop.passed.clear();
    loop.ahead.clear();
    loop.moved.clear();
  }
  for (size_t i = 0; i < problem.op.inputs.size(); ++i)
    readInput(c, i);
  for (size_t r = 0; r < problem.op.results.size(); ++r)
    readResult(c, r);
  for (size_t t = 0; t < c.times.size(); ++t) {
    Times &time = loopTimes[t];
    time = Times();
    add(time.all, loops[t].passed);
    add(time.all, loops[t].ahead);
    add(time.all, loops[t].moved);
    add(time.ahead, loops[t].ahead);
    time.moves = !loops[t].moved.empty();
    // What arrives is added to what was computed: two read, one written.
    if (!problem.isFused)
      for (const Message &message : loops[t].moved)
        time.moveMerge += 3 * message.bytes / memoryRate;
  }
}
