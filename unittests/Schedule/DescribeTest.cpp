//===- DescribeTest.cpp - Schedules in words ------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Describe.h"
#include "ScheduleTest.h"

using namespace mercury;
using namespace mercury::test;

static std::string wordsOf(std::string_view name, const OperatorModel &op,
                           const char *machine) {
  std::string error;
  TopologyModel topology = *parseTopology(machine, error);
  Schedule schedule;
  Verdict verdict = makeNamedSchedule(name, schedule, op, topology);
  return verdict ? describe(schedule, op, topology) : verdict.reason();
}

TEST(Describe, NamedSchedulesOfAttention) {
  OperatorModel op = attention(8, 64, 64);
  EXPECT_EQ(wordsOf("ring", op, "gpu=4"),
            "queries over gpu, K/V ring over gpu");
  EXPECT_EQ(wordsOf("ring_bidirectional", op, "gpu=4"),
            "queries over gpu, K/V ring both ways over gpu");
  EXPECT_EQ(wordsOf("double_ring", op, "node=2,gpu=4"),
            "queries over node and gpu, K/V nested rings over node and gpu");
  EXPECT_EQ(wordsOf("usp", op, "node=2,gpu=4"),
            "heads over gpu, queries over node, Q/K/V/result all-to-all over "
            "gpu, K/V ring over node");
  EXPECT_EQ(wordsOf("ring_of_queries", op, "gpu=4"),
            "keys over gpu, Q ring over gpu, partial sums moving over gpu");
  EXPECT_EQ(wordsOf("replicated", op, "node=2,gpu=4"),
            "repeated over node and gpu");
  EXPECT_EQ(wordsOf("replicated", op, "gpu=1"), "on one rank");
}

TEST(Describe, NamedSchedulesOfContractions) {
  OperatorModel op = gemm(64, 64, 64);
  EXPECT_EQ(wordsOf("all_gather_gemm", op, "gpu=4"),
            "columns over gpu, A gathered over gpu");
  EXPECT_EQ(wordsOf("gemm_reduce_scatter_shifted", op, "gpu=4"),
            "reduction over gpu, partial sums moving over gpu");
  EXPECT_EQ(wordsOf("gemm_2d", op, "gpu=4"),
            "rows over gpu:(1)2, columns over gpu:(2)2, A gathered over "
            "gpu:(2)2, B gathered over gpu:(1)2");
}

TEST(Describe, WhatIsChosenBeside) {
  OperatorModel op = attention(8, 64, 64);
  op.mask = LoopMask();
  op.mask->mask.terms = {{std::nullopt, 0}};
  op.mask->query = 1;
  op.mask->key = 2;
  EXPECT_EQ(wordsOf("ring", op, "gpu=4"),
            "queries over gpu, K/V ring over gpu, zigzag");
  std::string error;
  TopologyModel topology = *parseTopology("gpu=4", error);
  Schedule schedule =
      *parseSchedule("loops [rank gpu:(1)2, -, -] inputs [[{gpu:"
                     "(1)2}, {}], [{}, {}]] results [[{gpu:(1)2"
                     "}, {}]] chunks 2 patch blas",
                     error);
  EXPECT_EQ(describe(schedule, gemm(), topology),
            "rows over gpu:(1)2, repeated over part of gpu, 2 chunks a step, "
            "kernel blas");
  schedule.patch.clear();
  schedule.tile = {48, 0, 192};
  EXPECT_EQ(describe(schedule, gemm(), topology),
            "rows over gpu:(1)2, repeated over part of gpu, 2 chunks a step, "
            "blocks of 48 rows x 192 reduction");
}

TEST(Describe, OrderOfTimeLoops) {
  std::string error;
  TopologyModel topology = *parseTopology("node=2,gpu=2", error);
  auto wordsOfSteps = [&](const std::string &rows, const std::string &k) {
    std::optional<Schedule> schedule = parseSchedule(
        "loops [time {node} shift {node}" + rows +
            ", -, time {gpu} shift {gpu}" + k +
            "] inputs [[{node}, {gpu}] fetch {node, gpu}, [{gpu}, {}] fetch "
            "{gpu}] results [[{}, {}]]",
        error);
    EXPECT_TRUE(schedule) << error;
    return schedule ? describe(*schedule, gemm(), topology) : "";
  };
  std::string written = wordsOfSteps("", " order 1");
  EXPECT_EQ(wordsOfSteps("", ""), written);
  EXPECT_EQ(written.find("steps"), std::string::npos) << written;
  EXPECT_NE(wordsOfSteps(" order 1", "")
                .find(", steps of reduction over gpu outside rows over node"),
            std::string::npos)
      << wordsOfSteps(" order 1", "");
}

TEST(Describe, NamesFollowFromAccess) {
  EXPECT_EQ(
      namesOf(batchGemm()).loops,
      (std::vector<std::string>{"batch", "rows", "columns", "reduction"}));
  EXPECT_EQ(namesOf(transposedGemm()).inputs,
            (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(
      namesOf(groupedAttention()).loops,
      (std::vector<std::string>{"heads", "head group", "queries", "keys"}));
  EXPECT_EQ(namesOf(biasAdd()).loops,
            (std::vector<std::string>{"loop 0", "loop 1"}));
}
