//===- Grouping.cpp - Which devices of a node belong together -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Grouping.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace mercury;

/// Nearness: the less, the nearer; of NVLinks the more links.
static std::pair<PathKind, int64_t> nearness(const Path &path) {
  return {path.kind, -path.links};
}

namespace {
using Groups = std::vector<size_t>; ///< per device the number of its group
}

/// Devices that paths no worse than `limit` connect, numbered as they come.
static Groups connected(const NodeDescription &node,
                        std::pair<PathKind, int64_t> limit) {
  size_t count = node.gpus.size() / size_t(node.nodes), groups = 0;
  Groups group(count, count);
  for (size_t start = 0; start < count; ++start) {
    if (group[start] != count)
      continue;
    std::vector<size_t> open = {start};
    group[start] = groups;
    while (!open.empty()) {
      size_t at = open.back();
      open.pop_back();
      for (size_t next = 0; next < count; ++next)
        if (group[next] == count && next != at &&
            nearness(node.paths[at][next]) <= limit) {
          group[next] = groups;
          open.push_back(next);
        }
    }
    ++groups;
  }
  return group;
}

/// Devices of each group; nothing where the groups differ.
static std::optional<size_t> sizeOf(const Groups &groups) {
  std::vector<size_t> sizes(groups.size());
  for (size_t group : groups)
    ++sizes[group];
  for (size_t group : groups)
    if (sizes[group] != sizes[groups[0]])
      return std::nullopt;
  return groups.empty() ? 0 : sizes[groups[0]];
}

static std::string nameOf(std::pair<PathKind, int64_t> near) {
  return std::string(stringify(near.first)) +
         (near.first == PathKind::NVLink ? std::to_string(-near.second) : "");
}

/// What joins the devices of one outer group that are of different inner ones.
static Tier tierBetween(const NodeDescription &node, const Groups &outer,
                        const Groups &inner,
                        std::pair<PathKind, int64_t> limit) {
  Tier tier;
  bool isFirst = true;
  for (size_t i = 0; i < outer.size(); ++i)
    for (size_t j = 0; j < outer.size(); ++j) {
      if (i == j || outer[i] != outer[j] || inner[i] == inner[j])
        continue;
      const Path &path = node.paths[i][j];
      // Neighbours pass on what is for those that are not joined so.
      if (nearness(path) > limit) {
        tier.isComplete = false;
        continue;
      }
      auto rate = [](const Path &p) {
        return std::pair(p.bandwidth, -double(p.kind) * 100 + double(p.links));
      };
      tier.isUneven |= !isFirst && !(path == tier.path);
      if (isFirst || rate(path) < rate(tier.path))
        tier.path = path;
      isFirst = false;
    }
  return tier;
}

Grouping mercury::groupDevices(const NodeDescription &node) {
  Grouping grouping;
  size_t count = node.gpus.size() / size_t(node.nodes);
  grouping.order.resize(count);
  std::iota(grouping.order.begin(), grouping.order.end(), 0);
  std::set<std::pair<PathKind, int64_t>> kinds;
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j)
      if (i != j)
        kinds.insert(nearness(node.paths[i][j]));

  // From each device alone to all of them.
  Groups inner(count);
  std::iota(inner.begin(), inner.end(), 0);
  std::vector<Groups> nested = {inner};
  for (auto limit : kinds) {
    Groups outer = connected(node, limit);
    if (outer == inner)
      continue;
    std::optional<size_t> size = sizeOf(outer);
    if (!size) {
      grouping.remarks.push_back("groups of devices that " + nameOf(limit) +
                                 " joins differ in size: they make no level");
      continue;
    }
    Tier tier = tierBetween(node, outer, inner, limit);
    tier.size = int64_t(*size / *sizeOf(inner));
    grouping.tiers.insert(grouping.tiers.begin(), tier);
    nested.insert(nested.begin(), outer);
    inner = std::move(outer);
  }
  std::sort(grouping.order.begin(), grouping.order.end(),
            [&](size_t a, size_t b) {
              for (const Groups &groups : nested)
                if (groups[a] != groups[b])
                  return groups[a] < groups[b];
              return a < b;
            });
  if (!std::is_sorted(grouping.order.begin(), grouping.order.end())) {
    std::string names;
    for (size_t device : grouping.order)
      names += (names.empty() ? "" : ", ") + node.gpus[device];
    grouping.remarks.push_back("ranks are, in their order, " + names);
  }
  return grouping;
}
