//===- ScheduleFigures.cpp - More about a schedule than its time ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/ScheduleFigures.h"

using namespace mercury;

TopologyModel mercury::slowedDown(TopologyModel topology, size_t level,
                                  double factor) {
  double &contention = topology.levels[level].contention;
  contention = 1 - (1 - contention) / factor;
  return topology;
}

Sensitivity::Sensitivity(const CostProblem &problem,
                         const TopologyModel &topology, double factor)
    : usual(problem, topology), slow(topology.levels.size()) {
  for (size_t l = 0; l < slow.size(); ++l)
    if (topology.levels[l].size > 1)
      slow[l].emplace(problem, slowedDown(topology, l, factor));
}

std::vector<double> Sensitivity::of(const Schedule &schedule) {
  std::vector<double> list;
  double seconds = usual.seconds(schedule);
  for (std::optional<CostModel> &model : slow)
    list.push_back(model && seconds > 0 ? model->seconds(schedule) / seconds
                                        : 1);
  return list;
}

std::optional<size_t> mercury::slowestLevel(const LinkTimes &links) {
  std::optional<size_t> slowest;
  auto rate = [&](size_t l) {
    return links.bandwidth(l) / double(links.sharing(l));
  };
  for (size_t l = 0; l < links.topology().levels.size(); ++l)
    if (links.topology().levels[l].size > 1 &&
        (!slowest || rate(l) < rate(*slowest)))
      slowest = l;
  return slowest;
}

double mercury::energyOf(double seconds, const TopologyModel &topology) {
  return seconds * topology.device.power * double(topology.numRanks());
}
