//===- TopologyToDot.cpp - A picture of a machine -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Target/Topology/BuildTopology.h"

#include <algorithm>
#include <cstdio>
#include <set>

using namespace mercury;

/// `366 GB/s`, `12.5 GB/s`
static std::string amount(double value, const char *unit) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.3g %s", value, unit);
  return text;
}

/// Text inside double quotes; `\n` between lines.
static std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

/// Coordinates of a level that are drawn: all of few, of many the first two and
/// the last.
static std::vector<int64_t> drawnCoordinates(int64_t size, int64_t limit) {
  if (size <= limit) {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < size; ++i)
      all.push_back(i);
    return all;
  }
  return {0, 1, size - 1};
}

namespace {
class Drawing {
public:
  explicit Drawing(const TopologyModel &topology) : topology(topology) {}

  std::string draw(std::string_view name) {
    line("graph " + quoted(name) + " {");
    depth = 1;
    line("node [fontname=\"Helvetica\", fontsize=10]; "
         "edge [fontname=\"Helvetica\", fontsize=8];");
    line("label=" + quoted(title(name)) +
         "; labelloc=t; "
         "fontname=\"Helvetica\"; ranksep=0.8;");
    drawGroup(0, 0);
    drawLinks();
    depth = 0;
    line("}");
    return text;
  }

private:
  void line(const std::string &content) {
    text += std::string(2 * size_t(depth), ' ') + content + '\n';
  }

  std::string title(std::string_view name) {
    std::string sizes;
    for (const Level &level : topology.levels)
      sizes += (sizes.empty() ? "" : " x ") + std::to_string(level.size) + " " +
               level.name;
    return std::string(name) + ": " + sizes;
  }

  int64_t ranksInside(size_t level) const {
    int64_t ranks = 1;
    for (size_t i = level + 1; i < topology.levels.size(); ++i)
      ranks *= topology.levels[i].size;
    return ranks;
  }

  std::string deviceLabel(int64_t rank) {
    std::string label = "rank " + std::to_string(rank);
    const DeviceModel &device = topology.device;
    if (!device.name.empty())
      label += "\n" + device.name;
    if (device.memory)
      label += "\n" + amount(double(device.memory) / 1e9, "GB");
    return label;
  }

  /// The coordinates of `level` inside the group that begins with rank `first`.
  void drawGroup(size_t level, int64_t first) {
    bool isInnermost = level + 1 == topology.levels.size();
    const Level &drawn = topology.levels[level];
    int64_t inside = ranksInside(level);
    std::vector<int64_t> coordinates =
        drawnCoordinates(drawn.size, isInnermost ? 16 : 4);
    for (size_t i = 0; i < coordinates.size(); ++i) {
      int64_t rank = first + coordinates[i] * inside;
      if (i && coordinates[i] != coordinates[i - 1] + 1)
        line("more" + std::to_string(level) + "_" + std::to_string(first) +
             " [shape=plaintext, label=" +
             quoted("... " +
                    std::to_string(coordinates[i] - coordinates[i - 1] - 1) +
                    " more") +
             "];");
      if (isInnermost) {
        ranks.push_back(rank);
        line("rank" + std::to_string(rank) +
             " [shape=box, style=filled, fillcolor=\"#dcedc8\", label=" +
             quoted(deviceLabel(rank)) + "];");
        continue;
      }
      line("subgraph cluster_" + drawn.name + "_" + std::to_string(rank) +
           " {");
      ++depth;
      line(
          "label=" + quoted(drawn.name + " " + std::to_string(coordinates[i])) +
          "; style=rounded;");
      drawGroup(level + 1, rank);
      drawFabric(level + 1, rank);
      if (drawn.sharedBy <= inside)
        drawPorts(level, rank, inside);
      --depth;
      line("}");
    }
    if (drawn.sharedBy > inside)
      drawPorts(level, first, inside * drawn.size);
    if (level == 0)
      drawFabric(0, 0);
  }

  std::string portName(size_t level, int64_t rank) {
    const Level &drawn = topology.levels[level];
    return "port_" + drawn.name + "_" + std::to_string(rank / drawn.sharedBy);
  }

  /// Ports of a level that several of the drawn ranks from `first` on share.
  void drawPorts(size_t level, int64_t first, int64_t count) {
    const Level &drawn = topology.levels[level];
    if (drawn.size < 2 || drawn.sharedBy < 2 || innerOfDomain(level))
      return;
    std::set<std::string> done;
    for (int64_t rank : ranks)
      if (rank >= first && rank < first + count &&
          done.insert(portName(level, rank)).second)
        line(portName(level, rank) + " [shape=component, label=" +
             quoted(drawn.domain.empty() ? drawn.name : drawn.domain) + "];");
  }

  std::string fabricName(size_t level, int64_t first) {
    return "link_" + topology.levels[level].name + "_" + std::to_string(first);
  }

  /// What joins the coordinates of a level: a switch, a bridge, a network.
  void drawFabric(size_t level, int64_t first) {
    const Level &drawn = topology.levels[level];
    if (drawn.size < 2)
      return;
    std::string label = drawn.domain.empty() ? drawn.name : drawn.domain;
    if (drawn.latency > 0)
      label += "\n" + amount(drawn.latency * 1e6, "us");
    if (drawn.inSwitchReduction)
      label += "\nadds in the switch";
    if (!drawn.peerAccess)
      label += "\nover memory of the host";
    if (!drawn.fullDuplex)
      label += "\none direction at a time";
    line(fabricName(level, first) +
         " [shape=hexagon, style=filled, fillcolor=\"#bbdefb\", label=" +
         quoted(label) + "];");
  }

  /// The first rank of the group of `level` that `rank` is in.
  int64_t groupOf(size_t level, int64_t rank) const {
    int64_t ranks = ranksInside(level) * topology.levels[level].size;
    return rank / ranks * ranks;
  }

  void drawLinks() {
    for (size_t level = 0; level < topology.levels.size(); ++level) {
      const Level &drawn = topology.levels[level];
      if (drawn.size < 2)
        continue;
      std::string label =
          drawn.bandwidth > 0
              ? " [label=" + quoted(amount(drawn.bandwidth / 1e9, "GB/s")) + "]"
              : "";
      std::set<std::string> done;
      for (int64_t rank : ranks) {
        std::string fabric = fabricName(level, groupOf(level, rank));
        std::string edge;
        if (std::optional<size_t> inner = innerOfDomain(level)) {
          edge = fabricName(*inner, groupOf(*inner, rank)) + " -- " + fabric;
        } else if (drawn.sharedBy > 1) {
          std::string port = portName(level, rank);
          line("rank" + std::to_string(rank) + " -- " + port + ";");
          edge = port + " -- " + fabric;
        } else {
          edge = "rank" + std::to_string(rank) + " -- " + fabric;
        }
        if (done.insert(edge).second)
          line(edge + label + ";");
      }
    }
  }

  /// The next level inside that uses the same ports: its switches are joined.
  std::optional<size_t> innerOfDomain(size_t level) const {
    const Level &outer = topology.levels[level];
    for (size_t i = level + 1; i < topology.levels.size(); ++i)
      if (!outer.domain.empty() && topology.levels[i].domain == outer.domain &&
          topology.levels[i].size > 1)
        return i;
    return std::nullopt;
  }

  const TopologyModel &topology;
  std::string text;
  int depth = 0;
  std::vector<int64_t> ranks; ///< that are drawn
};
} // namespace

std::string mercury::printDot(const TopologyModel &topology,
                              std::string_view name) {
  return Drawing(topology).draw(name);
}
