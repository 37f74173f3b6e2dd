//===- Stretch.h - Steps with communication beside them ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipeline of the cost model, from the innermost loop outwards: what a loop
// takes is made of what its body takes and of what it communicates.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_STRETCH_H
#define MERCURY_LIB_TUNING_STRETCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace mercury {

/// A part of a program, in seconds.
struct Stretch {
  double seconds = 0;
  double quiet = 0; ///< in which it works and communicates nothing
  double tail = 0;  ///< of that, what is at its end
  double lead = 0;  ///< at its beginning, in which it only communicates
  double sums = 0;  ///< at its end, in which it adds up what has moved
  /// That ports are taken, and of that beside work; by level.
  llvm::SmallVector<double, 4> ports, hidden;

  explicit Stretch(size_t levels = 0) : ports(levels, 0), hidden(levels, 0) {}
  /// The work of a step.
  void setWork(double work);
};

/// Seconds of communication, all included, and of the ports that it takes.
struct PortUse {
  double seconds = 0;
  llvm::ArrayRef<double> ports; ///< by level; empty: none
  double scale = 1;             ///< of `ports`
  double onPort(size_t level) const {
    return ports.empty() ? 0 : ports[level] * scale;
  }
};

/// What a time loop adds to its body.
struct LoopUse {
  PortUse first; ///< before the work of the first step
  /// What is passed on starts with `first`, not after it.
  bool startsEarly = false;
  PortUse waited;    ///< before the work of each step
  PortUse waitedOwn; ///< the same, of each but the first
  PortUse passed;    ///< beside the work of each step but the last
  PortUse moved;     ///< beside the work of each step but the first
  PortUse both;      ///< of the two together
  PortUse late;      ///< after all that each step but one communicates
  double fill = 0;   ///< work of each step
  double merge = 0;  ///< work of each step but the first
  double add = 0;    ///< work at the end
  double pieces = 1; ///< of communication, of which work waits for one
};

/// Adds up the steps of a loop, in order. `share`: see overlapped().
class LoopStretch {
public:
  LoopStretch(const LoopUse &use, double share, size_t levels);
  /// `count` equal steps with `with` beside their work. Returns the seconds of
  /// one.
  double step(const Stretch &body, double count, const PortUse &with,
              bool isFirst);
  /// All steps, which are equal. Returns the seconds of one that has nothing
  /// beside it.
  double run(const Stretch &body, int64_t steps);
  /// The loop, after its steps.
  const Stretch &finish();

private:
  const LoopUse &use;
  double share;
  bool startsEarly;
  Stretch whole;
};

/// Seconds of `body` and of communication beside it, which shares its ports.
double beside(const Stretch &body, const PortUse &with, double share);

} // namespace mercury

#endif // MERCURY_LIB_TUNING_STRETCH_H
