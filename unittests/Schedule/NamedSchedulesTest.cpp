//===- NamedSchedulesTest.cpp - Known designs as points of the space ------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScheduleTest.h"

using namespace mercury;
using namespace mercury::test;

static const char *topologies[] = {
    "gpu=1",        "gpu=2",        "gpu=3",        "gpu=4",
    "gpu=6",        "gpu=7",        "gpu=8",        "node=2,gpu=2",
    "node=2,gpu=3", "node=2,gpu=4", "node=4,gpu=2", "a=2,b=2,c=2",
    "a=1,b=2,c=4"};

static std::string make(std::string_view name, const OperatorModel &op,
                        std::string_view on) {
  Schedule s;
  Verdict v = makeNamedSchedule(name, s, op, topology(on));
  return v ? print(s) : v.reason();
}

TEST(NamedSchedules, AllAreLegalForEveryContractionAndTopology) {
  for (const char *on : topologies)
    for (const OperatorModel &op :
         {gemm(), transposedGemm(), batchGemm(), gemm(3, 2, 1)})
      for (const NamedSchedule &named : namedSchedules()) {
        if (!concerns(named, op))
          continue;
        Schedule s;
        TopologyModel t = topology(on);
        EXPECT_OK(makeNamedSchedule(named.name, s, op, t));
        EXPECT_OK(verify(s, op, t));
        EXPECT_EQ(schedule(print(s)), s);
        EXPECT_FALSE(named.summary.empty());
      }
}

TEST(NamedSchedules, Data) {
  EXPECT_EQ(make("all_gather_gemm", transposedGemm(), "gpu=4"),
            "loops [-, rank gpu, -] inputs [[{}, {gpu}] -> [{}, {}], [{gpu}, "
            "{}]] results [[{}, {gpu}]]");
  EXPECT_EQ(make("gemm_reduce_scatter_columns_shifted", gemm(), "gpu=4"),
            "loops [-, time {gpu} shift {gpu} offset 1, rank gpu] inputs [[{}, "
            "{gpu}], [{gpu}, {}]] results [[{}, {gpu}]]");
  EXPECT_EQ(make("gemm_all_reduce_shifted", gemm(), "node=2,gpu=2"),
            "loops [time {node} shift {node} offset 1 / time {gpu} shift {gpu} "
            "offset 1 order 1, -, rank {node, gpu}] inputs [[{}, {node, gpu}], "
            "[{node, gpu}, {}]] results [[{node, gpu}, {}] -> [{}, {}]]");
  EXPECT_EQ(make("gemm_2d", gemm(), "gpu=6"),
            "loops [rank gpu:(1)2, rank gpu:(2)3, -] inputs [[{gpu:(1)2}, "
            "{gpu:(2)3}] -> [{gpu:(1)2}, {}], [{gpu:(1)2}, {gpu:(2)3}] -> [{}, "
            "{gpu:(2)3}]] results [[{gpu:(1)2}, {gpu:(2)3}]]");
  EXPECT_EQ(make("gemm_2d_shifted", gemm(), "node=2,gpu=2"),
            "loops [rank node, rank gpu, time {node} shift {node} shift {gpu}] "
            "inputs [[{node}, {gpu}], [{node}, {gpu}]] results [[{node}, "
            "{gpu}]]");
  EXPECT_EQ(make("gemm_2d_shifted", gemm(), "node=2,gpu=3"),
            "loops [rank node, rank gpu / time {node} shift {node}, time {gpu} "
            "shift {gpu} order 1] inputs [[{node}, {gpu}], [{}, {gpu, node}]] "
            "results [[{node}, {gpu}]]");
  EXPECT_EQ(make("weight_gathered_shifted", batchGemm(), "gpu=4"),
            "loops [-, rank gpu, time {gpu} shift {gpu}, -] inputs [[{}, "
            "{gpu}, {}], [{}, {}, {gpu}]] results [[{}, {gpu}, {}]]");
}

TEST(NamedSchedules, Default) {
  // Batch, rows, columns, K: the first that all ranks divide well.
  EXPECT_EQ(make("default", batchGemm(8), "gpu=4"),
            "loops [rank gpu, -, -, -] inputs [[{gpu}, {}, {}], [{gpu}, {}, "
            "{}]] results [[{gpu}, {}, {}]]");
  EXPECT_EQ(make("default", batchGemm(1), "gpu=4"),
            "loops [-, rank gpu, -, -] inputs [[{}, {gpu}, {}], [{}, {}, {}]] "
            "results [[{}, {gpu}, {}]]");
  EXPECT_EQ(make("default", gemm(1, 24, 32), "gpu=4"),
            "loops [-, rank gpu, -] inputs [[{}, {}], [{}, {gpu}]] results "
            "[[{}, {gpu}]]");
  EXPECT_EQ(make("default", gemm(1, 1, 32), "gpu=4"),
            "loops [-, -, rank gpu] inputs [[{}, {gpu}], [{gpu}, {}]] results "
            "[[{}, {}]]");
  // Three of four ranks would work on five rows; six columns, no better.
  EXPECT_EQ(make("default", gemm(5, 6, 32), "gpu=4"),
            "loops [-, -, rank gpu] inputs [[{}, {gpu}], [{gpu}, {}]] results "
            "[[{}, {}]]");
  // A level to each loop.
  EXPECT_EQ(make("default", batchGemm(2, 2, 3, 5), "node=2,gpu=2"),
            "loops [rank node, rank gpu, -, -] inputs [[{node}, {gpu}, {}], "
            "[{node}, {}, {}]] results [[{node}, {gpu}, {}]]");
  EXPECT_EQ(make("default", biasAdd(16, 24), "gpu=4"),
            "loops [rank gpu, -] inputs [[{gpu}, {}], [{}]] results [[{gpu}, "
            "{}]]");
  EXPECT_EQ(make("default", biasAdd(1, 24), "gpu=4"),
            "loops [-, rank gpu] inputs [[{}, {gpu}], [{gpu}]] results [[{}, "
            "{gpu}]]");
  // Nothing to divide.
  EXPECT_EQ(make("default", biasAdd(1, 1), "gpu=4"),
            "loops [-, -] inputs [[{}, {}], [{}]] results [[{}, {}]]");
  // Fewer rows than ranks and nothing better.
  EXPECT_EQ(make("default", biasAdd(3, 1), "gpu=4"),
            "loops [rank gpu, -] inputs [[{gpu}, {}], [{}]] results [[{gpu}, "
            "{}]]");
}

TEST(NamedSchedules, Reasons) {
  EXPECT_EQ(make("gem_2d", gemm(), "gpu=2"),
            "no schedule is called 'gem_2d'; did you mean 'gemm_2d'?");
  EXPECT_EQ(make("", gemm(), "gpu=2")
                .rfind("no schedule is called ''; known are default, ", 0),
            0u);
  EXPECT_EQ(make("all_gather_gemm", biasAdd(), "gpu=2"),
            "'linalg.add' is no contraction of two inputs into one result");
  EXPECT_EQ(make("k_split", biasAdd(), "gpu=2"),
            "'linalg.add' has no reduction loop, which this schedule "
            "parallelizes");
  OperatorModel op = gemm(); // y(m) += A(m, k) * x(k)
  op.name = "linalg.matvec";
  op.loops = {{false, 8}, {true, 8}};
  op.inputs = {{{0, 1}}, {{1}}};
  op.results = {{{0}}};
  EXPECT_EQ(make("all_gather_gemm", op, "gpu=2"),
            "'linalg.matvec' has no column loop, which this schedule "
            "parallelizes");
  EXPECT_EQ(make("gemm_reduce_scatter", op, "gpu=2"),
            "loops [-, rank gpu] inputs [[{}, {gpu}], [{gpu}]] results "
            "[[{gpu}]]");
  op = gemm(); // y(n) += a(k) * B(k, n)
  op.name = "linalg.vecmat";
  op.loops = {{false, 8}, {true, 8}};
  op.inputs = {{{1}}, {{1, 0}}};
  op.results = {{{0}}};
  EXPECT_EQ(make("data_parallel", op, "gpu=2"),
            "'linalg.vecmat' has no batch and no row loop, which this schedule "
            "parallelizes");
}

// A reduction of which no collective makes one value stays on each rank.
TEST(NamedSchedules, DefaultWithoutACollective) {
  OperatorModel op = gemm(1, 1, 32);
  op.hasCollective = {false};
  EXPECT_EQ(make("default", op, "gpu=4"),
            "loops [-, -, -] inputs [[{}, {}], [{}, {}]] results [[{}, {}]]");
}

TEST(FollowingSchedule, TakesWhatItsProducersHave) {
  OperatorModel op = gemm();
  TopologyModel t = topology("gpu=4");
  Schedule s;
  std::vector<std::optional<Placement>> inits(1);
  EXPECT_EQ(makeFollowingSchedule(s, op, t, {{}, {}}, inits).reason(),
            "nothing that 'linalg.matmul' reads is sharded");
  std::vector<std::optional<Placement>> columns = {placement("[{}, {gpu}]"),
                                                   std::nullopt};
  EXPECT_OK(makeFollowingSchedule(s, op, t, columns, inits));
  EXPECT_EQ(print(s), "loops [-, -, rank gpu] inputs [[{}, {gpu}], [{gpu}, "
                      "{}]] results [[{}, {}]]");
  op.hasCollective = {false};
  EXPECT_OK(makeFollowingSchedule(s, op, t, columns, inits));
  EXPECT_EQ(print(s), "loops [-, -, -] inputs [[{}, {gpu}] -> [{}, {}], [{}, "
                      "{}]] results [[{}, {}]]");
}

/// As text, or the reason why there is none.
static std::string follow(const OperatorModel &op,
                          const std::vector<std::optional<Placement>> &inputs) {
  Schedule s;
  std::vector<std::optional<Placement>> inits(op.results.size());
  Verdict v = makeFollowingSchedule(s, op, topology("gpu=4"), inputs, inits);
  return v ? print(s) : v.reason();
}

TEST(FollowingSchedule, StaysInTheOrderOfItsInputs) {
  Placement rows = placement("[{gpu} zigzag 4, {}]");
  // Elementwise, beside something open; a projection of the tokens.
  EXPECT_EQ(follow(biasAdd(), {rows, std::nullopt}),
            "loops [rank gpu, -] tokens [zigzag 4, -] inputs [[{gpu} zigzag 4, "
            "{}], [{}]] results [[{gpu} zigzag 4, {}]]");
  EXPECT_EQ(follow(gemm(), {rows, std::nullopt}),
            "loops [rank gpu, -, -] tokens [zigzag 4, -, -] inputs [[{gpu} "
            "zigzag 4, {}], [{}, {}]] results [[{gpu} zigzag 4, {}]]");
  // What runs over the tokens follows, whether it was elsewhere or is open.
  OperatorModel rotary = biasAdd();
  rotary.inputs[1].loopOfDim = {0};
  EXPECT_EQ(follow(rotary, {rows, std::nullopt}),
            "loops [rank gpu, -] tokens [zigzag 4, -] inputs [[{gpu} zigzag 4, "
            "{}], [{gpu} zigzag 4]] results [[{gpu} zigzag 4, {}]]");
  EXPECT_EQ(follow(rotary, {rows, placement("[{gpu}]")}),
            "loops [rank gpu, -] tokens [zigzag 4, -] inputs [[{gpu} zigzag 4, "
            "{}], [{gpu}] -> [{gpu} zigzag 4]] results [[{gpu} zigzag 4, {}]]");
  EXPECT_EQ(follow(rotary, {placement("[{} zigzag 4, {gpu}]"), std::nullopt}),
            "loops [-, rank gpu] tokens [zigzag 4, -] inputs [[{} zigzag 4, "
            "{gpu}], [{}] -> [{} zigzag 4]] results [[{} zigzag 4, {gpu}]]");
}

TEST(FollowingSchedule, ReducesTokensInOneOrder) {
  OperatorModel op = gemm();
  op.hasCollective = {true};
  EXPECT_EQ(
      follow(op, {placement("[{}, {gpu} zigzag 4]"), placement("[{gpu}, {}]")}),
      "loops [-, -, rank gpu] tokens [-, -, zigzag 4] inputs [[{}, {gpu} "
      "zigzag 4], [{gpu}, {}] -> [{gpu} zigzag 4, {}]] results [[{}, "
      "{}]]");
}

// Its neighbours would not be found: the loops are natural.
TEST(FollowingSchedule, ExpressionsOfLoopsHaveNoOrder) {
  OperatorModel op = biasAdd();
  op.inputs[1].loopOfDim = {-2};
  EXPECT_EQ(follow(op, {placement("[{gpu} zigzag 4, {}]"), std::nullopt}),
            "loops [rank gpu, -] inputs [[{gpu} zigzag 4, {}] -> [{gpu}, {}], "
            "[{}]] results [[{gpu}, {}]]");
}

static OperatorModel causalAttention(int64_t heads = 4) {
  OperatorModel op = attention(heads, 32, 32);
  op.mask = LoopMask{1, 2, Mask{{{std::nullopt, 0, 0}}}};
  return op;
}

// Attention under a mask is balanced where its inputs are, too.
TEST(FollowingSchedule, BalancesMasks) {
  Placement tokens = placement("[{}, {gpu}, {}]");
  EXPECT_EQ(follow(causalAttention(), {tokens, tokens, tokens}),
            "loops [-, rank gpu, -] tokens [-, zigzag 4, -] inputs [[{}, "
            "{gpu}, {}] -> [{}, {gpu} zigzag 4, {}], [{}, {gpu}, {}] -> [{}, "
            "{}, {}], [{}, {gpu}, {}] -> [{}, {}, {}]] results [[{}, {gpu} "
            "zigzag 4, {}], [{}, {gpu} zigzag 4], [{}, {gpu} zigzag 4]]");
}

TEST(NamedSchedules, BalanceMasks) {
  OperatorModel op = causalAttention();
  EXPECT_EQ(make("ring", op, "gpu=4"),
            "loops [-, rank gpu, time {gpu} shift {gpu}] tokens [-, zigzag 4, "
            "zigzag 4] inputs [[{}, {gpu} zigzag 4, {}], [{}, {gpu} zigzag 4, "
            "{}], [{}, {gpu} zigzag 4, {}]] results [[{}, {gpu} zigzag 4, {}], "
            "[{}, {gpu} zigzag 4], [{}, {gpu} zigzag 4]]");
  EXPECT_EQ(make("ulysses", op, "gpu=4"),
            "loops [rank gpu, -, -] inputs [[{}, {gpu}, {}] -> [{gpu}, {}, "
            "{}], [{}, {gpu}, {}] -> [{gpu}, {}, {}], [{}, {gpu}, {}] -> "
            "[{gpu}, {}, {}]] results [[{gpu}, {}, {}] -> [{}, {gpu}, {}], "
            "[{gpu}, {}] -> [{}, {gpu}], [{gpu}, {}] -> [{}, {gpu}]]");
  // Heads are divided first, and are balanced as they are.
  EXPECT_EQ(make("default", op, "gpu=4").substr(0, 22),
            "loops [rank gpu, -, -]");
  EXPECT_EQ(make("default", causalAttention(1), "gpu=4").substr(0, 52),
            "loops [-, rank gpu, -] tokens [-, zigzag 4, -] input");
  op.mask->mask.terms[0].left = 7;
  EXPECT_EQ(
      make("ring", op, "gpu=4").substr(0, 65),
      "loops [-, rank gpu, time {gpu} shift {gpu} backwards] inputs [[{}");
}

TEST(NamedSchedules, OfMasksAreLegalOnEveryTopology) {
  for (const char *on : {"gpu=1", "gpu=2", "gpu=3", "gpu=4", "gpu=8",
                         "node=2,gpu=2", "node=2,gpu=4", "a=2,b=2,c=2"})
    for (int64_t tokens : {1, 5, 30, 64})
      for (MaskTerm term : {MaskTerm{{}, 0, 0}, MaskTerm{{}, 24, 0},
                            MaskTerm{4, 0, 0}, MaskTerm{{}, 0, 9}})
        for (OperatorModel op : {attention(4, tokens, tokens),
                                 groupedAttention(2, 2, tokens, tokens)}) {
          op.mask =
              LoopMask{op.loops.size() - 2, op.loops.size() - 1, Mask{{term}}};
          TopologyModel t = topology(on);
          for (const NamedSchedule &named : namedSchedules()) {
            if (!concerns(named, op))
              continue;
            Schedule s;
            SCOPED_TRACE(std::string(named.name) + " on " + on);
            EXPECT_OK(makeNamedSchedule(named.name, s, op, t));
            EXPECT_OK(verify(s, op, t));
            EXPECT_EQ(schedule(print(s)), s);
          }
        }
}
