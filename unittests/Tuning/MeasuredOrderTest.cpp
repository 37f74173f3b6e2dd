//===- MeasuredOrderTest.cpp - What runs say of a prediction --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/MeasuredOrder.h"
#include "gtest/gtest.h"

using namespace mercury;

/// An operator whose schedules a, b, ... are predicted to take 1, 2, ... s.
static ReportOperator predicted(size_t count) {
  ReportOperator op;
  for (size_t i = 0; i < count; ++i) {
    ReportRow row;
    row.schedule = std::string(1, static_cast<char>('a' + i));
    row.seconds = i + 1;
    op.found.push_back(row);
  }
  return op;
}

/// Seven runs around `value`, off by up to `spread`.
static Median around(double value, double spread) {
  std::vector<double> runs;
  for (int i = -3; i <= 3; ++i)
    runs.push_back(value + spread * i / 3);
  return medianOf(runs);
}

static std::string orderOf(const ReportOperator &op) {
  std::string text;
  for (const ReportRow &row : op.found)
    text += row.schedule;
  return text;
}

TEST(MeasuredOrder, PutsTheFastestFirstAndSaysSo) {
  ReportOperator op = predicted(4);
  addMeasured(op, {around(3, 0.1), around(1, 0.1), around(2, 0.1)});
  EXPECT_EQ(orderOf(op), "bcad");
  EXPECT_EQ(op.found[0].measured, 1);
  EXPECT_NEAR(op.found[0].measuredInterval, 0.1, 1e-9);
  EXPECT_EQ(op.found[3].measured, 0);
  ASSERT_EQ(op.remarks.size(), 2u);
  EXPECT_EQ(op.remarks[0], "measured: 1 is the fastest of the 3 that ran");
  // b was to take 2 of a's 1 and takes 1 of its 3; c is faster than a, too.
  EXPECT_EQ(op.remarks[1],
            "the runs contradict the model: 1 was predicted to take 2.00 of "
            "the time of 3, and takes 0.33; 2 pairs are the other way around");
}

TEST(MeasuredOrder, KeepsTheModelsChoiceWhereRunsDoNotTell) {
  ReportOperator op = predicted(3);
  addMeasured(op, {around(2, 0.5), around(3, 0.1), around(1.9, 0.5)});
  EXPECT_EQ(orderOf(op), "acb");
  ASSERT_EQ(op.remarks.size(), 2u);
  EXPECT_EQ(op.remarks[0], "measured: 1 and 2 are not told apart (7 runs each);"
                           " the model's choice is first");
  EXPECT_EQ(op.remarks[1], "the runs contradict the model: 2 was predicted to "
                           "take 1.50 of the time of 3, and takes 0.63");
}

TEST(MeasuredOrder, TellsNothingFromFewRuns) {
  ReportOperator op = predicted(2);
  addMeasured(op, {medianOf({5}), medianOf({1})});
  EXPECT_EQ(orderOf(op), "ab");
  ASSERT_EQ(op.remarks.size(), 1u);
  EXPECT_EQ(op.remarks[0], "measured: 1 and 2 are not told apart (1 run each);"
                           " the model's choice is first");
}

TEST(MeasuredOrder, OfOneOrNoneSaysNothing) {
  ReportOperator op = predicted(2);
  addMeasured(op, {});
  EXPECT_EQ(orderOf(op), "ab");
  addMeasured(op, {around(7, 1)});
  EXPECT_EQ(orderOf(op), "ab");
  EXPECT_EQ(op.found[0].measured, 7);
  EXPECT_TRUE(op.remarks.empty());
}
