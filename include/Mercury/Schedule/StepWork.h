//===- StepWork.h - What a mask leaves of each step -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_STEPWORK_H
#define MERCURY_SCHEDULE_STEPWORK_H

#include "Mercury/Schedule/Schedule.h"

#include <map>

namespace mercury {

/// Pairs of a query and a key that a mask leaves of a tile.
struct TilePairs {
  double whole = 0; ///< in pairs of chunks that are left whole
  double cut = 0;   ///< in the others
  double rows = 0;  ///< queries that see some key of the tile
  bool operator==(const TilePairs &) const = default;
};

/// The tiles of the mask's two loops at each step and rank of a legal schedule,
/// without padding. A kernel that is given a whole tile is faster than one that
/// cuts, which is why both are told apart.
class StepWork {
public:
  /// The operator has a mask.
  StepWork(const Schedule &schedule, const OperatorModel &op,
           const TopologyModel &topology);

  /// The time factors of the two loops in the order of their loops, as (loop,
  /// factor); `at` takes one step for each.
  const std::vector<std::pair<size_t, size_t>> &factors() const {
    return timeFactors;
  }
  /// One rank of each set that has the same tiles at all steps.
  const std::vector<int64_t> &ranks() const { return distinct; }
  TilePairs at(int64_t rank, const std::vector<int64_t> &steps) const;

private:
  struct Loop {
    LoopPlan plan;
    TokenOrder order;
    int64_t extent = 0, padded = 0, start = 0;
    std::vector<int64_t> counts;
    std::vector<size_t> position; ///< per factor its place in `steps`
  };
  /// First positions and sizes of the chunks that a tile lies in.
  struct Chunks {
    std::vector<std::pair<int64_t, int64_t>> runs;
  };
  Loop makeLoop(const Schedule &s, const OperatorModel &op, size_t loop,
                int64_t start);
  std::vector<int64_t> bases(const Loop &loop, int64_t rank) const;
  Chunks chunks(const Loop &loop, const std::vector<int64_t> &base,
                const std::vector<int64_t> &steps) const;

  const TopologyModel &topology;
  LoopMask mask;
  std::vector<std::pair<size_t, size_t>> timeFactors;
  Loop query, key;
  std::vector<int64_t> distinct;
  /// Per rank of `distinct` the index of each factor at step 0.
  std::map<int64_t, std::pair<std::vector<int64_t>, std::vector<int64_t>>>
      basesOf;
};

} // namespace mercury

#endif // MERCURY_SCHEDULE_STEPWORK_H
