//===- GeneratedCode.cpp - Shipped schedules with generated local code ----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generated code has workspace, which the count of the bytes held includes.
// Tiles are large enough that ranks vectorize them.
//
//===----------------------------------------------------------------------===//

#include "MaskedText.h"
#include "Mercury/Schedule/Enumerator.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Tuning/LocalVariants.h"
#include "Mercury/Tuning/MemoryModel.h"
#include <gtest/gtest.h>

using namespace mercury;
using namespace mercury::test;

using Scope = NamedSchedule::Scope;

/// With all schedules of this scope or any.
static void runAll(const std::string &text, Scope scope,
                   const std::string &balance = "auto",
                   const ComputeResults &compute = nullptr) {
  Program program(text, 7, nullptr, compute);
  program.local = "codegen";
  program.balance = balance;
  for (const NamedSchedule &named : namedSchedules())
    for (const char *topology : {"gpu=4", "node=2,gpu=2"})
      if (named.scope == scope || named.scope == Scope::Any)
        EXPECT_EQ(program.runOnRanks(std::string(named.name), topology), "")
            << named.name << " on " << topology;
}

TEST(GeneratedCode, Matmul) {
  runAll(matmulText(64, 64, 64), Scope::Contraction);
}

TEST(GeneratedCode, Attention) {
  runAll(R"(
func.func @attention(%q: tensor<4x64x16xf32>, %k: tensor<4x64x16xf32>, %v: tensor<4x64x16xf32>) -> tensor<4x64x16xf32> {
  %empty = tensor.empty() : tensor<4x64x16xf32>
  %o = commir.attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
    ins(%q, %k, %v : tensor<4x64x16xf32>, tensor<4x64x16xf32>, tensor<4x64x16xf32>)
    outs(%empty : tensor<4x64x16xf32>) -> tensor<4x64x16xf32>
  return %o : tensor<4x64x16xf32>
})",
         Scope::Attention);
}

static const char *const tokens = R"(
func.func @attention(%q: tensor<2x384x32xf32>, %k: tensor<2x384x32xf32>, %v: tensor<2x384x32xf32>) -> tensor<2x384x32xf32> {
  %empty = tensor.empty() : tensor<2x384x32xf32>
  %o = commir.attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
    ins(%q, %k, %v : tensor<2x384x32xf32>, tensor<2x384x32xf32>, tensor<2x384x32xf32>)
    outs(%empty : tensor<2x384x32xf32>) -> tensor<2x384x32xf32>
  return %o : tensor<2x384x32xf32>
})";

/// The schedule on two ranks in other blocks, and whole: all give the result,
/// and hold no more than the memory model says.
static void runVariants(const std::string &text, const char *name,
                        int64_t features, size_t atLeast) {
  Program program(text, 7);
  program.local = "codegen";
  std::string error;
  TopologyModel topology = *parseTopology("gpu=2", error);
  MemoryProblem memory = makeMemoryProblem(program.model(), features);
  memory.local = LocalKernel::Generated;
  CostProblem problem;
  problem.op = memory.op;
  problem.kind = memory.op.coupled.empty() ? LocalWork::Kind::Gemm
                                           : LocalWork::Kind::Attention;
  problem.headDim = problem.valueDim = features;
  Schedule schedule;
  ASSERT_TRUE(makeNamedSchedule(name, schedule, problem.op, topology));
  std::vector<Schedule> variants =
      localVariants(schedule, problem, topology, {1 << 20, 1 << 26}, 100);
  EXPECT_GE(variants.size(), atLeast);
  Schedule whole = schedule;
  for (size_t l = 0; l < problem.op.loops.size(); ++l)
    whole.tile.push_back(paddedExtent(whole, problem.op, l, topology) /
                         numTiles(whole.loops[l], topology));
  variants.push_back(whole);
  MemoryModel model(memory, topology);
  for (const Schedule &variant : variants) {
    EXPECT_EQ(program.runOnRanks(print(variant), "gpu=2"), "")
        << print(variant);
    EXPECT_LE(program.peakBytes, model.estimate(variant).peak())
        << print(variant);
  }
}

TEST(GeneratedCode, VariantsOfMatmul) {
  runVariants(matmulText(400, 320, 500), "data_parallel", 1, 4);
  runVariants(matmulText(64, 1088, 96), "all_gather_gemm_shifted", 1, 1);
}

TEST(GeneratedCode, VariantsOfAttention) {
  runVariants(tokens, "ring", 32, 4);
  runVariants(tokens, "context_parallel", 32, 4);
}

// The tuner patches a kernel into any schedule of an operator that the kernel
// takes whole: it takes the tiles of all of them, whatever views these are.
TEST(GeneratedCode, KernelsInEveryArrangement) {
  Program program(matmulText(16, 16, 16), 7);
  std::string error, wrong;
  size_t listed = 0, ran = 0;
  for (const char *on : {"gpu=4", "node=2,gpu=2"}) {
    TopologyModel topology = *parseTopology(on, error);
    enumerateSchedules(program.model(), topology, {}, [&](Schedule schedule) {
      if (listed++ % 5 != 0)
        return true;
      schedule.patch = "blas";
      wrong = program.runOnRanks(print(schedule), on);
      if (wrong.find("is not available") != std::string::npos)
        return false;
      ++ran;
      EXPECT_EQ(wrong, "") << print(schedule) << " on " << on;
      return true;
    });
  }
  if (ran == 0)
    GTEST_SKIP() << wrong;
  EXPECT_GT(ran, 300u);
}

/// Chunks of eight tokens: some that the mask lets through, some that it cuts,
/// some that it excludes.
static void runZigzag(const std::string &visible, const Sees &sees) {
  AttentionText form = maskedText(visible, 4, 64, 64, /*group=*/1,
                                  /*features=*/16);
  runAll(form.attention(), Scope::Attention, "zigzag", attentionOf(form, sees));
}

TEST(GeneratedCode, CausalAttention) {
  runZigzag("right 0", [](int64_t m, int64_t n) { return n <= m; });
}

TEST(GeneratedCode, WindowOfAttention) {
  runZigzag("left 20 right 2",
            [](int64_t m, int64_t n) { return n >= m - 20 && n <= m + 2; });
}
