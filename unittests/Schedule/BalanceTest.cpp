//===- BalanceTest.cpp - Work under masks, and its balance ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Balance.h"
#include "ScheduleTest.h"

#include <algorithm>
#include <random>
#include <set>

using namespace mercury;
using namespace mercury::test;

static Mask mask(std::string_view text) {
  TextCursor cursor(text);
  Mask parsed;
  std::string error;
  EXPECT_TRUE(parse(cursor, parsed, error)) << error;
  return parsed;
}

static OperatorModel masked(std::string_view text, int64_t tokens,
                            int64_t heads = 1) {
  OperatorModel op = attention(heads, tokens, tokens);
  op.mask = LoopMask{1, 2, mask(text)};
  return op;
}

/// The schedule's name, with the order that an option names.
static Schedule named(std::string_view name, const OperatorModel &op,
                      const TopologyModel &t, std::string_view balance) {
  Schedule s;
  EXPECT_OK(makeNamedSchedule(name, s, op, t));
  std::string error;
  std::optional<TokenOrder> order =
      parseBalance(balance, balanceParts(s, op, t), error);
  EXPECT_TRUE(order) << error;
  EXPECT_OK(setOrder(s, op, t, order.value_or(TokenOrder())));
  directRings(s, op, t);
  EXPECT_OK(verify(s, op, t));
  return s;
}

//===----------------------------------------------------------------------===//
// Against brute force
//===----------------------------------------------------------------------===//

/// The indices of a loop that a rank has at the given steps.
static std::vector<int64_t>
indicesAt(const Schedule &s, const OperatorModel &op, const TopologyModel &t,
          size_t loop, const std::vector<int64_t> &time, int64_t rank) {
  const LoopPlan &plan = s.loops[loop];
  bool halves = !plan.empty() && plan.back().bidirectional;
  int64_t tile = nestExtent(s, op, loop, t) / numTiles(plan, t);
  std::vector<int64_t> list;
  for (int64_t half = 0; half <= halves; ++half) {
    Schedule direction = s;
    if (half)
      direction.loops[loop].back().backwards = true;
    int64_t index = tileIndex(direction, loop, time, rank, t);
    index = halves ? index * 2 + half : index;
    for (int64_t i = 0; i < tile; ++i)
      list.push_back(index * tile + i);
  }
  return list;
}

/// Calls `visit` with (rank, steps, pairs that the mask lets through).
template <typename Visitor>
static void play(const Schedule &s, const OperatorModel &op,
                 const TopologyModel &t, Visitor visit) {
  const LoopMask &m = *op.mask;
  std::vector<int64_t> counts;
  for (auto [loop, factor] : timeLoops(s))
    counts.push_back(s.loops[loop][factor].count(t));
  int64_t steps = 1;
  for (int64_t count : counts)
    steps *= count;
  auto positions = [&](size_t loop, const std::vector<int64_t> &time,
                       int64_t rank) {
    int64_t extent = paddedExtent(s, op, loop, t);
    std::vector<int64_t> list = indicesAt(s, op, t, loop, time, rank);
    for (int64_t &i : list)
      i = s.orderOf(loop).position(i, extent);
    std::erase_if(list, [&](int64_t p) { return p >= op.loops[loop].extent; });
    return list;
  };
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<int64_t> time(counts.size());
    int64_t rest = step;
    for (size_t i = counts.size(); i-- > 0; rest /= counts[i])
      time[i] = rest % counts[i];
    for (int64_t rank = 0; rank < t.numRanks(); ++rank) {
      int64_t pairs = 0;
      std::vector<int64_t> keys = positions(m.key, time, rank);
      for (int64_t q : positions(m.query, time, rank)) {
        Mask::Range range = m.mask.at(q + m.queryStart);
        for (int64_t k : keys)
          pairs += k + m.keyStart >= range.begin && k + m.keyStart < range.end;
      }
      for (size_t l = 0; l < op.loops.size(); ++l)
        if (l != m.query && l != m.key)
          for (int64_t i : indicesAt(s, op, t, l, time, rank))
            visit(rank, time, i < op.loops[l].extent ? pairs : 0);
    }
  }
}

TEST(Balance, WorkAndStepsAsPlayed) {
  std::mt19937 random(7);
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  const char *orders[] = {"none",      "zigzag",    "striped",
                          "striped:2", "striped:3", "table:2,0,1"};
  const char *topologies[] = {"gpu=1", "gpu=2",        "gpu=3",
                              "gpu=4", "node=2,gpu=2", "node=2,gpu=3"};
  std::vector<const NamedSchedule *> schedules;
  for (const NamedSchedule &schedule : namedSchedules())
    if (schedule.scope == NamedSchedule::Scope::Attention)
      schedules.push_back(&schedule);
  for (int i = 0; i < 400; ++i) {
    OperatorModel op = attention(1 + below(3), 1 + below(20), 1 + below(20));
    op.mask = LoopMask{1, 2, {}, below(3) * below(8), below(2) * below(4)};
    for (int64_t terms = below(3); terms >= 0; --terms) {
      MaskTerm term;
      if (below(2))
        term.left = below(12);
      if (!term.left || below(2))
        term.right =
            below(16) - (term.left ? std::min<int64_t>(*term.left, 3) : 3);
      if (term.right)
        term.prefix = below(2) * below(10);
      op.mask->mask.terms.push_back(term);
    }
    TopologyModel t = topology(topologies[below(6)]);
    const NamedSchedule &schedule = *schedules[below(schedules.size())];
    Schedule s = named(schedule.name, op, t, orders[below(6)]);
    SCOPED_TRACE(print(op.mask->mask) + ": " + print(s));
    std::vector<int64_t> work(t.numRanks());
    std::vector<std::set<int64_t>> needed(timeLoops(s).size());
    play(s, op, t,
         [&](int64_t rank, const std::vector<int64_t> &time, int64_t pairs) {
           work[rank] += pairs;
           for (size_t f = 0; pairs && f < time.size(); ++f)
             needed[f].insert(time[f]);
         });
    ASSERT_EQ(workOfRanks(s, op, t), work);
    for (auto [f, loop] : [&] {
           std::vector<std::pair<size_t, std::pair<size_t, size_t>>> list;
           for (auto &factor : timeLoops(s))
             list.emplace_back(list.size(), factor);
           return list;
         }()) {
      int64_t count = s.loops[loop.first][loop.second].count(t);
      Steps steps = neededSteps(s, op, t, loop.first, loop.second);
      std::set<int64_t> taken;
      for (int64_t i = 0; i < steps.taken; ++i)
        taken.insert((steps.first + i) % count);
      ASSERT_EQ(static_cast<int64_t>(taken.size()), steps.taken);
      if (loop.first == 0)
        ASSERT_EQ(steps, (Steps{0, count}));
      // All that are needed are taken; the first and the last are needed.
      ASSERT_TRUE(std::includes(taken.begin(), taken.end(), needed[f].begin(),
                                needed[f].end()));
    }
  }
}

TEST(Balance, WorkOfManyTokens) {
  int64_t tokens = 1 << 20;
  OperatorModel op = masked("right 0", tokens, 32);
  TopologyModel t = topology("gpu=8");
  for (const char *order : {"none", "zigzag", "striped", "striped:64"}) {
    std::vector<int64_t> work = workOfRanks(named("ring", op, t, order), op, t);
    int64_t all = 0;
    for (int64_t rank : work)
      all += rank;
    EXPECT_EQ(all, 32 * (tokens * (tokens + 1) / 2)) << order;
  }
}

TEST(Balance, WithoutAMaskAllCounts) {
  OperatorModel op = attention(3, 10, 12);
  TopologyModel t = topology("gpu=4");
  Schedule s;
  EXPECT_OK(makeNamedSchedule("ring", s, op, t));
  // Of 12 padded rows the last two are none.
  EXPECT_EQ(workOfRanks(s, op, t), (std::vector<int64_t>{108, 108, 108, 36}));
  EXPECT_EQ(neededSteps(s, op, t, 2, 0), (Steps{0, 4}));
  EXPECT_EQ(countChunks(s, op, t, 0), ChunkCount());
  EXPECT_EQ(balanceParts(s, op, t), 1);
  Schedule before = s;
  EXPECT_OK(setOrder(s, op, t, TokenOrder::zigzag(4)));
  balance(s, op, t);
  EXPECT_EQ(s, before);
}

//===----------------------------------------------------------------------===//
// The counts of a causal mask
//===----------------------------------------------------------------------===//

TEST(Balance, PlainRingCausal) {
  OperatorModel op = masked("right 0", 32);
  TopologyModel t = topology("gpu=4");
  Schedule s = named("ring", op, t, "none");
  for (int64_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(countChunks(s, op, t, rank), (ChunkCount{rank, 1, 3 - rank}));
}

TEST(Balance, ZigzagCausal) {
  struct Case {
    const char *name, *on;
    int64_t parts;
  };
  for (auto [name, on, parts] :
       {Case{"ring", "gpu=1", 1}, Case{"ring", "gpu=2", 2},
        Case{"ring", "gpu=3", 3}, Case{"ring", "gpu=4", 4},
        Case{"ring", "gpu=8", 8}, Case{"ring", "node=2,gpu=4", 8},
        Case{"ring_bidirectional", "gpu=4", 4},
        Case{"double_ring", "node=2,gpu=2", 4},
        Case{"double_ring", "node=2,gpu=4", 8},
        Case{"context_parallel", "node=2,gpu=2", 4}}) {
    SCOPED_TRACE(std::string(name) + " on " + on);
    OperatorModel op = masked("right 0", 16 * parts);
    TopologyModel t = topology(on);
    Schedule s = named(name, op, t, "zigzag");
    EXPECT_EQ(s.orderOf(1), TokenOrder::zigzag(parts));
    if (name == std::string("context_parallel")) {
      // Keys are whole on every rank, in the natural order.
      EXPECT_TRUE(s.orderOf(2).isNatural());
      EXPECT_EQ(s.inputs[1].entry.orderOf(1), TokenOrder::zigzag(parts));
      continue;
    }
    for (int64_t rank = 0; rank < t.numRanks(); ++rank)
      EXPECT_EQ(
          countChunks(s, op, t, rank),
          (ChunkCount{2 * parts - 1, 2, 4 * parts - (2 * parts - 1) - 2}));
    std::vector<int64_t> work = workOfRanks(s, op, t);
    EXPECT_EQ(std::set<int64_t>(work.begin(), work.end()).size(), 1u);
  }
}

// Rings over one level, heads over the other: the order of all ranks, of which
// each ring position holds the parts of two.
TEST(Balance, ZigzagOfUsp) {
  OperatorModel op = masked("right 0", 64, 4);
  TopologyModel t = topology("node=2,gpu=2");
  for (const char *name : {"usp", "usp_ring_inside"}) {
    Schedule s = named(name, op, t, "zigzag");
    EXPECT_EQ(s.orderOf(1), TokenOrder::zigzag(4));
    for (int64_t rank = 0; rank < 4; ++rank)
      EXPECT_EQ(countChunks(s, op, t, rank), (ChunkCount{14, 4, 14})) << name;
  }
}

TEST(Balance, StripedCausal) {
  OperatorModel op = masked("right 0", 32);
  TopologyModel t = topology("gpu=4");
  std::vector<int64_t> work =
      workOfRanks(named("ring", op, t, "striped"), op, t);
  // Rank r has the rows r, r + 4, ..., r + 28.
  EXPECT_EQ(work, (std::vector<int64_t>{120, 128, 136, 144}));
}

//===----------------------------------------------------------------------===//
// Steps of a window
//===----------------------------------------------------------------------===//

TEST(Balance, WindowsEndRingsEarly) {
  OperatorModel op = masked("left 4 right 0", 32);
  TopologyModel t = topology("gpu=4");
  // Own tile, then that of the rank before.
  Schedule s = named("ring", op, t, "none");
  EXPECT_TRUE(s.loops[2][0].backwards);
  EXPECT_EQ(neededSteps(s, op, t, 2, 0), (Steps{0, 2}));
  s.loops[2][0].backwards = false;
  EXPECT_EQ(neededSteps(s, op, t, 2, 0), (Steps{3, 2}));
  // Queries travel and end at home.
  s = named("ring_of_queries", op, t, "none");
  EXPECT_EQ(neededSteps(s, op, t, 1, 0), (Steps{2, 2}));
  EXPECT_EQ(tileIndex(s, 1, {3}, 1, t), 1);
  EXPECT_EQ(tileIndex(s, 1, {2}, 1, t), 2);
  // Chunks of both neighbours.
  s = named("ring", op, t, "zigzag");
  EXPECT_EQ(neededSteps(s, op, t, 2, 0), (Steps{3, 3}));
  // Whole windows ahead: the other direction is right.
  op.mask->mask = mask("left 0 right 4");
  s = named("ring", op, t, "none");
  EXPECT_FALSE(s.loops[2][0].backwards);
  EXPECT_EQ(neededSteps(s, op, t, 2, 0), (Steps{0, 2}));
}

TEST(Balance, WindowsOfDoubleRings) {
  OperatorModel op = masked("left 4 right 0", 64);
  TopologyModel t = topology("node=2,gpu=4");
  Schedule s = named("double_ring", op, t, "none");
  EXPECT_EQ(neededSteps(s, op, t, 2, 0), (Steps{0, 2}));
  EXPECT_EQ(neededSteps(s, op, t, 2, 1), (Steps{0, 2}));
}

// Entry over all ranks rounds 2 queries up to 4, the nest over two nodes does
// not: the second query is the second node's, and sees the other one's keys.
TEST(Balance, FewerQueriesThanRanks) {
  OperatorModel op = attention(1, 2, 16);
  op.mask = LoopMask{1, 2, mask("right 0")};
  TopologyModel t = topology("node=2,gpu=2");
  Schedule s = named("usp", op, t, "none");
  EXPECT_EQ(nestExtent(s, op, 1, t), 2);
  EXPECT_EQ(workOfRanks(s, op, t), (std::vector<int64_t>{1, 0, 2, 0}));
  EXPECT_EQ(neededSteps(s, op, t, 2, 0), (Steps{0, 2}));
}

TEST(Balance, StepsWithoutAnyWorkKeepOne) {
  OperatorModel op = masked("right 0", 32);
  op.mask->keyStart = 100;
  TopologyModel t = topology("gpu=4");
  Schedule s = named("ring", op, t, "none");
  EXPECT_EQ(neededSteps(s, op, t, 2, 0), (Steps{0, 1}));
  EXPECT_EQ(slowestWork(s, op, t), 0);
}

// A mask of which nothing is known before the program runs takes nothing away.
TEST(Balance, MaskWithoutTerms) {
  OperatorModel op = masked("left 4 right 0", 32);
  TopologyModel t = topology("gpu=4");
  EXPECT_EQ(neededSteps(named("ring", op, t, "none"), op, t, 2, 0),
            (Steps{0, 2}));
  op.mask->mask = {};
  Schedule s = named("ring", op, t, "none");
  EXPECT_EQ(neededSteps(s, op, t, 2, 0), (Steps{0, 4}));
  EXPECT_EQ(slowestWork(s, op, t), 8 * 32);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

TEST(Balance, OnlyWhereItGains) {
  TopologyModel t = topology("gpu=4");
  auto chosen = [&](std::string_view name, const OperatorModel &op) {
    Schedule s;
    EXPECT_OK(makeNamedSchedule(name, s, op, t));
    EXPECT_OK(setOrder(s, op, t, {}));
    balance(s, op, t);
    return print(s.orderOf(1)) + ", " + print(s.orderOf(2));
  };
  OperatorModel causal = masked("right 0", 32, 4);
  EXPECT_EQ(chosen("ring", causal), "zigzag 4, zigzag 4");
  EXPECT_EQ(chosen("ring_of_queries", causal), "zigzag 4, zigzag 4");
  EXPECT_EQ(chosen("context_parallel", causal), "zigzag 4, natural");
  EXPECT_EQ(chosen("tree", causal), "natural, zigzag 4");
  EXPECT_EQ(chosen("ulysses", causal), "natural, natural");
  EXPECT_EQ(chosen("ulysses_staged", causal), "natural, natural");
  EXPECT_EQ(chosen("usp", causal), "zigzag 4, zigzag 4");
  EXPECT_EQ(chosen("ring", masked("left 4 right 0", 32)), "natural, natural");
  EXPECT_EQ(chosen("ring", masked("left 4 right 4", 32)), "natural, natural");
  OperatorModel documents = masked("right 0", 32);
  documents.mask->mask = {};
  EXPECT_EQ(chosen("ring", documents), "natural, natural");
  // One token sees all.
  OperatorModel decoding = attention(4, 1, 32);
  decoding.mask = LoopMask{1, 2, mask("right 0"), 31};
  EXPECT_EQ(chosen("tree", decoding), "natural, natural");
}

TEST(Balance, SetOrderIsUndone) {
  TopologyModel t = topology("node=2,gpu=2");
  OperatorModel op = masked("right 0", 32, 4);
  for (const NamedSchedule &schedule : namedSchedules()) {
    if (schedule.scope != NamedSchedule::Scope::Attention)
      continue;
    Schedule s, natural;
    EXPECT_OK(schedule.fill(natural, op, t));
    s = natural;
    EXPECT_OK(setOrder(s, op, t, TokenOrder::striped(4, 2)));
    for (const OperandPlan &plan : s.inputs)
      for (size_t d = 0; d < 2; ++d)
        if (d == 1 && !plan.entry.dims[d].empty())
          EXPECT_EQ(print(plan.entry.orderOf(d)), "striped 4 by 2")
              << schedule.name;
    EXPECT_OK(setOrder(s, op, t, TokenOrder::zigzag(4)));
    EXPECT_OK(setOrder(s, op, t, {}));
    EXPECT_EQ(s, natural) << schedule.name;
  }
}

// Where zigzag cannot be, what there is stays.
TEST(Balance, NotWhereItIsIllegal) {
  TopologyModel t = topology("gpu=4");
  OperatorModel op = masked("right 0", 32);
  Schedule natural = named("ring", op, t, "none"), s = natural;
  op.inputs[0].loopOfDim[2] = loopExpression;
  balance(s, op, t);
  EXPECT_EQ(s, natural);
  EXPECT_EQ(setOrder(s, op, t, TokenOrder::zigzag(4)).reason(),
            "loop 1 of 'commir.online_attention' cannot run zigzag 4: an "
            "expression of loops indexes a dimension, whose neighbours an "
            "order would tear apart");
}

TEST(Balance, SetOrderSaysWhyNot) {
  TopologyModel t = topology("gpu=4");
  OperatorModel op = masked("right 0", 32);
  Schedule s = named("ring", op, t, "none"), before = s;
  EXPECT_EQ(
      setOrder(s, op, t, {TokenOrder::Kind::Table, 1, 1, {0, 2}}).reason(),
      "loop 1 of 'commir.online_attention': 'table [0, 2]' is no "
      "permutation: chunk 2 is not one of 0 to 1");
  EXPECT_EQ(s, before);
}
