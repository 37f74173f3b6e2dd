//===- Flights.cpp - What is in flight while loops run --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Flights.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace mercury;
using llvm::ArrayRef;
using llvm::MutableArrayRef;

/// At most so many communicators are in flight together: kMaxCommunicators of
/// Mercury/Analysis/CommunicationPlay.h.
static constexpr int maxCommunicators = 2;

/// Rotations in whose bodies too many communicators would be in flight start
/// their hops when they wait for them.
static void findLate(MutableArrayRef<FlightLoop> loops) {
  llvm::SmallVector<Communicators, 8> inside;
  for (FlightLoop &loop : llvm::reverse(loops)) {
    for (const FlightArrival &arrival : loop.arrivals)
      inside.push_back(arrival.over);
    loop.isLate = false;
    if (!loop.hops)
      continue;
    loop.isLate = llvm::any_of(inside, [&](Communicators sets) {
      return llvm::popcount(sets | loop.hops) > maxCommunicators;
    });
    if (!loop.isLate)
      for (Communicators &sets : inside)
        sets |= loop.hops;
    inside.push_back(loop.hops);
  }
}

static bool mayBeInFlight(ArrayRef<FlightLoop> loops, size_t number,
                          Communicators ahead, size_t candidate) {
  Communicators active = ahead;
  for (size_t i = 0; i < number; ++i)
    if (!loops[i].isLate)
      active |= loops[i].hops;
  for (size_t i = number; i < loops.size(); ++i) {
    const FlightLoop &loop = loops[i];
    if (llvm::popcount(active | loop.hops) > maxCommunicators)
      return false;
    if (!loop.isLate)
      active |= loop.hops;
    for (const FlightArrival &arrival : loop.arrivals)
      if (i > number && arrival.comesAhead)
        active |= arrival.over;
    if (llvm::popcount(active) > maxCommunicators)
      return false;
    for (size_t a = 0; a < loop.arrivals.size(); ++a) {
      const FlightArrival &arrival = loop.arrivals[a];
      bool isIgnored = i == number && (a == candidate || arrival.comesAhead);
      if (!isIgnored &&
          llvm::popcount(active | arrival.over) > maxCommunicators)
        return false;
    }
  }
  return true;
}

void mercury::findFlights(MutableArrayRef<FlightLoop> loops) {
  findLate(loops);
  for (FlightLoop &loop : loops)
    for (FlightArrival &arrival : loop.arrivals)
      arrival.comesAhead = false;
  // Inner ones first: their steps are shorter.
  for (size_t i = loops.size(); i-- > 0;) {
    Communicators together = 0;
    for (size_t a = 0; a < loops[i].arrivals.size(); ++a) {
      FlightArrival &arrival = loops[i].arrivals[a];
      if (!arrival.isOutside ||
          llvm::popcount(together | arrival.over) > maxCommunicators ||
          !mayBeInFlight(loops, i, together | arrival.over, a))
        continue;
      together |= arrival.over;
      arrival.comesAhead = true;
    }
  }
}
