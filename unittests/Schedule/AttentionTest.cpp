//===- AttentionTest.cpp - Coupled results and their schedules ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScheduleTest.h"

using namespace mercury;
using namespace mercury::test;

/// Attention in its online form, loops h, m, n: query, key and value with a
/// feature that is no loop; accumulator, maximum and sum.
static OperatorModel onlineAttention(int64_t heads = 8, int64_t queries = 16,
                                     int64_t keys = 16) {
  OperatorModel op;
  op.name = "commir.online_attention";
  op.loops = {{false, heads}, {false, queries}, {true, keys}};
  op.inputs = {{{0, 1, -1}}, {{0, 2, -1}}, {{0, 2, -1}}};
  op.results = {{{0, 1, -1}}, {{0, 1}}, {{0, 1}}};
  op.hasCombiner = op.hasCollective = op.neutralInit = {true, true, true};
  op.coupled = {{0, 1, 2}};
  return op;
}

/// KV heads, query heads of each, m, n.
static OperatorModel grouped(int64_t heads, int64_t group) {
  OperatorModel op = onlineAttention(heads);
  op.loops.insert(op.loops.begin() + 1, {false, group});
  op.inputs = {{{0, 1, 2, -1}}, {{0, 3, -1}}, {{0, 3, -1}}};
  op.results = {{{0, 1, 2, -1}}, {{0, 1, 2}}, {{0, 1, 2}}};
  return op;
}

/// All heads have one V.
static OperatorModel sharedValue() {
  OperatorModel op = onlineAttention();
  op.inputs[2] = {{2, -1}};
  return op;
}

static std::string make(std::string_view name, const OperatorModel &op,
                        std::string_view on) {
  Schedule s;
  Verdict v = makeNamedSchedule(name, s, op, topology(on));
  return v ? print(s) : v.reason();
}

//===----------------------------------------------------------------------===//
// Coupled results
//===----------------------------------------------------------------------===//

/// A schedule of attention; the inputs are replicas.
static std::string text(const std::string &loops, const std::string &results) {
  return "loops [" + loops + "] inputs [[{}, {}, {}], [{}, {}, {}], [{}, {}, " +
         "{}]] results [" + results + "]";
}

TEST(CoupledResults, AreShardedAlike) {
  EXPECT_EQ(
      why(text("-, -, rank gpu", "[{}, {gpu}, {}], [{}, {gpu}], [{}, {gpu}]"),
          "gpu=4", onlineAttention()),
      "");
  EXPECT_EQ(
      why(text("-, -, rank gpu", "[{}, {gpu}, {}], [{}, {gpu}], [{}, {}]"),
          "gpu=4", onlineAttention()),
      "results 0 and 2 of 'commir.online_attention' are reduced together, but "
      "are sharded over {gpu} and {} along loop 1 of "
      "'commir.online_attention'");
  EXPECT_EQ(
      why(text("-, -, rank gpu", "[{gpu}, {}, {}], [{}, {gpu}], [{gpu}, {}]"),
          "gpu=4", onlineAttention()),
      "results 0 and 1 of 'commir.online_attention' are reduced together, but "
      "are sharded over {gpu} and {} along loop 0 of "
      "'commir.online_attention'");
  // Not coupled, each may end as it likes.
  OperatorModel apart = onlineAttention();
  apart.coupled.clear();
  EXPECT_EQ(
      why(text("-, -, rank gpu", "[{}, {gpu}, {}], [{}, {gpu}], [{}, {}]"),
          "gpu=4", apart),
      "");
}

TEST(CoupledResults, MayLeaveApart) {
  EXPECT_EQ(why(text("rank gpu, -, -",
                     "[{gpu}, {}, {}] -> [{}, {gpu}, {}], [{gpu}, {}], [{gpu}, "
                     "{}] -> [{}, {}]"),
                "gpu=4", onlineAttention()),
            "");
}

TEST(CoupledResults, EachNeedsACombiner) {
  OperatorModel op = onlineAttention();
  op.hasCombiner[1] = false;
  EXPECT_EQ(why(text("-, -, rank gpu", "[{}, {}, {}], [{}, {}], [{}, {}]"),
                "gpu=4", op),
            "axes {gpu} parallelize reduction loop 2 of "
            "'commir.online_attention', but result 1 has no known combiner");
}

TEST(CoupledResults, FeaturesAreNotSharded) {
  EXPECT_EQ(why(text("-, -, rank gpu", "[{}, {}, {gpu}], [{}, {}], [{}, {}]"),
                "gpu=4", onlineAttention()),
            "result 0 of 'commir.online_attention' dimension 2 is sharded over "
            "{gpu}, but is not indexed by exactly one loop");
}

//===----------------------------------------------------------------------===//
// Both directions
//===----------------------------------------------------------------------===//

static const std::string bothWays =
    "loops [-, rank gpu, time {gpu} shift {gpu} bidirectional] inputs [[{}, "
    "{gpu}, {}], [{}, {gpu}, {}], [{}, {gpu}, {}]] results [[{}, {gpu}, {}], "
    "[{}, {gpu}], [{}, {gpu}]]";

TEST(Bidirectional, TextAndTiles) {
  Schedule s = schedule(bothWays);
  EXPECT_TRUE(s.loops[2][0].bidirectional);
  EXPECT_EQ(print(s), bothWays);
  Schedule oneWay = s;
  oneWay.loops[2][0].bidirectional = false;
  EXPECT_NE(s, oneWay);
  EXPECT_NE(hashValue(s), hashValue(oneWay));
  // It stands behind the shifts and before the order.
  Schedule ordered = schedule("loops [time {gpu} shift {gpu} stride -1 offset "
                              "2 bidirectional order 1] inputs [] results []");
  EXPECT_EQ(ordered.loops[0][0].order, 1);
  EXPECT_EQ(schedule(print(ordered)), ordered);
  std::string error;
  EXPECT_FALSE(parseSchedule("loops [time {gpu} bidirectional shift {gpu}] "
                             "inputs [] results []",
                             error));
  EXPECT_EQ(error, "expected ',' or ']', got 'shift'");

  TopologyModel t = topology("gpu=4");
  EXPECT_EQ(numTiles(s.loops[2], t), 8);
  EXPECT_EQ(paddedExtent(9, s.loops[2], t), 16);
  EXPECT_EQ(paddedExtent(9, oneWay.loops[2], t), 12);
}

TEST(Bidirectional, Legality) {
  EXPECT_EQ(why(bothWays, "gpu=4", onlineAttention()), "");
  EXPECT_EQ(arrivalOf(schedule(bothWays), onlineAttention(), 1, {"gpu"}),
            Arrival::Rotate);
  auto whyLoops = [](const std::string &loops) {
    return why("loops [" + loops + bothWays.substr(bothWays.find("] inputs")),
               "gpu=4", onlineAttention());
  };
  std::string reason =
      " of 'commir.online_attention' has a factor in both directions; only a "
      "shifted time factor that is the last of a reduction loop can have them";
  EXPECT_EQ(whyLoops("-, rank gpu, time {gpu} bidirectional"),
            "loop 2" + reason);
  EXPECT_EQ(whyLoops("-, rank gpu, time {gpu} shift {gpu} bidirectional / "
                     "time 2 order 1"),
            "loop 2" + reason);
  EXPECT_EQ(whyLoops("time {gpu} shift {gpu} bidirectional, rank gpu, -"),
            "loop 0" + reason);
  EXPECT_EQ(whyLoops("-, rank gpu bidirectional, -"), "loop 1" + reason);
}

// Halves of two loops would be four quarters, of which two are computed.
TEST(Bidirectional, OneLoopOnly) {
  OperatorModel op;
  op.name = "linalg.contract";
  op.loops = {{false, 16}, {true, 16}, {true, 16}};
  op.inputs = {{{0, 1, 2}}, {{1, 2}}};
  op.results = {{{0}}};
  op.hasCombiner = op.neutralInit = {true};
  std::string one = "time {x} shift {x}", other = "time {y} shift {y}",
              last = " order 1";
  auto legal = [&](const std::string &j, const std::string &k) {
    return why("loops [rank {x, y}, " + j + ", " + k +
                   "] inputs [[{x, y}, {}, {}], [{x}, {y}]] results [[{x, y}]]",
               "x=2,y=2", op);
  };
  EXPECT_EQ(legal(one, other + last), "");
  EXPECT_EQ(legal(one + " bidirectional", other + last), "");
  EXPECT_EQ(legal(one, other + " bidirectional" + last), "");
  EXPECT_EQ(legal(one + " bidirectional", other + " bidirectional" + last),
            "loops 1 and 2 of 'linalg.contract' have a factor in both "
            "directions each, expected one of them");
}

//===----------------------------------------------------------------------===//
// Primitives
//===----------------------------------------------------------------------===//

namespace {
struct AttentionPrimitives : testing::Test {
  OperatorModel op = onlineAttention();
  TopologyModel t = topology("gpu=4");
  ScheduleContext c{op, t};
  Schedule s = Schedule::replicated(op);
  AxisList gpu{{"gpu"}};
  enum Loop { H, M, N };
  enum Operand { Q, K, V };
};
} // namespace

TEST_F(AttentionPrimitives, RingInBothDirections) {
  EXPECT_OK(parallelize(s, c, M, gpu));
  EXPECT_EQ(bidirectional(s, c, N, 0).reason(),
            "factor 0 is out of range, loop 2 has 0");
  EXPECT_OK(tile(s, c, N, gpu));
  for (size_t x : {K, V})
    EXPECT_OK(shard(s, c, x, 1, gpu));
  Schedule before = s;
  EXPECT_EQ(bidirectional(s, c, N, 0).reason(),
            "factor 0 of loop 2 of 'commir.online_attention' is no shifted "
            "time factor of a reduction and cannot run in both directions");
  EXPECT_EQ(bidirectional(s, c, M, 0).reason(),
            "factor 0 of loop 1 of 'commir.online_attention' is no shifted "
            "time factor of a reduction and cannot run in both directions");
  EXPECT_EQ(s, before);
  EXPECT_OK(shift(s, c, N, 0, gpu));
  EXPECT_OK(bidirectional(s, c, N, 0));
  EXPECT_OK(verify(s, op, t));
  EXPECT_EQ(print(s), bothWays);
  EXPECT_EQ(print(s), make("ring_bidirectional", op, "gpu=4"));
}

TEST_F(AttentionPrimitives, ShardExit) {
  EXPECT_OK(parallelize(s, c, H, gpu));
  // From heads to queries: an all-to-all lies between.
  EXPECT_OK(shardExit(s, c, 0, 1, gpu));
  EXPECT_EQ(print(s.results[0].nest), "[{gpu}, {}, {}]");
  EXPECT_EQ(print(s.results[0].exit), "[{}, {gpu}, {}]");
  EXPECT_OK(verify(s, op, t));
  // And back.
  EXPECT_OK(shardExit(s, c, 0, 0, gpu));
  EXPECT_EQ(s.results[0].exit, s.results[0].nest);
  Schedule before = s;
  EXPECT_EQ(shardExit(s, c, 3, 0, gpu).reason(),
            "result 3 is out of range, 'commir.online_attention' has 3");
  EXPECT_EQ(shardExit(s, c, 1, 2, gpu).reason(),
            "dimension 2 is out of range, result 1 has 2");
  EXPECT_EQ(shardExit(s, c, 1, 1, {}).reason(), "expected at least one axis");
  EXPECT_EQ(shardExit(s, c, 1, 1, {{"tpu"}}).reason(),
            "axis 'tpu' is not in the topology, which has 'gpu'");
  EXPECT_EQ(
      shardExit(s, c, 1, 1, {{"gpu", 1, 2}}).reason(),
      "result 1: placement [{gpu}, {gpu:(1)2}] uses an axis twice: 'gpu' and "
      "'gpu:(1)2'");
  EXPECT_EQ(s, before);
}

// What was a replica in the end is cut.
TEST_F(AttentionPrimitives, ShardExitOfAReplica) {
  EXPECT_OK(parallelize(s, c, N, gpu));
  for (size_t result : {0, 1, 2})
    EXPECT_OK(shardExit(s, c, result, 1, gpu));
  EXPECT_OK(verify(s, op, t));
  EXPECT_EQ(endingOf(s, op, 0, {"gpu"}), Ending::AllReduce);
  EXPECT_EQ(print(s.results[2].exit), "[{}, {gpu}]");
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST(AttentionSchedules, Scope) {
  const NamedSchedule *ring = findNamedSchedule("ring"),
                      *gather = findNamedSchedule("all_gather_gemm"),
                      *any = findNamedSchedule("k_split");
  ASSERT_TRUE(ring && gather && any);
  EXPECT_EQ(findNamedSchedule("rings"), nullptr);
  EXPECT_EQ(findNamedSchedule(""), nullptr);
  for (const OperatorModel &op :
       {onlineAttention(), grouped(2, 4), sharedValue()}) {
    EXPECT_TRUE(concerns(*ring, op));
    EXPECT_FALSE(concerns(*gather, op));
    EXPECT_TRUE(concerns(*any, op));
  }
  // Results that are not coupled are no attention, whatever the inputs.
  OperatorModel apart = onlineAttention();
  apart.coupled.clear();
  for (const OperatorModel &op : {gemm(), biasAdd(), apart}) {
    EXPECT_FALSE(concerns(*ring, op));
    EXPECT_TRUE(concerns(*gather, op));
    EXPECT_TRUE(concerns(*any, op));
  }
}

TEST(AttentionSchedules, AllAreLegalOnEveryTopology) {
  for (const char *on :
       {"gpu=1", "gpu=2", "gpu=3", "gpu=4", "gpu=6", "gpu=8", "node=2,gpu=2",
        "node=2,gpu=3", "node=2,gpu=4", "node=4,gpu=2", "a=2,b=2,c=2"})
    for (const OperatorModel &op :
         {onlineAttention(), onlineAttention(7, 9, 9), onlineAttention(1, 3, 2),
          grouped(2, 4), grouped(1, 8), grouped(8, 1), grouped(3, 5),
          sharedValue()})
      for (const NamedSchedule &named : namedSchedules()) {
        if (!concerns(named, op))
          continue;
        Schedule s;
        TopologyModel t = topology(on);
        SCOPED_TRACE(std::string(named.name) + " on " + on);
        EXPECT_OK(makeNamedSchedule(named.name, s, op, t));
        EXPECT_OK(verify(s, op, t));
        EXPECT_EQ(schedule(print(s)), s);
        EXPECT_FALSE(named.summary.empty());
      }
}

// Query head h belongs to KV head h / group: KV heads are divided first, what
// is left goes to the heads of each.
TEST(AttentionSchedules, HeadsOfGroups) {
  EXPECT_EQ(make("ulysses", grouped(2, 4), "gpu=4"),
            "loops [rank gpu:(2)2, rank gpu:(1)2, -, -] inputs [[{}, {}, "
            "{gpu:(1)2, gpu:(2)2}, {}] -> [{gpu:(2)2}, {gpu:(1)2}, {}, {}], "
            "[{}, {gpu:(1)2, gpu:(2)2}, {}] -> [{gpu:(2)2}, {}, {}], [{}, "
            "{gpu:(1)2, gpu:(2)2}, {}] -> [{gpu:(2)2}, {}, {}]] results "
            "[[{gpu:(2)2}, {gpu:(1)2}, {}, {}] -> [{}, {}, {gpu:(1)2, "
            "gpu:(2)2}, {}], [{gpu:(2)2}, {gpu:(1)2}, {}] -> [{}, {}, "
            "{gpu:(1)2, gpu:(2)2}], [{gpu:(2)2}, {gpu:(1)2}, {}] -> [{}, {}, "
            "{gpu:(1)2, gpu:(2)2}]]");
  // 8 KV heads and 16 ranks; and as many ranks as KV heads, with a ring around.
  EXPECT_EQ(make("ulysses", grouped(8, 2), "gpu=16").substr(0, 44),
            "loops [rank gpu:(2)8, rank gpu:(1)2, -, -] i");
  EXPECT_EQ(
      make("usp", grouped(8, 2), "node=2,gpu=8").substr(0, 66),
      "loops [rank gpu, -, rank node, time {node} shift {node}] inputs [[");
  // Heads that do not divide are padded.
  EXPECT_EQ(make("ulysses", onlineAttention(7), "gpu=4").substr(0, 23),
            "loops [rank gpu, -, -] ");
}

TEST(AttentionSchedules, Reasons) {
  EXPECT_EQ(make("ring", gemm(), "gpu=4"),
            "'linalg.matmul' is no attention in its online form");
  EXPECT_EQ(make("ulyses", onlineAttention(), "gpu=4"),
            "no schedule is called 'ulyses'; did you mean 'ulysses'?");
  OperatorModel noHeads = onlineAttention();
  noHeads.loops.erase(noHeads.loops.begin());
  noHeads.inputs = {{{0, -1}}, {{1, -1}}, {{1, -1}}};
  noHeads.results = {{{0, -1}}, {{0}}, {{0}}};
  EXPECT_EQ(make("ring", noHeads, "gpu=2").substr(0, 6), "loops ");
  for (const char *name : {"ulysses", "ulysses_staged"})
    EXPECT_EQ(
        make(name, noHeads, "gpu=2"),
        "'commir.online_attention' has no loop of heads to parallelize over "
        "{gpu}");
}
