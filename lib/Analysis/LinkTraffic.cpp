//===- LinkTraffic.cpp - Bytes on the links of each level -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/LinkTraffic.h"

#include <algorithm>

using namespace mercury;

std::optional<size_t> LinkTraffic::levelBetween(int64_t from,
                                                int64_t to) const {
  for (size_t level = 0; level < topology.levels.size(); ++level) {
    AxisRef axis{topology.levels[level].name};
    if (topology.coordinate(from, axis) != topology.coordinate(to, axis))
      return level;
  }
  return std::nullopt;
}

size_t LinkTraffic::domainOf(size_t level) const {
  const std::string &name = topology.levels[level].domain;
  for (size_t other = 0; !name.empty() && other < level; ++other)
    if (topology.levels[other].domain == name)
      return other;
  return level;
}

void LinkTraffic::add(size_t level, int64_t rank, int64_t bytes) {
  size_t domain = domainOf(level);
  // Ranks count row-major, so those that share a port follow each other.
  links[{domain, rank / topology.levels[domain].sharedBy}] += bytes;
  crossed.insert(level);
}

void LinkTraffic::send(int64_t from, int64_t to, int64_t bytes) {
  std::optional<size_t> level = levelBetween(from, to);
  if (!level || !bytes)
    return;
  add(*level, from, bytes);
  if (!topology.levels[*level].fullDuplex)
    add(*level, to, bytes);
}

void LinkTraffic::shift(const AxisList &axes, int64_t stride, int64_t bytes) {
  int64_t size = topology.sizeOf(axes);
  for (int64_t rank = 0; rank < topology.numRanks(); ++rank) {
    int64_t to = topology.coordinate(rank, axes) - stride % size + size;
    send(rank, topology.withCoordinate(rank, axes, to % size), bytes);
  }
}

void LinkTraffic::exchange(const AxisList &axes, int64_t bytes) {
  for (int64_t rank = 0; rank < topology.numRanks(); ++rank)
    for (int64_t other : topology.group(rank, axes))
      send(rank, other, bytes);
}

void LinkTraffic::sendSomewhere(const AxisList &axes, int64_t bytes) {
  for (size_t level = 0; level < topology.levels.size(); ++level) {
    bool isCrossed = std::any_of(axes.begin(), axes.end(), [&](auto &axis) {
      return axis.level == topology.levels[level].name &&
             topology.sizeOf(axis) > 1;
    });
    int64_t ways = topology.levels[level].fullDuplex ? 1 : 2;
    for (int64_t rank = 0; isCrossed && rank < topology.numRanks(); ++rank)
      add(level, rank, ways * bytes);
  }
}

std::vector<LinkTraffic::Domain> LinkTraffic::domains() const {
  std::vector<Domain> result;
  for (size_t level = 0; level < topology.levels.size(); ++level) {
    Domain domain;
    domain.name = topology.levels[level].domain.empty()
                      ? topology.levels[level].name
                      : topology.levels[level].domain;
    for (size_t other : crossed)
      if (domainOf(other) == level)
        domain.levels.push_back(topology.levels[other].name);
    for (const auto &[link, bytes] : links)
      if (link.first == level)
        domain.bytes = std::max(domain.bytes, bytes);
    if (!domain.levels.empty())
      result.push_back(std::move(domain));
  }
  return result;
}
