//===- SearchSpaceTest.cpp - Orders of time loops, and kernels ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search against looking at every schedule, every order of its time loops
// and every kernel, by the cost model alone.
//
//===----------------------------------------------------------------------===//
#include "CandidateCost.h"
#include "Mercury/Schedule/Balance.h"
#include "Mercury/Tuning/LocalKernels.h"
#include "Mercury/Tuning/Search.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mercury;

static TopologyModel topologyOf(std::string_view text) {
  std::string error;
  std::optional<TopologyModel> parsed = parseTopology(text, error);
  EXPECT_TRUE(parsed) << error;
  return parsed.value_or(TopologyModel());
}

static CostProblem gemm(int64_t m, int64_t n, int64_t k) {
  return gemmProblem(m, n, k, "f32", 4);
}

static CostProblem attention(int64_t heads, int64_t length) {
  AttentionShape shape;
  shape.kvHeads = heads;
  shape.queries = shape.keys = length;
  shape.headDim = shape.valueDim = 64;
  return attentionProblem(shape, std::nullopt, "f32", 4);
}

static SearchResult search(CostModel &cost, const TopologyModel &topology,
                           const SearchOptions &options = {}) {
  const CostProblem &problem = cost.problem();
  MemoryProblem memory = makeMemoryProblem(problem.op, problem.headDim);
  memory.inputs = problem.inputShapes;
  memory.results = problem.resultShapes;
  memory.local = LocalKernel::Generated;
  SearchOptions all = options;
  all.space = spaceFor(problem.op);
  return findSchedules(cost, MemoryModel(memory, topology), topology, all);
}

/// Calls `visit` with the schedule's time loops in every order.
template <typename Visit>
static void forEachOrder(Schedule schedule, Visit visit) {
  std::vector<std::pair<size_t, size_t>> times = timeLoops(schedule);
  std::vector<size_t> order(times.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  do {
    for (size_t i = 0; i < order.size(); ++i)
      schedule.loops[times[i].first][times[i].second].order = int64_t(order[i]);
    visit(schedule);
  } while (std::next_permutation(order.begin(), order.end()));
}

//===----------------------------------------------------------------------===//
// Orders of time loops
//===----------------------------------------------------------------------===//

namespace {
struct Orders {
  int64_t schedules = 0; ///< that are enumerated
  int64_t several = 0;   ///< that have several orders
  int64_t differ = 0;    ///< of which some take longer
  double least = HUGE_VAL;
  double widest = 1; ///< slowest over fastest order of a schedule
};
} // namespace

static Orders exhaust(CostModel &cost, const TopologyModel &topology) {
  const OperatorModel &op = cost.problem().op;
  Orders orders;
  enumerateSchedules(op, topology, spaceFor(op), [&](const Schedule &s) {
    double least = HUGE_VAL, most = 0;
    int64_t count = 0;
    forEachOrder(s, [&](const Schedule &ordered) {
      ++count;
      EXPECT_TRUE(verify(ordered, op, topology)) << print(ordered);
      double seconds = cost.seconds(ordered);
      least = std::min(least, seconds);
      most = std::max(most, seconds);
    });
    ++orders.schedules;
    orders.several += count > 1;
    orders.differ += most > least * (1 + 1e-9);
    orders.least = std::min(orders.least, least);
    orders.widest = std::max(orders.widest, most / least);
    return true;
  });
  return orders;
}

TEST(SearchSpace, OrdersOfTimeLoops) {
  int64_t differ = 0;
  for (const char *on : {"h100-sxm:gpu=4", "l4:node=2,gpu=2,net=50Gbps-roce",
                         "a100-40:node=4,gpu=2,net=100Gbps-roce"})
    for (const CostProblem &problem :
         {gemm(4096, 8192, 2048), attention(8, 8192)}) {
      TopologyModel topology = topologyOf(on);
      if (topology.numRanks() > 4 && problem.headDim)
        continue;
      CostModel cost(problem, topology);
      Orders orders = exhaust(cost, topology);
      SearchResult found = search(cost, topology);
      ASSERT_FALSE(found.best.empty());
      EXPECT_TRUE(found.isProven);
      EXPECT_NEAR(found.best[0].seconds / orders.least, 1, 1e-9)
          << print(found.best[0].schedule);
      std::printf("%s on %s: %lld of %lld schedules have several orders, which "
                  "differ in %lld, by up to %.2f\n",
                  problem.op.name.c_str(), on, (long long)orders.several,
                  (long long)orders.schedules, (long long)orders.differ,
                  orders.widest);
      differ += orders.differ;
    }
  EXPECT_GT(differ, 0);
}

//===----------------------------------------------------------------------===//
// Pieces of communication
//===----------------------------------------------------------------------===//

TEST(SearchSpace, PiecesOfFusedKernels) {
  for (const char *on : {"l4:node=2,gpu=2,net=50Gbps-roce", "h100-sxm:gpu=8"})
    for (bool isFused : {false, true}) {
      TopologyModel topology = topologyOf(on);
      CostProblem problem = gemm(4096, 8192, 2048);
      problem.isFused = isFused;
      CostModel cost(problem, topology);
      SearchOptions options;
      options.chunks = {1, 2, 8};
      SearchResult found = search(cost, topology, options);
      ASSERT_FALSE(found.best.empty());
      double least = HUGE_VAL;
      enumerateSchedules(problem.op, topology, spaceFor(problem.op),
                         [&](Schedule s) {
                           for (int64_t chunks : options.chunks) {
                             s.chunks = chunks;
                             least = std::min(least, cost.seconds(s));
                           }
                           return true;
                         });
      EXPECT_NEAR(found.best[0].seconds / least, 1, 1e-9)
          << print(found.best[0].schedule);
    }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static AchievedRate rateOf(AchievedRate::Work work, const char *library,
                           Curve fraction) {
  AchievedRate rate;
  rate.work = work;
  rate.type = "f32";
  rate.library = library;
  rate.headDim = work == AchievedRate::Work::Attention ? 64 : 0;
  rate.fraction = std::move(fraction);
  return rate;
}

/// Generated code is faster up to a size of some hundreds, `blas` above, and
/// `slow` is slower everywhere.
static TopologyModel withKernels(TopologyModel topology) {
  DeviceModel &device = topology.device;
  device.peak["f32"] = 1e11;
  device.memoryBandwidth = 4e10;
  device.launch = 1e-6;
  using Work = AchievedRate::Work;
  device.achieved = {
      rateOf(Work::Gemm, "", {{{64, 0.5}, {512, 0.6}, {4096, 0.5}}}),
      rateOf(Work::Gemm, "blas", {{{64, 0.1}, {400, 0.5}, {1024, 0.9}}}),
      rateOf(Work::Gemm, "slow", {{{64, 0.05}, {4096, 0.3}}}),
      rateOf(Work::Attention, "", {{{128, 0.4}, {4096, 0.4}}}),
      rateOf(Work::Attention, "mine", {{{128, 0.1}, {4096, 0.8}}})};
  return topology;
}

/// The least of all schedules and kernels.
static double leastOfAll(CostModel &cost, const TopologyModel &topology,
                         const std::vector<std::string> &kernels) {
  double least = HUGE_VAL;
  enumerateSchedules(cost.problem().op, topology, spaceFor(cost.problem().op),
                     [&](Schedule s) {
                       for (const std::string &kernel : kernels) {
                         s.patch = kernel;
                         least = std::min(least, cost.seconds(s));
                       }
                       return true;
                     });
  return least;
}

TEST(SearchSpace, KernelsOfEachTile) {
  TopologyModel topology = withKernels(topologyOf("node=2,gpu=2"));
  for (int64_t extent : {256, 512, 700, 1024, 4096}) {
    CostProblem problem = gemm(extent, extent, extent);
    problem.kernels = {"slow", "blas", "unknown"};
    // What has no curve is not told apart.
    EXPECT_EQ(comparableKernels(problem, topology.device),
              (std::vector<std::string>{"", "slow", "blas"}));
    CostModel cost(problem, topology);
    SearchOptions options;
    options.top = 8;
    SearchResult found = search(cost, topology, options);
    ASSERT_FALSE(found.best.empty());
    EXPECT_NEAR(found.best[0].seconds /
                    leastOfAll(cost, topology, {"", "slow", "blas"}),
                1, 1e-9);
    EXPECT_EQ(found.best[0].schedule.patch, extent > 900 ? "blas" : "");
    for (const FoundSchedule &f : found.best) {
      EXPECT_NE(f.schedule.patch, "slow");
      EXPECT_NEAR(f.seconds / cost.seconds(f.schedule), 1, 1e-9);
    }
    Schedule chosen = found.best[0].schedule;
    chosen.patch = "slow";
    cost.chooseKernel(chosen);
    EXPECT_EQ(chosen, found.best[0].schedule);
  }
}

TEST(SearchSpace, KernelsOfAttention) {
  TopologyModel topology = withKernels(topologyOf("gpu=4"));
  CostProblem problem = attention(4, 4096);
  problem.kernels = {"mine", "blas"};
  EXPECT_EQ(comparableKernels(problem, topology.device),
            (std::vector<std::string>{"", "mine"}));
  CostModel cost(problem, topology);
  SearchResult found = search(cost, topology);
  ASSERT_FALSE(found.best.empty());
  EXPECT_EQ(found.best[0].schedule.patch, "mine");
  EXPECT_NEAR(found.best[0].seconds / leastOfAll(cost, topology, {"", "mine"}),
              1, 1e-9);
}

// Of all candidates and the kernels that are offered for them.
TEST(SearchSpace, SecondsOfAllKernels) {
  TopologyModel topology = withKernels(topologyOf("node=2,gpu=2"));
  for (CostProblem problem : {gemm(700, 1500, 600), attention(4, 1024)}) {
    problem.kernels = {"blas", "mine"};
    CostModel cost(problem, topology);
    SearchOptions options;
    options.exhaustive = true;
    options.top = 20000;
    options.chunks = {1, 4};
    SearchResult all = search(cost, topology, options);
    EXPECT_EQ(int64_t(all.best.size()), all.visited);
    int64_t patched = 0;
    for (const FoundSchedule &f : all.best) {
      ASSERT_NEAR(f.seconds / cost.seconds(f.schedule), 1, 1e-9)
          << print(f.schedule);
      patched += !f.schedule.patch.empty();
    }
    EXPECT_GT(patched, 100);
    EXPECT_LT(patched, all.visited);
  }
}

// A schedule that may not patch anything in is what it was.
TEST(SearchSpace, NoKernelUnlessAskedFor) {
  TopologyModel topology = withKernels(topologyOf("gpu=4"));
  CostModel cost(gemm(4096, 4096, 4096), topology);
  for (const FoundSchedule &f : search(cost, topology).best)
    EXPECT_EQ(f.schedule.patch, "");
  Schedule schedule = Schedule::replicated(cost.problem().op);
  double generated = cost.seconds(schedule);
  cost.chooseKernel(schedule);
  EXPECT_EQ(schedule.patch, "");
  // One that asks for it costs what it takes, and a kernel that has no curve as
  // much as generated code.
  schedule.patch = "blas";
  EXPECT_LT(cost.seconds(schedule), generated);
  schedule.patch = "unknown";
  EXPECT_EQ(cost.seconds(schedule), generated);
}

// A kernel that is patched in has no workspace: one that is slower is still the
// smallest.
TEST(SearchSpace, MemoryOfKernels) {
  TopologyModel topology = withKernels(topologyOf("gpu=2"));
  CostProblem problem = gemm(256, 256, 256);
  problem.kernels = {"blas"};
  CostModel cost(problem, topology);
  SearchOptions options;
  options.pareto = true;
  SearchResult fast = search(cost, topology, options);
  ASSERT_FALSE(fast.best.empty());
  EXPECT_EQ(fast.best[0].schedule.patch, "");
  ASSERT_GE(fast.pareto.size(), 2u);
  EXPECT_EQ(fast.pareto.back().schedule.patch, "blas");
  options.objective.kind = Objective::Kind::Memory;
  SearchResult small = search(cost, topology, options);
  ASSERT_FALSE(small.best.empty());
  EXPECT_EQ(small.best[0].schedule.patch, "blas");
  EXPECT_LT(small.best[0].bytes, fast.best[0].bytes - (1 << 20));
}

// What bounds cut off is slower with every kernel.
TEST(SearchSpace, BoundsHoldWithKernels) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    auto part = [&] { return 0.05 + double(random() % 90) / 100; };
    auto extent = [&] { return int64_t(random() % 16 + 1) * 256; };
    TopologyModel topology =
        withKernels(topologyOf(seed % 2 ? "node=2,gpu=4" : "node=2,gpu=2"));
    for (Level &level : topology.levels) {
      level.bandwidth = double(random() % 20 + 1) * 1e9;
      level.latency = 1e-6;
    }
    for (AchievedRate &rate : topology.device.achieved)
      rate.fraction = {{{32.0 + double(random() % 100), part()},
                        {300.0 + double(random() % 200), part()},
                        {2000, part()}}};
    bool isGemm = random() % 2 || seed % 2;
    CostProblem problem =
        isGemm ? gemm(extent(), extent(), extent()) : attention(4, extent());
    problem.kernels = {"blas", "slow", "mine"};
    CostModel cost(problem, topology);
    std::vector<std::string> kernels =
        comparableKernels(problem, topology.device);
    SearchResult found = search(cost, topology);
    ASSERT_FALSE(found.best.empty());
    EXPECT_TRUE(found.isProven);
    EXPECT_NEAR(found.best[0].seconds / leastOfAll(cost, topology, kernels), 1,
                1e-9)
        << print(found.best[0].schedule);
    for (double size = 16; size < 5000; size *= 1.07)
      for (const std::string &kernel : kernels)
        EXPECT_GE(cost.fastestRate().at(size) * (1 + 1e-12),
                  LocalTimes(topology.device)
                      .rateOf(workOf(problem, kernel))
                      .at(size));
  }
}

//===----------------------------------------------------------------------===//
// Blocks of generated code
//===----------------------------------------------------------------------===//

/// The least of all schedules with each kernel of the problem, where the
/// schedule is legal with it.
static double leastOfKernels(CostModel &cost, const TopologyModel &topology) {
  const CostProblem &problem = cost.problem();
  double least = HUGE_VAL;
  enumerateSchedules(problem.op, topology, spaceFor(problem.op),
                     [&](Schedule s) {
                       for (const std::string &kernel :
                            comparableKernels(problem, topology.device)) {
                         Schedule made = s;
                         made.tile = blocksPerLoop(problem, kernel);
                         made.patch = made.tile.empty() ? kernel : "";
                         if (verify(made, problem.op, topology))
                           least = std::min(least, cost.seconds(made));
                       }
                       return true;
                     });
  return least;
}

// On random curves of blocks and kernels. Large blocks are no choice of the
// ranks that have less.
TEST(SearchSpace, BlocksOfEachTile) {
  int withBlocks = 0, withPatch = 0, isPlain = 0;
  for (uint32_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    auto part = [&] { return 0.05 + double(random() % 90) / 100; };
    auto extent = [&] { return int64_t(random() % 12 + 1) * 128; };
    TopologyModel topology =
        withKernels(topologyOf(seed % 2 ? "gpu=4" : "node=2,gpu=2"));
    using Work = AchievedRate::Work;
    for (const char *name : {"generated[96,256,192]", "generated[48,512,256]",
                             "generated[700,1024,384]"})
      topology.device.achieved.push_back(rateOf(Work::Gemm, name, {}));
    for (const char *name : {"generated[96,256]", "generated[256,1024]"})
      topology.device.achieved.push_back(rateOf(Work::Attention, name, {}));
    for (AchievedRate &rate : topology.device.achieved)
      rate.fraction = {{{32.0 + double(random() % 100), part()},
                        {300.0 + double(random() % 200), part()},
                        {2000, part()}}};
    CostProblem problem = random() % 2 ? gemm(extent(), extent(), extent())
                                       : attention(4, extent());
    problem.kernels = measuredBlocks(problem, topology.device);
    ASSERT_EQ(problem.kernels.size(),
              problem.kind == LocalWork::Kind::Gemm ? 3u : 2u);
    problem.kernels.insert(problem.kernels.begin() + 1, {"blas", "mine"});
    CostModel cost(problem, topology);
    SearchResult found = search(cost, topology);
    ASSERT_FALSE(found.best.empty());
    EXPECT_TRUE(found.isProven);
    const Schedule &best = found.best[0].schedule;
    EXPECT_NEAR(found.best[0].seconds / leastOfKernels(cost, topology), 1, 1e-9)
        << print(best);
    EXPECT_NEAR(cost.seconds(best) / found.best[0].seconds, 1, 1e-9);
    EXPECT_TRUE(verify(best, problem.op, topology)) << print(best);
    ++(!best.tile.empty()    ? withBlocks
       : !best.patch.empty() ? withPatch
                             : isPlain);
  }
  EXPECT_GT(withBlocks, 0);
  EXPECT_GT(withPatch, 0);
  EXPECT_GT(isPlain, 0);
}

// Larger blocks have a larger workspace: each schedule's bytes are its own.
TEST(SearchSpace, MemoryOfBlocks) {
  TopologyModel topology = withKernels(topologyOf("gpu=2"));
  topology.device.achieved.push_back(rateOf(AchievedRate::Work::Gemm,
                                            "generated[192,1024,512]",
                                            {{{64, 0.95}, {4096, 0.95}}}));
  CostProblem problem = gemm(1024, 2048, 1024);
  problem.kernels = measuredBlocks(problem, topology.device);
  CostModel cost(problem, topology);
  SearchOptions options;
  options.pareto = true;
  SearchResult found = search(cost, topology, options);
  ASSERT_FALSE(found.best.empty());
  EXPECT_EQ(found.best[0].schedule.tile,
            (std::vector<int64_t>{192, 1024, 512}));
  ASSERT_GE(found.pareto.size(), 2u);
  EXPECT_TRUE(found.pareto.back().schedule.tile.empty());
  // The same with a limit that only the generator's own blocks are within.
  options.memoryLimit = found.pareto.back().bytes;
  SearchResult small = search(cost, topology, options);
  ASSERT_FALSE(small.best.empty());
  EXPECT_TRUE(small.best[0].schedule.tile.empty());
}

// Blocks are of loops: an operator that has two loops of rows has none.
TEST(SearchSpace, BlocksAreOfOneLoopEach) {
  CostProblem problem = gemm(256, 512, 1024);
  EXPECT_EQ(blocksPerLoop(problem, "generated[1,2,3]"),
            (std::vector<int64_t>{1, 2, 3}));
  for (const char *name :
       {"", "blas", "generated", "generated[1,2]", "generated[1,2,3",
        "generated[1,2,3]x", "generated[1,,3]", "generated[1,2,0]"})
    EXPECT_TRUE(blocksPerLoop(problem, name).empty()) << name;
  problem.op.loops.push_back({false, 8});
  problem.op.inputs[0].loopOfDim.push_back(3);
  EXPECT_TRUE(blocksPerLoop(problem, "generated[1,2,3]").empty());
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Every schedule, in the natural order of tokens and balanced, in the short
/// form and in full.
TEST(SearchSpace, MasksInShortForm) {
  Mask causal{{MaskTerm{std::nullopt, 0, 0}}}, window{{MaskTerm{1500, 0, 0}}};
  size_t balanced = 0, same = 0;
  for (const char *on :
       {"h100-sxm:gpu=4", "l4:node=2,gpu=2,net=50Gbps-roce", "a100-40:gpu=6"})
    for (const Mask &mask : {causal, window})
      // Of 6200 tokens not all orders divide.
      for (int64_t length : {8192, 6200}) {
        AttentionShape shape;
        shape.batch = 2;
        shape.kvHeads = 4;
        shape.queries = shape.keys = length;
        shape.headDim = shape.valueDim = 64;
        CostProblem problem = attentionProblem(shape, mask, "f32", 4);
        const OperatorModel &op = problem.op;
        TopologyModel topology = topologyOf(on);
        CostModel cost(problem, topology);
        LinkTimes links(topology);
        CandidateCost fast(problem, links);
        EnumeratorOptions space = spaceFor(op);
        Candidates candidates(op, topology, space);
        auto compare = [&](const Division &division, Candidate &candidate) {
          for (bool isBalanced : {false, true}) {
            Schedule schedule = candidates.build(division, candidate);
            if (isBalanced)
              balance(schedule, op, topology);
            bool isOther = isBalanced &&
                           !(schedule == candidates.build(division, candidate));
            bool isHere = fast.order(candidate, isBalanced);
            ASSERT_EQ(isHere, isOther || !isBalanced) << print(schedule);
            if (!isHere)
              continue;
            balanced += isBalanced;
            for (int64_t chunks : {1, 4}) {
              schedule.chunks = chunks;
              ++same;
              ASSERT_NEAR(fast.seconds(candidate, chunks) /
                              cost.seconds(schedule),
                          1, 1e-9)
                  << on << ": " << print(schedule);
            }
          }
        };
        for (const Division &division : divisions(topology, space))
          candidates.forEach(
              division, [&](Candidate &candidate, const auto &picked) {
                if (!candidates.isLegal(division, candidate))
                  return true;
                fast.enter(division, candidate);
                return candidates.forEachOrder(candidate, picked, [&] {
                  compare(division, candidate);
                  return !::testing::Test::HasFatalFailure();
                });
              });
      }
  std::printf("%zu schedules, %zu balanced\n", same, balanced);
  EXPECT_GT(balanced, 0u);
}
