//===- TokenOrderOpsTest.cpp - Token orders in operators ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/InitAll.h"
#include "Mercury/Transforms/TokenOrders.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {
class TokenOrderOpsTest : public testing::Test {
protected:
  TokenOrderOpsTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  /// The only linalg op of a function with this body.
  linalg::LinalgOp parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    linalg::LinalgOp found;
    module->walk([&](linalg::LinalgOp op) { found = op; });
    return found;
  }
  TokenOrderAttr attr(const TokenOrder &order, int64_t extent) {
    return TokenOrderAttr::get(&context, order, extent);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(TokenOrderOpsTest, ArithmeticIsThePosition) {
  TokenOrder table{TokenOrder::Kind::Table, 1, 1, {3, 0, 1, 2, 5, 4}};
  TokenOrder one{TokenOrder::Kind::Table, 1, 1, {0}};
  std::vector<std::pair<TokenOrder, int64_t>> cases = {
      {TokenOrder(), 7},
      {TokenOrder::zigzag(1), 6},
      {TokenOrder::zigzag(4), 8},
      {TokenOrder::zigzag(3), 30},
      {TokenOrder::striped(4, 1), 4},
      {TokenOrder::striped(4, 1), 32},
      {TokenOrder::striped(3, 2), 24},
      {TokenOrder::striped(1, 5), 15},
      {table, 6},
      {table, 24},
      {one, 5}};
  module = ModuleOp::create(UnknownLoc::get(&context));
  for (const auto &[order, extent] : cases)
    for (int64_t index = 0; index < extent; ++index) {
      OpBuilder b(module->getBodyRegion());
      Location loc = b.getUnknownLoc();
      // Constants fold on the way.
      Value at = arith::ConstantIndexOp::create(b, loc, index);
      EXPECT_EQ(
          getConstantIntValue(createPosition(b, loc, attr(order, extent), at)),
          order.position(index, extent))
          << print(order) << " of " << extent << " at " << index;
      // The op folds to the same.
      Value op = b.createOrFold<PositionOp>(loc, at, attr(order, extent));
      EXPECT_EQ(getConstantIntValue(op), order.position(index, extent));
    }
}

// Numbers of the loop's iterations become positions, and positions of a tile's
// iterations begin at its offset.
TEST_F(TokenOrderOpsTest, IndicesInABodyBecomePositions) {
  linalg::LinalgOp op = parse(R"mlir(
func.func @f(%o: tensor<8x16xindex>) -> tensor<8x16xindex> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      outs(%o : tensor<8x16xindex>) {
  ^bb0(%x: index):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %again = linalg.index 1 : index
    %0 = arith.addi %m, %n : index
    %1 = arith.muli %0, %again : index
    linalg.yield %1 : index
  } -> tensor<8x16xindex>
  return %r : tensor<8x16xindex>
}
)mlir");
  ASSERT_TRUE(op);
  OpBuilder b(&context);
  cast<DistributableOpInterface>(op.getOperation())
      .setTokenOrder(b, 1, attr(TokenOrder::zigzag(2), 16));
  EXPECT_TRUE(succeeded(verify(*module)));
  SmallVector<PositionOp> positions;
  op->walk([&](PositionOp position) { positions.push_back(position); });
  ASSERT_EQ(positions.size(), 2u);
  for (PositionOp position : positions) {
    auto index = position.getIndex().getDefiningOp<linalg::IndexOp>();
    ASSERT_TRUE(index);
    EXPECT_EQ(index.getDim(), 1u);
    EXPECT_TRUE(index->hasOneUse());
  }
  // The other loop's do not.
  op->walk([&](linalg::IndexOp index) {
    if (index.getDim() == 0) {
      EXPECT_TRUE(isa<arith::AddIOp>(*index->user_begin()));
    }
  });

  b.setInsertionPoint(op);
  auto fold = [&](int64_t value) {
    return OpFoldResult(b.getIndexAttr(value));
  };
  FailureOr<TilingResult> tiled =
      cast<TilingInterface>(op.getOperation())
          .getTiledImplementation(b, {fold(0), fold(4)}, {fold(8), fold(4)});
  ASSERT_TRUE(succeeded(tiled));
  int64_t found = 0;
  tiled->tiledOps[0]->walk([&](PositionOp position) {
    auto moved = position.getIndex().getDefiningOp<affine::AffineApplyOp>();
    ASSERT_TRUE(moved);
    SmallVector<Attribute> results;
    EXPECT_TRUE(succeeded(
        moved.getAffineMap().constantFold(b.getIndexAttr(3), results)));
    EXPECT_EQ(results, SmallVector<Attribute>{b.getIndexAttr(7)});
    ++found;
  });
  EXPECT_EQ(found, 2);
}

// An order's positions begin at 0, so that constant starts go into the mask.
TEST_F(TokenOrderOpsTest, OrdersOfAttentionTakeStartsWithThem) {
  parse(R"mlir(
func.func @f(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>, %o: tensor<8x4xf32>, %valid: index) -> tensor<8x4xf32> {
  %c8 = arith.constant 8 : index
  %c3 = arith.constant 3 : index
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %k : tensor<8x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) valid(%valid)
      visible <left 5 right 0 and right 1 prefix 4> query_start(%c8) key_start(%c3)
      outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
)mlir");
  AttentionOp op;
  module->walk([&](AttentionOp found) { op = found; });
  ASSERT_TRUE(op);
  OpBuilder b(op);
  auto distributable = cast<DistributableOpInterface>(op.getOperation());
  distributable.setTokenOrder(b, 0, attr(TokenOrder::zigzag(2), 8));
  EXPECT_EQ(op.getVisibleAttr().getText(),
            "left -3 right 8 and right 9 prefix 4");
  EXPECT_FALSE(op.getQueryStart());
  distributable.setTokenOrder(b, 1, attr(TokenOrder::zigzag(2), 16));
  EXPECT_EQ(op.getVisibleAttr().getText(),
            "left 0 right 5 and right 6 prefix 1");
  EXPECT_FALSE(op.getKeyStart());
  EXPECT_TRUE(op.getValid().getDefiningOp<arith::SubIOp>());
  EXPECT_EQ(op.getQueryOrderAttr().getExtent(), 8);
  EXPECT_EQ(op.getKeyOrderAttr().getExtent(), 16);
  EXPECT_TRUE(succeeded(verify(*module)));
}
