//===- TokenRuns.cpp - How positions grow over a tile ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/TokenRuns.h"

#include <algorithm>

using namespace mercury;

std::optional<TokenRuns> mercury::runsOf(const TokenOrder &order,
                                         int64_t extent,
                                         const TileStarts &starts,
                                         int64_t count) {
  int64_t stride = std::max<int64_t>(starts.step, 1);
  if (count < 1 || starts.first < 0 || starts.last < starts.first ||
      starts.last + count > extent)
    return std::nullopt;
  int64_t chunk = order.chunkExtent(extent);
  if (count <= chunk) {
    for (int64_t at = starts.first; at <= starts.last; at += stride)
      if (at % chunk + count > chunk)
        return std::nullopt;
    return TokenRuns{count, 0};
  }
  if (count % chunk != 0)
    return std::nullopt;
  // Of each slot: what lies between it and the next, and in how many slots
  // from there on that is the same.
  int64_t slots = extent / chunk;
  std::vector<int64_t> gap(slots, 0), same(slots, 1);
  for (int64_t slot = slots - 2; slot >= 0; --slot) {
    gap[slot] = order.chunkAt(slot + 1, extent) - order.chunkAt(slot, extent);
    same[slot] = gap[slot] == gap[slot + 1] ? same[slot + 1] + 1 : 2;
  }
  std::optional<int64_t> step;
  for (int64_t at = starts.first; at <= starts.last; at += stride) {
    int64_t slot = at / chunk;
    if (at % chunk != 0 || same[slot] < count / chunk || gap[slot] < 0)
      return std::nullopt;
    step = !step || *step == gap[slot] ? gap[slot] : 0;
  }
  return TokenRuns{chunk, *step * chunk};
}
