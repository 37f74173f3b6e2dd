//===- StepWork.cpp - What a mask leaves of each step ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/StepWork.h"
#include "VisiblePairs.h"

#include <algorithm>
#include <set>

using namespace mercury;

/// Tiles of more chunks are looked at as a whole, not pair by pair.
static constexpr size_t maxChunks = 4;
/// Of tiles of more chunks every so many queries are counted, so that about
/// this many are.
static constexpr size_t maxSamples = 512;

StepWork::StepWork(const Schedule &s, const OperatorModel &op,
                   const TopologyModel &topology)
    : topology(topology), mask(*op.mask) {
  for (const auto &factor : timeLoops(s))
    if (factor.first == mask.query || factor.first == mask.key)
      timeFactors.push_back(factor);
  query = makeLoop(s, op, mask.query, mask.queryStart);
  key = makeLoop(s, op, mask.key, mask.keyStart);
  std::set<std::pair<std::vector<int64_t>, std::vector<int64_t>>> seen;
  for (int64_t rank = 0; rank < topology.numRanks(); ++rank) {
    std::pair both(bases(query, rank), bases(key, rank));
    if (!seen.insert(both).second)
      continue;
    distinct.push_back(rank);
    basesOf[rank] = std::move(both);
  }
}

StepWork::Loop StepWork::makeLoop(const Schedule &s, const OperatorModel &op,
                                  size_t loop, int64_t start) {
  Loop made;
  made.plan = s.loops[loop];
  made.order = s.orderOf(loop);
  made.extent = op.loops[loop].extent;
  made.padded = paddedExtent(s, op, loop, topology);
  made.start = start;
  for (size_t f = 0; f < made.plan.size(); ++f) {
    made.counts.push_back(made.plan[f].count(topology));
    auto it =
        std::find(timeFactors.begin(), timeFactors.end(), std::pair(loop, f));
    made.position.push_back(it - timeFactors.begin());
  }
  return made;
}

std::vector<int64_t> StepWork::bases(const Loop &loop, int64_t rank) const {
  std::vector<int64_t> base;
  for (const Factor &factor : loop.plan)
    base.push_back(factorIndex(factor, 0, rank, topology));
  return base;
}

StepWork::Chunks StepWork::chunks(const Loop &loop,
                                  const std::vector<int64_t> &base,
                                  const std::vector<int64_t> &steps) const {
  int64_t index = 0, mirrored = 0, tiles = 1;
  bool bothWays = false;
  for (size_t f = 0; f < loop.plan.size(); ++f) {
    const Factor &factor = loop.plan[f];
    int64_t count = loop.counts[f], forward = base[f], backward = base[f];
    if (factor.kind == Factor::Kind::Time) {
      int64_t step = steps[loop.position[f]];
      forward = (base[f] + (factor.backwards ? count - step : step)) % count;
      backward = (base[f] + (factor.backwards ? step : count - step)) % count;
      bothWays |= factor.bidirectional;
    }
    index = index * count + forward;
    mirrored = mirrored * count + (factor.bidirectional ? backward : forward);
    tiles *= count;
  }
  int64_t size = loop.padded / tiles, half = bothWays ? size / 2 : size;
  Chunks result;
  auto add = [&](int64_t begin, int64_t end) {
    int64_t chunk = loop.order.chunkExtent(loop.padded);
    for (int64_t next; begin < end; begin = next) {
      next = std::min(end, (begin / chunk + 1) * chunk);
      int64_t position = loop.order.position(begin, loop.padded);
      int64_t last = std::min(position + next - begin, loop.extent);
      if (position < last)
        result.runs.push_back({position + loop.start, last + loop.start});
    }
  };
  add(index * size, index * size + half);
  if (bothWays)
    add(mirrored * size + half, (mirrored + 1) * size);
  return result;
}

static Runs toRuns(const std::vector<std::pair<int64_t, int64_t>> &chunks) {
  Runs runs;
  for (auto [begin, end] : chunks)
    runs.push_back({begin, end});
  return normalized(std::move(runs));
}

/// How many of the queries see one of the keys at least.
static int64_t rowsThatSee(const Run &queries, const Run &keys,
                           const Mask &mask) {
  auto sees = [&](int64_t q) {
    Mask::Range range = mask.at(q);
    return std::max(range.begin, keys.begin) < std::min(range.end, keys.end);
  };
  // Ends of ranges grow or stay: those that see the run follow each other.
  int64_t low = queries.begin, high = queries.end;
  auto endAfter = [&](int64_t q) { return mask.at(q).end > keys.begin; };
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (endAfter(middle))
      high = middle;
    else
      low = middle + 1;
  }
  int64_t first = low;
  high = queries.end;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (mask.at(middle).begin < keys.end)
      low = middle + 1;
    else
      high = middle;
  }
  return first < low && sees(first) ? low - first : 0;
}

TilePairs StepWork::at(int64_t rank, const std::vector<int64_t> &steps) const {
  const auto &[queryBase, keyBase] = basesOf.at(rank);
  Chunks q = chunks(query, queryBase, steps), k = chunks(key, keyBase, steps);
  TilePairs result;
  if (q.runs.size() <= maxChunks && k.runs.size() <= maxChunks) {
    for (auto [qBegin, qEnd] : q.runs) {
      int64_t rows = 0;
      for (auto [kBegin, kEnd] : k.runs) {
        Run queries{qBegin, qEnd}, keys{kBegin, kEnd};
        int64_t pairs = countVisible({queries}, {keys}, mask.mask);
        bool whole = pairs == (qEnd - qBegin) * (kEnd - kBegin);
        (whole ? result.whole : result.cut) += double(pairs);
        rows = std::max(rows, rowsThatSee(queries, keys, mask.mask));
      }
      result.rows += double(rows);
    }
    return result;
  }
  // Many chunks: of the queries some, and these chunk by chunk.
  Runs keys = toRuns(k.runs);
  size_t stride = std::max<size_t>(q.runs.size() / maxSamples, 1);
  double pairs = 0, all = 0, rows = 0, sampled = 0, total = 0;
  std::vector<std::pair<int64_t, int64_t>> some;
  for (size_t i = 0; i < q.runs.size(); ++i) {
    total += double(q.runs[i].second - q.runs[i].first);
    // In the middle of each stretch.
    if (i % stride == stride / 2)
      some.push_back(q.runs[i]);
  }
  for (auto [begin, end] : some)
    sampled += double(end - begin);
  if (sampled == 0)
    return result;
  pairs = double(countVisible(toRuns(some), keys, mask.mask)) * total / sampled;
  all = total * double(sizeOf(keys));
  for (auto [begin, end] : some)
    rows +=
        double(keys.empty() ? 0
                            : rowsThatSee({begin, end},
                                          {keys.front().begin, keys.back().end},
                                          mask.mask));
  result.rows = rows * total / sampled;
  (pairs >= all ? result.whole : result.cut) = pairs;
  return result;
}
