//===- StepTable.h - Tiles under a mask, kept for many schedules *- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_STEPTABLE_H
#define MERCURY_LIB_TUNING_STEPTABLE_H

#include "Mercury/Schedule/StepWork.h"

#include <unordered_map>

namespace mercury {

/// The tiles of the mask's loops at each step that is taken, of all ranks.
struct StepTable {
  std::vector<std::pair<size_t, size_t>>
      factors;                ///< (loop, factor), outer first
  std::vector<int64_t> taken; ///< steps of each that are taken
  /// Per combination of steps, row-major over `taken`, the different tiles of
  /// ranks.
  std::vector<std::vector<TilePairs>> tiles;
};

/// Of a schedule of an operator that has a mask.
StepTable makeStepTable(const Schedule &schedule, const OperatorModel &op,
                        const TopologyModel &topology);

/// Tables of one operator. They depend on the mask's two loops alone, so that
/// many schedules share one.
class StepTables {
public:
  StepTables(const OperatorModel &op, const TopologyModel &topology)
      : op(op), topology(topology) {}
  /// `padded` are the loops' padded extents.
  const StepTable &of(const Schedule &schedule,
                      const std::vector<int64_t> &padded);

private:
  struct Entry {
    LoopPlan query, key;
    TokenOrder queryOrder, keyOrder;
    int64_t queryExtent = 0, keyExtent = 0;
    StepTable table;
  };
  const OperatorModel &op;
  const TopologyModel &topology;
  std::unordered_map<size_t, std::vector<Entry>> entries;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_STEPTABLE_H
