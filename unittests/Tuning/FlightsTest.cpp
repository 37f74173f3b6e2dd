//===- FlightsTest.cpp - What is in flight while loops run ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Flights.h"

#include <gtest/gtest.h>

using namespace mercury;

static FlightLoop loop(Communicators hops,
                       llvm::SmallVector<FlightArrival, 4> arrivals = {}) {
  return {hops, false, std::move(arrivals)};
}

TEST(Flights, TheThirdSetOfAxesIsLate) {
  FlightLoop loops[] = {loop(1), loop(2), loop(4)};
  findFlights(loops);
  EXPECT_TRUE(loops[0].isLate);
  EXPECT_FALSE(loops[1].isLate);
  EXPECT_FALSE(loops[2].isLate);
  FlightLoop same[] = {loop(1), loop(2), loop(1)};
  findFlights(same);
  EXPECT_FALSE(same[0].isLate);
}

TEST(Flights, WhatChangesInTheLoopDoesNotComeAhead) {
  FlightLoop loops[] = {loop(1, {{2, true}, {2, false}})};
  findFlights(loops);
  EXPECT_TRUE(loops[0].arrivals[0].comesAhead);
  EXPECT_FALSE(loops[0].arrivals[1].comesAhead);
}

TEST(Flights, TwoArrivalsBesideARotationWait) {
  FlightLoop loops[] = {loop(1), loop(0, {{2, true}, {4, true}})};
  findFlights(loops);
  EXPECT_FALSE(loops[1].arrivals[0].comesAhead);
  EXPECT_FALSE(loops[1].arrivals[1].comesAhead);
  FlightLoop alone[] = {loop(0, {{2, true}, {4, true}})};
  findFlights(alone);
  EXPECT_TRUE(alone[0].arrivals[0].comesAhead);
  EXPECT_TRUE(alone[0].arrivals[1].comesAhead);
}
