//===- SharedProgress.h - Activities that share ports -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When do activities end that share resources? The clock of the simulator and
// of emulated execution.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_SHAREDPROGRESS_H
#define MERCURY_TUNING_SHAREDPROGRESS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mercury {

/// What an activity needs.
struct Demand {
  /// Seconds before it uses any resource (latency, launch).
  double fixed = 0;
  /// Seconds at full speed after that.
  double busy = 0;
  /// The part of a resource that it takes at full speed, above 0, at most 1.
  struct Use {
    int64_t resource;
    double load;
    bool operator==(const Use &) const = default;
  };
  std::vector<Use> uses; ///< each resource once
  /// Devices (ranks) that it slows down while it runs, or, of computation, that
  /// it runs on.
  std::vector<int64_t> devices;
  bool isCompute = false;

  double seconds() const { return fixed + busy; }
};

/// Activities under way. Every resource has a capacity of 1. Those that share
/// resources get speeds that are max-min fair: all grow together from 0 until a
/// resource is full, then those on it stay as they are and the others grow on
/// (progressive filling: Bertsekas and Gallager, Data Networks, 1992, section
/// 6.5.2). No speed is above 1. Computation runs at 1, less
/// `communicationShare` while an activity of another kind is under way on its
/// device.
///
/// Times are seconds of one clock; calls come in their order.
class SharedProgress {
public:
  explicit SharedProgress(double communicationShare = 0)
      : communicationShare(communicationShare) {}

  using Id = uint64_t; ///< numbers in order of start, from 0

  /// Starts an activity at `now`. It may end at once; `advance` says so.
  Id start(double now, Demand demand);
  /// The next time at which an activity ends or goes on to need resources;
  /// infinity when none is under way.
  double nextChange();
  /// Lets time pass to the next change, or to `until` where that is earlier:
  /// the time that it is, and those that end then, in order of start.
  double advance(double until, std::vector<Id> &ended);
  bool isEmpty() const { return active.empty(); }

private:
  struct Activity {
    Id id;
    Demand demand;
    bool isBusy;     ///< the fixed part is over
    double changeAt; ///< the end of the fixed part, or of the activity
    double left = 0; ///< busy seconds at full speed, as of `since`
    double since = 0;
    double speed = -1; ///< none yet
  };

  /// Since `changedAt` other activities are under way.
  void setSpeeds();
  void setSpeed(Activity &activity, double speed, double now);
  /// Of all that are busy and do not compute, in order.
  std::vector<double> fairSpeeds() const;

  double communicationShare;
  Id numStarted = 0;
  std::vector<Activity> active; ///< in order of start
  size_t numResources = 0, numDevices = 0;
  bool hasChanged = false;
  double changedAt = 0;
};

} // namespace mercury

#endif // MERCURY_TUNING_SHAREDPROGRESS_H
