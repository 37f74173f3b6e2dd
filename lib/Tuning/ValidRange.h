//===- ValidRange.h - Extents that a schedule is good for -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_VALIDRANGE_H
#define MERCURY_LIB_TUNING_VALIDRANGE_H

#include "Mercury/Tuning/Database.h"
#include "Mercury/Tuning/Search.h"

namespace mercury {

struct ValidRangeOptions {
  SearchOptions search;      ///< as the schedule was found
  std::vector<size_t> loops; ///< that may have other extents
  /// How much slower (or larger) than the best that is found it may be.
  double gap = 0.05;
  double budget = 0; ///< seconds; 0: none
};

/// Whether all dimensions that run over one of the loops have its extent, so
/// that the problem is known for other extents, too.
bool canScale(const CostProblem &problem, const std::vector<size_t> &loops);

/// Doubles and halves extents, up to sixteen times each, as long as the
/// schedule is legal, fits and is near the best of a search at every
/// combination of extents that lie such steps apart.
ExtentRanges findValidRange(const Schedule &schedule,
                            const CostProblem &problem,
                            const MemoryProblem &memory,
                            const TopologyModel &topology,
                            const ValidRangeOptions &options);

} // namespace mercury

#endif // MERCURY_LIB_TUNING_VALIDRANGE_H
