//===- StretchTest.cpp - Steps with communication beside them -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Stretch.h"

#include <gtest/gtest.h>

using namespace mercury;

namespace {
/// Communication on the only port there is.
struct Use {
  explicit Use(double seconds) : seconds(seconds) {}
  operator PortUse() const { return {seconds, {&seconds, 1}}; }
  double seconds;
};
} // namespace

static Stretch work(double seconds) {
  Stretch stretch(1);
  stretch.setWork(seconds);
  return stretch;
}

static Stretch loopOf(const LoopUse &use, const Stretch &body, int64_t steps,
                      double share = 0) {
  LoopStretch loop(use, share, 1);
  loop.run(body, steps);
  return loop.finish();
}

TEST(Stretch, TheLongerOfWorkAndCommunication) {
  Use shorter(1), longer(5);
  LoopUse use;
  use.passed = use.both = shorter;
  EXPECT_DOUBLE_EQ(loopOf(use, work(2), 4).seconds, 8);
  use.passed = use.both = longer;
  EXPECT_DOUBLE_EQ(loopOf(use, work(2), 4).seconds, 3 * 5 + 2);
}

TEST(Stretch, CommunicationTakesItsShareOfWork) {
  Use communication(1);
  LoopUse use;
  use.passed = use.both = communication;
  EXPECT_DOUBLE_EQ(loopOf(use, work(2), 4, 0.1).seconds, 3 * 2.1 + 2);
}

TEST(Stretch, WhatIsWaitedForHasNothingBesideIt) {
  Use waited(1), own(3);
  LoopUse use;
  use.waited = waited;
  EXPECT_DOUBLE_EQ(loopOf(use, work(2), 4).seconds, 4 * 3);
  use.waitedOwn = own;
  EXPECT_DOUBLE_EQ(loopOf(use, work(2), 4).seconds, 4 * 3 + 3 * 3);
}

TEST(Stretch, WhatIsLateFillsTheEndOfItsStep) {
  Use inner(2), late(3);
  LoopUse inside, outside;
  inside.passed = inside.both = inner;
  Stretch body = loopOf(inside, work(4), 2);
  // Its last step, and half of the one before, have nothing to communicate.
  EXPECT_DOUBLE_EQ(body.tail, 4);
  outside.late = late;
  EXPECT_DOUBLE_EQ(loopOf(outside, body, 3).seconds, 3 * 8);
  Use longer(6);
  outside.late = longer;
  EXPECT_DOUBLE_EQ(loopOf(outside, body, 3).seconds, 3 * 8 + 2 * 2);
}

TEST(Stretch, InnerCommunicationSharesItsPort) {
  Use inner(3), outer(10);
  LoopUse inside, outside;
  inside.passed = inside.both = inner;
  Stretch body = loopOf(inside, work(4), 2);
  EXPECT_DOUBLE_EQ(body.seconds, 8);
  // 3 take 6 beside the outer one, of which 7 are left, and 4 of work.
  outside.passed = outside.both = outer;
  EXPECT_DOUBLE_EQ(loopOf(outside, body, 2).seconds, 6 + 7 + 8);
}

TEST(Stretch, OfBothKindsTheFirstStepPassesAndTheLastMoves) {
  Use passed(3), moved(5), both(8);
  LoopUse use;
  use.passed = passed;
  use.moved = moved;
  use.both = both;
  use.merge = 1;
  EXPECT_DOUBLE_EQ(loopOf(use, work(2), 2).seconds, 3 + 5 + 1);
  EXPECT_DOUBLE_EQ(loopOf(use, work(2), 4).seconds, 3 + 2 * 9 + 6);
}

TEST(Stretch, TilesComeWhileSumsAreAddedUp) {
  Use moved(1), waited(3);
  LoopUse inside, outside;
  inside.moved = inside.both = moved;
  inside.merge = 2;
  Stretch body = loopOf(inside, work(4), 2);
  EXPECT_DOUBLE_EQ(body.seconds, 10);
  outside.waited = waited;
  // The first is waited for, of the second one second.
  EXPECT_DOUBLE_EQ(loopOf(outside, body, 2).seconds, 20 + 3 + 1);
}
