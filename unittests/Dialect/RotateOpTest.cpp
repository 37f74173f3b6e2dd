//===- RotateOpTest.cpp - Builders of the rotation ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mercury::commir;

namespace {
class RotateOpTest : public testing::Test {
protected:
  RotateOpTest()
      : module(ModuleOp::create(UnknownLoc::get(&context))), b(&context) {
    context.loadDialect<CommIRDialect>();
    b.setInsertionPointToEnd(module->getBody());
  }

  /// A value of the type; from where is of no account.
  Value value(Type type) {
    return UnrealizedConversionCastOp::create(b, b.getUnknownLoc(), type,
                                              ValueRange())
        .getResult(0);
  }
  RotateOp rotate(ArrayRef<Value> travel, ArrayRef<Value> carry,
                  ArrayRef<Value> state) {
    auto axis = AxisAttr::get(&context, mercury::AxisRef{"gpu"});
    SmallVector<Attribute> hops(travel.size() + carry.size(),
                                HopAttr::get(&context, axis, 1));
    return RotateOp::create(b, b.getUnknownLoc(), /*steps=*/4,
                            b.getArrayAttr(hops), travel, carry, state,
                            /*scratch=*/ValueRange(), /*combineCount=*/0);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OpBuilder b;
};
} // namespace

TEST_F(RotateOpTest, ResultsAreCarriesAndStates) {
  Type tile = RankedTensorType::get({4, 8}, b.getF32Type());
  Type sum = RankedTensorType::get({4, 2}, b.getF32Type());
  Type state = RankedTensorType::get({4}, b.getF64Type());
  RotateOp op =
      rotate({value(tile)}, {value(sum)}, {value(state), value(tile)});
  EXPECT_EQ(SmallVector<Type>(op.getResultTypes()),
            (SmallVector<Type>{sum, state, tile}));
}

TEST_F(RotateOpTest, TravellingTilesHaveNoResult) {
  Type tile = RankedTensorType::get({4, 8}, b.getF32Type());
  EXPECT_EQ(rotate({value(tile)}, {}, {}).getNumResults(), 0u);
}

TEST_F(RotateOpTest, BuffersHaveNoResults) {
  Type tile = MemRefType::get({4, 8}, b.getF32Type());
  RotateOp op = rotate({value(tile)}, {value(tile)}, {value(tile)});
  EXPECT_EQ(op.getNumResults(), 0u);
  EXPECT_TRUE(op.hasBufferSemantics());
}
