//===- RankRunnerTest.cpp - Every rank of a program, as a thread ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankRunner.h"
#include "Jit.h"
#include "RunError.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cmath>
#include <cstring>

using namespace mercury;
using namespace mercury::run;

namespace {

/// A program of one sharded argument and one result, written by hand.
CompiledProgram programOf(const char *topologyText, int64_t extent,
                          int (*packed)(mercury_context *, void **)) {
  CompiledProgram program;
  std::string error;
  program.topology = *parseTopology(topologyText, error);
  ShardSpec shard;
  shard.global = {ElementKind::F32, {extent}};
  shard.placement.dims = {{AxisRef{"gpu", 1, 0}}};
  shard.localShape = localShape({extent}, shard.placement, program.topology);
  program.arguments = program.results = {shard};
  program.communicators = {{AxisRef{"gpu", 1, 0}}};
  program.packed = packed;
  return program;
}

/// Two elements a rank: doubles them.
int twice(mercury_context *, void **buffers) {
  auto *in = static_cast<float *>(buffers[0]);
  auto *out = static_cast<float *>(buffers[1]);
  for (int i = 0; i < 2; ++i)
    out[i] = 2 * in[i];
  return 0;
}

TEST(RankRunner, SlicesRunsAndAssembles) {
  CompiledProgram program = programOf("node=2,gpu=2", 4, twice);
  std::vector<HostTensor> arguments =
      makeArguments(program.globalArguments(), 3);
  auto run = runProgram(program, arguments, {});
  ASSERT_TRUE(static_cast<bool>(run)) << llvm::toString(run.takeError());
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(run->results[0].get(i), 2 * arguments[0].get(i));
  EXPECT_TRUE(run->divergences.empty());
  ASSERT_EQ(run->stats.size(), 4u);
  // Argument and result, two f32 each.
  EXPECT_EQ(run->stats[3].class_peak_bytes[MERCURY_OWN_SHARD], 16);
}

TEST(RankRunner, ResultsHoldNaNBefore) {
  CompiledProgram program =
      programOf("gpu=2", 4, [](mercury_context *, void **) { return 0; });
  auto run =
      runProgram(program, makeArguments(program.globalArguments(), 3), {});
  ASSERT_TRUE(static_cast<bool>(run));
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(std::isnan(run->results[0].get(i)));
}

TEST(RankRunner, RepeatsAndShowsEachResult) {
  CompiledProgram program = programOf("gpu=2", 4, twice);
  std::vector<int64_t> seen;
  LaunchOptions options;
  options.repeat = 3;
  options.onRepetition = [&](int64_t repetition,
                             const std::vector<HostTensor> &results,
                             const std::vector<std::string> &) {
    seen.push_back(repetition);
    EXPECT_FALSE(std::isnan(results[0].get(3)));
  };
  auto run =
      runProgram(program, makeArguments(program.globalArguments(), 3), options);
  ASSERT_TRUE(static_cast<bool>(run));
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(run->seconds.size(), 3u);
}

TEST(RankRunner, ReplicasThatDiffer) {
  CompiledProgram program =
      programOf("node=2,gpu=2", 4, [](mercury_context *ctx, void **buffers) {
        auto *out = static_cast<float *>(buffers[1]);
        out[0] = 1;
        out[1] = static_cast<float>(
            mercury_rank(ctx) % 2 == 0 ? 1 : mercury_rank(ctx));
        return 0;
      });
  auto run =
      runProgram(program, makeArguments(program.globalArguments(), 3), {});
  ASSERT_TRUE(static_cast<bool>(run));
  ASSERT_EQ(run->divergences.size(), 1u);
  EXPECT_EQ(run->divergences[0],
            "result 0: ranks 1 and 3 hold different values at [3]: 1 and 3");
}

TEST(RankRunner, ErrorsOfRanksReachTheCaller) {
  CompiledProgram program =
      programOf("gpu=2", 4, [](mercury_context *ctx, void **) {
        if (mercury_rank(ctx) == 1)
          mercury_check(ctx, 5, "the operation at line 3");
        return mercury_status(ctx);
      });
  auto run =
      runProgram(program, makeArguments(program.globalArguments(), 3), {});
  ASSERT_FALSE(static_cast<bool>(run));
  llvm::handleAllErrors(run.takeError(), [](const RunError &error) {
    EXPECT_EQ(error.outcome, Outcome::RuntimeFailure);
    EXPECT_NE(error.text.find("the operation at line 3"), std::string::npos)
        << error.text;
  });
}

TEST(RankRunner, MemoryLimit) {
  CompiledProgram program = programOf("gpu=2", 4, twice);
  LaunchOptions options;
  options.memoryLimit = 15; // argument and result need 16
  auto run =
      runProgram(program, makeArguments(program.globalArguments(), 3), options);
  ASSERT_FALSE(static_cast<bool>(run));
  std::string text = llvm::toString(run.takeError());
  EXPECT_NE(text.find("asked for 8 bytes (own shard), holds 8 of 15"),
            std::string::npos)
      << text;
}

} // namespace
