//===- Motion.cpp - How the shards of a dimension move --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Motion.h"
#include "AxisUtils.h"

using namespace mercury;

/// Steps times ranks beyond which evaluating is refused: a second or so.
static constexpr int64_t maxPoints = int64_t(1) << 26;

bool mercury::dependsOn(const LoopPlan &loop, const AxisList &axes,
                        bool rankFactorsOnly) {
  for (const Factor &factor : loop) {
    if (factor.kind == Factor::Kind::Rank && containsAny(axes, factor.axes))
      return true;
    if (!rankFactorsOnly)
      for (const Shift &shift : factor.shifts)
        if (containsAny(axes, shift.axes))
          return true;
  }
  return false;
}

namespace {
/// The owners of the shards of one dimension, for every step and rank.
class Owners {
public:
  Owners(const LoopPlan &loop, size_t numFactors, int64_t tilesPerShard,
         const TopologyModel &topology)
      : topology(topology), numRanks(topology.numRanks()) {
    for (size_t f = 0; f < numFactors; ++f)
      if (loop[f].kind == Factor::Kind::Time)
        counts.push_back(loop[f].count(topology));
    for (int64_t count : counts)
      numSteps *= count;
    shards.reserve(numSteps * numRanks);
    std::vector<int64_t> digits(counts.size());
    for (int64_t step = 0; step < numSteps; ++step) {
      int64_t rest = step;
      for (size_t i = counts.size(); i-- > 0; rest /= counts[i])
        digits[i] = rest % counts[i];
      for (int64_t rank = 0; rank < numRanks; ++rank) {
        int64_t tile = 0;
        for (size_t f = 0, time = 0; f < numFactors; ++f) {
          bool isTime = loop[f].kind == Factor::Kind::Time;
          tile =
              tile * loop[f].count(topology) +
              factorIndex(loop[f], isTime ? digits[time] : 0, rank, topology);
          time += isTime;
        }
        shards.push_back(tile / tilesPerShard);
      }
    }
  }

  /// The motion over `axes`, behind which axes of `inner` ranks follow in the
  /// dimension; nothing when there is no pattern.
  std::optional<Motion> motionOver(const AxisList &axes, int64_t inner) const {
    int64_t size = topology.sizeOf(axes);
    std::vector<int64_t> own(numRanks), first(numRanks);
    for (int64_t rank = 0; rank < numRanks; ++rank) {
      own[rank] = topology.coordinate(rank, axes);
      first[rank] = topology.withCoordinate(rank, axes, 0);
    }
    bool local = true, same = true, permutation = true;
    std::vector<int64_t> readAt(numRanks, -1);
    for (int64_t step = 0; step < numSteps; ++step)
      for (int64_t rank = 0; rank < numRanks; ++rank) {
        int64_t owner = ownerOf(step, rank, size, inner);
        local &= owner == own[rank];
        same &= owner == ownerOf(step, first[rank], size, inner);
        int64_t ownerRank = topology.withCoordinate(rank, axes, owner);
        permutation &= readAt[ownerRank] != step;
        readAt[ownerRank] = step;
      }
    if (local)
      return Motion::Local;
    if (same)
      return Motion::Same;
    if (!permutation)
      return std::nullopt;
    return advancesEvenly(size, inner) ? Motion::Rotation : Motion::Permutation;
  }

private:
  int64_t ownerOf(int64_t step, int64_t rank, int64_t size,
                  int64_t inner) const {
    return shards[step * numRanks + rank] / inner % size;
  }

  /// Each step of each time loop moves all owners by the same distance.
  bool advancesEvenly(int64_t size, int64_t inner) const {
    int64_t period = 1;
    for (size_t i = counts.size(); i-- > 0; period *= counts[i]) {
      std::optional<int64_t> distance;
      for (int64_t step = 0; step + period < numSteps; ++step) {
        if (step / period % counts[i] == counts[i] - 1)
          continue;
        for (int64_t rank = 0; rank < numRanks; ++rank) {
          int64_t moved = (ownerOf(step + period, rank, size, inner) -
                           ownerOf(step, rank, size, inner) + size) %
                          size;
          if (!distance)
            distance = moved;
          if (moved != *distance)
            return false;
        }
      }
    }
    return true;
  }

  const TopologyModel &topology;
  int64_t numRanks, numSteps = 1;
  std::vector<int64_t> counts;
  std::vector<int64_t> shards;
};
} // namespace

Verdict mercury::evaluateMotion(const LoopPlan &loop, const AxisList &axes,
                                const TopologyModel &topology,
                                std::vector<AxesMotion> &motions) {
  motions.clear();
  if (axes.empty())
    return Verdict::ok();
  int64_t numShards = topology.sizeOf(axes);
  // The factors behind these cut within a shard.
  int64_t tiles = 1, steps = 1;
  size_t numFactors = 0;
  while (tiles % numShards != 0 && numFactors < loop.size()) {
    int64_t count = loop[numFactors].count(topology);
    tiles *= count;
    if (loop[numFactors].kind == Factor::Kind::Time)
      steps *= count;
    ++numFactors;
  }
  if (tiles % numShards != 0)
    return Verdict::no("its " + std::to_string(numShards) + " shards over " +
                       print(axes) + " do not divide the " +
                       std::to_string(tiles) + " tiles of its loop, " +
                       "so that a tile lies in more than one shard");
  if (steps > maxPoints / topology.numRanks())
    return Verdict::no("its loop has " + std::to_string(steps) + " steps on " +
                       std::to_string(topology.numRanks()) +
                       " ranks, more than the " + std::to_string(maxPoints) +
                       " points that are checked");
  Owners owners(loop, numFactors, tiles / numShards, topology);
  for (size_t begin = 0; begin < axes.size();) {
    AxisList group;
    int64_t inner = numShards;
    for (size_t i = 0; i < begin; ++i)
      inner /= topology.sizeOf(axes[i]);
    std::optional<AxesMotion> found;
    for (size_t i = begin; i < axes.size(); ++i) {
      group.push_back(axes[i]);
      inner /= topology.sizeOf(axes[i]);
      std::optional<Motion> motion = owners.motionOver(group, inner);
      // In a flat ring over {node, gpu} the node alone is a permutation that
      // advances when gpu wraps around; both together rotate.
      if (motion && (!found || *motion != Motion::Permutation))
        found = AxesMotion{group, *motion};
      if (found && found->motion != Motion::Permutation)
        break;
    }
    if (!found)
      return Verdict::no(
          "the owners of its shards over " + print(group) +
          " are neither the readers, nor one rank for all readers, nor a "
          "permutation of them at each step");
    begin += found->axes.size();
    motions.push_back(std::move(*found));
  }
  return Verdict::ok();
}
