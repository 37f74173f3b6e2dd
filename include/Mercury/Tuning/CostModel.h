//===- CostModel.h - Seconds of a schedule in closed form -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule does is read from its data by the functions that the compiler
// uses (arrivalOf, endingOf, timeLoops, neededSteps), never from a name.
// docs/Rationale/CostModel.md has the formulae and what they leave out.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_COSTMODEL_H
#define MERCURY_TUNING_COSTMODEL_H

#include "Mercury/Tuning/CostProblem.h"
#include "Mercury/Tuning/LinkTimes.h"

#include <memory>

namespace mercury {

/// What a schedule costs, of the rank that takes longest.
struct Cost {
  double seconds = 0;
  double low = 0, high = 0; ///< with the figures at the ends of their intervals
  /// Local work, launches and merges included; the rest is communication that
  /// nothing hides, and work that communication slows down.
  double compute = 0;
  double launch = 0; ///< of `compute`: launches of kernels
  double exposed() const { return seconds - compute; }

  /// What the ports of a level carry.
  struct Traffic {
    double bytes = 0;   ///< through the port that carries most, one direction
    double seconds = 0; ///< that they take, hidden or not
    double exposed = 0; ///< that nothing hides, where this level was slowest
    /// Bytes/s of a port below which what is to be hidden is no longer hidden;
    /// 0: nothing is to be hidden here.
    double service = 0;
  };
  std::vector<Traffic> traffic; ///< per level of the topology

  /// A time loop, outermost first, in all its executions.
  struct TimeLoop {
    size_t loop = 0, factor = 0;
    int64_t steps = 0; ///< taken, of each execution
    double startUp = 0, steady = 0, drain = 0;
  };
  std::vector<TimeLoop> timeLoops;

  /// What most of the time is spent on.
  enum class Bound { Compute, Launch, Memory, Link };
  Bound bound = Bound::Compute;
  size_t boundLevel = 0; ///< of Link
  bool assumed = false;  ///< a figure was missing: see assumptions()
};
std::string_view stringify(Cost::Bound bound);

/// Costs of one problem's schedules on one machine. Keeps what schedules share,
/// so that it is not to be used by several threads at once.
class CostModel {
public:
  CostModel(CostProblem problem, const TopologyModel &topology);
  ~CostModel();
  CostModel(CostModel &&);

  /// Of a legal schedule.
  Cost estimate(const Schedule &schedule);
  /// The same without traffic, loops and interval: `seconds` alone.
  double seconds(const Schedule &schedule);
  /// Patches in the kernel of the problem's with which the schedule takes
  /// least; none where that is generated code, or one has no curve.
  void chooseKernel(Schedule &schedule);

  /// Seconds that no schedule can beat: all multiply-adds evenly divided, at
  /// the highest rate that a kernel of any size reaches.
  double lowerBound() const;
  /// Forward and without a mask, what no kernel of the problem's beats at any
  /// size. Valid as long as this model.
  Rate fastestRate() const;
  /// Figures that the topology lacks and what was taken instead, as lines.
  std::vector<std::string> assumptions() const;

  const CostProblem &problem() const;
  /// Changes CostProblem::mergePasses, for fits; what is kept stays valid.
  void setMergePasses(double passes);
  const LinkTimes &links() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

/// Seconds of work and communication that run together: communication takes
/// `share` of the compute rate while it runs. At least the longer of both.
double overlapped(double work, double communication, double share);

} // namespace mercury

#endif // MERCURY_TUNING_COSTMODEL_H
