//===- ReshardStepsTest.cpp - Collectives between two placements ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ReshardSteps.h"

#include <gtest/gtest.h>

using namespace mercury;

static AxisSequence axes(std::initializer_list<uint8_t> list) {
  AxisSequence sequence;
  for (uint8_t axis : list)
    sequence.push_back(axis);
  return sequence;
}

/// "exchange 0 1, gather 2 along 0"
static std::string stepsOf(std::vector<AxisSequence> from,
                           std::vector<AxisSequence> to) {
  std::string text;
  for (const ReshardStep &step :
       reshardSteps(from.data(), to.data(), from.size())) {
    text += (text.empty() ? "" : ", ") +
            std::string(step.isExchange ? "exchange" : "gather");
    for (uint8_t axis : step.axes)
      text += " " + std::to_string(axis);
    if (!step.isExchange)
      text += " along " + std::to_string(step.dim);
  }
  return text;
}

TEST(ReshardSteps, NothingWhereNothingMoves) {
  EXPECT_EQ(stepsOf({axes({0}), axes({1})}, {axes({0}), axes({1})}), "");
  // A replica is sliced.
  EXPECT_EQ(stepsOf({axes({}), axes({})}, {axes({0}), axes({})}), "");
}

TEST(ReshardSteps, OneDimensionAfterTheOther) {
  EXPECT_EQ(stepsOf({axes({0}), axes({1})}, {axes({}), axes({})}),
            "gather 0 along 0, gather 1 along 1");
  EXPECT_EQ(stepsOf({axes({0, 1}), axes({})}, {axes({}), axes({})}),
            "gather 0 1 along 0");
  EXPECT_EQ(stepsOf({axes({0, 1}), axes({})}, {axes({0}), axes({})}),
            "gather 1 along 0");
}

TEST(ReshardSteps, WhatCanMoveDoesSoTogether) {
  EXPECT_EQ(stepsOf({axes({0, 1}), axes({}), axes({})},
                    {axes({}), axes({0}), axes({1})}),
            "exchange 0 1");
  // Only the minor ones are at hand.
  EXPECT_EQ(stepsOf({axes({0, 1}), axes({})}, {axes({0}), axes({1})}),
            "exchange 1");
}

TEST(ReshardSteps, InnerAxesAreInTheWay) {
  EXPECT_EQ(stepsOf({axes({0, 1}), axes({})}, {axes({}), axes({0})}),
            "gather 1 along 0, exchange 0");
}
