//===- TopologyModelTest.cpp - Levels, axes, ranks and placements ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/AxisSpelling.h"
#include "ScheduleTest.h"

#include <limits>

using namespace mercury;
using namespace mercury::test;

static std::string errorOf(std::string_view text) {
  std::string error;
  EXPECT_FALSE(parseTopology(text, error)) << text;
  return error;
}

TEST(Topology, Parse) {
  TopologyModel t = topology(" node = 2 ,\tgpu=4\n");
  ASSERT_EQ(t.levels.size(), 2u);
  EXPECT_EQ(t.levels[0].name, "node");
  EXPECT_EQ(t.levels[1].size, 4);
  EXPECT_EQ(t.numRanks(), 8);
}

TEST(Topology, ParseErrorsNameTheToken) {
  EXPECT_EQ(errorOf(""),
            "expected the name of a level, as in 'node=2,gpu=4', got the end");
  EXPECT_EQ(errorOf("gpu"),
            "expected '=' and the size of level 'gpu', got the end; machines "
            "are a100-40, a100-80, b200, h100-pcie, h100-sxm, h200, l4");
  EXPECT_EQ(errorOf("node=2,gpu"),
            "expected '=' and the size of level 'gpu', got the end");
  EXPECT_EQ(errorOf("gpu=x4"), "expected the size of level 'gpu', got 'x4'");
  EXPECT_EQ(errorOf("gpu=4;"), "expected ',' or the end, got ';'");
  EXPECT_EQ(errorOf("gpu=4,"),
            "expected the name of a level, as in 'node=2,gpu=4', got the end");
  EXPECT_EQ(errorOf("gpu=0"), "level 'gpu' has size 0, expected at least 1");
  EXPECT_EQ(errorOf("gpu=2,gpu=2"), "level 'gpu' is named twice");
  EXPECT_EQ(errorOf("a=1024,b=2048"),
            "level 'b' of size 2048 makes more than 1048576 ranks");
  EXPECT_EQ(errorOf("gpu=99999999999999999999"),
            "expected the size of level 'gpu', got '99999999999999999999'");
}

TEST(Topology, VerifyFigures) {
  TopologyModel t = topology("gpu=2");
  EXPECT_OK(t.verify());
  t.levels[0].bandwidth = std::numeric_limits<double>::infinity();
  EXPECT_EQ(t.verify().reason(),
            "level 'gpu' has bandwidth inf and latency 0.000000, expected "
            "finite figures that are not negative");
  t.levels[0].bandwidth = 0;
  t.device.memory = -1;
  EXPECT_EQ(t.verify().reason(),
            "device has memory -1 and reservable 0, expected figures that are "
            "not negative");
  t.device.memory = 10;
  t.device.reservable = 11;
  EXPECT_EQ(t.verify().reason(),
            "device has reservable 11, more than its memory 10");
  t.device.reservable = 0;
  t.device.memoryBandwidth = -2;
  EXPECT_EQ(t.verify().reason(),
            "device has memory bandwidth -2.000000, expected a finite figure "
            "that is not negative");
  t.device.memoryBandwidth = 0;
  t.device.peak["f32"] = -1;
  EXPECT_EQ(t.verify().reason(),
            "device has peak rate -1.000000 for 'f32', expected a finite "
            "figure that is not negative");
  EXPECT_EQ(TopologyModel().verify({"gpu"}).reason(),
            "axis 'gpu' is not in the topology, which has no level");
}

TEST(Topology, Axes) {
  TopologyModel t = topology("node=2,gpu=12");
  AxisRef outer{"gpu", 1, 3}, inner{"gpu", 3, 4};
  EXPECT_OK(t.verify(outer));
  EXPECT_OK(t.verify(inner));
  EXPECT_EQ(t.coordinate(12 + 7, outer), 1);
  EXPECT_EQ(t.coordinate(12 + 7, inner), 3);
  EXPECT_EQ(t.coordinate(12 + 7, AxisList{inner, {"node"}}), 3 * 2 + 1);
  EXPECT_EQ(t.verify({"cpu"}).reason(),
            "axis 'cpu' is not in the topology, which has 'node', 'gpu'");
  EXPECT_EQ(t.verify({"gpu", 1, 5}).reason(),
            "axis 'gpu:(1)5' is not a factor of its level, level 'gpu' has "
            "size 12");
  EXPECT_EQ(t.verify({"gpu", 1, 12}).reason(),
            "axis 'gpu:(1)12' is the whole level and is written 'gpu', level "
            "'gpu' has size 12");
  EXPECT_FALSE(t.verify({"gpu", 0, 2}));
  EXPECT_FALSE(t.verify({"gpu", 2, 0}));
  EXPECT_FALSE(t.verify({"gpu", -1, -12}));
  EXPECT_FALSE(t.verify({"gpu", int64_t(1) << 62, int64_t(1) << 62}));
}

TEST(Topology, Overlap) {
  TopologyModel t = topology("node=1,gpu=12");
  EXPECT_TRUE(t.overlap({"node"}, {"node"}));
  EXPECT_FALSE(t.overlap({"node"}, {"gpu"}));
  EXPECT_TRUE(t.overlap({"gpu"}, {"gpu", 1, 2}));
  EXPECT_FALSE(t.overlap({"gpu", 1, 3}, {"gpu", 3, 4}));
  EXPECT_FALSE(t.overlap({"gpu", 1, 3}, {"gpu", 6, 2}));
  EXPECT_TRUE(t.overlap({"gpu", 1, 4}, {"gpu", 2, 2}));
  // 0 <= rank < 12: rank / 6 and rank / 2 % 2 are not independent.
  EXPECT_TRUE(t.overlap({"gpu", 1, 2}, {"gpu", 3, 2}));
}

TEST(Topology, CoordinatesAndGroupsAgree) {
  TopologyModel t = topology("a=2,b=6,c=2");
  for (const AxisList &axes :
       std::vector<AxisList>{{{"b"}},
                             {{"c"}, {"a"}},
                             {{"b", 2, 3}, {"a"}},
                             {{"b", 1, 2}, {"b", 2, 3}}}) {
    for (int64_t rank = 0; rank < t.numRanks(); ++rank) {
      std::vector<int64_t> group = t.group(rank, axes);
      ASSERT_EQ(static_cast<int64_t>(group.size()), t.sizeOf(axes));
      EXPECT_EQ(group[t.coordinate(rank, axes)], rank);
      for (size_t i = 0; i < group.size(); ++i) {
        EXPECT_EQ(t.coordinate(group[i], axes), static_cast<int64_t>(i));
        EXPECT_EQ(t.withCoordinate(rank, axes, i), group[i]);
      }
    }
  }
}

TEST(Placement, BlocksAndShapes) {
  TopologyModel t = topology("node=2,gpu=4");
  Placement p = placement("[{gpu}, {}, {node}]");
  EXPECT_EQ(print(p), "[{gpu}, {}, {node}]");
  EXPECT_EQ(p.dimOf({"node"}), 2u);
  EXPECT_EQ(p.dimOf({"gpu", 1, 2}), std::nullopt);
  EXPECT_EQ(blockOf(p, 0, 6, t), 2);
  EXPECT_EQ(blockOf(p, 1, 6, t), 0);
  EXPECT_EQ(localShape({9, 5, 3}, p, t), (std::vector<int64_t>{3, 5, 2}));
  EXPECT_OK(verify(p, t, 3));
  EXPECT_EQ(verify(p, t, 2).reason(),
            "placement [{gpu}, {}, {node}] has 3 dimensions, the tensor has 2");
  EXPECT_EQ(verify(placement("[{gpu}, {gpu:(1)2}]"), t, 2).reason(),
            "placement [{gpu}, {gpu:(1)2}] uses an axis twice: 'gpu' and "
            "'gpu:(1)2'");
}

TEST(Placement, SpelledAlike) {
  TopologyModel t = topology("node=2,gpu=8");
  auto spell = [&](const char *one, const char *other) {
    Placement a = placement(one), b = placement(other);
    spellAlike({&a, &b}, t);
    return print(a) + " " + print(b);
  };
  EXPECT_EQ(spell("[{gpu}, {}]", "[{gpu:(1)2}, {gpu:(2)4}]"),
            "[{gpu:(1)2, gpu:(2)4}, {}] [{gpu:(1)2}, {gpu:(2)4}]");
  EXPECT_EQ(spell("[{node, gpu:(1)4}]", "[{gpu:(2)4}]"),
            "[{node, gpu:(1)2, gpu:(2)2}] [{gpu:(2)2, gpu:(4)2}]");
  // Nothing to cut; factors that are none of each other.
  EXPECT_EQ(spell("[{gpu}]", "[{node}]"), "[{gpu}] [{node}]");
  t = topology("gpu=6");
  EXPECT_EQ(spell("[{gpu:(1)2}]", "[{gpu:(1)3}]"), "[{gpu:(1)2}] [{gpu:(1)3}]");
}

TEST(Primitive, Names) {
  for (Primitive p :
       {Primitive::SendRecv, Primitive::AllGather, Primitive::ReduceScatter,
        Primitive::AllReduce, Primitive::AllToAll, Primitive::Broadcast})
    EXPECT_EQ(symbolizePrimitive(stringify(p)), p);
  EXPECT_EQ(symbolizePrimitive("gather"), std::nullopt);
}
