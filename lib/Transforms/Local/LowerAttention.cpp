//===- LowerAttention.cpp - Online attention as plain loops ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Local/AttentionLoops.h"
#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using mercury::commir::OnlineAttentionOp;

namespace mercury {
#define GEN_PASS_DEF_LOWERATTENTIONPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
/// Emits the loops of one op on buffers. Per row, the scores are computed
/// twice, for their maximum and for their exponentials: no buffer is needed.
class AttentionLoops {
public:
  AttentionLoops(OpBuilder &b, OnlineAttentionOp op)
      : b(b), loc(op.getLoc()), op(op), state(op.getStateType()),
        position(op.getMapDims()) {}

  /// All rows, one after the other.
  void emit() {
    unsigned rows = op.getKeyLoop();
    SmallVector<Value> lower(rows, index(0)), step(rows, index(1)), upper;
    for (unsigned dim = 0; dim < rows; ++dim)
      upper.push_back(extent(dim));
    measureRow();
    scf::buildLoopNest(b, loc, lower, upper, step,
                       [&](OpBuilder &inner, Location, ValueRange ivs) {
                         OpBuilder::InsertionGuard guard(b);
                         b.restoreInsertionPoint(inner.saveInsertionPoint());
                         llvm::copy(ivs, position.begin());
                         emitRow();
                       });
  }

  void emitRow(ValueRange row) {
    measureRow();
    llvm::copy(row, position.begin());
    emitRow();
  }

private:
  /// Extents of the loops inside of rows.
  void measureRow() {
    unsigned rows = op.getKeyLoop();
    keys = extent(rows);
    features = extent(rows + 1);
    valueFeatures = extent(rows + 2);
    if (op.getValid())
      keys = arith::MinSIOp::create(
          b, loc, keys,
          arith::MaxSIOp::create(b, loc, op.getValid(), index(0)));
  }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value number(double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(state, value));
  }

  Value extent(unsigned dim) {
    for (OpOperand &operand : op->getOpOperands())
      if (AffineMap map = op.getMap(operand))
        if (auto at =
                map.getResultPosition(getAffineDimExpr(dim, b.getContext())))
          return b.createOrFold<memref::DimOp>(loc, operand.get(), *at);
    return Value(); // Verified: every dimension indexes an operand.
  }

  SmallVector<Value> indices(OpOperand &operand) {
    SmallVector<Value> result;
    for (AffineExpr expr : op.getMap(operand).getResults())
      result.push_back(position[cast<AffineDimExpr>(expr).getPosition()]);
    return result;
  }

  /// The element at the current position, in the state's type.
  Value load(OpOperand &operand) {
    Value element =
        memref::LoadOp::create(b, loc, operand.get(), indices(operand));
    unsigned bits = element.getType().getIntOrFloatBitWidth();
    if (bits < state.getWidth())
      return arith::ExtFOp::create(b, loc, state, element);
    if (bits > state.getWidth()) // A mask may be wider.
      return arith::TruncFOp::create(b, loc, state, element);
    return element;
  }
  void store(Value value, OpOperand &operand) {
    memref::StoreOp::create(b, loc, value, operand.get(), indices(operand));
  }

  /// A loop over map dimension `dim` that carries `initial`, if there is one.
  Value loop(unsigned dim, Value upper, Value initial,
             function_ref<Value(Value)> body) {
    return loop(dim, index(0), upper, initial, body);
  }
  Value loop(unsigned dim, Value lower, Value upper, Value initial,
             function_ref<Value(Value)> body) {
    auto loop =
        scf::ForOp::create(b, loc, lower, upper, index(1),
                           initial ? ValueRange(initial) : ValueRange());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    position[dim] = loop.getInductionVar();
    Value next = body(initial ? loop.getRegionIterArg(0) : Value());
    if (!initial)
      return Value();
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, next);
    return loop.getResult(0);
  }

  /// scale * sum_d Q[d] K[j, d] + mask[j].
  Value score() {
    Value sum =
        loop(op.getKeyLoop() + 1, features, number(0), [&](Value sum) -> Value {
          Value product = arith::MulFOp::create(
              b, loc, load(op.getQueryMutable()), load(op.getKeyMutable()));
          return arith::AddFOp::create(b, loc, sum, product);
        });
    double scale = op.getScale().convertToDouble();
    if (scale != 1.0)
      sum = arith::MulFOp::create(b, loc, sum, number(scale));
    if (op.getMask())
      sum = arith::AddFOp::create(b, loc, sum, load(op.getMaskMutable()[0]));
    return sum;
  }

  /// The keys [first, last) that the current row sees.
  std::pair<Value, Value> range() {
    if (!op.getKeyBegin())
      return {index(0), keys};
    auto read = [&](OpOperand &operand) -> Value {
      Value element =
          memref::LoadOp::create(b, loc, operand.get(), indices(operand));
      return arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
    };
    return {
        arith::MaxSIOp::create(b, loc, read(op.getKeyBeginMutable()[0]),
                               index(0)),
        arith::MinSIOp::create(b, loc, read(op.getKeyEndMutable()[0]), keys)};
  }

  void emitRow() {
    OpOperand &accumulator = op.getOutputsMutable()[0],
              &maximum = op.getOutputsMutable()[1],
              &total = op.getOutputsMutable()[2];
    unsigned key = op.getKeyLoop(), valueFeature = key + 2;
    Value before = load(maximum);
    auto [first, last] = range();
    Value after = loop(key, first, last, before, [&](Value top) -> Value {
      return arith::MaximumFOp::create(b, loc, top, score());
    });
    store(after, maximum);

    // exp(before - after) is 1 where they are equal, also where both are -inf.
    using arith::CmpFPredicate;
    Value same =
        arith::CmpFOp::create(b, loc, CmpFPredicate::OEQ, before, after);
    Value decay = math::ExpOp::create(
        b, loc, arith::SubFOp::create(b, loc, before, after));
    Value factor = arith::SelectOp::create(b, loc, same, number(1), decay);
    loop(valueFeature, valueFeatures, Value(), [&](Value) {
      store(arith::MulFOp::create(b, loc, load(accumulator), factor),
            accumulator);
      return Value();
    });
    // Below a maximum of -inf there are only scores of -inf: these count
    // nothing against any finite number.
    Value isNone =
        arith::CmpFOp::create(b, loc, CmpFPredicate::OEQ, after,
                              number(-std::numeric_limits<double>::infinity()));
    Value pivot = arith::SelectOp::create(b, loc, isNone, number(0), after);
    Value sum = arith::MulFOp::create(b, loc, load(total), factor);
    sum = loop(key, first, last, sum, [&](Value sum) -> Value {
      Value weight = math::ExpOp::create(
          b, loc, arith::SubFOp::create(b, loc, score(), pivot));
      loop(valueFeature, valueFeatures, Value(), [&](Value) {
        Value product =
            arith::MulFOp::create(b, loc, weight, load(op.getValueMutable()));
        store(arith::AddFOp::create(b, loc, load(accumulator), product),
              accumulator);
        return Value();
      });
      return arith::AddFOp::create(b, loc, sum, weight);
    });
    store(sum, total);
  }

  OpBuilder &b;
  Location loc;
  OnlineAttentionOp op;
  FloatType state;
  /// Where each dimension of the maps' domain stands.
  SmallVector<Value> position;
  Value keys, features, valueFeatures;
};

struct LowerAttentionPass : impl::LowerAttentionPassBase<LowerAttentionPass> {
  void runOnOperation() override {
    SmallVector<OnlineAttentionOp> ops;
    getOperation()->walk([&](OnlineAttentionOp op) {
      if (isa<MemRefType>(op.getQuery().getType()))
        ops.push_back(op);
    });
    for (OnlineAttentionOp op : ops) {
      if (!hasOnlyRanges(op)) {
        op.emitError("knows positions; they become ranges of keys by "
                     "mercury-materialize-masks, before bufferization");
        return signalPassFailure();
      }
      OpBuilder b(op);
      AttentionLoops(b, op).emit();
      op.erase();
    }
  }
};
} // namespace

bool hasOnlyRanges(OnlineAttentionOp op) {
  return !op.getVisibleAttr() && !op.getQueryStart() && !op.getKeyStart() &&
         !op.getQueryOrderAttr() && !op.getKeyOrderAttr();
}

void emitAttentionRow(OpBuilder &b, OnlineAttentionOp op, ValueRange row) {
  AttentionLoops(b, op).emitRow(row);
}

} // namespace mercury
