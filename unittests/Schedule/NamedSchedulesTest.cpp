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
  std::vector<std::optional<Placement>> columns = {Placement{{{}, {{"gpu"}}}},
                                                   std::nullopt};
  EXPECT_OK(makeFollowingSchedule(s, op, t, columns, inits));
  EXPECT_EQ(print(s), "loops [-, -, rank gpu] inputs [[{}, {gpu}], [{gpu}, "
                      "{}]] results [[{}, {}]]");
  op.hasCollective = {false};
  EXPECT_OK(makeFollowingSchedule(s, op, t, columns, inits));
  EXPECT_EQ(print(s), "loops [-, -, -] inputs [[{}, {gpu}] -> [{}, {}], [{}, "
                      "{}]] results [[{}, {}]]");
}
