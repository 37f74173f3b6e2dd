//===- LowerTokenOrders.cpp - Token orders as index arithmetic ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Passes.h"
#include "Mercury/Transforms/TokenOrders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mercury {
#define GEN_PASS_DEF_LOWERTOKENORDERSPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {
/// Arithmetic on indices that are not negative.
struct IndexBuilder {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  template <typename OpTy> Value make(Value lhs, Value rhs) {
    return b.createOrFold<OpTy>(loc, lhs, rhs);
  }
  template <typename OpTy> Value make(Value lhs, int64_t rhs) {
    return make<OpTy>(lhs, constant(rhs));
  }
  Value div(Value value, int64_t by) { return make<arith::DivUIOp>(value, by); }
  Value rem(Value value, int64_t by) { return make<arith::RemUIOp>(value, by); }
  Value mul(Value value, int64_t by) { return make<arith::MulIOp>(value, by); }
  Value select(arith::CmpIPredicate predicate, Value lhs, int64_t rhs,
               Value then, Value otherwise) {
    Value condition =
        b.createOrFold<arith::CmpIOp>(loc, predicate, lhs, constant(rhs));
    return b.createOrFold<arith::SelectOp>(loc, condition, then, otherwise);
  }
};
} // namespace

/// The chunk at `slot` of a table: slots in a row that hold chunks in a row
/// share what is added to the slot.
static Value lookUp(IndexBuilder &i, const TokenOrder &order, Value slot) {
  Value added = i.constant(order.table[0]);
  for (size_t s = 1; s < order.table.size(); ++s) {
    int64_t ahead = order.table[s] - static_cast<int64_t>(s);
    if (ahead != order.table[s - 1] - static_cast<int64_t>(s - 1))
      added = i.select(arith::CmpIPredicate::uge, slot, s, i.constant(ahead),
                       added);
  }
  return i.make<arith::AddIOp>(slot, added);
}

Value mercury::createPosition(OpBuilder &b, Location loc, TokenOrderAttr attr,
                              Value index) {
  TokenOrder order = attr.getValue();
  if (order.isNatural())
    return index;
  IndexBuilder i{b, loc};
  int64_t extent = attr.getExtent(), chunk = order.chunkExtent(extent);
  Value slot = i.div(index, chunk), at;
  switch (order.kind) {
  case TokenOrder::Kind::Natural:
    break;
  case TokenOrder::Kind::Zigzag: {
    Value part = i.div(slot, 2);
    Value mirrored =
        i.make<arith::SubIOp>(i.constant(2 * order.parts - 1), part);
    at = i.select(arith::CmpIPredicate::eq, i.rem(slot, 2), 0, part, mirrored);
    break;
  }
  case TokenOrder::Kind::Striped: {
    int64_t perPart = extent / order.block / order.parts;
    at = i.make<arith::AddIOp>(i.mul(i.rem(slot, perPart), order.parts),
                               i.div(slot, perPart));
    break;
  }
  case TokenOrder::Kind::Table:
    at = lookUp(i, order, slot);
    break;
  }
  return i.make<arith::AddIOp>(i.mul(at, chunk), i.rem(index, chunk));
}

Value mercury::createArrange(OpBuilder &b, Location loc, Value source,
                             int64_t dim, TokenOrderAttr order, bool back) {
  auto type = cast<RankedTensorType>(source.getType());
  int64_t extent = order.getExtent(),
          chunk = order.getValue().chunkExtent(extent);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, source);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType(),
                                        type.getEncoding());
  sizes[dim] = b.getIndexAttr(chunk);
  SmallVector<OpFoldResult> unit(sizes.size(), b.getIndexAttr(1));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0),
        end = arith::ConstantIndexOp::create(b, loc, extent),
        step = arith::ConstantIndexOp::create(b, loc, chunk);
  auto loop = scf::ForOp::create(
      b, loc, zero, end, step, empty,
      [&](OpBuilder &b, Location loc, Value index, ValueRange carried) {
        SmallVector<OpFoldResult> from(sizes.size(), b.getIndexAttr(0));
        SmallVector<OpFoldResult> to(from);
        (back ? to : from)[dim] = createPosition(b, loc, order, index);
        (back ? from : to)[dim] = index;
        Value part =
            tensor::ExtractSliceOp::create(b, loc, source, from, sizes, unit);
        Value next = tensor::InsertSliceOp::create(b, loc, part, carried[0], to,
                                                   sizes, unit);
        scf::YieldOp::create(b, loc, next);
      });
  return loop.getResult(0);
}

void mercury::lowerPosition(PositionOp op) {
  OpBuilder b(op);
  op.replaceAllUsesWith(
      createPosition(b, op.getLoc(), op.getOrder(), op.getIndex()));
  op.erase();
}

void mercury::lowerArrange(ArrangeOp op) {
  OpBuilder b(op);
  op.replaceAllUsesWith(createArrange(b, op.getLoc(), op.getSource(),
                                      op.getDimAttr().getInt(), op.getOrder(),
                                      op.getBack()));
  op.erase();
}

namespace {
struct LowerTokenOrdersPass
    : public mercury::impl::LowerTokenOrdersPassBase<LowerTokenOrdersPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto position = dyn_cast<PositionOp>(op))
        lowerPosition(position);
      else if (auto arrange = dyn_cast<ArrangeOp>(op))
        lowerArrange(arrange);
    });
  }
};
} // namespace
