//===- MeasurementsTest.cpp - Runs of schedules, kept in a file -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Measurements.h"
#include "Mercury/Tuning/Median.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mercury;

//===----------------------------------------------------------------------===//
// Medians
//===----------------------------------------------------------------------===//

TEST(Median, OfFewRunsIsBetweenAllOfThem) {
  Median one = medianOf({3});
  EXPECT_EQ(one.value, 3);
  EXPECT_EQ(one.low, 3);
  EXPECT_EQ(one.high, 3);
  Median five = medianOf({5, 1, 4, 2, 3});
  EXPECT_EQ(five.value, 3);
  EXPECT_EQ(five.low, 1);
  EXPECT_EQ(five.high, 5);
  EXPECT_EQ(medianOf({1, 2, 3, 4}).value, 2.5);
}

TEST(Median, IsTheOrderStatisticsOfTheBinomialDistribution) {
  // 20 runs: the sixth from each end (tables of the sign test).
  std::vector<double> runs;
  for (int i = 20; i >= 1; --i)
    runs.push_back(i);
  Median median = medianOf(runs);
  EXPECT_EQ(median.value, 10.5);
  EXPECT_EQ(median.low, 6);
  EXPECT_EQ(median.high, 15);
}

TEST(Median, CoversTheTrueOneNineteenTimesOfTwenty) {
  std::mt19937 random(1);
  // Skewed, as times are: a median of log(2).
  std::exponential_distribution<double> draw(1);
  for (int count : {6, 9, 20, 101}) {
    int inside = 0;
    for (int trial = 0; trial < 2000; ++trial) {
      std::vector<double> runs;
      for (int i = 0; i < count; ++i)
        runs.push_back(draw(random));
      Median median = medianOf(runs);
      inside += median.low <= std::log(2) && std::log(2) <= median.high;
    }
    EXPECT_GE(inside, 1880) << count << " runs";
  }
}

TEST(Median, TellsApartWhereIntervalsAreAndRunsAreEnough) {
  EXPECT_TRUE(medianOf({1, 2, 3, 2, 1}).isBelow(medianOf({4, 5, 6, 5, 4})));
  EXPECT_FALSE(medianOf({4, 5, 6, 5, 4}).isBelow(medianOf({1, 2, 3, 2, 1})));
  EXPECT_FALSE(medianOf({1, 2, 4, 2, 1}).isBelow(medianOf({4, 5, 6, 5, 4})));
  EXPECT_FALSE(medianOf({1, 2}).isBelow(medianOf({4, 5, 6, 5, 4})));
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

namespace {
struct Runs : public testing::Test {
  void SetUp() override {
    llvm::SmallString<128> folder;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("runs", folder));
    root = folder.str();
    path = root + "/runs.json";
  }
  void TearDown() override {
    EXPECT_FALSE(llvm::sys::fs::remove_directories(root));
  }
  void write(llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
    ASSERT_FALSE(error);
  }
  /// Opens the file, expects that it is moved to `aside`, and why.
  void expectRefused(const TuningKey &key, const std::string &aside,
                     const char *why) {
    std::string before =
                    (*llvm::MemoryBuffer::getFile(path))->getBuffer().str(),
                remark;
    Measurements runs;
    ASSERT_TRUE(bool(runs.open(path, key, "threads", remark)));
    EXPECT_NE(remark.find(why), std::string::npos) << remark;
    EXPECT_NE(remark.find(aside), std::string::npos) << remark;
    EXPECT_EQ(runs.size(), 0u);
    EXPECT_EQ((*llvm::MemoryBuffer::getFile(aside))->getBuffer(), before);
    EXPECT_FALSE(llvm::sys::fs::exists(path));
  }

  std::string root, path;
  TuningKey key{"linalg.matmul 8 x 8 x +8", "0123456789abcdef", "time"};
};
} // namespace

TEST_F(Runs, AreThereAgain) {
  std::string remark;
  Measurements runs;
  ASSERT_TRUE(bool(runs.open(path, key, "threads", remark)));
  EXPECT_TRUE(runs.runsOf("a").empty());
  runs.add("a", 0.1);
  runs.add("b", 1.0 / 3);
  runs.add("a", 3e-6);
  ASSERT_TRUE(bool(runs.save()));
  Measurements again;
  ASSERT_TRUE(bool(again.open(path, key, "threads", remark)));
  EXPECT_EQ(again.runsOf("a"), (std::vector<double>{0.1, 3e-6}));
  EXPECT_EQ(again.runsOf("b"), (std::vector<double>{1.0 / 3}));
  EXPECT_EQ(again.size(), 3u);
  EXPECT_EQ(remark, "");
}

TEST_F(Runs, OfSomethingElseAreKeptAside) {
  std::string remark;
  Measurements runs;
  ASSERT_TRUE(bool(runs.open(path, key, "threads", remark)));
  runs.add("a", 0.1);
  ASSERT_TRUE(bool(runs.save()));
  TuningKey other = key;
  other.topology = "fedcba9876543210";
  expectRefused(other, path + ".refused",
                "it is of topology '0123456789abcdef', not 'fedcba9876543210'");
  ASSERT_TRUE(bool(runs.save()));
  Measurements elsewhere;
  ASSERT_TRUE(bool(elsewhere.open(path, key, "mpi", remark)));
  EXPECT_NE(remark.find("it is of ranks 'threads', not 'mpi'"),
            std::string::npos)
      << remark;
  EXPECT_NE(remark.find(".refused-2"), std::string::npos) << remark;
}

TEST_F(Runs, ThatNobodyWroteAreKeptAside) {
  write("{\"format\": \"mercury runs");
  expectRefused(key, path + ".refused", "is refused");
  write("{\"format\": \"mercury tuning database\", \"version\": 1}");
  expectRefused(key, path + ".refused-2", "its format is not");
  std::string head =
      "{\"format\": \"mercury runs of schedules\", \"version\": 1, "
      "\"operator\": \"" +
      key.op + "\", \"topology\": \"" + key.topology +
      "\", \"goal\": \"time\", \"ranks\": \"threads\"";
  write(head + "}");
  expectRefused(key, path + ".refused-3", "it has no 'schedules'");
  write(head + ", \"schedules\": [{\"schedule\": \"a\"}]}");
  expectRefused(key, path + ".refused-4", "lacks 'schedule' or 'seconds'");
  for (const char *value : {"0", "-1", "\"1\"", "null"}) {
    write(head + ", \"schedules\": [{\"schedule\": \"a\", \"seconds\": [1, " +
          value + "]}]}");
    expectRefused(key, path + ".refused-" + std::to_string(5), "has no time");
    ASSERT_FALSE(llvm::sys::fs::remove(path + ".refused-5"));
  }
}

TEST_F(Runs, AreKeptNowhereWithoutAFile) {
  std::string remark;
  Measurements runs;
  ASSERT_TRUE(bool(runs.open("", key, "threads", remark)));
  runs.add("a", 1);
  EXPECT_TRUE(bool(runs.save()));
  EXPECT_EQ(runs.size(), 1u);
}
