//===- BuildTopology.h - A topology from what files tell --------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TARGET_TOPOLOGY_BUILDTOPOLOGY_H
#define MERCURY_TARGET_TOPOLOGY_BUILDTOPOLOGY_H

#include "Mercury/Schedule/TopologyModel.h"
#include "Mercury/Target/Topology/NodeDescription.h"

namespace mercury {

struct BuildOptions {
  std::string machine; ///< that fills gaps (Machines.h); "": by what files say
  std::string levels;  ///< above the node, `rack=2,node=4`; "": none
  std::string network; ///< of these levels (Machines.h); "": by what files say
};

struct BuiltTopology {
  TopologyModel model;
  /// What was filled in or assumed, a sentence each.
  std::vector<std::string> remarks;
};

/// The machine that files describe. Its levels follow what joins devices: those
/// that are joined alike and better than with others are a level, as long as
/// all such groups are of one size. What a file does not tell is that of the
/// machine, with wider intervals and a remark. The result is legal. On failure
/// returns nothing and fills `error`.
std::optional<BuiltTopology> buildTopology(const NodeDescription &node,
                                           const BuildOptions &options,
                                           std::string &error);

/// The machine as a picture that Graphviz draws: nodes as boxes with their
/// devices and memory, ports and switches with their bandwidth. Levels with
/// many coordinates are drawn in part.
std::string printDot(const TopologyModel &topology, std::string_view name);

} // namespace mercury

#endif // MERCURY_TARGET_TOPOLOGY_BUILDTOPOLOGY_H
