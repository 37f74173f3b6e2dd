//===- LinkBound.cpp - Least seconds of communication ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LinkBound.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mercury;

// Kinds of what is kept, beside collectives, whose kind is their primitive.
static constexpr int hopKind = 16, broadcastKind = 17, fetchKind = 18,
                     growsKind = 32;
/// As in ScheduleTraffic.cpp.
static constexpr int64_t maxStrides = 16;

size_t LinkBound::Hash::operator()(const Key &key) const {
  uint64_t bits;
  std::memcpy(&bits, &key.bytes, sizeof bits);
  uint64_t hash = (key.where * 64 + uint64_t(key.kind)) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ bits ^ hash >> 29) * 0xff51afd7ed558ccdu;
  return hash ^ hash >> 32;
}

static TopologyModel withoutCurves(TopologyModel topology) {
  for (Level &level : topology.levels)
    level.curves.clear();
  return topology;
}

LinkBound::LinkBound(const LinkTimes &links)
    : links(links), bare(withoutCurves(links.topology())) {
  for (size_t l = 0; l < links.topology().levels.size(); ++l) {
    double fastest = links.bandwidth(l);
    for (const auto &[primitive, curve] : links.topology().levels[l].curves)
      for (auto [size, figure] : curve.points)
        // What is left of a curve without launch and latency is at most twice
        // as fast (LinkTimes.cpp).
        fastest = std::max(fastest, 2 * figure *
                                        (primitive == Primitive::SendRecv
                                             ? double(links.sharing(l))
                                             : 1));
    rates.push_back(fastest);
  }
}

/// The least of `time(bytes)` and of what more bytes take: where a curve rises
/// faster than the size, more of them take less.
template <typename Time>
double LinkBound::least(size_t level, Primitive primitive, double bytes,
                        Time time) {
  double seconds = time(bytes);
  const auto &curves = links.topology().levels[level].curves;
  if (auto it = curves.find(primitive); it != curves.end())
    for (auto [size, figure] : it->second.points)
      if (size > bytes)
        seconds = std::min(seconds, time(size));
  return seconds;
}

double LinkBound::collective(Primitive primitive, size_t level, int64_t ranks,
                             double bytes, bool grows) {
  auto [it, isNew] = known.try_emplace(
      Key{static_cast<int>(primitive) + (grows ? growsKind : 0),
          level << 32 | uint64_t(ranks), bytes});
  double &seconds = it->second.fixed;
  if (!isNew)
    return seconds;
  seconds = HUGE_VAL;
  int64_t size = links.topology().levels[level].size;
  GroupShape shape{std::vector<int64_t>(links.topology().levels.size(), 1)};
  if (primitive == Primitive::AllToAll &&
      !links.topology().levels[level].curves.count(primitive)) {
    // The more ranks there are, the shorter the messages, and the less of them
    // is neither streamed nor waited for.
    shape.sizes[level] = ranks;
    seconds = links.collective(primitive, shape, bytes).fixed +
              bytes * double(links.sharing(level)) * (1 - 1 / double(ranks)) /
                  links.bandwidth(level);
    return seconds;
  }
  // All ranks of a switch may be faster than a few.
  for (int64_t joined = ranks; joined <= size; joined += ranks) {
    if (size % joined != 0)
      continue;
    shape.sizes[level] = joined;
    for (const LinkTimes *times : {&links, &bare})
      seconds =
          std::min(seconds, least(level, primitive, bytes, [&](double bytes) {
                     return times->collective(primitive, shape, bytes).seconds;
                   }));
    if (!grows)
      break;
  }
  return seconds;
}

double LinkBound::allToAll(const LevelSizes &sizes, double bytes) {
  double slowest = 0, outside = 1;
  for (size_t l = 0; l < links.topology().levels.size(); ++l) {
    if (sizes[l] == 1)
      continue;
    slowest = std::max(slowest, collective(Primitive::AllToAll, l, sizes[l],
                                           bytes / outside, false));
    outside *= double(sizes[l]);
  }
  return slowest;
}

const LinkBound::Step &LinkBound::hop(size_t level, double messages,
                                      double bytes) {
  uint64_t bits;
  std::memcpy(&bits, &messages, sizeof bits);
  auto [it, isNew] = known.try_emplace(Key{hopKind, bits * 64 + level, bytes});
  Step &step = it->second;
  if (!isNew)
    return step;
  LinkTimes::Hop hop{std::vector<double>(links.topology().levels.size(), 0)};
  hop.messages[level] = messages;
  step.streamed = least(level, Primitive::SendRecv, bytes, [&](double bytes) {
    LinkTime time = links.hop(hop, bytes);
    step.fixed = time.fixed;
    return time.seconds - time.fixed;
  });
  return step;
}

const LinkBound::Step &LinkBound::broadcast(size_t level, int64_t ranks,
                                            double bytes) {
  auto [it, isNew] = known.try_emplace(
      Key{broadcastKind, level << 32 | uint64_t(ranks), bytes});
  Step &step = it->second;
  // How much of it is fixed differs by algorithm.
  if (isNew)
    step.streamed = bytes * double(links.sharing(level)) / rates[level];
  return step;
}

double LinkBound::fetched(size_t level, int64_t ranks) {
  auto [it, isNew] =
      known.try_emplace(Key{fetchKind, level << 32 | uint64_t(ranks), 0});
  double &least = it->second.fixed;
  if (!isNew)
    return least;
  least = 1;
  int64_t inner = 1, size = links.topology().levels[level].size;
  for (size_t l = level + 1; l < links.topology().levels.size(); ++l)
    inner *= links.topology().levels[l].size;
  for (int64_t joined = ranks; joined <= size; joined += ranks)
    for (int64_t below = 1; below <= inner; ++below) {
      if (size % joined != 0 || inner % below != 0)
        continue;
      // Of the ranks below, those whose partner differs outside.
      int64_t group = joined * below, owners = group - 1,
              looked = std::min(owners, maxStrides);
      double crossing = 0;
      for (int64_t k = 0; k < looked; ++k) {
        int64_t stride = 1 + k * owners / looked;
        crossing +=
            double(std::min({stride, group - stride, below})) / double(below);
      }
      least = std::min(least, double(owners) / double(group) * crossing /
                                  double(looked));
    }
  return least;
}
