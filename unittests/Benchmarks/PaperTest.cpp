//===- PaperTest.cpp - The published experiments, on the model ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ContextParallel.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "paper/Experiments.h"
#include "paper/Tables.h"
#include "gtest/gtest.h"

#include <set>
#include <sstream>

using namespace mercury;
using namespace mercury::paper;

static std::string printed(const Experiment &experiment, int64_t maxRanks) {
  Settings settings;
  settings.maxRanks = maxRanks;
  std::string text, error;
  llvm::raw_string_ostream os(text);
  EXPECT_TRUE(print(os, experiment, settings, error)) << error;
  EXPECT_EQ(error, "");
  return text;
}

static bool holds(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Paper, EachExperimentSaysThatItIsPredictedAndWhatWasPublished) {
  std::string names;
  for (const Experiment *experiment : experiments()) {
    names += experiment->name;
    std::string text = printed(*experiment, fewestRanks);
    EXPECT_TRUE(holds(text, "predicted by the model")) << text;
    EXPECT_TRUE(holds(text, "published (measured): ")) << text;
    // The other machines are larger.
    if (experiment->name == "a" || experiment->name == "b") {
      EXPECT_TRUE(holds(text, "Beside the published: ")) << text;
      EXPECT_TRUE(holds(text, "Why: ")) << text;
    }
  }
  EXPECT_EQ(names, "abcd");
}

TEST(Paper, TopologiesOfFourRanks) {
  std::string text = printed(topologiesExperiment, 4), line;
  int rows = 0;
  std::istringstream lines(text);
  while (std::getline(lines, line)) {
    if (line.rfind("  1x4, ", 0) != 0 && line.rfind("  4x1, ", 0) != 0)
      continue;
    size_t gain = line.rfind(' ');
    ASSERT_EQ(line.back(), 'x') << line;
    ++rows;
    EXPECT_GE(std::stod(line.substr(gain)), 1) << line;
  }
  EXPECT_EQ(rows, 4) << text;
  EXPECT_TRUE(holds(text, "Beside the published: mean ")) << text;
  EXPECT_FALSE(holds(text, "2x4")) << text;
}

TEST(Paper, NoDesignThatFitsIsFasterThanTheBest) {
  Cluster at = cluster("l4", "50Gbps-roce", 2, 2);
  for (const auto &[workload, families] :
       {std::pair(attention({2, 8, 1, 8192, 8192, 128, 128}, at.topology),
                  attentionFamilies),
        std::pair(attention({1, 2, 4, 8192, 8192, 128, 128}, at.topology),
                  attentionFamilies),
        std::pair(allGatherGemm(8192, 4096, 2048, at.topology), gemmFamilies),
        std::pair(gemmReduceScatter(8192, 2048, 4096, at.topology),
                  gemmFamilies)}) {
    std::string error;
    Comparison c = compare(workload, at.topology, {}, error);
    EXPECT_EQ(error, "");
    ASSERT_TRUE(c.best());
    EXPECT_TRUE(c.found.isProven);
    std::set<std::string> seen;
    for (const Contender &one : c.contenders) {
      seen.insert(one.design->family);
      EXPECT_TRUE(verify(one.design->schedule, workload.cost.op, at.topology));
      if (one.fits)
        EXPECT_LE(c.best()->seconds, one.seconds * (1 + 1e-9))
            << one.design->name;
    }
    EXPECT_EQ(seen, std::set(families.begin(), families.end()));
  }
}

// Nor where the budget ends the search before it has found much.
TEST(Paper, NoDesignIsFasterThanTheBestOfASearchThatEnded) {
  Cluster at = cluster("l4", "50Gbps-roce", 2, 4);
  Workload w = attention({1, 8, 8, 32768, 32768, 128, 128}, at.topology);
  CompareOptions options;
  options.budget = 1e-6;
  std::string error;
  Comparison c = compare(w, at.topology, options, error);
  EXPECT_EQ(error, "");
  EXPECT_FALSE(c.found.isProven);
  ASSERT_TRUE(c.best());
  EXPECT_GE(c.gain(c.fastest()), 1 - 1e-9);
}

TEST(Paper, DesignsThatLiveElsewhereAreRefused) {
  Cluster at = cluster("l4", "50Gbps-roce", 1, 4);
  Workload w = allGatherGemm(8192, 4096, 2048, at.topology);
  Schedule rows;
  ASSERT_TRUE(makeNamedSchedule("data_parallel", rows, w.cost.op, at.topology));
  w.designs.push_back({"shifted", "data parallel", rows});
  std::string error;
  compare(w, at.topology, {}, error);
  EXPECT_TRUE(holds(error, "data parallel")) << error;
}

TEST(Paper, WhatDoesNotFitIsOutOfMemory) {
  Cluster at = cluster("l4", "50Gbps-roce", 1, 4);
  std::string error;
  Workload w = attention({16, 32, 1, 2 << 20, 2 << 20, 128, 128}, at.topology);
  Comparison c = compare(w, at.topology, {}, error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(c.best(), nullptr);
  ASSERT_TRUE(c.found.smallest);
  EXPECT_EQ(timeOf(c, "ring").substr(0, 4), "OOM ");
  EXPECT_EQ(timeOf(c, "double ring"), "-");
  std::string row;
  llvm::raw_string_ostream os(row);
  printRow(os, "2M", attentionFamilies, c);
  EXPECT_FALSE(holds(row, "x")) << row;
}

// A ring over parts of both levels, heads over the rest.
TEST(ContextParallel, TakesAnyAxes) {
  Cluster at = cluster("h100-sxm", "100Gbps-roce", 2, 4);
  Workload w = attention({1, 2, 4, 8192, 8192, 128, 128}, at.topology);
  Schedule s;
  Verdict v = bench::contextParallel(s, w.cost.op, at.topology, {{"gpu", 2, 2}},
                                     {{"node"}, {"gpu", 1, 2}});
  ASSERT_TRUE(v) << v.reason();
  // Two KV heads take the inner one of the axes, their groups the outer one.
  EXPECT_EQ(print(s.inputs[0].entry.dims[3]), "{gpu:(2)2, node, gpu:(1)2}");
  EXPECT_EQ(print(s.loops[1].front().axes), "{gpu:(1)2}");
  EXPECT_EQ(print(s.loops[2].front().axes), "{node}");
}
