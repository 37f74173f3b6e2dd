//===- Placement.cpp - Where the parts of a tensor live -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/AxisSpelling.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace mercury;

bool Placement::isReplicated() const {
  for (const AxisList &dim : dims)
    if (!dim.empty())
      return false;
  return true;
}

AxisList Placement::axes() const {
  AxisList all;
  for (const AxisList &dim : dims)
    all.insert(all.end(), dim.begin(), dim.end());
  return all;
}

std::optional<size_t> Placement::dimOf(const AxisRef &axis) const {
  for (size_t d = 0; d < dims.size(); ++d)
    for (const AxisRef &candidate : dims[d])
      if (candidate == axis)
        return d;
  return std::nullopt;
}

TokenOrder Placement::orderOf(size_t dim) const {
  return dim < orders.size() ? orders[dim] : TokenOrder();
}

void Placement::setOrder(size_t dim, TokenOrder order) {
  if (orders.size() <= dim)
    orders.resize(dim + 1);
  orders[dim] = std::move(order);
  while (!orders.empty() && orders.back().isNatural())
    orders.pop_back();
}

Verdict mercury::verify(const Placement &placement,
                        const TopologyModel &topology, size_t rank) {
  if (placement.dims.size() != rank)
    return Verdict::no("placement " + print(placement) + " has " +
                       std::to_string(placement.dims.size()) +
                       " dimensions, the tensor has " + std::to_string(rank));
  if (placement.orders.size() > rank)
    return Verdict::no("placement " + print(placement) + " has an order for " +
                       "dimension " +
                       std::to_string(placement.orders.size() - 1) +
                       ", the tensor has " + std::to_string(rank));
  for (const TokenOrder &order : placement.orders)
    if (Verdict v = verify(order); !v)
      return v;
  AxisList all = placement.axes();
  for (size_t i = 0; i < all.size(); ++i) {
    if (Verdict v = topology.verify(all[i]); !v)
      return v;
    for (size_t j = 0; j < i; ++j)
      if (topology.overlap(all[i], all[j]))
        return Verdict::no("placement " + print(placement) +
                           " uses an axis twice: '" + print(all[j]) +
                           "' and '" + print(all[i]) + "'");
  }
  return Verdict::ok();
}

int64_t mercury::granularity(const Placement &placement, size_t dim,
                             const TopologyModel &topology) {
  return std::lcm(topology.sizeOf(placement.dims[dim]),
                  placement.orderOf(dim).granularity());
}

std::vector<int64_t> mercury::localShape(const std::vector<int64_t> &shape,
                                         const Placement &placement,
                                         const TopologyModel &topology) {
  std::vector<int64_t> local = shape;
  for (size_t d = 0; d < local.size() && d < placement.dims.size(); ++d) {
    int64_t multiple = granularity(placement, d, topology);
    local[d] = (local[d] / multiple + (local[d] % multiple != 0)) * multiple /
               topology.sizeOf(placement.dims[d]);
  }
  return local;
}

int64_t mercury::blockOf(const Placement &placement, size_t dim, int64_t rank,
                         const TopologyModel &topology) {
  return topology.coordinate(rank, placement.dims[dim]);
}

void mercury::spellAlike(const std::vector<Placement *> &placements,
                         const TopologyModel &topology) {
  // Of each level, the products of factors at which some axis begins or ends.
  std::map<std::string, std::set<int64_t>> cuts;
  for (const Placement *placement : placements)
    for (const AxisRef &axis : placement->axes())
      cuts[axis.level].insert({axis.pre, axis.pre * topology.sizeOf(axis)});
  std::erase_if(cuts, [](const auto &level) {
    auto isNoFactor = [](int64_t a, int64_t b) { return b % a != 0; };
    return std::adjacent_find(level.second.begin(), level.second.end(),
                              isNoFactor) != level.second.end();
  });
  for (Placement *placement : placements)
    for (AxisList &dim : placement->dims) {
      AxisList spelled;
      for (const AxisRef &axis : dim) {
        AxisRef rest = axis;
        int64_t end = axis.pre * topology.sizeOf(axis);
        for (int64_t cut : cuts[axis.level])
          if (cut > rest.pre && cut < end) {
            spelled.push_back({axis.level, rest.pre, cut / rest.pre});
            rest = {axis.level, cut, end / cut};
          }
        spelled.push_back(rest);
      }
      dim = std::move(spelled);
    }
}
