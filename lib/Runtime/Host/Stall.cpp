//===- Stall.cpp - Says who waits for whom --------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stall.h"

#include <algorithm>

using namespace mercury::host;

/// Lines of a report about operations; more are counted only.
static constexpr int kMaxLines = 64;

/// A cycle of ranks that wait for each other, its first rank repeated at the
/// end; empty when there is none.
static std::vector<int64_t>
findCycle(const std::map<int64_t, RankState> &states) {
  static const std::set<int64_t> kNone;
  auto othersOf = [&](int64_t rank) -> const std::set<int64_t> & {
    auto state = states.find(rank);
    return state == states.end() ? kNone : state->second.waitsFor;
  };
  // Depth first; a rank that is met again on the path closes a cycle.
  std::set<int64_t> visited;
  for (const auto &start : states) {
    std::vector<std::pair<int64_t, std::set<int64_t>::const_iterator>> path;
    if (visited.insert(start.first).second)
      path.push_back({start.first, start.second.waitsFor.begin()});
    while (!path.empty()) {
      auto &[rank, next] = path.back();
      if (next == othersOf(rank).end()) {
        path.pop_back();
        continue;
      }
      int64_t other = *next++;
      auto closed = std::find_if(path.begin(), path.end(), [&](auto &step) {
        return step.first == other;
      });
      if (closed != path.end()) {
        std::vector<int64_t> cycle;
        for (; closed != path.end(); ++closed)
          cycle.push_back(closed->first);
        cycle.push_back(other);
        return cycle;
      }
      if (visited.insert(other).second)
        path.push_back({other, othersOf(other).begin()});
    }
  }
  return {};
}

std::string
mercury::host::describeStall(double seconds,
                             const std::map<int64_t, RankState> &states) {
  std::string text = format("no progress for %g s", seconds);
  std::vector<int64_t> cycle = findCycle(states);
  for (size_t i = 0; i < cycle.size(); ++i)
    text += format("%srank %lld", i == 0 ? ": deadlock " : " -> ",
                   static_cast<long long>(cycle[i]));
  int lines = 0;
  for (const auto &[rank, state] : states) {
    std::string name = format("\n  rank %lld ", static_cast<long long>(rank));
    for (const std::string &wait : state.waits)
      if (++lines <= kMaxLines)
        text += name + wait;
    // The first call that has not started says where a rank would go on.
    if (state.queued > 0)
      text += name + format("has %d queued, the first is %s", state.queued,
                            state.firstQueued.c_str());
    if (state.inBarrier)
      text += name + "waits in the barrier";
    else if (state.returned)
      text += name + "has returned";
    else if (state.waits.empty() && state.queued == 0)
      text += name + (state.silent ? "does not answer"
                                   : "is in no communication call");
  }
  if (lines > kMaxLines)
    text += format("\n  and %d more operations", lines - kMaxLines);
  return text;
}
