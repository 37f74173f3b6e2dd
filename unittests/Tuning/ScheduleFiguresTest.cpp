//===- ScheduleFiguresTest.cpp - More about a schedule than its time ------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/ScheduleFigures.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "gtest/gtest.h"

using namespace mercury;

static TopologyModel machine(std::string_view text) {
  std::string error;
  std::optional<TopologyModel> parsed = parseTopology(text, error);
  EXPECT_TRUE(parsed) << error;
  return parsed.value_or(TopologyModel());
}

TEST(ScheduleFigures, SlowedDownLeavesAPartOfTheBandwidth) {
  TopologyModel topology = machine("h100-sxm:node=2,gpu=4,net=100Gbps-roce");
  for (size_t l = 0; l < 2; ++l) {
    TopologyModel slow = slowedDown(topology, l, 2),
                  twice = slowedDown(slow, l, 2);
    EXPECT_NEAR(LinkTimes(slow).bandwidth(l) * 2,
                LinkTimes(topology).bandwidth(l), 1);
    EXPECT_NEAR(LinkTimes(twice).bandwidth(l) * 4,
                LinkTimes(topology).bandwidth(l), 1);
    EXPECT_TRUE(slow.verify());
    EXPECT_EQ(slow.levels[1 - l], topology.levels[1 - l]);
  }
}

// What travels over nodes alone depends on nodes alone.
TEST(ScheduleFigures, SensitivityIsThatOfTheLevelsUsed) {
  TopologyModel topology = machine("h100-sxm:node=2,gpu=4,net=100Gbps-roce");
  CostProblem problem = gemmProblem(4096, 4096, 4096, "bf16", 2);
  Sensitivity sensitivity(problem, topology);
  Schedule s = Schedule::replicated(problem.op);
  Factor rows;
  rows.axes = {{"node"}};
  s.loops[0].push_back(rows);
  std::vector<double> alone = sensitivity.of(s);
  EXPECT_EQ(alone, (std::vector<double>{1, 1}));
  // B is gathered over nodes.
  s.inputs[0].entry.dims[0] = s.inputs[0].nest.dims[0] = {{"node"}};
  s.inputs[1].entry.dims[0] = {{"node"}};
  s.results[0].nest.dims[0] = s.results[0].exit.dims[0] = {{"node"}};
  ASSERT_TRUE(verify(s, problem.op, topology));
  std::vector<double> gathered = sensitivity.of(s);
  EXPECT_GT(gathered[0], 1.2);
  EXPECT_LE(gathered[0], 2);
  EXPECT_EQ(gathered[1], 1);
}

TEST(ScheduleFigures, SlowestLevelByRank) {
  EXPECT_EQ(slowestLevel(
                LinkTimes(machine("h100-sxm:node=2,gpu=4,net=100Gbps-roce"))),
            0u);
  EXPECT_EQ(slowestLevel(LinkTimes(machine("h100-sxm:gpu=4"))), 0u);
  EXPECT_EQ(slowestLevel(LinkTimes(machine("gpu=1"))), std::nullopt);
  // A port that eight share is slower than one that nobody does.
  TopologyModel shared = machine("node=2,gpu=8");
  shared.levels[0].bandwidth = 40e9;
  shared.levels[0].sharedBy = 8;
  shared.levels[1].bandwidth = 10e9;
  EXPECT_EQ(slowestLevel(LinkTimes(shared)), 0u);
  shared.levels[0].sharedBy = 1;
  EXPECT_EQ(slowestLevel(LinkTimes(shared)), 1u);
}

TEST(ScheduleFigures, EnergyIsThatOfAllRanks) {
  TopologyModel topology = machine("h100-sxm:node=2,gpu=4");
  EXPECT_DOUBLE_EQ(energyOf(0.5, topology), 0.5 * 8 * topology.device.power);
  EXPECT_GT(topology.device.power, 0);
  EXPECT_EQ(energyOf(0.5, machine("gpu=4")), 0);
}
