//===- MemoryModelTest.cpp - Bytes that a schedule takes ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures are sums that can be done by hand; that they are what programs
// hold is tested by unittests/Integration/MemoryOfPrograms.cpp.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Tuning/MemoryModel.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include <gtest/gtest.h>

using namespace mercury;

static TopologyModel topologyOf(const std::string &text) {
  std::string error;
  std::optional<TopologyModel> topology = parseTopology(text, error);
  EXPECT_TRUE(topology) << error;
  return topology.value_or(TopologyModel());
}

static OperatorModel matmul(int64_t m, int64_t n, int64_t k) {
  OperatorModel op;
  op.name = "linalg.matmul";
  op.loops = {{false, m}, {false, n}, {true, k}};
  op.inputs = {{{0, 2}}, {{2, 1}}};
  op.results = {{{0, 1}}};
  op.hasCombiner = op.hasCollective = op.neutralInit = {true};
  return op;
}

/// Loops: heads, queries, keys.
static OperatorModel attention(int64_t heads, int64_t queries, int64_t keys,
                               int64_t elementBytes = 4) {
  OperatorModel op;
  op.name = "commir.online_attention";
  op.loops = {{false, heads}, {false, queries}, {true, keys}};
  op.inputs = {{{0, 1, -1}}, {{0, 2, -1}}, {{0, 2, -1}}};
  for (OperatorModel::Tensor &input : op.inputs)
    input.elementBytes = elementBytes;
  op.results = {{{0, 1, -1}}, {{0, 1}}, {{0, 1}}};
  op.hasCombiner = op.hasCollective = op.neutralInit = {true, true, true};
  op.coupled = {{0, 1, 2}};
  return op;
}

static MemoryEstimate estimate(const MemoryProblem &problem,
                               const std::string &schedule,
                               const std::string &topology) {
  TopologyModel model = topologyOf(topology);
  Schedule made;
  Verdict verdict = makeNamedSchedule(schedule, made, problem.op, model);
  EXPECT_TRUE(verdict) << verdict.reason();
  return MemoryModel(problem, model).estimate(made);
}

using Bytes = std::array<int64_t, numMemoryClasses>;

TEST(MemoryModel, ContractionOnOneAxis) {
  MemoryProblem problem = makeMemoryProblem(matmul(16, 32, 64));
  const int64_t a = 16 * 64 * 4, b = 64 * 32 * 4, c = 16 * 32 * 4;
  auto most = [&](const char *schedule) {
    return estimate(problem, schedule, "gpu=4").most;
  };
  EXPECT_EQ(most("replicated"), (Bytes{a + b + c}));
  int64_t own = (a + b + c) / 4;
  EXPECT_EQ(most("all_gather_gemm"), (Bytes{own, 0, a}));
  EXPECT_EQ(most("all_gather_gemm_shifted"), (Bytes{own, a / 2}));
  // Columns are packed once more.
  EXPECT_EQ(most("weight_gathered"), (Bytes{own, 0, b, b}));
  EXPECT_EQ(most("gemm_reduce_scatter"), (Bytes{own, 0, c}));
  EXPECT_EQ(most("gemm_reduce_scatter_shifted"), (Bytes{own, c / 4, 0, c / 4}));
  // Summed where it is returned.
  EXPECT_EQ(most("gemm_all_reduce"), (Bytes{(a + b) / 4 + c}));
}

TEST(MemoryModel, AttentionRingsAndGathers) {
  MemoryProblem problem = makeMemoryProblem(attention(4, 64, 128), 16);
  const int64_t q = 4 * 64 * 16 * 4, kv = 2 * 4 * 128 * 16 * 4,
                rows = 4 * 64 * 4;
  int64_t own = (2 * q + kv) / 4, state = (q + 2 * rows) / 4;
  MemoryEstimate ring = estimate(problem, "ring", "gpu=4");
  EXPECT_EQ(ring.most, (Bytes{own, kv / 2, 0, state}));
  EXPECT_EQ(ring.peak(), own + kv / 2 + state);
  // Of V both what is received and what is packed of it, K is packed already.
  EXPECT_EQ(estimate(problem, "context_parallel", "gpu=4").peak(),
            own + kv / 2 + kv);
  EXPECT_EQ(estimate(problem, "double_ring", "node=2,gpu=2").peak(),
            ring.peak());
  // Two halves of each tile are copied apart and travel.
  EXPECT_EQ(estimate(problem, "ring_bidirectional", "gpu=4").peak(),
            own + kv / 4 + kv / 2 + state);
}

TEST(MemoryModel, FinishedOutputsHaveTheirOwnType) {
  MemoryProblem problem = makeMemoryProblem(attention(4, 64, 128, 2), 16);
  const int64_t q = 4 * 64 * 16 * 2, kv = 2 * 4 * 128 * 16 * 2;
  EXPECT_EQ(estimate(problem, "replicated", "gpu=4").most[0], 2 * q + kv);
  problem.finishedBytes = 4;
  EXPECT_EQ(estimate(problem, "replicated", "gpu=4").most[0], 3 * q + kv);
  problem.returnsLogSumExp = true;
  EXPECT_EQ(estimate(problem, "replicated", "gpu=4").most[0],
            3 * q + kv + 4 * 64 * 4);
}

// The benchmark of USP (github.com/feifeibear/long-context-attention,
// media/benchmark_results.png): 131,072 tokens, batch 2, 32 heads of 32, bf16,
// a ring of 8 A100. With Q, K and V packed into one tensor it ran out of
// memory, with three tensors it did not. What differs is that parts of a packed
// tensor have gaps, so that what travels is copied first.
TEST(MemoryModel, PackedRingTakesMore) {
  MemoryProblem problem =
      makeMemoryProblem(attention(2 * 32, 131072, 131072, 2), 32);
  MemoryEstimate apart = estimate(problem, "ring", "gpu=8");
  problem.arePacked = true;
  MemoryEstimate packed = estimate(problem, "ring", "gpu=8");
  EXPECT_EQ(packed.most[0], apart.most[0]);
  const int64_t kv = 2 * (int64_t(2) * 32 * 131072 * 32 * 2) / 8;
  EXPECT_EQ(packed.peak(), apart.peak() + kv);
}

TEST(MemoryModel, AttentionOnPaddedLengths) {
  // 7 keys on 4 ranks are 8, of which each rank has 2.
  MemoryProblem problem = makeMemoryProblem(attention(1, 8, 7), 2);
  EXPECT_EQ(estimate(problem, "ring", "gpu=4").most[0],
            (2 * 8 * 2 + 2 * 8 * 2) * 4 / 4);
}

TEST(MemoryModel, FitsOnTheDevice) {
  TopologyModel topology = topologyOf("gpu=4");
  MemoryEstimate estimate;
  estimate.atPeak = {40 * (int64_t(1) << 30), 16 * (int64_t(1) << 30), 0,
                     int64_t(35.2 * (1 << 30))};
  EXPECT_TRUE(fits(estimate, topology)); // of unknown size
  topology.device.memory = 80 * (int64_t(1) << 30);
  EXPECT_EQ(fits(estimate, topology).reason(),
            "needs 91.2 GiB of 80.0 GiB (own shard 40.0, travelling 16.0, "
            "workspace 35.2)");
  topology.device.reservable = 76 * (int64_t(1) << 30);
  EXPECT_EQ(fits(estimate, topology).reason().substr(0, 26),
            "needs 91.2 GiB of 76.0 GiB");
  estimate.atPeak[3] = 0;
  EXPECT_TRUE(fits(estimate, topology));
}

TEST(MemoryModel, FitsInSmallUnits) {
  TopologyModel topology = topologyOf("gpu=2");
  topology.device.memory = 1000;
  MemoryEstimate estimate;
  estimate.atPeak = {600, 0, 401};
  EXPECT_EQ(fits(estimate, topology).reason(),
            "needs 1001 bytes of 1000 bytes (own shard 600, staging 401)");
}
