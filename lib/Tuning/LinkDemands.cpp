//===- LinkDemands.cpp - What communication asks of ports -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Tuning/LinkDemands.h"

#include <algorithm>
#include <map>
#include <set>

using namespace mercury;

LinkDemands::LinkDemands(const TopologyModel &topology) : times(topology) {
  for (size_t l = 0; l < topology.levels.size(); ++l) {
    const Level &level = topology.levels[l];
    if (size_t domain = times.domainOf(l); domain != l) {
      domainNumber.push_back(domainNumber[domain]);
      continue;
    }
    domainNumber.push_back(names.size());
    names.push_back(level.domain.empty() ? level.name : level.domain);
  }
}

void LinkDemands::usePort(size_t level, int64_t port, bool receives,
                          double load, Demand &demand) const {
  const TopologyModel &topology = times.topology();
  int64_t number = times.domainOf(level) * topology.numRanks() + port;
  int64_t side = receives && topology.levels[level].fullDuplex;
  demand.uses.push_back({2 * number + side, load});
}

Demand LinkDemands::message(int64_t from, int64_t to, double bytes) const {
  Demand demand;
  std::optional<LinkTimes::Link> link = times.linkBetween(from, to);
  if (!link || bytes <= 0)
    return demand;
  LinkTime time = times.message(link->level, bytes);
  // What a message takes beyond its bytes leaves the port to others.
  demand.busy =
      std::min(bytes / times.bandwidth(link->level), time.seconds - time.fixed);
  demand.fixed = time.seconds - demand.busy;
  demand.devices = {from, to};
  usePort(link->level, link->fromPort, false, 1, demand);
  if (times.topology().levels[link->level].fullDuplex ||
      link->fromPort != link->toPort)
    usePort(link->level, link->toPort, true, 1, demand);
  return demand;
}

Demand LinkDemands::collective(Primitive primitive,
                               const std::vector<int64_t> &ranks,
                               double bytes) const {
  Demand demand;
  LinkTime time = times.collective(primitive, times.shapeOf(ranks), bytes);
  demand.devices = ranks;
  demand.fixed = time.fixed;
  std::vector<double> alone; // by load
  for (const LinkLoad &load : time.loads) {
    std::set<int64_t> ports;
    for (int64_t rank : ranks)
      ports.insert(rank / times.sharing(load.level));
    double share =
        double(ranks.size()) / ports.size() / times.sharing(load.level);
    alone.push_back(load.seconds * share);
    demand.busy = std::max(demand.busy, alone.back());
  }
  if (demand.busy <= 0)
    return demand;
  // Levels of one domain that are crossed at once use the same ports.
  std::map<std::pair<size_t, int64_t>, std::pair<size_t, double>> loads;
  for (size_t i = 0; i < alone.size(); ++i) {
    size_t level = time.loads[i].level;
    for (int64_t rank : ranks) {
      auto &[at, load] =
          loads[{times.domainOf(level), rank / times.sharing(level)}];
      at = level;
      load = std::max(load, alone[i] / demand.busy);
    }
  }
  for (const auto &[key, use] : loads) {
    usePort(use.first, key.second, false, use.second, demand);
    if (times.topology().levels[use.first].fullDuplex)
      usePort(use.first, key.second, true, use.second, demand);
  }
  return demand;
}

void LinkDemands::addMessage(int64_t from, int64_t to, double bytes,
                             std::vector<double> &byDomain) const {
  byDomain.resize(names.size());
  if (std::optional<LinkTimes::Link> link = times.linkBetween(from, to))
    byDomain[domainNumber[link->level]] += bytes;
}

void LinkDemands::addCollective(Primitive primitive,
                                const std::vector<int64_t> &ranks, double bytes,
                                std::vector<double> &byDomain) const {
  byDomain.resize(names.size());
  LinkTime time = times.collective(primitive, times.shapeOf(ranks), bytes);
  // A port carries the bytes of all groups that share it.
  for (const LinkLoad &load : time.loads)
    byDomain[domainNumber[load.level]] +=
        load.bytes * ranks.size() / times.sharing(load.level);
}
