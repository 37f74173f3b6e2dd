//===- LinkTimesTest.cpp - Seconds of communication -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/LinkTimes.h"

#include <gtest/gtest.h>

using namespace mercury;

/// Levels without latency, at 1 GB/s inside and 0.1 GB/s outside.
static TopologyModel machine(std::string_view text) {
  std::string error;
  TopologyModel topology = *parseTopology(text, error);
  for (size_t l = 0; l < topology.levels.size(); ++l)
    topology.levels[l].bandwidth = l + 1 == topology.levels.size() ? 1e9 : 1e8;
  return topology;
}

static LinkTime collective(const TopologyModel &topology, Primitive primitive,
                           const AxisList &axes, double bytes) {
  LinkTimes times(topology);
  return times.collective(primitive, times.shapeOf(axes), bytes);
}

TEST(LinkTimes, CollectivesOfOneLevelSendTheirShare) {
  TopologyModel topology = machine("gpu=4");
  auto seconds = [&](Primitive primitive) {
    return collective(topology, primitive, {{"gpu"}}, 1e9).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(Primitive::AllReduce), 1.5);
  EXPECT_DOUBLE_EQ(seconds(Primitive::AllGather), 0.75);
  EXPECT_DOUBLE_EQ(seconds(Primitive::ReduceScatter), 0.75);
  EXPECT_DOUBLE_EQ(seconds(Primitive::AllToAll), 0.75);
  EXPECT_DOUBLE_EQ(seconds(Primitive::Broadcast), 1);
  EXPECT_DOUBLE_EQ(seconds(Primitive::SendRecv), 1);
}

TEST(LinkTimes, OneRankAndNoBytesTakeNoTime) {
  TopologyModel topology = machine("gpu=1");
  EXPECT_EQ(collective(topology, Primitive::AllReduce, {{"gpu"}}, 1e9).seconds,
            0);
  topology = machine("gpu=4");
  EXPECT_EQ(collective(topology, Primitive::AllReduce, {{"gpu"}}, 0).seconds,
            0);
  EXPECT_EQ(collective(topology, Primitive::AllReduce, {}, 1e9).algorithm,
            Algorithm::Nothing);
}

TEST(LinkTimes, SmallReductionsTakeTheTree) {
  TopologyModel topology = machine("gpu=8");
  topology.levels[0].latency = 1e-6;
  LinkTime small = collective(topology, Primitive::AllReduce, {{"gpu"}}, 8);
  EXPECT_EQ(small.algorithm, Algorithm::Hierarchy);
  EXPECT_DOUBLE_EQ(small.fixed, 6e-6);
  LinkTime large = collective(topology, Primitive::AllReduce, {{"gpu"}}, 1e9);
  EXPECT_EQ(large.algorithm, Algorithm::Ring);
  EXPECT_DOUBLE_EQ(large.fixed, 14e-6);
}

TEST(LinkTimes, ACurveIsWhatTheLevelTakes) {
  TopologyModel topology = machine("gpu=8");
  topology.levels[0].launch = 5e-6;
  topology.levels[0].curves[Primitive::AllReduce] = {
      {{1e6, 1e10}, {1e9, 2e11}}};
  for (double bytes : {1e6, 3e7, 1e9})
    EXPECT_NEAR(
        collective(topology, Primitive::AllReduce, {{"gpu"}}, bytes).seconds,
        1.75 * bytes /
            topology.levels[0].curves[Primitive::AllReduce].at(bytes),
        1e-9);
  // Below the first point the launch is what is left.
  EXPECT_GE(collective(topology, Primitive::AllReduce, {{"gpu"}}, 1).seconds,
            5e-6);
}

TEST(LinkTimes, SharedPortsDivideTheirBandwidth) {
  TopologyModel topology = machine("node=2,gpu=4");
  LinkTime apart = collective(topology, Primitive::AllGather, {{"node"}}, 1e9);
  EXPECT_DOUBLE_EQ(apart.seconds, 5);
  // Four groups at once, one port of each node.
  topology.levels[0].sharedBy = 4;
  LinkTime shared = collective(topology, Primitive::AllGather, {{"node"}}, 1e9);
  EXPECT_DOUBLE_EQ(shared.seconds, 20);
  ASSERT_EQ(shared.loads.size(), 1u);
  EXPECT_DOUBLE_EQ(shared.loads[0].bytes, 2e9);
  // One group with four ranks of each node.
  LinkTime all =
      collective(topology, Primitive::AllGather, {{"node"}, {"gpu"}}, 1e9);
  EXPECT_DOUBLE_EQ(all.seconds, 5);
  // A domain has a name; `sharedBy` says who shares its ports.
  topology.levels[0].sharedBy = 1;
  topology.levels[0].domain = "400Gbps-ib-x4";
  EXPECT_DOUBLE_EQ(
      collective(topology, Primitive::AllGather, {{"node"}}, 1e9).seconds, 5);
}

TEST(LinkTimes, LevelsReduceInsideFirst) {
  TopologyModel topology = machine("node=2,gpu=4");
  LinkTime time =
      collective(topology, Primitive::AllReduce, {{"node"}, {"gpu"}}, 1e9);
  EXPECT_EQ(time.algorithm, Algorithm::Hierarchy);
  // 2 * 1/2 * 1e9 / 4 through each rank's port of the node's.
  ASSERT_EQ(time.loads.size(), 2u);
  EXPECT_DOUBLE_EQ(time.loads[0].seconds, 2.5);
  EXPECT_DOUBLE_EQ(time.loads[1].seconds, 1.5);
  EXPECT_DOUBLE_EQ(time.seconds, 2.5);
}

TEST(LinkTimes, AllToAllCrossesLevelsByItsPartners) {
  TopologyModel topology = machine("node=2,gpu=4");
  LinkTime time =
      collective(topology, Primitive::AllToAll, {{"node"}, {"gpu"}}, 8e8);
  ASSERT_EQ(time.loads.size(), 2u);
  EXPECT_DOUBLE_EQ(time.loads[0].bytes, 4e8);
  EXPECT_DOUBLE_EQ(time.loads[1].bytes, 3e8);
  EXPECT_DOUBLE_EQ(time.seconds, 4);
}

TEST(LinkTimes, TheSwitchAddsWhereEnoughRanksTakePart) {
  TopologyModel topology = machine("gpu=8");
  topology.levels[0].bandwidth = 365e9;
  topology.levels[0].inSwitchReduction = true;
  topology.levels[0].curves[Primitive::AllReduce] = {{{8e9, 480e9}}};
  LinkTime all = collective(topology, Primitive::AllReduce, {{"gpu"}}, 8e9);
  EXPECT_EQ(all.algorithm, Algorithm::InSwitch);
  EXPECT_NEAR(all.seconds, 1.75 * 8e9 / 480e9, 1e-12);
  LinkTime half =
      collective(topology, Primitive::AllReduce, {{"gpu", 1, 4}}, 8e9);
  EXPECT_EQ(half.algorithm, Algorithm::Ring);
  EXPECT_NEAR(half.seconds, 1.5 * 8e9 / 365e9, 1e-12);
}

TEST(LinkTimes, OthersTakeTheirPart) {
  TopologyModel topology = machine("gpu=4");
  topology.levels[0].contention = 0.5;
  EXPECT_DOUBLE_EQ(
      collective(topology, Primitive::AllGather, {{"gpu"}}, 1e9).seconds, 1.5);
  topology.levels[0].curves[Primitive::AllGather] = {{{1e9, 1e9}}};
  EXPECT_DOUBLE_EQ(
      collective(topology, Primitive::AllGather, {{"gpu"}}, 1e9).seconds, 1.5);
}

TEST(LinkTimes, HopsLoadThePortThatCarriesMost) {
  TopologyModel topology = machine("node=2,gpu=4");
  topology.levels[0].sharedBy = 4;
  LinkTimes times(topology);
  // A flat ring leaves each node once.
  LinkTimes::Hop flat = times.hopOf({{"node"}, {"gpu"}}, 1);
  EXPECT_EQ(flat.messages, (std::vector<double>{1, 1}));
  EXPECT_DOUBLE_EQ(times.hop(flat, 1e8).seconds, 1);
  // Between nodes all four leave.
  LinkTimes::Hop outer = times.hopOf({{"node"}}, 1);
  EXPECT_EQ(outer.messages, (std::vector<double>{4, 0}));
  EXPECT_DOUBLE_EQ(times.hop(outer, 1e8).seconds, 4);
  // A stride of two leaves each node twice.
  EXPECT_EQ(times.hopOf({{"node"}, {"gpu"}}, 2).messages,
            (std::vector<double>{2, 1}));
}

TEST(LinkTimes, OffsetsAlongSeveralAxesAreOneMessage) {
  TopologyModel topology = machine("node=2,gpu=4");
  topology.levels[0].sharedBy = 4;
  LinkTimes times(topology);
  auto messages = [&](std::vector<LinkTimes::Offset> offsets) {
    return times.hopOf(offsets).messages;
  };
  // All go to the other node, none stays in its own.
  EXPECT_EQ(messages({{{{"node"}}, 1}, {{{"gpu"}}, 3}}),
            (std::vector<double>{4, 0}));
  EXPECT_EQ(messages({{{{"node"}}, 2}, {{{"gpu"}}, 3}}),
            (std::vector<double>{0, 1}));
  EXPECT_EQ(messages({{{{"node"}, {"gpu"}}, 3}}),
            times.hopOf({{"node"}, {"gpu"}}, 3).messages);
  EXPECT_EQ(messages({}), (std::vector<double>{0, 0}));
}

TEST(LinkTimes, BothDirectionsOfAHalfDuplexLinkAddUp) {
  TopologyModel topology = machine("gpu=4");
  topology.levels[0].fullDuplex = false;
  LinkTimes times(topology);
  EXPECT_DOUBLE_EQ(times.hop(times.hopOf({{"gpu"}}, 1), 1e9).seconds, 2);
}

TEST(LinkTimes, MessagesTakeTheOutermostLevel) {
  TopologyModel topology = machine("node=2,gpu=4");
  topology.levels[0].sharedBy = 2;
  LinkTimes times(topology);
  EXPECT_FALSE(times.linkBetween(3, 3));
  EXPECT_EQ(times.linkBetween(1, 3)->level, 1u);
  std::optional<LinkTimes::Link> link = times.linkBetween(1, 6);
  EXPECT_EQ(link->level, 0u);
  EXPECT_EQ(link->fromPort, 0);
  EXPECT_EQ(link->toPort, 3);
  EXPECT_DOUBLE_EQ(times.message(0, 1e8).seconds, 1);
}

TEST(LinkTimes, ShapesOfAxesAndOfRanksAgree) {
  LinkTimes times(machine("node=2,gpu=4"));
  EXPECT_EQ(times.shapeOf({{"gpu", 1, 2}}), times.shapeOf({0, 2}));
  EXPECT_EQ(times.shapeOf({{"node"}, {"gpu"}}),
            times.shapeOf({0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(LinkTimes, WithoutFiguresADefaultIsAssumed) {
  std::string error;
  TopologyModel topology = *parseTopology("gpu=4", error);
  LinkTime time = collective(topology, Primitive::AllGather, {{"gpu"}}, 1e9);
  EXPECT_TRUE(time.assumed);
  EXPECT_GT(time.seconds, 0.75 * 1e9 / 12e9);
  EXPECT_FALSE(
      collective(machine("gpu=4"), Primitive::AllGather, {{"gpu"}}, 1e9)
          .assumed);
}
