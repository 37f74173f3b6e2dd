//===- Grouping.h - Which devices of a node belong together -----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TARGET_TOPOLOGY_GROUPING_H
#define MERCURY_LIB_TARGET_TOPOLOGY_GROUPING_H

#include "Mercury/Target/Topology/NodeDescription.h"

namespace mercury {

/// Devices of a node that are joined alike.
struct Tier {
  int64_t size = 1; ///< groups of the next tier that one group of this has
  /// What joins devices of different inner groups: the worst of them.
  Path path;
  bool isUneven = false;  ///< others of them are better
  bool isComplete = true; ///< all of them are joined so, not only neighbours
};

struct Grouping {
  std::vector<Tier> tiers;   ///< outermost first
  std::vector<size_t> order; ///< devices by group, as ranks count
  std::vector<std::string> remarks;
};

/// Groups of devices that are nearer to each other than to the rest, by kind of
/// path. A kind whose groups differ in size makes no tier, with a remark.
Grouping groupDevices(const NodeDescription &node);

} // namespace mercury

#endif // MERCURY_LIB_TARGET_TOPOLOGY_GROUPING_H
