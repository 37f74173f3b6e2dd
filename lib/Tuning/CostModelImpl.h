//===- CostModelImpl.h - The parts of a cost --------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_COSTMODELIMPL_H
#define MERCURY_LIB_TUNING_COSTMODELIMPL_H

#include "Mercury/Tuning/CostModel.h"
#include "ScheduleTraffic.h"
#include "StepTable.h"
#include "Stretch.h"

#include <algorithm>
#include <cmath>

namespace mercury {

/// Several communications that run at the same time.
struct Bundle {
  double fixed = 0;    ///< launch and latency
  double streamed = 0; ///< of the busiest level
  double launch = 0;
  double interval = 0;
  size_t slowest = 0; ///< that level
  /// Per level.
  llvm::SmallVector<double, 4> seconds, bytes;

  explicit Bundle(size_t levels = 0) : seconds(levels, 0), bytes(levels, 0) {}
  bool empty() const { return fixed + streamed == 0; }
  void add(const LinkTime &time) {
    fixed = std::max(fixed, time.fixed);
    launch = std::max(launch, time.launch);
    interval = std::max(interval, time.interval);
    // What is streamed of one communication is that of its busiest level.
    for (const LinkLoad &load : time.loads) {
      seconds[load.level] += load.seconds;
      bytes[load.level] += load.bytes;
      if (seconds[load.level] > streamed) {
        streamed = seconds[load.level];
        slowest = load.level;
      }
    }
  }
  /// One after the other.
  void follow(const LinkTime &time) {
    fixed += time.fixed;
    launch += time.launch;
    streamed += time.seconds - time.fixed;
    interval = std::max(interval, time.interval);
    for (const LinkLoad &load : time.loads) {
      seconds[load.level] += load.seconds;
      bytes[load.level] += load.bytes;
      if (seconds[load.level] > seconds[slowest])
        slowest = load.level;
    }
  }
  void add(const Bundle &other) {
    fixed = std::max(fixed, other.fixed);
    launch = std::max(launch, other.launch);
    interval = std::max(interval, other.interval);
    for (size_t l = 0; l < seconds.size(); ++l) {
      seconds[l] += other.seconds[l];
      bytes[l] += other.bytes[l];
      if (seconds[l] > streamed) {
        streamed = seconds[l];
        slowest = l;
      }
    }
  }
};

/// Times of a time loop's communication, of one step.
struct LoopTimes {
  size_t loop = 0, factor = 0;
  int64_t steps = 0;
  Bundle passed, ahead, moved, all;
  Bundle first;     ///< of what comes ahead, before the first step
  Bundle waited;    ///< with nothing beside it, in all steps
  Bundle waitedOwn; ///< the same, in all steps but the first
  Bundle late;      ///< after the work, in all steps but one
  bool moves = false;
  bool startsEarly = false; ///< see LoopUse
  double moveMerge = 0;     ///< seconds to add what has arrived
  double fill = 0;          ///< seconds to fill what is added to, each step
  double add = 0;           ///< seconds to add the sum to that of steps before
  /// Place among the factors of the step table, or nothing.
  std::optional<size_t> masked;
};

/// A figure at one end of its interval.
struct Side {
  double work = 0, link = 0; ///< -1, 0 or 1
};

class CostModel::Impl {
public:
  Impl(CostProblem p, const TopologyModel &topology)
      : problem(std::move(p)), links(topology), device(links.topology().device),
        locals(device), reader(problem, links),
        tables(problem.op, links.topology()) {
    for (const std::string &name : comparableKernels(problem, device))
      addKernel(name);
    comparable = kernels.size();
    findRoles();
  }

  Cost estimate(const Schedule &s);
  double seconds(const Schedule &s);
  void chooseKernel(Schedule &s);
  double lowerBound() const;
  Rate fastestRate();
  std::vector<std::string> assumptions() const;

  CostProblem problem;
  LinkTimes links;

private:
  struct Step {
    Stretch stretch;
    double compute = 0; ///< work in it
    double memory = 0;  ///< of which bound by memory
    double launch = 0;
    explicit Step(size_t levels) : stretch(levels) {}
  };
  /// A kernel that computes tiles.
  struct Kernel {
    std::string name;
    Rate rates[2][2]; ///< by backward, by whether a mask cuts
  };
  void addKernel(const std::string &name);
  size_t numberOf(const std::string &patch);
  const Rate &rateOf(bool causal) const {
    return kernels[kernel].rates[backward][causal];
  }
  void findRoles();
  void prepare(const Schedule &s, bool backward);
  LinkTime timeOf(const Transfer &transfer);
  Bundle bundleOf(const std::vector<Transfer> &list);
  Bundle sequenceOf(const std::vector<Transfer> &list);
  double stepSeconds(double whole, double cut, double rows, double &memory);
  void leaf(size_t combination, double scale, Step &step);
  void run(size_t depth, size_t combination, double executions, Side side,
           Step &step, Cost *cost);
  double total(Side side, Cost *cost);
  template <typename Visitor> void forEachPass(Visitor visit);

  const DeviceModel &device;
  LocalTimes locals;
  TrafficReader reader;
  StepTables tables;
  /// Those that are compared, "" first, then others that schedules ask for.
  std::vector<Kernel> kernels;
  size_t comparable = 0;
  Curve envelope; ///< of fastestRate()

  std::vector<bool> isBatch; ///< per loop: everything has a part of it
  size_t keyLoop = 0, queryLoop = 0;
  bool hasRoles = false;

  // Of the schedule at hand.
  bool backward = false;
  int64_t chunks = 1;
  size_t kernel = 0;
  const StepTable *table = nullptr;
  std::vector<LoopTimes> loops;
  std::vector<LinkTime> before, after;
  double batchTiles = 1; ///< product of tiles of all loops but the mask's
  double operations = 0; ///< multiply-adds of each iteration
  double memoryBytes = 0, mergeBytes = 0, queryRows = 1, size = 1;
  /// Of tiles that the mask leaves whole, and of those that it cuts.
  double wholeRate = 0, cutRate = 0;
  double workInterval = 0;
  /// Before and after the loops: seconds of memory, and numbers of kernels.
  double fill = 0, finish = 0;
  int fills = 0, finishes = 0;
  int halves = 1; ///< a step's work is done in so many
  bool assumed = false;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_COSTMODELIMPL_H
