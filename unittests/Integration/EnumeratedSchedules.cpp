//===- EnumeratedSchedules.cpp - All schedules of small operators ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every schedule that the enumerator lists at 4 ranks runs and equals the
// undistributed function, erased on one device and on ranks, and holds as many
// bytes as the memory model says; no two of them are the same program.
//
//===----------------------------------------------------------------------===//

#include "MaskedText.h"
#include "Mercury/Schedule/Enumerator.h"
#include "Mercury/Tuning/MemoryModel.h"
#include "Programs.h"
#include <atomic>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <thread>

using namespace mercury;
using namespace mercury::test;

/// Extent of the dimensions of heads' features, which are no loops.
static constexpr int64_t features = 2;

/// Runs the schedules that the enumerator lists, every `stride`-th of them.
static void runAll(const std::string &topologyText, const std::string &text,
                   const EnumeratorOptions &options = {}, size_t stride = 1) {
  std::string error;
  std::optional<TopologyModel> topology = parseTopology(topologyText, error);
  ASSERT_TRUE(topology) << error;
  std::vector<std::string> schedules;
  OperatorModel model = Program(text, 1).model();
  MemoryProblem problem = makeMemoryProblem(model, features);
  problem.returnsLogSumExp = model.mask.has_value(); // see MaskedText.h
  MemoryModel memory(problem, *topology);
  size_t listed = 0;
  enumerateSchedules(model, *topology, options, [&](const Schedule &schedule) {
    if (listed++ % stride == 0)
      schedules.push_back(print(schedule));
    return true;
  });
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  std::map<std::string, std::string> modules;
  SeenPrograms erased;
  size_t wrong = 0;
  auto work = [&] {
    Program program(text, 1);
    for (size_t i; (i = next++) < schedules.size();) {
      std::string stage3;
      std::string error =
          program.runBoth(schedules[i], topologyText, erased, &stage3);
      std::string parsing;
      MemoryEstimate estimate =
          memory.estimate(*parseSchedule(schedules[i], parsing));
      if (error.empty() &&
          (!estimate.isExact || estimate.peak() != program.peakBytes))
        error = "holds " + std::to_string(program.peakBytes) +
                " bytes, but the model says " + std::to_string(estimate.peak());
      std::lock_guard<std::mutex> lock(mutex);
      if (!error.empty() && ++wrong <= 10)
        ADD_FAILURE() << schedules[i] << "\n  " << error;
      if (!stage3.empty()) {
        auto [it, isNew] = modules.emplace(stage3, schedules[i]);
        if (!isNew && ++wrong <= 10)
          ADD_FAILURE() << "two schedules are one program:\n  " << it->second
                        << "\n  " << schedules[i];
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
  std::printf("%zu schedules on %s, erased %zu programs\n", schedules.size(),
              topologyText.c_str(), erased.size());
  EXPECT_EQ(wrong, 0u) << "of " << schedules.size() << " schedules on "
                       << topologyText;
  EXPECT_GT(listed, 100u);
}

TEST(EnumeratedSchedules, GemmOnOneLevel) {
  runAll("gpu=4", matmulText(8, 8, 8));
}

TEST(EnumeratedSchedules, GemmOnTwoLevels) {
  runAll("node=2,gpu=2", matmulText(8, 8, 8));
}

/// With what the designs for attention need.
static EnumeratorOptions forAttention() {
  EnumeratorOptions options;
  options.relays = Relays::Together;
  options.bothDirections = true;
  return options;
}

TEST(EnumeratedSchedules, AttentionOnOneLevel) {
  runAll("gpu=4", attentionText(4, 1, 8, 8, features), forAttention());
}

TEST(EnumeratedSchedules, AttentionOnTwoLevels) {
  runAll("node=2,gpu=2", attentionText(4, 1, 8, 8, features), forAttention());
}

TEST(EnumeratedSchedules, GroupedAttentionOnOneLevel) {
  runAll("gpu=4", attentionText(2, 2, 8, 8, features), forAttention());
}

TEST(EnumeratedSchedules, GroupedAttentionOnTwoLevels) {
  runAll("node=2,gpu=2", attentionText(2, 2, 8, 8, features), forAttention());
}

// In the natural order and, where a rank's work is less, in zigzag.
TEST(EnumeratedSchedules, CausalAttentionOnOneLevel) {
  runAll("gpu=4", maskedText("right 0", 4, 8, 8, 1, features).attention(),
         forAttention());
}

TEST(EnumeratedSchedules, CausalAttentionOnTwoLevels) {
  runAll("node=2,gpu=2",
         maskedText("right 0", 4, 8, 8, 1, features).attention(),
         forAttention(), /*stride=*/3);
}
