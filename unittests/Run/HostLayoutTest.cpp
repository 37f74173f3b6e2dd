//===- HostLayoutTest.cpp - Levels as the host library sees them ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankRunner.h"
#include "gtest/gtest.h"

using namespace mercury;
using namespace mercury::run;

namespace {

TopologyModel topologyOf(const char *text) {
  std::string error;
  auto topology = parseTopology(text, error);
  EXPECT_TRUE(topology) << error;
  return *topology;
}

AxisList axesOf(const char *text) {
  AxisList axes;
  std::string error;
  TextCursor cursor(text);
  EXPECT_TRUE(parse(cursor, axes, error)) << error;
  return axes;
}

std::string namesOf(const HostLayout &layout) {
  std::string text;
  for (const mercury_host_level &level : layout.levels)
    text += std::string(level.name) + "=" + std::to_string(level.size) + " ";
  return text;
}

TEST(HostLayout, WholeLevelsStay) {
  auto layout = layoutRanks(topologyOf("node=2,gpu=4"),
                            {axesOf("{gpu}"), axesOf("{gpu, node}")});
  ASSERT_TRUE(static_cast<bool>(layout));
  EXPECT_EQ(namesOf(*layout), "node=2 gpu=4 ");
  EXPECT_EQ(layout->communicators[0], (std::vector<int32_t>{1}));
  EXPECT_EQ(layout->communicators[1], (std::vector<int32_t>{1, 0}));
}

TEST(HostLayout, SubAxesSplitLevels) {
  auto layout = layoutRanks(topologyOf("node=2,gpu=8"),
                            {axesOf("{gpu:(2)2}"), axesOf("{gpu:(1)2, node}"),
                             axesOf("{gpu}"), axesOf("{gpu:(2)4}")});
  ASSERT_TRUE(static_cast<bool>(layout));
  EXPECT_EQ(namesOf(*layout), "node=2 gpu:(1)2=2 gpu:(2)2=2 gpu:(4)2=2 ");
  EXPECT_EQ(layout->communicators[0], (std::vector<int32_t>{2}));
  EXPECT_EQ(layout->communicators[1], (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(layout->communicators[2], (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(layout->communicators[3], (std::vector<int32_t>{2, 3}));
}

TEST(HostLayout, LevelsOfSize1) {
  auto layout = layoutRanks(topologyOf("node=1,gpu=2"),
                            {axesOf("{node}"), axesOf("{node, gpu}")});
  ASSERT_TRUE(static_cast<bool>(layout));
  EXPECT_EQ(namesOf(*layout), "node=1 gpu=2 ");
  EXPECT_EQ(layout->communicators[0], (std::vector<int32_t>{0}));
  EXPECT_EQ(layout->communicators[1], (std::vector<int32_t>{0, 1}));
}

TEST(HostLayout, FactorsThatDoNotFit) {
  auto layout = layoutRanks(topologyOf("gpu=6"),
                            {axesOf("{gpu:(1)2}"), axesOf("{gpu:(1)3}")});
  ASSERT_FALSE(static_cast<bool>(layout));
  EXPECT_EQ(llvm::toString(layout.takeError()),
            "communicators factor level 'gpu' of size 6 after 2 and after 3, "
            "which do not divide each other");
}

} // namespace
