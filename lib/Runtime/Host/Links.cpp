//===- Links.cpp - The machine's levels and their emulated links ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Links.h"

#include <algorithm>

using namespace mercury::host;

Topology::Topology(std::vector<Level> levels) : levels(std::move(levels)) {
  strides.resize(this->levels.size());
  for (size_t i = this->levels.size(); i-- > 0;) {
    strides[i] = numRanks;
    numRanks *= this->levels[i].size;
  }
}

int Topology::differingLevel(int64_t from, int64_t to) const {
  for (size_t i = 0; i < levels.size(); ++i)
    if (coordinate(from, i) != coordinate(to, i))
      return i;
  return -1;
}

Members Topology::membersOf(int64_t rank,
                            const std::vector<int> &members) const {
  Members result;
  int64_t base = rank;
  int64_t size = 1;
  int64_t mine = 0;
  for (int level : members) {
    base -= coordinate(rank, level) * strides[level];
    mine = mine * levels[level].size + coordinate(rank, level);
    size *= levels[level].size;
    result.name += (result.name.empty() ? "" : ",") + levels[level].name;
  }
  result.mine = static_cast<int>(mine);
  for (int64_t i = 0; i < size; ++i) {
    int64_t rest = i;
    int64_t other = base;
    for (size_t l = members.size(); l-- > 0;) {
      other += rest % levels[members[l]].size * strides[members[l]];
      rest /= levels[members[l]].size;
    }
    result.ranks.push_back(other);
  }
  return result;
}

Links::Links(const Topology &topology, bool emulate, double timeScale)
    : topology(topology), emulate(emulate), timeScale(timeScale) {
  if (emulate)
    ports.resize(topology.getNumRanks() * topology.getLevels().size());
}

TimePoint &Links::freeAt(int64_t rank, int level) {
  return ports[rank * topology.getLevels().size() + level];
}

TimePoint Links::message(int64_t from, int64_t to, size_t bytes,
                         TimePoint ready) {
  if (!emulate)
    return ready;
  int level = topology.differingLevel(from, to);
  if (level < 0)
    return ready;
  const Level &link = topology.getLevels()[level];
  double busy = link.bandwidth > 0 ? bytes / link.bandwidth : 0;
  TimePoint &port = freeAt(from, level);
  port = after(std::max(ready, port), busy * timeScale);
  return after(port, link.latency * timeScale);
}

TimePoint Links::collective(RingCost cost, const std::vector<int64_t> &ranks,
                            double stepBytes, TimePoint ready) {
  if (!emulate || ranks.size() < 2)
    return ready;
  int slowest = -1;
  double slowestStep = -1;
  for (size_t i = 0; i < topology.getLevels().size(); ++i) {
    bool differs = std::any_of(ranks.begin(), ranks.end(), [&](int64_t rank) {
      return topology.coordinate(rank, i) !=
             topology.coordinate(ranks.front(), i);
    });
    const Level &link = topology.getLevels()[i];
    double step =
        link.latency + (link.bandwidth > 0 ? stepBytes / link.bandwidth : 0);
    if (differs && step > slowestStep) {
      slowest = i;
      slowestStep = step;
    }
  }
  if (slowest < 0)
    return ready;
  const Level &link = topology.getLevels()[slowest];
  double steps = ranks.size() - 1;
  double latency = steps * link.latency;
  double busy = link.bandwidth > 0 ? stepBytes / link.bandwidth : 0;
  if (cost != RingCost::Broadcast)
    busy *= steps;
  if (cost == RingCost::AllReduce) {
    latency *= 2;
    busy *= 2;
  }
  TimePoint start = ready;
  for (int64_t rank : ranks)
    start = std::max(start, freeAt(rank, slowest));
  TimePoint end = after(start, busy * timeScale);
  for (int64_t rank : ranks)
    freeAt(rank, slowest) = end;
  return after(end, latency * timeScale);
}
