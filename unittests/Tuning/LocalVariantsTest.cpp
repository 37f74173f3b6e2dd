//===- LocalVariantsTest.cpp - Ways to compute a rank's tile --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/LocalVariants.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "gtest/gtest.h"

#include <set>

using namespace mercury;

using Tiles = std::vector<std::vector<int64_t>>;

static const TopologyModel two = [] {
  std::string error;
  return *parseTopology("gpu=2", error);
}();

static Schedule named(std::string_view name, const CostProblem &problem) {
  Schedule schedule;
  Verdict verdict = makeNamedSchedule(name, schedule, problem.op, two);
  EXPECT_TRUE(verdict) << verdict.reason();
  return schedule;
}

/// The blocks of all variants, each of which is the schedule but for them, and
/// legal.
static Tiles tilesOf(std::string_view name, const CostProblem &problem,
                     size_t most = 100, CacheSizes caches = {}) {
  Schedule schedule = named(name, problem);
  Tiles tiles;
  for (Schedule variant : localVariants(schedule, problem, two, caches, most)) {
    Verdict verdict = verify(variant, problem.op, two);
    EXPECT_TRUE(verdict) << verdict.reason();
    tiles.push_back(variant.tile);
    variant.tile.clear();
    EXPECT_EQ(variant, schedule);
  }
  EXPECT_EQ(std::set(tiles.begin(), tiles.end()).size(), tiles.size());
  return tiles;
}

static CostProblem attention(int64_t length) {
  AttentionShape shape;
  shape.kvHeads = 8;
  shape.queries = shape.keys = length;
  shape.headDim = shape.valueDim = 64;
  return attentionProblem(shape, std::nullopt, "f32", 4);
}

// Rows 96, columns 1024 and 384 of the reduction are the generator's; more of
// them than what these take of 48 KiB and 2 MiB is not tried.
TEST(LocalVariants, OfAContraction) {
  CostProblem problem = gemmProblem(4096, 4096, 4096, "f32", 4);
  Tiles tiles = tilesOf("data_parallel", problem);
  ASSERT_GE(tiles.size(), 8u);
  // Nearest first. Twice the reduction's block, and twice the columns', take
  // more of a cache than there is.
  EXPECT_EQ(Tiles(tiles.begin(), tiles.begin() + 4),
            (Tiles{{48, 0, 0}, {0, 512, 0}, {0, 0, 192}, {192, 0, 0}}));
  for (const std::vector<int64_t> &tile : tiles) {
    int64_t rows = tile[0] ? tile[0] : 96, columns = tile[1] ? tile[1] : 1024,
            depth = tile[2] ? tile[2] : 384;
    EXPECT_LE(depth * 32 * 4, 48 << 10);
    EXPECT_LE((rows + columns) * depth * 4, 2 << 20);
  }
  EXPECT_EQ(tilesOf("data_parallel", problem, 3),
            Tiles(tiles.begin(), tiles.begin() + 3));
  // Half the reduction's block leaves room for twice the columns.
  EXPECT_TRUE(std::find(tiles.begin(), tiles.end(),
                        std::vector<int64_t>{0, 2048, 192}) != tiles.end());
  // Larger caches take larger blocks.
  Tiles large = tilesOf("data_parallel", problem, 100, {128 << 10, 8 << 20});
  EXPECT_TRUE(std::find(large.begin(), large.end(),
                        std::vector<int64_t>{0, 0, 704}) != large.end());
  EXPECT_GT(large.size(), tiles.size());
}

// A rank has 32 rows, 64 columns and 4096 of the reduction: blocks of rows and
// columns are no larger.
TEST(LocalVariants, OfFewRows) {
  CostProblem problem = gemmProblem(64, 64, 4096, "f32", 4);
  for (const std::vector<int64_t> &tile : tilesOf("data_parallel", problem)) {
    EXPECT_LE(tile[0], 24); // 32 in parts of whole register blocks
    EXPECT_LE(tile[1], 32);
  }
  EXPECT_TRUE(tilesOf("data_parallel", gemmProblem(2, 8, 8, "f32", 4)).empty());
}

// A transposed result: rows and columns change places.
TEST(LocalVariants, FollowTheResultsLastDimension) {
  CostProblem problem = gemmProblem(4096, 4096, 4096, "f32", 4);
  std::swap(problem.op.results[0].loopOfDim[0],
            problem.op.results[0].loopOfDim[1]);
  Tiles tiles = tilesOf("data_parallel", problem, 2);
  EXPECT_EQ(tiles, (Tiles{{0, 48, 0}, {512, 0, 0}}));
}

TEST(LocalVariants, OfAttention) {
  CostProblem problem = attention(4096);
  Tiles tiles = tilesOf("ring", problem);
  ASSERT_GE(tiles.size(), 6u);
  for (const std::vector<int64_t> &tile : tiles) {
    // Batch, heads, queries, keys.
    EXPECT_EQ(tile[0], 0);
    EXPECT_EQ(tile[1], 0);
    EXPECT_TRUE(tile[2] != 0 || tile[3] != 0);
  }
  EXPECT_EQ(tilesOf("ring", problem, 2).size(), 2u);
}

TEST(LocalVariants, OfWhatHasItsOwn) {
  CostProblem problem = gemmProblem(4096, 4096, 4096, "f32", 4);
  Schedule schedule = named("data_parallel", problem);
  schedule.patch = "blas";
  EXPECT_TRUE(localVariants(schedule, problem, two, {}, 9).empty());
  schedule.patch.clear();
  schedule.tile = {8, 0, 0};
  EXPECT_TRUE(localVariants(schedule, problem, two, {}, 9).empty());
  problem.kind = LocalWork::Kind::Elementwise;
  schedule.tile.clear();
  EXPECT_TRUE(localVariants(schedule, problem, two, {}, 9).empty());
  EXPECT_GT(hostCaches().first, 0);
  EXPECT_GT(hostCaches().second, 0);
}
