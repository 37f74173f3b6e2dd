//===- ReshardSteps.cpp - Collectives between two placements --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ReshardSteps.h"

#include <algorithm>

using namespace mercury;

namespace {
struct Resharding {
  const AxisSequence *to;
  size_t dims;
  AxisSequence now[maxDims];

  size_t dimOf(uint8_t axis) const {
    for (size_t d = 0; d < dims; ++d)
      if (std::find(to[d].begin(), to[d].end(), axis) != to[d].end())
        return d;
    return dims;
  }
  /// How many axes of a dimension stay.
  size_t common(size_t d) const {
    size_t n = 0;
    while (n < now[d].size() && n < to[d].size() && now[d][n] == to[d][n])
      ++n;
    return n;
  }
  /// Moves the axes of a dimension from `first` on; false where one cannot.
  bool move(size_t d, size_t first, AxisSequence *made,
            AxisSequence &moved) const {
    AxisSequence next[maxDims], axes = moved;
    std::copy_n(made, dims, next);
    for (size_t i = first; i < now[d].size();) {
      size_t other = dimOf(now[d][i]);
      if (other == dims || other == d || common(other) != now[other].size())
        return false;
      size_t before = i;
      AxisSequence &list = next[other];
      while (i < now[d].size() && list.size() < to[other].size() &&
             now[d][i] == to[other][list.size()]) {
        list.push_back(now[d][i]);
        axes.push_back(now[d][i++]);
      }
      if (i == before)
        return false;
    }
    while (next[d].size() > first)
      next[d].pop_back();
    std::copy_n(next, dims, made);
    moved = axes;
    return true;
  }
  bool exchange(ReshardStep &step) {
    AxisSequence made[maxDims];
    std::copy_n(now, dims, made);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t d = 0; d < dims; ++d)
        for (size_t first = common(d); first < now[d].size(); ++first)
          if (made[d].size() == now[d].size() && // nothing has moved yet
              move(d, first, made, step.axes)) {
            step.dim = std::max(step.dim, d);
            changed = true;
          }
    }
    if (step.axes.empty())
      return false;
    step.isExchange = true;
    std::copy_n(made, dims, now);
    return true;
  }
  bool gather(ReshardStep &step) {
    for (size_t d = 0; d < dims; ++d) {
      size_t keep = common(d), first = now[d].size();
      while (first > keep) {
        size_t other = dimOf(now[d][first - 1]);
        if (first < now[d].size() && other < dims && other != d)
          break;
        --first;
      }
      if (first == now[d].size())
        continue;
      step.dim = d;
      for (size_t i = first; i < now[d].size(); ++i)
        step.axes.push_back(now[d][i]);
      while (now[d].size() > first)
        now[d].pop_back();
      return true;
    }
    return false;
  }
};
} // namespace

ReshardSteps mercury::reshardSteps(const AxisSequence *from,
                                   const AxisSequence *to, size_t dims) {
  ReshardSteps steps;
  Resharding resharding{to, dims, {}};
  std::copy_n(from, dims, resharding.now);
  while (!steps.isFull()) {
    ReshardStep step;
    if (!resharding.exchange(step) && !resharding.gather(step))
      break;
    steps.push_back(step);
  }
  return steps;
}
