//===- SearchTest.cpp - The best schedules of the model -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Search.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "Mercury/Tuning/ScheduleFigures.h"
#include "gtest/gtest.h"

#include <algorithm>
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
  return gemmProblem(m, n, k, "bf16", 2);
}
static CostProblem attention(int64_t heads, int64_t group, int64_t length,
                             std::optional<Mask> mask = {}) {
  AttentionShape shape;
  shape.batch = 2;
  shape.kvHeads = heads;
  shape.group = group;
  shape.queries = shape.keys = length;
  shape.headDim = shape.valueDim = 128;
  return attentionProblem(shape, mask, "bf16", 2);
}

namespace {
struct Case {
  Case(CostProblem problem, TopologyModel topology)
      : topology(std::move(topology)), cost(problem, this->topology),
        memory(memoryOf(problem), this->topology) {
    options.space = spaceFor(problem.op);
  }
  static MemoryProblem memoryOf(const CostProblem &problem) {
    MemoryProblem memory = makeMemoryProblem(problem.op, problem.headDim);
    memory.inputs = problem.inputShapes;
    memory.results = problem.resultShapes;
    return memory;
  }
  SearchResult search() {
    return findSchedules(cost, memory, topology, options);
  }
  SearchResult exhaust() {
    SearchOptions all = options;
    all.exhaustive = true;
    return findSchedules(cost, memory, topology, all);
  }

  TopologyModel topology;
  CostModel cost;
  MemoryModel memory;
  SearchOptions options;
};
} // namespace

static std::string textOf(const std::vector<FoundSchedule> &list) {
  std::string text;
  for (const FoundSchedule &f : list)
    text += std::to_string(f.seconds * 1e6) + " us " + std::to_string(f.bytes) +
            " " + print(f.schedule) + "\n";
  return text;
}

/// The search finds what looking at everything finds, and looks at less.
static void expectSame(Case &setup) {
  SearchResult found = setup.search(), all = setup.exhaust();
  EXPECT_TRUE(found.isProven);
  EXPECT_EQ(textOf(found.best), textOf(all.best));
  EXPECT_LE(found.visited, all.visited);
  EXPECT_EQ(all.belowBound, 0);
  if (setup.options.pareto)
    EXPECT_EQ(textOf(found.pareto), textOf(all.pareto));
  if (all.best.empty() && all.smallest) {
    ASSERT_TRUE(found.smallest);
    EXPECT_EQ(textOf({*found.smallest}), textOf({*all.smallest}));
  }
}

/// Figures at random: levels slow and fast, shared ports, with curves or not.
static TopologyModel randomMachine(std::mt19937 &random,
                                   std::vector<int64_t> sizes) {
  auto among = [&](std::initializer_list<double> list) {
    return list.begin()[random() % list.size()];
  };
  TopologyModel t;
  const char *names[] = {"pod", "node", "gpu"};
  int64_t inner = 1;
  for (int64_t size : sizes)
    inner *= size;
  for (size_t l = 0; l < sizes.size(); ++l) {
    Level level;
    inner /= sizes[l];
    level.name = names[3 - sizes.size() + l];
    level.size = sizes[l];
    level.bandwidth = among({1e9, 5e9, 12e9, 50e9, 300e9});
    level.latency = among({0, 1e-6, 2e-5});
    level.launch = among({0, 5e-6});
    level.sharedBy = random() % 2 ? 1 : inner;
    level.inSwitchReduction = random() % 3 == 0;
    level.fullDuplex = random() % 4 != 0;
    level.contention = among({0, 0, 0.3});
    if (random() % 3 == 0)
      for (Primitive p : {Primitive::AllReduce, Primitive::AllGather,
                          Primitive::AllToAll, Primitive::SendRecv})
        level.curves[p] = Curve{{{65536, level.bandwidth / 9},
                                 {1 << 20, level.bandwidth / 3},
                                 {1 << 28, level.bandwidth * 0.9}}};
    t.levels.push_back(level);
  }
  t.device.memoryBandwidth = 2e12;
  t.device.memoryFraction = 0.8;
  t.device.peak["bf16"] = among({5e13, 1e14, 9e14});
  t.device.launch = among({0, 5e-6});
  t.device.communicationShare = among({0, 0.1});
  return t;
}

/// Asks for where a schedule of the space has its inputs, or results, or for
/// the first half of the axes cutting one dimension, the others another.
static void placeAtRandom(Case &setup, std::mt19937 &random) {
  const OperatorModel &op = setup.cost.problem().op;
  SearchOptions free = setup.options;
  free.top = 40;
  free.memoryLimit = 0;
  SearchResult some =
      findSchedules(setup.cost, setup.memory, setup.topology, free);
  const Schedule &like = some.best[random() % some.best.size()].schedule;
  size_t inputs = random() % (op.inputs.size() + 1);
  for (size_t i = 0; i < inputs; ++i)
    setup.options.entries.push_back(like.inputs[i].entry);
  if (random() % 2)
    for (const OperatorModel::Tensor &result : op.results) {
      size_t rank = result.loopOfDim.size();
      Placement exit = Placement::replicated(rank);
      size_t outer = random() % rank, inner = random() % rank;
      size_t count = setup.topology.levels.size();
      for (size_t l = 0; l < count; ++l)
        exit.dims[l < count / 2 ? outer : inner].push_back(
            {setup.topology.levels[l].name});
      setup.options.exits.push_back(
          random() % 3 == 0 ? std::optional<Placement>() : exit);
    }
}

static void expectSameAtRandom(uint32_t seed, bool places) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  static const std::vector<std::vector<int64_t>> shapes = {
      {4}, {2, 2}, {8}, {2, 4}, {4, 2}, {2, 2, 2}, {6}, {2, 3}};
  auto extent = [&] { return int64_t(1000) + int64_t(random() % 9) * 1000; };
  std::vector<int64_t> shape = shapes[random() % shapes.size()];
  TopologyModel t = randomMachine(random, shape);
  int kind = random() % 5;
  if (t.numRanks() > (kind > 2 ? 6 : 4) && kind > 1)
    kind = 1;
  CostProblem problem =
      kind == 0   ? gemm(extent(), extent(), extent())
      : kind == 1 ? attention(8, 1, extent())
      : kind == 2 ? attention(4, 2, extent())
      : kind == 3 ? attention(8, 1, extent(), Mask{{{std::nullopt, 0, 0}}})
                  : attention(4, 2, extent(), Mask{{{900, 0, 0}}});
  problem.isFused = random() % 4 == 0;
  if (kind == 0 && random() % 4 == 0)
    problem.op.neutralInit = {false};
  Case setup(problem, t);
  if (t.numRanks() <= 4 && random() % 3 == 0)
    setup.options.space.relays = Relays::All;
  setup.options.top = 1 + random() % 4;
  if (places)
    placeAtRandom(setup, random);
  setup.options.pareto = random() % 3 == 0 && t.numRanks() <= 4;
  if (random() % 4 == 0)
    setup.options.chunks = {1, 4};
  switch (random() % 8) {
  case 0:
    setup.options.objective.kind = Objective::Kind::Memory;
    break;
  case 1:
    setup.options.objective.kind = Objective::Kind::Both;
    break;
  case 2:
    setup.options.objective.kind = Objective::Kind::Bytes;
    break;
  case 3:
    setup.options.objective.slowdown = {"", 3};
    break;
  case 4:
    setup.options.objective.slowdown = {t.levels[0].name, 2};
    break;
  }
  if (random() % 2) {
    // Some of the schedules fit.
    SearchOptions free = setup.options;
    free.objective = Objective();
    free.objective.kind = Objective::Kind::Memory;
    free.top = 1;
    SearchResult least =
        findSchedules(setup.cost, setup.memory, setup.topology, free);
    if (!places)
      ASSERT_FALSE(least.best.empty());
    if (least.best.empty())
      return expectSame(setup);
    setup.options.memoryLimit =
        least.best[0].bytes + int64_t(random() % 3) * least.best[0].bytes / 3;
  }
  expectSame(setup);
}

class RandomSearch : public testing::TestWithParam<uint32_t> {};

TEST_P(RandomSearch, FindsWhatIsBest) {
  expectSameAtRandom(GetParam(), /*places=*/false);
}
TEST_P(RandomSearch, FindsWhatIsBestOfPlacements) {
  expectSameAtRandom(GetParam() + 1000, /*places=*/true);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSearch, testing::Range(1u, 41u));

TEST(Search, FindsWhatIsBestOnKnownMachines) {
  for (const char *on :
       {"h100-sxm:gpu=4", "h100-sxm:node=2,gpu=4,net=100Gbps-roce",
        "l4:node=2,gpu=2,net=50Gbps-roce"})
    for (const CostProblem &problem :
         {gemm(16384, 8192, 8192), attention(32, 1, 32768)}) {
      SCOPED_TRACE(std::string(on) + " " + problem.op.name);
      Case setup(problem, topologyOf(on));
      expectSame(setup);
    }
}

TEST(Search, FindsWhatIsBestUnderAMask) {
  Case setup(attention(4, 1, 4096, Mask{{{std::nullopt, 0, 0}}}),
             topologyOf("h100-sxm:gpu=4"));
  expectSame(setup);
  SearchResult found = setup.search();
  ASSERT_FALSE(found.best.empty());
}

TEST(Search, SmallestWhereNothingFits) {
  Case setup(gemm(4096, 4096, 4096), topologyOf("gpu=4"));
  setup.options.memoryLimit = 1000;
  expectSame(setup);
  SearchResult found = setup.search();
  EXPECT_TRUE(found.best.empty());
  ASSERT_TRUE(found.smallest);
  EXPECT_GT(found.smallest->bytes, 1000);
}

TEST(Search, SecondsAreThoseOfTheCostModel) {
  Case setup(gemm(16384, 8192, 8192), topologyOf("h100-sxm:node=2,gpu=4"));
  setup.options.top = 100;
  setup.options.chunks = {1, 2, 8};
  for (const FoundSchedule &f : setup.search().best) {
    EXPECT_NEAR(f.seconds / setup.cost.seconds(f.schedule), 1, 1e-9)
        << print(f.schedule);
    EXPECT_EQ(f.bytes, setup.memory.estimate(f.schedule).peak());
    EXPECT_TRUE(verify(f.schedule, setup.cost.problem().op, setup.topology));
  }
}

// Every schedule of the spaces on four ranks.
TEST(Search, SecondsOfAllAreThoseOfTheCostModel) {
  CostProblem merging = attention(4, 2, 4096);
  merging.mergePasses = 2;
  for (const char *on : {"h100-sxm:gpu=4", "l4:node=2,gpu=2,net=50Gbps-roce"})
    for (const CostProblem &problem :
         {gemm(4096, 1000, 8192), attention(4, 1, 4096), merging}) {
      Case setup(problem, topologyOf(on));
      setup.options.space.relays = Relays::Together;
      setup.options.exhaustive = true;
      setup.options.top = 20000;
      setup.options.chunks = {1, 4};
      SearchResult all = setup.search();
      EXPECT_EQ(int64_t(all.best.size()), all.visited);
      for (const FoundSchedule &f : all.best)
        ASSERT_NEAR(f.seconds / setup.cost.seconds(f.schedule), 1, 1e-9)
            << print(f.schedule);
    }
}

TEST(Search, PlacementsThatAreAskedFor) {
  Case setup(gemm(4096, 4096, 4096), topologyOf("h100-sxm:node=2,gpu=2"));
  Placement rows{{{{"node"}, {"gpu"}}, {}}, {}};
  setup.options.entries = {rows, rows};
  expectSame(setup);
  SearchResult found = setup.search();
  ASSERT_FALSE(found.best.empty());
  for (const FoundSchedule &f : found.best)
    for (const OperandPlan &plan : f.schedule.inputs)
      EXPECT_EQ(plan.entry, rows) << print(f.schedule);
  // What is moved costs time.
  setup.options.entries.clear();
  EXPECT_LE(setup.search().best[0].seconds, found.best[0].seconds);
}

// Attention cut along the sequence: as fast as in the best of all orders of
// ranks, one of queries and results, one of keys and values.
TEST(Search, AnyOrderOfRanks) {
  for (const char *on : {"h100-sxm:gpu=4", "l4:node=2,gpu=4,net=50Gbps-roce"}) {
    SCOPED_TRACE(on);
    Case setup(attention(8, 1, 16384), topologyOf(on));
    AxisList axes = {{"gpu", 1, 2}, {"gpu", 2, 2}};
    if (setup.topology.levels.size() > 1)
      axes.push_back({"node"});
    std::vector<AxisList> orders;
    do
      orders.push_back(axes);
    while (std::next_permutation(axes.begin(), axes.end()));
    auto ask = [&](const AxisList &queries, const AxisList &keys) {
      Placement q{{{}, {}, queries, {}}, {}}, k{{{}, {}, keys, {}}, {}},
          state{{{}, {}, queries}, {}};
      setup.options.entries = {q, k, k};
      setup.options.exits = {q, state, state};
    };
    double best = HUGE_VAL;
    for (const AxisList &queries : orders)
      for (const AxisList &keys : orders) {
        ask(queries, keys);
        // Of orders that take as long the space has one.
        if (SearchResult found = setup.search(); !found.best.empty())
          best = std::min(best, found.best[0].seconds);
      }
    setup.options.anyOrder = true;
    ask(orders.front(), orders.front());
    SearchResult found = setup.search();
    ASSERT_FALSE(found.best.empty());
    EXPECT_TRUE(found.isProven);
    EXPECT_EQ(found.best[0].seconds, best);
    if (setup.topology.numRanks() <= 4)
      expectSame(setup);
    for (const FoundSchedule &f : found.best) {
      const Schedule &s = f.schedule;
      EXPECT_EQ(s.results[0].exit, s.inputs[0].entry) << print(s);
      EXPECT_EQ(s.inputs[1].entry, s.inputs[2].entry) << print(s);
      EXPECT_EQ(setup.topology.sizeOf(s.inputs[1].entry.dims[2]),
                setup.topology.numRanks());
    }
  }
}

TEST(Search, EndsWithTheBudgetUnproven) {
  Case setup(attention(32, 8, 32768), topologyOf("h100-sxm:node=8,gpu=8"));
  setup.options.budget = 0.05;
  SearchResult found = setup.search();
  EXPECT_FALSE(found.isProven);
  ASSERT_FALSE(found.best.empty());
  EXPECT_GT(found.lowerBound, 0);
  EXPECT_LE(found.lowerBound, found.best[0].seconds);
}

TEST(Search, EndsWhenToldTo) {
  Case setup(attention(32, 8, 32768), topologyOf("h100-sxm:node=8,gpu=8"));
  int calls = 0;
  setup.options.exhaustive = true;
  setup.options.progress = [&](const SearchProgress &progress) {
    EXPECT_GE(progress.visited, 0);
    return ++calls < 2;
  };
  EXPECT_FALSE(setup.search().isProven);
  EXPECT_EQ(calls, 2);
}

TEST(Search, StartsWithWhatIsKnown) {
  Case setup(attention(32, 1, 32768), topologyOf("h100-sxm:node=2,gpu=4"));
  setup.options.top = 1;
  FoundSchedule best = setup.search().best[0];
  // Ended at once, it is what was known; of what does not fit nothing stays.
  setup.options.progress = [](const SearchProgress &) { return false; };
  setup.options.budget = 1e-9;
  Schedule illegal = best.schedule;
  illegal.loops[0].push_back(illegal.loops[0].front());
  setup.options.start = {illegal, best.schedule};
  SearchResult again = setup.search();
  EXPECT_EQ(textOf(again.best), textOf({best}));
  EXPECT_FALSE(again.isProven);
  setup.options.memoryLimit = best.bytes - 1;
  for (const FoundSchedule &f : setup.search().best)
    EXPECT_LT(f.bytes, best.bytes);
}

TEST(Search, EndsWithinTheGap) {
  Case setup(attention(32, 1, 32768), topologyOf("h100-sxm:node=2,gpu=4"));
  setup.options.top = 1;
  SearchResult best = setup.search();
  setup.options.gap = 0.5;
  SearchResult near = setup.search();
  EXPECT_LE(near.gap(), 0.5);
  EXPECT_LE(near.visited, best.visited);
  EXPECT_LE(near.lowerBound, best.best[0].seconds);
  EXPECT_LE(near.best[0].seconds, 1.5 * best.best[0].seconds);
}

// What the busiest port of the slowest level sends is what the model says.
TEST(Search, BytesOverTheSlowestLevel) {
  Case setup(gemm(16384, 8192, 8192),
             topologyOf("h100-sxm:node=4,gpu=4,net=100Gbps-roce"));
  Placement rows{{{{"node"}, {"gpu"}}, {}}, {}};
  setup.options.entries = {rows, rows};
  SearchResult fastest = setup.search();
  setup.options.objective.kind = Objective::Kind::Bytes;
  SearchResult least = setup.search();
  ASSERT_TRUE(least.isProven);
  for (const FoundSchedule &f : least.best) {
    double sent = setup.cost.estimate(f.schedule).traffic[0].bytes;
    EXPECT_NEAR(f.goal / sent, 1, 1e-6) << print(f.schedule);
  }
  double sent = setup.cost.estimate(fastest.best[0].schedule).traffic[0].bytes;
  EXPECT_LE(least.best[0].goal, sent * (1 + 1e-6));
}

TEST(Search, BestWhereALevelIsSlower) {
  TopologyModel topology = topologyOf("h100-sxm:node=2,gpu=4,net=100Gbps-roce");
  Case setup(attention(32, 1, 32768), topology);
  Case slow(attention(32, 1, 32768), slowedDown(topology, 1, 4));
  setup.options.objective.slowdown = {"gpu", 4};
  SearchResult found = setup.search(), expected = slow.search();
  for (size_t i = 0; i < expected.best.size(); ++i)
    EXPECT_EQ(found.best[i].goal, expected.best[i].seconds);
  // The worst level is no better than any.
  setup.options.objective.slowdown = {"", 4};
  EXPECT_GE(setup.search().best[0].goal, found.best[0].goal);
}

TEST(Objective, IsWrittenAsItIsRead) {
  for (const char *text : {"time", "memory", "both:0.3", "bytes",
                           "slowdown:node=2.5", "worst:4"}) {
    std::string error;
    std::optional<Objective> objective = parseObjective(text, error);
    ASSERT_TRUE(objective) << error;
    EXPECT_EQ(print(*objective), text);
  }
  for (const char *text :
       {"", "speed", "both:", "both:2", "both:nan", "slowdown:2", "slowdown:=2",
        "slowdown:node=0.5", "worst:", "worst:1000", "worst:2x"}) {
    std::string error;
    EXPECT_FALSE(parseObjective(text, error)) << text;
    EXPECT_NE(error.find("is none of 'time'"), std::string::npos);
  }
  Objective objective;
  objective.slowdown = {"rack", 2};
  EXPECT_EQ(
      verify(objective, topologyOf("node=2,gpu=2")).reason(),
      "objective 'slowdown:rack=2': the topology has no level 'rack', its "
      "levels are 'node', 'gpu'");
}

TEST(Search, OneRank) {
  Case setup(gemm(64, 64, 64), topologyOf("gpu=1"));
  SearchResult found = setup.search();
  ASSERT_EQ(found.best.size(), 1u);
  EXPECT_TRUE(found.isProven);
}
