//===- CostModelTest.cpp - Seconds of a schedule in closed form -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/CostModel.h"
#include "Mercury/Schedule/Balance.h"
#include "Mercury/Schedule/Enumerator.h"
#include "Mercury/Schedule/NamedSchedules.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mercury;

/// 1 GB/s between ranks and 1 Tflop/s in each, nothing else takes time.
static TopologyModel machine(std::string_view text) {
  std::string error;
  TopologyModel topology = *parseTopology(text, error);
  for (Level &level : topology.levels) {
    level.bandwidth = 1e9;
    level.interval = {{{1, 0.1}}};
  }
  DeviceModel &device = topology.device;
  device.peak["f32"] = 1e12;
  device.memoryBandwidth = 1e18;
  device.memoryFraction = 1;
  for (AchievedRate::Work work :
       {AchievedRate::Work::Gemm, AchievedRate::Work::Attention})
    for (bool causal : {false, true})
      for (bool backward : {false, true})
        device.achieved.push_back(
            {work, "f32", "", 64, causal, backward, {{{1, 1}}}, 0.1});
  return topology;
}

static Schedule named(std::string_view name, const CostProblem &problem,
                      const TopologyModel &topology) {
  Schedule s;
  Verdict v = makeNamedSchedule(name, s, problem.op, topology);
  EXPECT_TRUE(bool(v)) << v.reason();
  return s;
}

static Cost cost(std::string_view name, const CostProblem &problem,
                 const TopologyModel &topology) {
  return CostModel(problem, topology).estimate(named(name, problem, topology));
}

/// Of 1000^3: 2e9 operations, 2 ms on one rank; 4 MB an operand, 4 ms.
static CostProblem gemm() { return gemmProblem(1000, 1000, 1000, "f32", 4); }

static CostProblem attention(std::optional<Mask> mask = {}) {
  AttentionShape shape;
  shape.kvHeads = 4;
  shape.queries = shape.keys = 4096;
  shape.headDim = shape.valueDim = 64;
  return attentionProblem(shape, mask, "f32", 4);
}

TEST(CostModel, WorkOfOneRank) {
  Cost one = cost("replicated", gemm(), machine("gpu=4"));
  EXPECT_NEAR(one.seconds, 2e-3, 1e-9);
  EXPECT_EQ(one.bound, Cost::Bound::Compute);
  EXPECT_FALSE(one.assumed);
  EXPECT_NEAR(cost("data_parallel", gemm(), machine("gpu=4")).seconds, 0.5e-3,
              1e-9);
}

// A ring of four whose hops of 1 ms take longer than steps of 125 us: the last
// step begins with the last hop's end. One kernel works on its first 7 pieces
// while the eighth is on its way; another waits for the tile.
TEST(CostModel, PiecesHideWorkInFusedKernelsAlone) {
  CostProblem problem = gemm();
  TopologyModel topology = machine("gpu=4");
  Schedule s = named("all_gather_gemm_shifted", problem, topology);
  auto seconds = [&](int64_t chunks) {
    s.chunks = chunks;
    return CostModel(problem, topology).seconds(s);
  };
  double whole = seconds(1);
  EXPECT_NEAR(whole, 3e-3 + 125e-6, 1e-8);
  EXPECT_NEAR(seconds(8), whole, 1e-8);
  problem.isFused = true;
  EXPECT_NEAR(seconds(1), whole, 1e-8);
  EXPECT_NEAR(seconds(8), 3e-3 + 125e-6 / 8, 1e-8);
}

TEST(CostModel, CollectivesBeforeAndAfterAreNotHidden) {
  // All-gather of A: 3/4 of 4 ms.
  Cost gathered = cost("all_gather_gemm", gemm(), machine("gpu=4"));
  EXPECT_NEAR(gathered.seconds, 3.5e-3, 1e-9);
  EXPECT_NEAR(gathered.exposed(), 3e-3, 1e-9);
  EXPECT_EQ(gathered.bound, Cost::Bound::Link);
  EXPECT_NEAR(gathered.traffic.at(0).bytes, 3e6, 1);
  EXPECT_EQ(gathered.traffic.at(0).service, 0);
  // Reduce-scatter of C, and all-reduce of it.
  EXPECT_NEAR(cost("gemm_reduce_scatter", gemm(), machine("gpu=4")).seconds,
              3.5e-3, 1e-9);
  EXPECT_NEAR(cost("gemm_all_reduce", gemm(), machine("gpu=4")).seconds, 6.5e-3,
              1e-9);
}

TEST(CostModel, AttentionIsFinishedBeforeItsOutputMoves) {
  // Shards of 1 MiB, of maximum and sum 16 KiB; three quarters are sent.
  constexpr double tensor = 0.75 * (1 << 20), row = tensor / 64;
  CostProblem problem = attention();
  auto bytes = [&] {
    return cost("ulysses", problem, machine("gpu=4")).traffic.at(0).bytes;
  };
  EXPECT_NEAR(bytes(), 4 * tensor + 2 * row, 1);
  problem.finishedBytes = 2;
  EXPECT_NEAR(bytes(), 3.5 * tensor, 1);
  problem.returnsLogSumExp = true;
  EXPECT_NEAR(bytes(), 3.5 * tensor + row, 1);
  // The state itself is what moves while loops run.
  auto moving = [&] {
    return cost("ring_of_queries", problem, machine("gpu=4")).traffic.at(0);
  };
  Cost::Traffic finished = moving();
  problem.finishedBytes = 0;
  EXPECT_EQ(finished.bytes, moving().bytes);
}

TEST(CostModel, StepsOverlapUpToTheLongerOfBoth) {
  // Four steps of 0.125 ms; three hops of 1 ms beside the first three.
  Cost shifted = cost("all_gather_gemm_shifted", gemm(), machine("gpu=4"));
  EXPECT_NEAR(shifted.seconds, 3.125e-3, 1e-9);
  ASSERT_EQ(shifted.timeLoops.size(), 1u);
  EXPECT_EQ(shifted.timeLoops[0].steps, 4);
  EXPECT_NEAR(shifted.timeLoops[0].steady, 3e-3, 1e-9);
  EXPECT_NEAR(shifted.timeLoops[0].drain, 0.125e-3, 1e-9);
  // A service of 1 MB in the 0.125 ms of a step hides it.
  EXPECT_NEAR(shifted.traffic.at(0).service, 8e9, 1e3);
  TopologyModel fast = machine("gpu=4");
  fast.levels[0].bandwidth = 8.001e9;
  EXPECT_NEAR(cost("all_gather_gemm_shifted", gemm(), fast).seconds, 0.5e-3,
              1e-9);
}

TEST(CostModel, PartialSumsMoveAfterTheirWork) {
  Cost moving = cost("gemm_reduce_scatter_shifted", gemm(), machine("gpu=4"));
  EXPECT_NEAR(moving.seconds, 3.125e-3, 1e-8);
}

// Work and communication that contend take up to twice as long (a report on
// Nanoflow): never less than the longer of both, and with the share at most the
// sum.
TEST(CostModel, ContentionTakesUpToTwiceAsLong) {
  EXPECT_DOUBLE_EQ(overlapped(1, 1, 0), 1);
  EXPECT_DOUBLE_EQ(overlapped(1, 1, 1), 2);
  EXPECT_DOUBLE_EQ(overlapped(1, 4, 0.5), 4);
  EXPECT_DOUBLE_EQ(overlapped(4, 1, 0.5), 4.5);
  for (double work : {0.1, 1.0, 3.0})
    for (double communication : {0.1, 1.0, 3.0})
      for (double share : {0.0, 0.3, 1.0}) {
        double both = overlapped(work, communication, share);
        EXPECT_GE(both, std::max(work, communication));
        EXPECT_LE(both, work + communication);
      }
  // Hops as long as steps, all of the device taken: all but the last step
  // double.
  TopologyModel topology = machine("gpu=4");
  topology.levels[0].bandwidth = 8e9;
  topology.device.communicationShare = 1;
  EXPECT_NEAR(cost("all_gather_gemm_shifted", gemm(), topology).seconds,
              (3 * 2 + 1) * 0.125e-3, 1e-9);
}

TEST(CostModel, RingsInRingsHideTheOuterHopBehindTheInnerRing) {
  TopologyModel topology = machine("node=2,gpu=2");
  topology.levels[0].bandwidth = 1e9;
  topology.levels[1].bandwidth = 100e9;
  CostProblem problem = attention();
  Cost rings = cost("double_ring", problem, topology);
  ASSERT_EQ(rings.timeLoops.size(), 2u);
  // 4 heads of 1024 x 1024 tiles: 2 * 4 * 2^20 * 128 operations a step.
  double step = 2.0 * 4 * 1024 * 1024 * 128 / 1e12;
  double hop = 2.0 * 4 * 1024 * 64 * 4 / 1e9;
  EXPECT_NEAR(rings.seconds, std::max(2 * step, hop) + 2 * step, 1e-9);
}

TEST(CostModel, BalanceMakesTheSlowestRankFaster) {
  TopologyModel topology = machine("gpu=4");
  topology.levels[0].bandwidth = 1e15;
  CostProblem problem = attention(Mask{{MaskTerm{std::nullopt, 0, 0}}});
  Schedule zigzag = named("ring", problem, topology), plain = zigzag;
  ASSERT_TRUE(bool(setOrder(plain, problem.op, topology, TokenOrder())));
  CostModel model(problem, topology);
  double whole = 2.0 * 4 * 4096 * 4096 / 2 * 128 / 1e12;
  EXPECT_NEAR(model.seconds(zigzag) / (whole / 4), 1, 1e-2);
  // The last rank has 3 whole tiles and the half of one, of 8 halves.
  EXPECT_NEAR(model.seconds(plain) / whole, 7.0 / 16, 1e-2);
  EXPECT_LE(model.lowerBound(), model.seconds(zigzag));
  EXPECT_NEAR(model.lowerBound() / (whole / 4), 1, 1e-2);
}

TEST(CostModel, StepsThatNobodyNeedsAreNotTaken) {
  TopologyModel topology = machine("gpu=8");
  topology.levels[0].bandwidth = 1e15;
  // A window of one tile: the own one and the one before.
  CostProblem problem = attention(Mask{{MaskTerm{512, 0, 0}}});
  Schedule ring = named("ring", problem, topology);
  ASSERT_TRUE(bool(setOrder(ring, problem.op, topology, TokenOrder())));
  directRings(ring, problem.op, topology);
  Cost cost = CostModel(problem, topology).estimate(ring);
  EXPECT_EQ(cost.timeLoops.at(0).steps, 2);
}

TEST(CostModel, IntervalsComeFromFigures) {
  Cost gathered = cost("all_gather_gemm", gemm(), machine("gpu=4"));
  EXPECT_NEAR(gathered.high / gathered.seconds, 1.1, 1e-6);
  EXPECT_NEAR(gathered.low / gathered.seconds, 0.9, 1e-6);
}

TEST(CostModel, BackwardReversesWhatForwardCommunicates) {
  TopologyModel topology = machine("gpu=4");
  CostProblem problem = attention();
  problem.direction = CostProblem::Direction::Backward;
  // Gradients of Q, K and V back, that of the output there.
  Cost back = cost("ulysses", problem, topology);
  double work = 2.5 * 2 * 4096.0 * 4096 * 128 / 1e12;
  double exchanged = 3.0 / 4 * 4 * 1024 * 64 * 4;
  EXPECT_NEAR(back.compute, work, 1e-9);
  EXPECT_NEAR(back.traffic.at(0).bytes, 4 * exchanged + 2 * exchanged / 64, 1);
  problem.direction = CostProblem::Direction::Both;
  Cost both = cost("ulysses", problem, topology);
  problem.direction = CostProblem::Direction::Forward;
  EXPECT_NEAR(both.seconds,
              back.seconds + cost("ulysses", problem, topology).seconds, 1e-9);
}

TEST(CostModel, SmallWorkIsBoundByItsLaunch) {
  TopologyModel topology = machine("gpu=4");
  topology.device.launch = 1e-2;
  Cost small = cost("data_parallel", gemm(), topology);
  EXPECT_EQ(small.bound, Cost::Bound::Launch);
  // The fill of C, and the product.
  EXPECT_NEAR(small.launch, 2e-2, 1e-9);
  CostProblem foreign = gemm();
  foreign.isForeign = true;
  EXPECT_NEAR(cost("data_parallel", foreign, topology).launch, 1e-2, 1e-9);
}

// The figures of test/Tools/mercury-run/predict.mlir, which the simulator has
// for the compiled programs: 1e6 bytes/s, kernels 2e6 bytes of memory/s.
TEST(CostModel, IsWhatProgramsDo) {
  TopologyModel topology = machine("gpu=4");
  topology.levels[0].bandwidth = 1e6;
  topology.device.memoryBandwidth = 2e6;
  topology.device.peak["f32"] = 1e18;
  CostProblem product = gemmProblem(1024, 256, 512, "f32", 4);
  // Gathered, which hides the fill, and multiplied.
  EXPECT_NEAR(cost("all_gather_gemm", product, topology).seconds,
              1.572864 + 1.376256, 1e-6);
  EXPECT_NEAR(cost("all_gather_gemm_shifted", product, topology).seconds,
              0.131072 + 3 * 0.524288 + 0.393216, 1e-6);
  AttentionShape shape;
  shape.kvHeads = 2;
  shape.queries = shape.keys = 1024;
  shape.headDim = shape.valueDim = 64;
  EXPECT_NEAR(
      cost("ring", attentionProblem(shape, {}, "f32", 4), topology).seconds,
      0.067584 + 4 * 0.331776 + 0.132096, 1e-6);
}

TEST(CostModel, SaysWhatItAssumes) {
  std::string error;
  TopologyModel bare = *parseTopology("gpu=4", error);
  CostModel model(gemm(), bare);
  EXPECT_TRUE(model.estimate(named("all_gather_gemm", gemm(), bare)).assumed);
  std::vector<std::string> lines = model.assumptions();
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "level 'gpu' has no bandwidth; 12 GB/s are assumed");
  EXPECT_EQ(lines[1], "level 'gpu' has no latency and no launch cost; 14 us "
                      "and 8 us are assumed");
  EXPECT_EQ(lines[4], "the device has no launch cost; 0 us are assumed");
  TopologyModel known = machine("gpu=4");
  known.levels[0].latency = known.device.launch = 1e-6;
  EXPECT_TRUE(CostModel(gemm(), known).assumptions().empty());
  // What is not given stays 0 where the level has other figures.
  known.levels[0].latency = 0;
  EXPECT_EQ(CostModel(gemm(), known).assumptions(),
            std::vector<std::string>{"level 'gpu' has no latency and no launch "
                                     "cost; 0 us and 0 us are assumed"});
}

TEST(CostModel, MergesThatOtherKernelsDoCostPassesOverTheState) {
  TopologyModel topology = machine("gpu=4");
  topology.device.memoryBandwidth = 1e12;
  topology.levels[0].bandwidth = 1e15;
  CostProblem problem = attention();
  double carried = cost("ring", problem, topology).seconds;
  problem.mergePasses = 10;
  // Accumulator, maximum and sum of 4 x 1024 rows, at each of four steps.
  double state = 4.0 * 1024 * (64 + 2) * 4;
  EXPECT_NEAR(cost("ring", problem, topology).seconds - carried,
              4 * 10 * state / 1e12, 1e-9);
}

TEST(CostModel, EveryScheduleHasACostAboveTheBound) {
  EnumeratorOptions options;
  options.relays = Relays::Together;
  options.bothDirections = true;
  Mask causal{{MaskTerm{std::nullopt, 0, 0}}};
  for (std::string_view text : {"gpu=4", "node=2,gpu=2"})
    for (const CostProblem &problem :
         {gemm(), attention(), attention(causal)}) {
      TopologyModel topology = machine(text);
      topology.levels[0].latency = 1e-6;
      topology.levels[0].launch = 1e-6;
      topology.device.communicationShare = 0.1;
      CostModel model(problem, topology);
      size_t count = 0;
      enumerateSchedules(problem.op, topology, options, [&](const Schedule &s) {
        Cost cost = model.estimate(s);
        EXPECT_TRUE(std::isfinite(cost.seconds)) << print(s);
        EXPECT_GE(cost.seconds, model.lowerBound()) << print(s);
        EXPECT_LE(cost.low, cost.seconds) << print(s);
        EXPECT_GE(cost.high, cost.seconds) << print(s);
        EXPECT_GE(cost.exposed(), -1e-12) << print(s);
        EXPECT_DOUBLE_EQ(cost.seconds, model.seconds(s)) << print(s);
        ++count;
        return true;
      });
      EXPECT_GT(count, 500u);
    }
}
