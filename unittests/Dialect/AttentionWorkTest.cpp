//===- AttentionWorkTest.cpp - The work that masks leave ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/InitAll.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mercury::commir;

namespace {
class AttentionWorkTest : public testing::Test {
protected:
  AttentionWorkTest() {
    DialectRegistry registry;
    mercury::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }
  /// Multiply-adds of attention of 3 heads, 8 queries and 16 keys, per head and
  /// feature, with `masks` between inputs and outputs.
  int64_t count(const std::string &masks, const std::string &more = "",
                const std::string &maps = "") {
    auto module = parseSourceString<ModuleOp>(
        R"mlir(
func.func @f(%q: tensor<3x8x4xf32>, %k: tensor<3x16x4xf32>, %v: tensor<3x16x2xf32>, %o: tensor<3x8x2xf32>, %any: index, %r: tensor<8xi32>) {
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
)mlir" + more +
            R"mlir(
  %0 = commir.attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, )mlir" +
            maps + R"mlir(affine_map<(h, m, n, d, e) -> (h, m, e)>]
      ins(%q, %k, %v : tensor<3x8x4xf32>, tensor<3x16x4xf32>, tensor<3x16x2xf32>) )mlir" +
            masks + R"mlir(
      outs(%o : tensor<3x8x2xf32>) -> tensor<3x8x2xf32>
  return
}
)mlir",
        &context);
    EXPECT_TRUE(module) << masks;
    int64_t found = -1;
    if (module)
      module->walk([&](AttentionOp op) {
        found = op.countMultiplyAddsAt(
            [](Value value) { return getConstantIntValue(value); });
      });
    EXPECT_EQ(found % 6, 0);
    return found / 6;
  }
  MLIRContext context;
};
constexpr int64_t all = 3 * 8 * 16;
} // namespace

TEST_F(AttentionWorkTest, WithoutPositionsAllPairsCount) {
  EXPECT_EQ(count(""), all);
  EXPECT_EQ(count("valid(%c2)"), all);
}

TEST_F(AttentionWorkTest, VisiblePairsCount) {
  EXPECT_EQ(count("visible <right 0>"), 3 * 36);
  EXPECT_EQ(count("visible <right 4>"), 3 * (36 + 8 * 4));
  // The window of 3 that ends at the query.
  EXPECT_EQ(count("visible <left 2 right 0>"), 3 * (1 + 2 + 6 * 3));
  EXPECT_EQ(count("visible <right 0 prefix 4>"), 3 * (36 + 3 + 2 + 1));
  EXPECT_EQ(count("visible <right 0 and left 0>"), 3 * 8);
}

TEST_F(AttentionWorkTest, StartsMoveTheRows) {
  EXPECT_EQ(count("visible <right 0> query_start(%c8)"), 3 * (36 + 8 * 8));
  // Keys 12 and on: seen by no query below.
  EXPECT_EQ(count("visible <right 0> key_start(%c12)"), 0);
  EXPECT_EQ(count("visible <right 0> query_start(%c6) key_start(%c12)"),
            3 * (1 + 2));
  // Limits that cannot be evaluated do not count.
  EXPECT_EQ(count("visible <right 0> query_start(%any)"), all);
  EXPECT_EQ(count("visible <right 0> key_start(%any)"), all);
}

TEST_F(AttentionWorkTest, ValidIsThePositionWhereKeysEnd) {
  EXPECT_EQ(count("valid(%c6) visible <right 0>"), 3 * (36 - 2 - 1));
  EXPECT_EQ(count("valid(%any) visible <right 0>"), 3 * 36);
}

TEST_F(AttentionWorkTest, OrdersSayWhereIndicesStand) {
  // Chunks of 4 in the order 0, 3, 1, 2: rows 8 to 15 are positions 4 to 11.
  EXPECT_EQ(count("visible <right 0> query_start(%c8) query_order <zigzag 2 of "
                  "16>"),
            3 * (36 + 8 * 4));
  // All keys are there, in whatever order.
  EXPECT_EQ(count("visible <right 0> key_order <striped 4 by 2 of 16>"),
            3 * 36);
  EXPECT_EQ(count("visible <right 0> query_start(%any) query_order <zigzag 2 "
                  "of 16>"),
            all);
}

TEST_F(AttentionWorkTest, ConstantRangesCount) {
  std::string row = "affine_map<(h, m, n, d, e) -> (m)>, ";
  std::string constants =
      "%b = arith.constant dense<[0, 0, 0, 3, 3, 3, 3, 0]> : tensor<8xi32>\n"
      "%e = arith.constant dense<[3, 3, 3, 8, 8, 8, 8, 0]> : tensor<8xi32>\n";
  EXPECT_EQ(count("key_range(%b, %e : tensor<8xi32>, tensor<8xi32>)", constants,
                  row + row),
            3 * (3 * 3 + 4 * 5));
  EXPECT_EQ(count("visible <right 0> key_range(%b, %e : tensor<8xi32>, "
                  "tensor<8xi32>)",
                  constants, row + row),
            3 * (1 + 2 + 3 + 1 + 2 + 3 + 4));
  // Another sequence for each head.
  EXPECT_EQ(count("key_range(%b, %e : tensor<3xi32>, tensor<8x3xi32>)",
                  "%b = arith.constant dense<[0, 1, 2]> : tensor<3xi32>\n"
                  "%e = arith.constant dense<4> : tensor<8x3xi32>\n",
                  "affine_map<(h, m, n, d, e) -> (h)>, affine_map<(h, m, n, d, "
                  "e) -> (m, h)>, "),
            8 * (4 + 3 + 2));
  EXPECT_EQ(
      count("key_range(%r, %r : tensor<8xi32>, tensor<8xi32>)", "", row + row),
      all);
}
