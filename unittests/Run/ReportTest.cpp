//===- ReportTest.cpp - What a run prints ---------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "gtest/gtest.h"

using namespace mercury::run;

namespace {

TEST(Report, Counts) {
  EXPECT_EQ(printCount(0), "0");
  EXPECT_EQ(printCount(999), "999");
  EXPECT_EQ(printCount(1000), "1,000");
  EXPECT_EQ(printCount(12345678), "12,345,678");
  EXPECT_EQ(printCount(-123456), "-123,456");
}

TEST(Report, Seconds) {
  EXPECT_EQ(printSeconds(1.5e-6), "1.5 us");
  EXPECT_EQ(printSeconds(0.0123), "12.30 ms");
  EXPECT_EQ(printSeconds(2.5), "2.50 s");
}

TEST(Report, Tables) {
  EXPECT_EQ(printTable({{"rank", "bytes"}, {"0", "1,024"}, {"10", "8"}}),
            "rank  bytes\n"
            "0     1,024\n"
            "10        8\n");
}

TEST(Report, MedianOfRepetitions) {
  RunResult result;
  EXPECT_EQ(result.medianSeconds(), 0);
  result.seconds = {3, 1, 2};
  EXPECT_EQ(result.medianSeconds(), 2);
  result.seconds = {4, 1, 2, 3};
  EXPECT_EQ(result.medianSeconds(), 2.5);
}

TEST(Progress, IsSilentForShortPhases) {
  std::string text;
  llvm::raw_string_ostream os(text);
  {
    Progress progress(os, /*delay=*/60);
    progress.enter("one");
    progress.enter("two");
  }
  EXPECT_EQ(text, "");
}

TEST(Progress, NamesTheLongPhase) {
  std::string text;
  llvm::raw_string_ostream os(text);
  {
    Progress progress(os, /*delay=*/0.01);
    progress.enter("lowering");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  EXPECT_EQ(text, "mercury-run: lowering, 0 s so far\n");
}

} // namespace
