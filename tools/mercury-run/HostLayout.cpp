//===- HostLayout.cpp - Levels as the host library sees them --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankRunner.h"
#include "RunError.h"
#include <set>

namespace mercury::run {

/// Products of the factors before each cut of a level: 1, ..., its size.
static llvm::Expected<std::vector<int64_t>>
cutsOf(const Level &level, const std::vector<Communicator> &communicators) {
  std::set<int64_t> cuts = {1, level.size};
  for (const Communicator &communicator : communicators)
    for (const AxisRef &axis : communicator)
      if (axis.level == level.name && axis.size) {
        cuts.insert(axis.pre);
        cuts.insert(axis.pre * axis.size);
      }
  std::vector<int64_t> sorted(cuts.begin(), cuts.end());
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] % sorted[i - 1])
      return badInput("communicators factor level '" + level.name +
                      "' of size " + llvm::Twine(level.size) + " after " +
                      llvm::Twine(sorted[i - 1]) + " and after " +
                      llvm::Twine(sorted[i]) +
                      ", which do not divide each other");
  return sorted;
}

llvm::Expected<HostLayout>
layoutRanks(const TopologyModel &topology,
            const std::vector<Communicator> &communicators) {
  HostLayout layout;
  // Per level name: the cuts, and the first host level of its factors.
  std::map<std::string, std::pair<std::vector<int64_t>, int32_t>> factors;
  for (const Level &level : topology.levels) {
    auto cuts = cutsOf(level, communicators);
    if (!cuts)
      return cuts.takeError();
    factors[level.name] = {*cuts, static_cast<int32_t>(layout.levels.size())};
    // A level of size 1 has one cut and is one host level.
    for (size_t i = 0, e = std::max<size_t>(cuts->size(), 2) - 1; i < e; ++i) {
      int64_t pre = (*cuts)[i];
      int64_t size = cuts->size() > 1 ? (*cuts)[i + 1] / pre : 1;
      layout.names.push_back(size == level.size
                                 ? level.name
                                 : print(AxisRef{level.name, pre, size}));
      layout.levels.push_back({nullptr, size, level.bandwidth, level.latency});
    }
  }
  for (size_t i = 0; i < layout.levels.size(); ++i)
    layout.levels[i].name = layout.names[i].c_str();

  for (const Communicator &communicator : communicators) {
    std::vector<int32_t> &levels = layout.communicators.emplace_back();
    for (const AxisRef &axis : communicator) {
      const auto &[cuts, first] = factors[axis.level];
      int64_t end = axis.size ? axis.pre * axis.size : cuts.back();
      if (cuts.size() == 1)
        levels.push_back(first);
      for (size_t i = 0; i + 1 < cuts.size(); ++i)
        if (cuts[i] >= axis.pre && cuts[i] < end)
          levels.push_back(first + static_cast<int32_t>(i));
    }
  }
  return layout;
}

} // namespace mercury::run
