//===- SearchBound.h - What no schedule of a part can beat ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_SEARCHBOUND_H
#define MERCURY_LIB_TUNING_SEARCHBOUND_H

#include "Mercury/Schedule/Candidates.h"
#include "Mercury/Tuning/Search.h"

namespace mercury {

/// A unit of a partial candidate: how many coordinates it has on each level,
/// and what it does.
struct PartialUnit {
  int64_t size = 1;
  FixedList<int64_t, 20> levels;
  const Choice *choice = nullptr;
};

/// Bounds of all schedules in which some axes have been given out: `units` do
/// what they do, `idle` ranks repeat each other's work, and `rest` ranks are
/// still free to divide anything. docs/Rationale/Search.md says why they hold.
class SearchBound {
public:
  SearchBound(const CostModel &cost, const SearchOptions &options);

  double seconds(const FixedList<PartialUnit, 20> &units, int64_t idle,
                 int64_t rest) const;
  /// No bound: what to expect where the axes that are left divide the work and
  /// nothing that travels.
  double promise(const FixedList<PartialUnit, 20> &units, int64_t idle,
                 int64_t rest) const;
  /// Bytes of the shards that a rank holds.
  double bytes(const FixedList<PartialUnit, 20> &units, int64_t rest) const;

private:
  double compute(const FixedList<PartialUnit, 20> &units, int64_t idle,
                 int64_t rest) const;
  double communication(const FixedList<PartialUnit, 20> &units, int64_t rest,
                       double &exposed) const;
  Way wayOf(const PartialUnit &unit, size_t tensor) const;
  const OperatorModel::Tensor &modelOf(size_t tensor) const {
    size_t inputs = op.inputs.size();
    return tensor < inputs ? op.inputs[tensor] : op.results[tensor - inputs];
  }
  bool runsOver(size_t tensor, size_t loop) const {
    return runs[tensor * op.loops.size() + loop];
  }

  const CostProblem &problem;
  const OperatorModel &op;
  const LinkTimes &links;
  bool isForward, hasMask;
  int64_t pieces = 1; ///< most chunks of a step
  double least = 0;   ///< CostModel::lowerBound(): all axes divide
  Rate rate;
  size_t keyLoop = 0;
  std::vector<bool> isBatch, runs;
  bool hasBatch = false;
  std::vector<double> tensorBytes;
  /// Bytes/s that a port never beats: of collectives and of messages.
  std::vector<double> collectiveRate, messageRate;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_SEARCHBOUND_H
