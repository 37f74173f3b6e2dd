//===- ScheduleFigures.h - More about a schedule than its time --*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_SCHEDULEFIGURES_H
#define MERCURY_TUNING_SCHEDULEFIGURES_H

#include "Mercury/Tuning/CostModel.h"

namespace mercury {

/// A level is slower by this where nothing else is said, and never by more than
/// `mostSlowdown`.
constexpr double usualSlowdown = 2, mostSlowdown = 100;

/// The machine while others take so much of a level that 1 / `factor` of its
/// bandwidth is left; latency stays. `factor` is 1 to `mostSlowdown`.
TopologyModel slowedDown(TopologyModel topology, size_t level, double factor);

/// How much the times of one problem's schedules depend on each level.
class Sensitivity {
public:
  Sensitivity(const CostProblem &problem, const TopologyModel &topology,
              double factor = usualSlowdown);
  /// Per level of the topology the seconds of a legal schedule where that level
  /// alone is slower by the factor, over its seconds as it is.
  std::vector<double> of(const Schedule &schedule);

private:
  CostModel usual;
  std::vector<std::optional<CostModel>> slow; ///< nothing: a level of size 1
};

/// The level that has least bandwidth for each rank, of equals the outermost;
/// nothing where no level has more than one coordinate.
std::optional<size_t> slowestLevel(const LinkTimes &links);

/// Joules of all ranks: the device's power under load while the schedule runs.
/// 0 where the device gives no power. What switches, hosts and idle devices
/// take is not known.
double energyOf(double seconds, const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_TUNING_SCHEDULEFIGURES_H
