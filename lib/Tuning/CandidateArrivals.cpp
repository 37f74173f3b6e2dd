//===- CandidateArrivals.cpp - How tiles of candidates come in loops ------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CandidateCost.h"
#include "ScheduleTraffic.h"

#include <algorithm>
#include <bit>

using namespace mercury;

static bool has(const AxisSequence &axes, uint8_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

double CandidateCost::partsOf(const Candidate &c, size_t i, size_t depth,
                              AxisMask broadcast, bool &liesApart) const {
  const OperatorModel::Tensor &model = problem.op.inputs[i];
  double parts = 1;
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    int loop = model.loopOfDim[d];
    if (loop < 0)
      continue;
    int64_t block = division->sizeOf(c.tensors[i].nest[d]),
            count = division->sizeOf(c.ranks[loop]), inside = 1;
    bool isKnown = true, ofReceivers = false;
    if (count > block) {
      inside = count / block;
      ofReceivers = c.ranks[loop] & broadcast;
    }
    for (size_t t = 0; t < c.times.size(); ++t) {
      const Candidate::Time &time = c.times[t];
      if (time.loop != loop)
        continue;
      count *= loops[t].steps;
      if (count <= block || loops[t].steps == 1)
        continue;
      inside *= std::min(loops[t].steps, count / block);
      for (const Candidate::Time::Member &m : time.members)
        ofReceivers |= m.shifted && (division->units[m.unit] & broadcast) != 0;
      isKnown &= time.order < depth;
    }
    if (inside == 1 || !isKnown)
      continue;
    if (ofReceivers)
      return 1;
    parts *= double(inside);
    liesApart |= isApart(c, i, d);
  }
  return parts;
}

void CandidateCost::arrive(size_t depth, AxisMask axes, int way, double bytes,
                           bool isOutside, Arrived how) {
  if (way == fetchFromOwner) {
    int64_t owners = division->sizeOf(axes) - 1,
            looked = std::min(owners, maxStrides);
    if (looked <= 0)
      return;
    // The other one of two ranks is the next one, too.
    way = owners == 1 ? passOn : fetchFromOwner;
    bytes /= double(looked);
  }
  if (axes == 0 || bytes <= 0)
    return;
  how.message = {namesOf(axes), way, bytes};
  flights[depth - 1].arrivals.push_back({flightOf(axes), isOutside});
  arrivals[depth - 1].push_back(how);
}

Communicators CandidateCost::flightOf(AxisMask axes) {
  size_t number = std::find(communicators.begin(), communicators.end(), axes) -
                  communicators.begin();
  if (number == communicators.size() && !communicators.isFull())
    communicators.push_back(axes);
  return Communicators(1) << number;
}

void CandidateCost::readLoops(const Candidate &c, size_t i) {
  const OperatorModel::Tensor &model = problem.op.inputs[i];
  const Candidate::Tensor &tensor = c.tensors[i];
  AxisMask broadcast = 0, fetched = 0;
  Skew skewed;
  size_t depth = 0, fetchedAt = 0;
  uint32_t rotates = 0; ///< bits by order
  bool fetchedAtOne = true, ownFirst = true, ownLast = true;
  for (size_t d = 0; d < model.loopOfDim.size(); ++d) {
    const AxisSequence &list = tensor.nest[d];
    int loop = model.loopOfDim[d];
    auto arrivalOf = [&](uint8_t axis) {
      if (c.ranks[loop] >> axis & 1)
        return Arrival::Local;
      for (size_t other = 0; other < model.loopOfDim.size(); ++other)
        if (other != d && has(tensor.entry[other], axis))
          return Arrival::AllToAll;
      if (!(shifts[loop] >> axis & 1))
        return Arrival::Broadcast;
      return tensor.fetch >> axis & 1 ? Arrival::Fetch : Arrival::Rotate;
    };
    for (size_t a = 0; a < list.size() && loop >= 0;) {
      Arrival arrival = arrivalOf(list[a]);
      bool travels = arrival == Arrival::Rotate || arrival == Arrival::Fetch ||
                     arrival == Arrival::Broadcast;
      size_t t = travels ? timeOf(c, loop, list, a) : c.times.size();
      if (t == c.times.size()) {
        ++a;
        continue;
      }
      const Candidate::Time &time = c.times[t];
      depth = std::max<size_t>(depth, time.order + 1);
      AxisMask bit = AxisMask(1) << list[a];
      const Candidate::Time::Member *shift = shiftOver(time, list[a]);
      if (arrival == Arrival::Broadcast) {
        broadcast |= bit;
        ++a;
        continue;
      }
      if (arrival == Arrival::Fetch) {
        fetchedAtOne &= fetched == 0 || fetchedAt == time.order;
        fetchedAt = time.order;
        ownFirst &= shift && isOwn(time, *shift, /*atLast=*/false);
        ownLast &= shift && isOwn(time, *shift, /*atLast=*/true);
        fetched |= bit;
        ++a;
        continue;
      }
      rotates |= uint32_t(1) << time.order;
      if (!shift) {
        ++a;
        continue;
      }
      // Neighbouring axes that arrive alike move together.
      AxisMask group = 0;
      for (; a < list.size(); ++a) {
        if (arrivalOf(list[a]) != arrival ||
            !(division->units[shift->unit] >> list[a] & 1) ||
            timeOf(c, loop, list, a) != t)
          break;
        group |= AxisMask(1) << list[a];
      }
      if (time.bothDirections)
        send(loops[t].passed, group, passBothWays, shard[i] / 2);
      else
        send(loops[t].passed, group, passOn, shard[i]);
      flights[time.order].hops |= flightOf(group);
      if (!isOwn(time, *shift, /*atLast=*/false))
        addSkew(skewed, time, *shift, group, /*atLast=*/false);
    }
  }
  entering += putRight(skewed, shard[i]);
  if (fetched == 0 && broadcast == 0)
    return;
  bool liesApart = false;
  double bytes = shard[i] / partsOf(c, i, depth, broadcast, liesApart);
  if (liesApart && bytes < shard[i])
    cut += 2 * shard[i];
  bool isOutside = !(rotates >> (depth - 1) & 1);
  if (fetched != 0) {
    bool isHere = fetchedAtOne && fetchedAt + 1 == depth,
         firstIsOwn = isHere && ownFirst, lastIsOwn = isHere && ownLast,
         isSkewed = !ownFirst && !ownLast && !isShared(fetched);
    double most = 1 - 1 / double(division->sizeOf(fetched)),
           others = firstIsOwn || lastIsOwn || isSkewed ? 1 : most;
    arrive(depth, fetched, fetchFromOwner, bytes * others, isOutside,
           {{},
            firstIsOwn,
            lastIsOwn && !firstIsOwn,
            broadcast != 0,
            isSkewed ? most : 1});
  }
  if (broadcast != 0)
    arrive(depth, broadcast, static_cast<int>(Primitive::Broadcast), bytes,
           isOutside && fetched == 0, {});
}

bool CandidateCost::isShared(AxisMask mask) const {
  for (; mask != 0; mask &= mask - 1) {
    const AxisRef &axis = axes[std::countr_zero(mask)];
    if (links.sharing(topology.find(axis.level) - topology.levels.data()) > 1)
      return true;
  }
  return false;
}

void CandidateCost::addTimes(const Candidate &c, size_t t) {
  Times &time = loopTimes[t];
  time = Times();
  size_t order = c.times[t].order;
  const Loop &loop = loops[t];
  Bundle &hops = flights[order].isLate ? time.late : time.passed,
         &moved = flights[order].isLate ? time.late : time.moved;
  add(hops, loop.passed);
  time.startsEarly = !flights[order].isLate && !loop.passed.empty();
  add(moved, loop.moved);
  FixedList<Message, maxTensors * 2> fetched, ahead;
  for (size_t a = 0; a < arrivals[order].size(); ++a) {
    const Arrived &arrived = arrivals[order][a];
    Message message = arrived.message;
    bool isAhead = flights[order].arrivals[a].comesAhead || arrived.isUnread;
    if (isAhead && arrived.lastIsOwn) {
      follow(time.first, message);
      message.bytes *= double(loop.steps - 2) / double(loop.steps - 1);
      if (loop.steps > 2)
        fetched.push_back(message);
    } else if (isAhead && arrived.part < 1) {
      follow(time.first, message);
      message.bytes *= arrived.part;
      fetched.push_back(message);
    } else if (isAhead && arrived.firstIsOwn) {
      fetched.push_back(message);
    } else if (isAhead) {
      follow(time.first, message);
      ahead.push_back(message);
    } else if (arrived.firstIsOwn || arrived.lastIsOwn) {
      follow(time.waitedOwn, message);
    } else {
      follow(time.waited, message);
    }
  }
  add(time.passed, fetched);
  add(time.passed, ahead);
  time.both = time.passed;
  if (!flights[order].isLate)
    add(time.both, loop.moved);
  // What arrives is added to what was computed: two read, one written.
  if (loop.movedBytes == 0)
    return;
  double launch = topology.device.launch;
  if (!problem.isFused)
    time.merge = 3 * loop.movedBytes / memoryRate;
  time.moves = true;
  if (!fillsFirst)
    return;
  time.merge += launch;
  bool inside = false, around = false;
  for (size_t other = 0; other < c.times.size(); ++other) {
    inside |= c.times[other].order == order + 1 && loops[other].movedBytes > 0;
    around |= c.times[other].order + 1 == order && loops[other].movedBytes > 0;
  }
  if (!inside)
    time.fill = loop.movedBytes / memoryRate + launch;
  if (order > 0 && !around)
    time.add = time.merge;
}
