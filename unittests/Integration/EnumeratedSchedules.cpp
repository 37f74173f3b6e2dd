//===- EnumeratedSchedules.cpp - All schedules of a small GEMM ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every schedule that the enumerator lists at 4 ranks runs and equals the
// undistributed function, erased on one device and on ranks; no two of them are
// the same program.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Schedule/Enumerator.h"
#include "Programs.h"
#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <thread>

using namespace mercury;
using namespace mercury::test;

static void runAll(const std::string &topologyText, const std::string &text) {
  std::string error;
  std::optional<TopologyModel> topology = parseTopology(topologyText, error);
  ASSERT_TRUE(topology) << error;
  std::vector<std::string> schedules;
  OperatorModel model = Program(text, 1).model();
  enumerateSchedules(model, *topology, EnumeratorOptions(),
                     [&](const Schedule &schedule) {
                       schedules.push_back(print(schedule));
                       return true;
                     });
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  std::map<std::string, std::string> modules;
  size_t wrong = 0;
  auto work = [&] {
    Program program(text, 1);
    for (size_t i; (i = next++) < schedules.size();) {
      RunDetails details;
      std::string erased = program.runErased(schedules[i], topologyText);
      std::string ranks =
          program.runOnRanks(schedules[i], topologyText, &details);
      std::lock_guard<std::mutex> lock(mutex);
      if (!erased.empty() && ++wrong <= 10)
        ADD_FAILURE() << "erased: " << schedules[i] << "\n  " << erased;
      if (!ranks.empty() && ++wrong <= 10)
        ADD_FAILURE() << "on ranks: " << schedules[i] << "\n  " << ranks;
      if (!details.stage3.empty()) {
        auto [it, isNew] = modules.emplace(details.stage3, schedules[i]);
        if (!isNew && ++wrong <= 10)
          ADD_FAILURE() << "two schedules are one program:\n  " << it->second
                        << "\n  " << schedules[i];
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(wrong, 0u) << "of " << schedules.size() << " schedules on "
                       << topologyText;
  EXPECT_GT(schedules.size(), 100u);
}

TEST(EnumeratedSchedules, GemmOnOneLevel) {
  runAll("gpu=4", matmulText(8, 8, 8));
}

TEST(EnumeratedSchedules, GemmOnTwoLevels) {
  runAll("node=2,gpu=2", matmulText(8, 8, 8));
}
