//===- StepTable.cpp - Tiles under a mask, kept for many schedules --------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StepTable.h"
#include "Mercury/Schedule/Balance.h"

#include <algorithm>

using namespace mercury;

/// Steps times ranks beyond which only some of the ranks are looked at, the
/// first and the last among them.
static constexpr size_t maxTiles = size_t(1) << 14;

static size_t hashOf(const LoopPlan &plan, size_t hash) {
  auto add = [&](size_t value) { hash = (hash ^ value) * 0x100000001b3u; };
  for (const Factor &factor : plan) {
    add(size_t(factor.kind) + 2 * factor.backwards + 4 * factor.bidirectional);
    add(size_t(factor.steps));
    add(size_t(factor.order));
    for (const AxisRef &axis : factor.axes)
      add(std::hash<std::string>()(axis.level) +
          size_t(axis.pre * 64 + axis.size));
    for (const Shift &shift : factor.shifts)
      add(size_t(shift.stride * 1024 + shift.offset));
  }
  return hash;
}

StepTable mercury::makeStepTable(const Schedule &s, const OperatorModel &op,
                                 const TopologyModel &topology) {
  StepTable table;
  StepWork work(s, op, topology);
  table.factors = work.factors();
  std::vector<Steps> needed;
  size_t combinations = 1;
  for (auto [loop, factor] : table.factors) {
    needed.push_back(neededSteps(s, op, topology, loop, factor));
    table.taken.push_back(needed.back().taken);
    combinations *= size_t(needed.back().taken);
  }
  std::vector<int64_t> ranks = work.ranks();
  if (combinations * ranks.size() > maxTiles) {
    size_t count = std::max<size_t>(maxTiles / combinations, 2);
    std::vector<int64_t> some;
    for (size_t i = 0; i < count; ++i)
      some.push_back(ranks[i * (ranks.size() - 1) / (count - 1)]);
    ranks = std::move(some);
  }
  std::vector<int64_t> steps(needed.size());
  for (size_t c = 0; c < combinations; ++c) {
    size_t rest = c;
    for (size_t f = needed.size(); f-- > 0;) {
      auto [loop, factor] = table.factors[f];
      int64_t count = s.loops[loop][factor].count(topology);
      steps[f] =
          (needed[f].first + int64_t(rest % size_t(needed[f].taken))) % count;
      rest /= size_t(needed[f].taken);
    }
    std::vector<TilePairs> tiles;
    for (int64_t rank : ranks) {
      TilePairs pairs = work.at(rank, steps);
      if (std::find(tiles.begin(), tiles.end(), pairs) == tiles.end())
        tiles.push_back(pairs);
    }
    table.tiles.push_back(std::move(tiles));
  }
  return table;
}

const StepTable &StepTables::of(const Schedule &s,
                                const std::vector<int64_t> &padded) {
  size_t q = op.mask->query, k = op.mask->key;
  const LoopPlan &query = s.loops[q], &key = s.loops[k];
  TokenOrder queryOrder = s.orderOf(q), keyOrder = s.orderOf(k);
  size_t hash = hashOf(key, hashOf(query, 0xcbf29ce484222325u)) ^
                size_t(queryOrder.kind) * 7 ^ size_t(padded[q]);
  std::vector<Entry> &same = entries[hash];
  for (const Entry &known : same)
    if (known.query == query && known.key == key &&
        known.queryOrder == queryOrder && known.keyOrder == keyOrder &&
        known.queryExtent == padded[q] && known.keyExtent == padded[k])
      return known.table;

  return same
      .emplace_back(Entry{query, key, queryOrder, keyOrder, padded[q],
                          padded[k], makeStepTable(s, op, topology)})
      .table;
}
