//===- Flights.h - What is in flight while loops run ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which communication of a loop nest overlaps with its work, as the passes
// decide it (LowerRotation.cpp, Prefetch.cpp): at most two sets of axes are in
// flight together.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_FLIGHTS_H
#define MERCURY_LIB_TUNING_FLIGHTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mercury {

/// Sets of communicators, by number.
using Communicators = uint64_t;

/// A broadcast or fetch in a loop.
struct FlightArrival {
  Communicators over = 0;
  bool isOutside = false;  ///< what is sent does not change in the loop
  bool comesAhead = false; ///< found: each step's starts a step before
};

/// A time loop of more than one step.
struct FlightLoop {
  Communicators hops = 0; ///< of its rotation, if it is one
  bool isLate = false;    ///< found: hops start when they are waited for
  llvm::SmallVector<FlightArrival, 4> arrivals; ///< in order
};

/// Fills in what is found; loops from the outermost inwards.
void findFlights(llvm::MutableArrayRef<FlightLoop> loops);

} // namespace mercury

#endif // MERCURY_LIB_TUNING_FLIGHTS_H
