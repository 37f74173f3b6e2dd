//===- AxisUnits.cpp - Ways to divide the axes among loops ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AxisUnits.h"
#include "AxisUtils.h"

using namespace mercury;

/// The axis that `outer` and `inner` are together, or nothing.
static std::optional<AxisRef> merged(const AxisRef &outer, const AxisRef &inner,
                                     const TopologyModel &topology) {
  if (outer.level != inner.level || outer.size == 0 ||
      inner.pre != outer.pre * outer.size)
    return std::nullopt;
  AxisRef axis{outer.level, outer.pre, outer.size * inner.size};
  if (axis.size == topology.find(axis.level)->size)
    axis = AxisRef{axis.level};
  return axis;
}

/// Appends to `all` the ways to cut what is left of a level, `rest`, behind
/// `axes`.
static void cutLevel(const Level &level, int64_t rest, AxisList &axes,
                     std::vector<AxisList> &all) {
  if (rest == 1) {
    all.push_back(axes);
    return;
  }
  for (int64_t size = rest; size > 1; --size) {
    if (rest % size != 0)
      continue;
    if (size == level.size)
      axes.push_back({level.name});
    else
      axes.push_back({level.name, level.size / rest, size});
    cutLevel(level, rest / size, axes, all);
    axes.pop_back();
  }
}

/// Appends to `all` the ways to put `axes` from `next` on into units.
static void groupAxes(const AxisList &axes, size_t next,
                      std::vector<Unit> &units, const TopologyModel &topology,
                      std::vector<std::vector<Unit>> &all) {
  if (next == axes.size()) {
    all.push_back(units);
    return;
  }
  for (size_t u = 0; u < units.size(); ++u) {
    if (merged(units[u].back(), axes[next], topology))
      continue;
    units[u].push_back(axes[next]);
    groupAxes(axes, next + 1, units, topology, all);
    units[u].pop_back();
  }
  units.push_back({axes[next]});
  groupAxes(axes, next + 1, units, topology, all);
  units.pop_back();
}

/// Every way to cut the levels into axes.
static std::vector<AxisList> cutLevels(const TopologyModel &topology,
                                       bool subAxes) {
  std::vector<AxisList> cuts = {{}};
  for (const Level &level : topology.levels) {
    std::vector<AxisList> ofLevel, product;
    AxisList axes;
    if (subAxes || level.size == 1)
      cutLevel(level, level.size, axes, ofLevel);
    else
      ofLevel = {{{level.name}}};
    for (const AxisList &outer : cuts)
      for (const AxisList &inner : ofLevel) {
        product.push_back(outer);
        append(product.back(), inner);
      }
    cuts = std::move(product);
  }
  return cuts;
}

std::vector<std::vector<Unit>>
mercury::axisUnits(const TopologyModel &topology,
                   const EnumeratorOptions &options) {
  std::vector<std::vector<Unit>> all;
  for (const AxisList &axes : cutLevels(topology, options.subAxes)) {
    // Bit i: axis i idles. There are at most 20 axes of size 2 or more.
    size_t last = options.idleAxes ? size_t(1) << axes.size() : 1;
    for (size_t idle = 0; idle < last; ++idle) {
      AxisList used;
      for (size_t i = 0; i < axes.size(); ++i)
        if (!(idle >> i & 1))
          used.push_back(axes[i]);
      std::vector<Unit> units;
      groupAxes(used, 0, units, topology, all);
    }
  }
  return all;
}

void mercury::sortByTopology(AxisList &axes, const TopologyModel &topology) {
  auto position = [&](const AxisRef &axis) {
    return std::pair(topology.find(axis.level) - topology.levels.data(),
                     axis.pre);
  };
  std::sort(axes.begin(), axes.end(), [&](const AxisRef &a, const AxisRef &b) {
    return position(a) < position(b);
  });
}
