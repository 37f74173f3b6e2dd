//===- EnumeratorTest.cpp - All schedules of an operator ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Enumerator.h"
#include "Mercury/Schedule/Balance.h"
#include "ScheduleTest.h"

#include <cstdio>
#include <map>
#include <set>

using namespace mercury;
using namespace mercury::test;

static std::vector<Schedule> all(const OperatorModel &op, std::string_view on,
                                 EnumeratorOptions options = {}) {
  std::vector<Schedule> schedules;
  enumerateSchedules(op, topology(on), options, [&](const Schedule &s) {
    schedules.push_back(s);
    return true;
  });
  return schedules;
}

/// With what the designs for attention need.
static EnumeratorOptions forAttention() {
  EnumeratorOptions options;
  options.relays = Relays::Together;
  options.bothDirections = true;
  return options;
}

/// Calls `visit` with the steps of every iteration of the time loops.
template <typename Visitor>
static void forEachStep(const Schedule &s, const TopologyModel &t,
                        Visitor visit) {
  std::vector<int64_t> counts;
  for (auto [loop, factor] : timeLoops(s))
    counts.push_back(s.loops[loop][factor].count(t));
  std::vector<int64_t> time(counts.size());
  while (true) {
    visit(time);
    size_t i = counts.size();
    while (i > 0 && ++time[i - 1] == counts[i - 1])
      time[--i] = 0;
    if (i == 0)
      return;
  }
}

/// Plays the loops of a schedule, by tile indices alone: every point of the
/// iteration space is computed once (by each group of ranks that repeat each
/// other's work), no two ranks write one tile at one step unless they hold
/// partial results of their own, and local operands are where they are read.
static void play(const Schedule &s, const OperatorModel &op,
                 const TopologyModel &t) {
  SCOPED_TRACE(print(s));
  AxisList used = s.rankAxes(), partial = reductionAxes(s, op);
  using Key = std::vector<int64_t>;
  std::map<Key, int> computed;
  // Where a factor runs in both directions, both halves of a tile are one.
  std::vector<int64_t> tiles(s.loops.size(), 1);
  int64_t points = 1;
  for (size_t l = 0; l < s.loops.size(); ++l) {
    for (const Factor &factor : s.loops[l])
      tiles[l] *= factor.count(t);
    points *= tiles[l];
  }
  forEachStep(s, t, [&](const std::vector<int64_t> &time) {
    std::set<Key> written;
    for (int64_t rank = 0; rank < t.numRanks(); ++rank) {
      int64_t replica = t.withCoordinate(rank, used, 0);
      Key point = {replica};
      for (size_t l = 0; l < s.loops.size(); ++l)
        point.push_back(tileIndex(s, l, time, rank, t));
      ++computed[point];
      for (size_t r = 0; r < op.results.size(); ++r) {
        Key key = {replica, static_cast<int64_t>(r)};
        for (const AxisRef &axis : partial)
          if (endingOf(s, op, r, axis) != Ending::Moving)
            key.push_back(t.coordinate(rank, axis));
        for (int loop : op.results[r].loopOfDim)
          if (loop >= 0)
            key.push_back(point[1 + loop]);
        ASSERT_TRUE(written.insert(key).second) << "two ranks write one tile";
      }
      for (size_t i = 0; i < op.inputs.size(); ++i)
        for (size_t d = 0; d < op.inputs[i].loopOfDim.size(); ++d) {
          int loop = op.inputs[i].loopOfDim[d];
          const AxisList &axes = s.inputs[i].nest.dims[d];
          int64_t shards = 1;
          for (const AxisRef &axis : axes) {
            shards *= t.sizeOf(axis);
            // Blocks of the axes up to this one.
            int64_t shard = point[1 + loop] * shards / tiles[loop];
            if (arrivalOf(s, op, i, axis) == Arrival::Local)
              ASSERT_EQ(shard % t.sizeOf(axis), t.coordinate(rank, axis));
          }
        }
    }
  });
  ASSERT_EQ(static_cast<int64_t>(computed.size()),
            points * t.numRanks() / t.sizeOf(used));
  for (auto &[point, times] : computed)
    ASSERT_EQ(times, 1);
}

TEST(Enumerator, EachIsLegalDistinctAndComputesEveryPointOnce) {
  for (const char *on : {"gpu=4", "node=2,gpu=2", "node=2,gpu=3"})
    for (const OperatorModel &op : {gemm(), transposedGemm(), batchGemm(),
                                    attention(), groupedAttention()}) {
      TopologyModel t = topology(on);
      std::set<std::string> texts;
      EnumeratorOptions options;
      if (!op.coupled.empty())
        options = forAttention();
      for (const Schedule &s : all(op, on, options)) {
        EXPECT_OK(verify(s, op, t));
        EXPECT_TRUE(texts.insert(print(s)).second) << print(s);
        play(s, op, t);
        if (HasFatalFailure())
          return;
        for (const ResultPlan &result : s.results)
          EXPECT_EQ(result.nest, result.exit);
      }
    }
}

TEST(Enumerator, RelaysBesideAnythingComputeEveryPointOnce) {
  EnumeratorOptions options;
  options.relays = Relays::All;
  size_t i = 0;
  for (const Schedule &s : all(gemm(), "node=2,gpu=2", options))
    if (i++ % 7 == 0)
      play(s, gemm(), topology("node=2,gpu=2"));
}

TEST(Enumerator, EquivalentsComputeEveryPointOnce) {
  EnumeratorOptions options = forAttention();
  options.equivalents = true;
  for (const OperatorModel &op : {attention(), groupedAttention()})
    for (const Schedule &s : all(op, "gpu=2", options))
      play(s, op, topology("gpu=2"));
}

/// The named schedules of a scope are listed for `op`.
static void expectNamed(const OperatorModel &op, const char *on,
                        const EnumeratorOptions &options) {
  std::set<std::string> texts;
  for (const Schedule &s : all(op, on, options))
    texts.insert(print(s));
  for (const NamedSchedule &named : namedSchedules()) {
    if (!concerns(named, op))
      continue;
    Schedule s;
    EXPECT_OK(makeNamedSchedule(named.name, s, op, topology(on)));
    // What moves on exit is enumerated as it leaves the loops.
    for (ResultPlan &result : s.results)
      result.exit = result.nest;
    EXPECT_TRUE(texts.count(print(s)))
        << on << " " << named.name << ": " << print(s);
  }
}

TEST(Enumerator, NamedSchedulesAreIn) {
  for (const char *on : {"gpu=4", "gpu=6", "node=2,gpu=2", "node=2,gpu=3"})
    expectNamed(gemm(), on, {});
}

TEST(Enumerator, NamedSchedulesOfAttentionAreIn) {
  for (const char *on : {"gpu=2", "gpu=4", "node=2,gpu=2"}) {
    expectNamed(attention(), on, forAttention());
    expectNamed(groupedAttention(), on, forAttention());
  }
}

static OperatorModel causal(OperatorModel op) {
  op.mask = LoopMask{op.loops.size() - 2, op.loops.size() - 1,
                     Mask{{{std::nullopt, 0, 0}}}};
  return op;
}

// Each natural schedule is there, and beside it the zigzag one where it gains.
TEST(Enumerator, MasksComeBalancedToo) {
  OperatorModel op = causal(attention(4, 16, 16));
  for (const char *on : {"gpu=2", "gpu=4", "node=2,gpu=2"}) {
    TopologyModel t = topology(on);
    std::set<std::string> texts, plain, natural;
    for (const Schedule &s : all(attention(4, 16, 16), on, forAttention()))
      plain.insert(print(s));
    for (Schedule s : all(op, on, forAttention())) {
      EXPECT_OK(verify(s, op, t));
      EXPECT_TRUE(texts.insert(print(s)).second) << print(s);
      if (s.tokens.empty()) {
        natural.insert(print(s));
        continue;
      }
      int64_t work = slowestWork(s, op, t);
      EXPECT_OK(setOrder(s, op, t, {}));
      EXPECT_LT(work, slowestWork(s, op, t)) << print(s);
      EXPECT_TRUE(natural.count(print(s))) << print(s);
    }
    EXPECT_EQ(natural, plain);
    std::printf("causal attention on %s: %zu schedules, %zu of them zigzag\n",
                on, texts.size(), texts.size() - natural.size());
  }
  expectNamed(op, "gpu=4", forAttention());
}

TEST(Enumerator, StopsWhenToldTo) {
  int calls = 0;
  enumerateSchedules(gemm(), topology("gpu=4"), {},
                     [&](const Schedule &) { return ++calls < 10; });
  EXPECT_EQ(calls, 10);
}

TEST(Enumerator, SizeOneLevelsAreSkipped) {
  EXPECT_EQ(all(gemm(), "gpu=1").size(), 1u);
  EXPECT_EQ(all(gemm(), "a=1,gpu=2,b=1").size(), all(gemm(), "gpu=2").size());
}

TEST(Enumerator, ReductionsWithoutCombinerStayWhole) {
  OperatorModel op = gemm();
  op.hasCombiner = {false};
  for (const Schedule &s : all(op, "gpu=4"))
    EXPECT_TRUE(reductionAxes(s, op).empty());
}

/// The categories of docs/Rationale/Schedules.md.
static std::string category(const Schedule &s) {
  size_t loops = 0, times = timeLoops(s).size();
  for (const LoopPlan &loop : s.loops)
    for (const Factor &factor : loop)
      loops += factor.kind == Factor::Kind::Rank;
  bool relays = false;
  OperatorModel op = gemm();
  for (size_t i = 0; i < s.inputs.size(); ++i)
    for (size_t l = 0; l < s.loops.size(); ++l)
      for (const Factor &f : s.loops[l])
        for (const AxisRef &axis : f.axes)
          if (auto d = s.inputs[i].entry.dimOf(axis);
              f.kind == Factor::Kind::Rank && d && op.inputs[i].dimOfLoop(l))
            relays |= *d != *op.inputs[i].dimOfLoop(l);
  return std::to_string(loops) + " loops parallel, " + std::to_string(times) +
         " time loops" + (relays ? ", an operand laid out anew" : "");
}

TEST(Enumerator, Counts) {
  EnumeratorOptions used, relays;
  used.idleAxes = false;
  relays.relays = Relays::All;
  for (const char *on : {"gpu=2", "gpu=4", "node=2,gpu=2", "node=2,gpu=3"}) {
    std::map<std::string, int> counts;
    std::vector<Schedule> schedules = all(gemm(), on);
    for (const Schedule &s : schedules)
      ++counts[category(s)];
    std::printf("gemm on %s: %zu schedules\n", on, schedules.size());
    for (auto &[name, count] : counts)
      std::printf("  %4d  %s\n", count, name.c_str());
  }
  EnumeratorOptions whole;
  whole.subAxes = false;
  EXPECT_EQ(all(gemm(), "gpu=2").size(), 50u);
  EXPECT_EQ(all(gemm(), "gpu=2", relays).size(), 109u);
  EXPECT_EQ(all(gemm(), "gpu=4", whole).size(), 50u);
  EXPECT_EQ(all(gemm(), "gpu=4").size(), 858u);
  EXPECT_EQ(all(gemm(), "node=2,gpu=2").size(), 858u);
  EXPECT_EQ(all(gemm(), "node=2,gpu=2", used).size(), 760u);
  EXPECT_EQ(all(gemm(), "node=2,gpu=3").size(), 828u);
  EXPECT_EQ(all(gemm(), "node=2,gpu=2", relays).size(), 9272u);
}

TEST(Enumerator, CountsOfAttention) {
  EnumeratorOptions every = forAttention(), same = forAttention();
  every.relays = Relays::All;
  same.equivalents = true;
  EXPECT_EQ(all(attention(), "gpu=2", forAttention()).size(), 27u);
  EXPECT_EQ(all(attention(), "gpu=4", forAttention()).size(), 737u);
  EXPECT_EQ(all(attention(), "node=2,gpu=2", forAttention()).size(), 737u);
  EXPECT_EQ(all(groupedAttention(), "gpu=2", forAttention()).size(), 41u);
  EXPECT_EQ(all(groupedAttention(), "gpu=4", forAttention()).size(), 1707u);
  EXPECT_EQ(all(groupedAttention(), "node=2,gpu=2", forAttention()).size(),
            1707u);
  EXPECT_EQ(all(attention(), "gpu=4", every).size(), 1190u);
  EXPECT_EQ(all(attention(), "gpu=2", same).size(), 693u);

  // The yardstick of docs/Rationale/Schedules.md: the sequence loops alone, and
  // of those what only rotates.
  OperatorModel op = attention();
  size_t sequences = 0, rotating = 0;
  for (const Schedule &s : all(op, "gpu=4", forAttention())) {
    bool rotates = true;
    for (const LoopPlan &loop : s.loops)
      for (const Factor &factor : loop)
        rotates &= !factor.bidirectional;
    for (size_t i = 0; i < op.inputs.size(); ++i)
      for (const AxisRef &axis : s.inputs[i].nest.axes()) {
        Arrival arrival = arrivalOf(s, op, i, axis);
        rotates &= arrival == Arrival::Local || arrival == Arrival::Rotate;
      }
    sequences += s.loops[0].empty();
    rotating += s.loops[0].empty() && rotates;
  }
  EXPECT_EQ(sequences, 576u);
  EXPECT_EQ(rotating, 195u);
}
