//===- TokenRunsTest.cpp - How positions grow over a tile -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Schedule/TokenRuns.h"
#include "gtest/gtest.h"

using namespace mercury;

namespace {

/// The definition, tried for chunks of `chunk` elements.
std::optional<TokenRuns> runsByDefinition(const TokenOrder &order,
                                          int64_t extent,
                                          const TileStarts &starts,
                                          int64_t count, int64_t chunk) {
  std::optional<int64_t> common;
  for (int64_t at = starts.first; at <= starts.last; at += starts.step) {
    int64_t first = order.position(at, extent), step = 0;
    if (count > chunk)
      step = order.position(at + chunk, extent) - first;
    for (int64_t i = 0; i < count; ++i)
      if (step < 0 || order.position(at + i, extent) !=
                          first + i / chunk * step + i % chunk)
        return std::nullopt;
    common = !common || *common == step ? step : 0;
  }
  return TokenRuns{chunk, *common};
}

TEST(TokenRuns, AgreesWithTheDefinition) {
  TokenOrder table{TokenOrder::Kind::Table, 1, 1, {0, 2, 4, 1, 3, 5}};
  int found = 0;
  for (const TokenOrder &order :
       {TokenOrder(), TokenOrder::zigzag(1), TokenOrder::zigzag(3),
        TokenOrder::striped(2, 3), TokenOrder::striped(3, 1), table})
    for (int64_t extent : {12, 36})
      for (int64_t count = 1; count <= extent; ++count)
        for (int64_t step : {1, 2, 3, 4, 6, 12, 18}) {
          SCOPED_TRACE(print(order) + " of " + std::to_string(extent) + ", " +
                       std::to_string(count) + " from each " +
                       std::to_string(step));
          TileStarts starts{0, step, extent - count};
          int64_t chunk = order.chunkExtent(extent);
          std::optional<TokenRuns> expected = runsByDefinition(
              order, extent, starts, count, std::min(count, chunk));
          auto runs = runsOf(order, extent, starts, count);
          // Chunks that follow each other by chance are not made one.
          bool isWhole = step % chunk == 0 && count % chunk == 0,
               isInside = chunk % step == 0 && count <= step;
          if (isWhole || isInside)
            ASSERT_EQ(bool(runs), bool(expected));
          if (runs)
            ASSERT_TRUE(expected && *runs == *expected)
                << runs->chunk << " " << runs->step;
          found += bool(runs);
        }
  EXPECT_GT(found, 50);
}

TEST(TokenRuns, ZigzagHasTwoChunksAPart) {
  TokenOrder order = TokenOrder::zigzag(4);
  // Whose distance depends on the part.
  EXPECT_TRUE(runsOf(order, 64, {0, 16, 48}, 16) == (TokenRuns{8, 0}));
  EXPECT_TRUE(runsOf(order, 64, {16, 1, 16}, 16) == (TokenRuns{8, 40}));
  EXPECT_FALSE(runsOf(order, 64, {0, 8, 48}, 16));
  EXPECT_FALSE(runsOf(order, 64, {0, 1, 0}, 32));
  // A tile that ends beyond the extent.
  EXPECT_FALSE(runsOf(order, 64, {56, 1, 56}, 16));
}

} // namespace
