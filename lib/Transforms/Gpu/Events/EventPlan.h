//===- EventPlan.h - Which events a program needs ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_EVENTPLAN_H
#define MERCURY_LIB_TRANSFORMS_GPU_EVENTPLAN_H

#include "Mercury/Analysis/StreamTrace.h"

namespace mercury {

/// An event: it is recorded on `stream` right after `op` (a function: at its
/// start).
struct EventSource {
  mlir::Operation *op;
  unsigned stream;
  bool operator==(const EventSource &) const = default;
};

/// `stream` waits for an event, right before or after the op `anchor`.
struct EventWait {
  unsigned source; ///< number of the event's source
  unsigned stream;
  mlir::Operation *anchor;
  bool after = false;
  bool operator==(const EventWait &) const = default;
};

/// The events of a function, each needed: without any one of the waits, a pair
/// of items of the trace is in no order.
struct EventPlan {
  std::vector<EventSource> sources;
  std::vector<EventWait> waits;
  /// Communication, with the streams whose earlier communication may be in
  /// flight together with it, as `commir.wait` let it be.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<unsigned, 1>> concurrent;
};

/// Plans events for a trace that has none.
EventPlan planEvents(const StreamTrace &trace);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_EVENTPLAN_H
