//===- UnitRounds.cpp - Units between blocks, by permutations -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is owed is a bipartite graph in which all blocks have one degree: it is
// a sum of permutations (D. König 1916).
//
//===----------------------------------------------------------------------===//

#include "UnitRounds.h"
#include <algorithm>

using namespace mercury;

bool UnitRound::isLocal() const {
  for (size_t block = 0; block < to.size(); ++block)
    if (to[block] != static_cast<int64_t>(block))
      return false;
  return true;
}

namespace {
/// A perfect matching over the pairs that owe at least `least` units.
class Matching {
public:
  Matching(const std::vector<std::vector<UnitList>> &owed, size_t least)
      : owed(owed), least(least), from(owed.size(), -1) {}

  bool run() {
    for (size_t block = 0; block < owed.size(); ++block) {
      seen.assign(owed.size(), false);
      if (!augment(block))
        return false;
    }
    return true;
  }
  /// Per receiver its sender.
  const std::vector<int64_t> &senders() const { return from; }

private:
  bool augment(int64_t block) {
    for (size_t to = 0; to < owed.size(); ++to) {
      if (seen[to] || owed[block][to].size() < least)
        continue;
      seen[to] = true;
      if (from[to] < 0 || augment(from[to])) {
        from[to] = block;
        return true;
      }
    }
    return false;
  }

  const std::vector<std::vector<UnitList>> &owed;
  size_t least;
  std::vector<int64_t> from;
  std::vector<bool> seen;
};
} // namespace

std::vector<UnitRound>
mercury::makeRounds(std::vector<std::vector<UnitList>> owed) {
  size_t blocks = owed.size();
  std::vector<UnitRound> rounds;
  auto take = [&](const std::vector<int64_t> &from) {
    size_t count = SIZE_MAX;
    for (size_t to = 0; to < blocks; ++to)
      count = std::min(count, owed[from[to]][to].size());
    UnitRound round;
    round.from = from;
    round.to.resize(blocks);
    round.send.resize(blocks);
    round.receive.resize(blocks);
    for (size_t to = 0; to < blocks; ++to) {
      UnitList &units = owed[from[to]][to];
      round.to[from[to]] = to;
      for (size_t i = 0; i < count; ++i) {
        round.send[from[to]].push_back(units[i].from);
        round.receive[to].push_back(units[i].to);
      }
      units.erase(units.begin(), units.begin() + count);
    }
    rounds.push_back(std::move(round));
  };
  std::vector<int64_t> same(blocks);
  bool staysSome = true;
  for (size_t block = 0; block < blocks; ++block) {
    same[block] = block;
    staysSome &= !owed[block][block].empty();
  }
  if (staysSome)
    take(same);
  while (true) {
    // As many units at once as some permutation allows.
    std::vector<size_t> sizes;
    for (const auto &row : owed)
      for (const UnitList &units : row)
        if (!units.empty())
          sizes.push_back(units.size());
    std::sort(sizes.rbegin(), sizes.rend());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    bool found = false;
    for (size_t least : sizes) {
      Matching matching(owed, least);
      if (!(found = matching.run()))
        continue;
      take(matching.senders());
      break;
    }
    if (!found)
      return rounds;
  }
}
