//===- ExpandAttention.cpp - Attention in its online form -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandDocuments.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mercury {
#define GEN_PASS_DEF_EXPANDATTENTIONPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// One op that computes each element of a result of type `element` from the
/// elements of `inputs`; the first input gives the shape.
static Value
elementwise(OpBuilder &b, Location loc, ValueRange inputs,
            ArrayRef<AffineMap> maps, Type element,
            function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, inputs[0]), element);
  int64_t rank = cast<ShapedType>(empty.getType()).getRank();
  SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), inputs, empty, all, loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, body(b, loc, args));
             })
      .getResult(0);
}

/// `value` with elements of type `type`.
static Value convert(OpBuilder &b, Location loc, Value value, FloatType type) {
  auto from = cast<FloatType>(getElementTypeOrSelf(value));
  if (from == type)
    return value;
  AffineMap identity =
      b.getMultiDimIdentityMap(cast<ShapedType>(value.getType()).getRank());
  return elementwise(b, loc, value, identity, type,
                     [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                       if (from.getWidth() < type.getWidth())
                         return arith::ExtFOp::create(b, loc, type, args[0]);
                       return arith::TruncFOp::create(b, loc, type, args[0]);
                     });
}

/// The op's inputs and outputs `outputs` as operands of another one.
static SmallVector<Value> operandsWith(Operation *op, ValueRange outputs) {
  auto dps = cast<DestinationStyleOpInterface>(op);
  SmallVector<Value> operands;
  for (OpOperand *input : dps.getDpsInputOperands())
    operands.push_back(input->get());
  llvm::append_range(operands, outputs);
  return operands;
}

/// Widens the op's inputs, and its state with them.
template <typename OpTy>
static OpTy widen(RewriterBase &b, OpTy op, FloatType type) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  SmallVector<Value> outputs;
  for (Value output : op.getOutputs())
    outputs.push_back(convert(b, loc, output, type));
  SmallVector<Value> operands = operandsWith(op, outputs);
  for (Value &operand : operands)
    if (isa<FloatType>(getElementTypeOrSelf(operand)) &&
        isa<RankedTensorType>(operand.getType()))
      operand = convert(b, loc, operand, type);
  auto wide =
      cast<OpTy>(mlir::clone(b, op, ValueRange(outputs).getTypes(), operands));
  SmallVector<Value> results;
  for (auto [result, old] : llvm::zip(wide->getResults(), op->getResults()))
    results.push_back(
        convert(b, loc, result, cast<FloatType>(getElementTypeOrSelf(old))));
  b.replaceOp(op, results);
  return wide;
}

static void expand(RewriterBase &b, AttentionOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  MLIRContext *context = b.getContext();
  FloatType type = op.getStateType();
  unsigned parallel = op.getKeyLoop();
  AffineMap whole = op.getMap(*op.getDpsInitOperand(0));
  // The log-sum-exp's dimensions where there is one, else all in order.
  AffineMap rows =
      op.hasLogSumExp()
          ? op.getMap(*op.getDpsInitOperand(1))
          : AffineMap::getMultiDimIdentityMap(op.getMapDims(), context)
                .getMajorSubMap(parallel);
  SmallVector<OpFoldResult> shape, rowShape;
  for (int64_t dim = 0; dim < whole.getNumResults(); ++dim)
    shape.push_back(tensor::getMixedSize(b, loc, op.getOutputs()[0], dim));
  for (AffineExpr expr : rows.getResults())
    rowShape.push_back(shape[*whole.getResultPosition(expr)]);

  SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
  maps.truncate(maps.size() - op.getOutputs().size());
  for (AffineMap map : {whole, rows, rows})
    maps.push_back(AffineMapAttr::get(map));
  SmallVector<Value> state = {tensor::EmptyOp::create(b, loc, shape, type),
                              tensor::EmptyOp::create(b, loc, rowShape, type),
                              tensor::EmptyOp::create(b, loc, rowShape, type)};
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  APFloat zero = APFloat::getZero(semantics),
          least = APFloat::getInf(semantics, /*Negative=*/true);
  SmallVector<APFloat> neutral = {zero, least, zero};
  for (auto [value, element] : llvm::zip(state, neutral)) {
    Value constant =
        arith::ConstantOp::create(b, loc, FloatAttr::get(type, element));
    value = linalg::FillOp::create(b, loc, constant, value).getResult(0);
  }
  auto online = OnlineAttentionOp::create(
      b, loc, ValueRange(state).getTypes(), b.getArrayAttr(maps), op.getQuery(),
      op.getKey(), op.getValue(), op.getMask(), op.getValid(),
      op.getQueryStart(), op.getKeyStart(), op.getKeyBegin(), op.getKeyEnd(),
      state, op.getScaleAttr(), op.getVisibleAttr(), op.getQueryOrderAttr(),
      op.getKeyOrderAttr());
  // What the schedule has chosen for the local work.
  online->setDiscardableAttrs(op->getDiscardableAttrDictionary());

  // From the accumulator's dimensions to the row's.
  SmallVector<AffineExpr> position;
  for (AffineExpr expr : rows.getResults())
    position.push_back(
        getAffineDimExpr(*whole.getResultPosition(expr), context));
  AffineMap rowOf = AffineMap::get(whole.getNumResults(), 0, position, context);
  auto out = cast<FloatType>(getElementTypeOrSelf(op.getOutputs()[0]));
  SmallVector<Value> results;
  results.push_back(elementwise(
      b, loc, {online.getResult(0), online.getResult(2)},
      {b.getMultiDimIdentityMap(whole.getNumResults()), rowOf}, out,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        // A row without keys gives zero.
        Value none =
            arith::ConstantOp::create(b, loc, FloatAttr::get(type, zero));
        Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                              args[1], none);
        Value quotient = arith::DivFOp::create(b, loc, args[0], args[1]);
        Value value = arith::SelectOp::create(b, loc, isEmpty, none, quotient);
        if (out.getWidth() < type.getWidth())
          return arith::TruncFOp::create(b, loc, out, value).getResult();
        if (out.getWidth() > type.getWidth())
          return arith::ExtFOp::create(b, loc, out, value).getResult();
        return value;
      }));
  if (op.hasLogSumExp()) {
    AffineMap identity = b.getMultiDimIdentityMap(rows.getNumResults());
    results.push_back(elementwise(
        b, loc, {online.getResult(1), online.getResult(2)},
        {identity, identity}, type,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value log = math::LogOp::create(b, loc, args[1]);
          return arith::AddFOp::create(b, loc, args[0], log).getResult();
        }));
  }
  b.replaceOp(op, results);
}

/// Fails on masks that can only be mistakes. Asked of whole operators only: a
/// tile may well see no key.
static LogicalResult checkMask(AttentionOp op) {
  auto constant = [](Value start) {
    return start ? getConstantIntValue(start) : 0;
  };
  std::optional<int64_t> queryStart = constant(op.getQueryStart()),
                         keyStart = constant(op.getKeyStart());
  SmallVector<int64_t> extents = op.getMapExtents();
  int64_t queries = extents[op.getQueryLoop()], keys = extents[op.getKeyLoop()];
  if (!op.getVisibleAttr() || op.getQueryOrderAttr() || op.getKeyOrderAttr() ||
      !queryStart || !keyStart || queries <= 0 || keys <= 0)
    return success();
  Mask mask = op.getVisibleAttr().getValue();
  auto fail = [&](StringRef what) -> InFlightDiagnostic {
    return op.emitOpError()
           << "mask " << op.getVisibleAttr() << " of " << queries
           << " queries from position " << *queryStart << " on and " << keys
           << " keys from " << *keyStart << " on " << what;
  };
  // A window may be wider than there are keys, an offset means to cut.
  for (const MaskTerm &term : mask.terms)
    if (term.right && !term.left &&
        *queryStart + *term.right >= *keyStart + keys)
      return fail("limits nothing: offset ")
             << *queryStart + *term.right << " lies beyond the keys";
  for (int64_t query = 0; query < queries; ++query) {
    Mask::Range range = mask.at(*queryStart + query);
    if (std::max(range.begin, *keyStart) <
        std::min(range.end, *keyStart + keys))
      return success();
  }
  return fail("leaves no key to any query");
}

namespace {
struct ExpandAttentionPass
    : public mercury::impl::ExpandAttentionPassBase<ExpandAttentionPass> {
  using ExpandAttentionPassBase::ExpandAttentionPassBase;

  void runOnOperation() override {
    IRRewriter b(&getContext());
    FloatType wide;
    if (!type.empty()) {
      if (type != "f64") {
        getOperation()->emitError()
            << "'type' expects f64 or nothing, got '" << type << "'";
        return signalPassFailure();
      }
      wide = b.getF64Type();
    }
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      bool onTensors =
          llvm::all_of(op->getResultTypes(), llvm::IsaPred<TensorType>) &&
          op->getNumResults();
      if (isa<AttentionOp, OnlineAttentionOp, DocumentRangesOp>(op) &&
          onTensors && !op->hasAttr(kScheduleAttrName))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto online = dyn_cast<OnlineAttentionOp>(op)) {
        if (wide)
          widen(b, online, wide);
        continue;
      }
      if (auto documents = dyn_cast<DocumentRangesOp>(op)) {
        if (failed(expandDocumentRanges(b, documents)))
          return signalPassFailure();
        continue;
      }
      auto attention = cast<AttentionOp>(op);
      if (failed(checkMask(attention)))
        return signalPassFailure();
      expand(b, wide ? widen(b, attention, wide) : attention);
    }
  }
};
} // namespace
