//===- PromoteAccumulators.cpp - Accumulate in a wider type ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Local/Passes.h"
#include "RetypeBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace mercury {
#define GEN_PASS_DEF_PROMOTEACCUMULATORSPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
RankedTensorType withElement(Value tensor, Type element) {
  return cast<RankedTensorType>(tensor.getType()).clone(element);
}

Value createEmptyLike(OpBuilder &b, Location loc, Value tensor, Type element) {
  return tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, tensor),
                                 element);
}

/// Converts each element of `tensor` to `element`, wider or narrower.
Value convertElements(OpBuilder &b, Location loc, Value tensor,
                      FloatType element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = createEmptyLike(b, loc, tensor, element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  bool extends = type.getElementTypeBitWidth() < int64_t(element.getWidth());
  return linalg::GenericOp::create(
             b, loc, empty.getType(), tensor, empty, maps, iterators,
             [&](OpBuilder &nested, Location at, ValueRange args) {
               Value value =
                   extends
                       ? arith::ExtFOp::create(nested, at, element, args[0])
                             .getResult()
                       : arith::TruncFOp::create(nested, at, element, args[0]);
               linalg::YieldOp::create(nested, at, value);
             })
      .getResult(0);
}

FloatAttr convertAttr(FloatAttr attr, FloatType to) {
  APFloat value = attr.getValue();
  bool losesInfo;
  value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return FloatAttr::get(to, value);
}

/// `init` in the wide type. Constants and fills are made wide rather than
/// extended, so that later passes still see them.
Value extendInit(OpBuilder &b, Location loc, Value init, FloatType wide,
                 bool isRead) {
  if (!isRead || init.getDefiningOp<tensor::EmptyOp>())
    return createEmptyLike(b, loc, init, wide);
  DenseElementsAttr dense;
  if (matchPattern(init, m_Constant(&dense)) && dense.isSplat())
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(
            withElement(init, wide),
            Attribute(convertAttr(dense.getSplatValue<FloatAttr>(), wide))));
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    Value scalar = fill.getInputs()[0];
    FloatAttr constant;
    if (matchPattern(scalar, m_Constant(&constant)))
      scalar = arith::ConstantOp::create(b, loc, convertAttr(constant, wide));
    else if (isNarrower(scalar.getType(), wide))
      scalar = arith::ExtFOp::create(b, loc, wide, scalar);
    Value empty = createEmptyLike(b, loc, init, wide);
    return linalg::FillOp::create(b, fill.getLoc(), scalar, empty).getResult(0);
  }
  return convertElements(b, loc, init, wide);
}

/// Fills the empty region of `copy`, a clone of `op` whose accumulators are
/// wide.
void buildBody(OpBuilder &b, linalg::LinalgOp op, linalg::LinalgOp copy,
               FloatType wide) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types;
  SmallVector<Location> locs;
  for (auto [index, arg] : llvm::enumerate(op.getBlock()->getArguments())) {
    Type operand = copy->getOperand(index).getType();
    types.push_back(getElementTypeOrSelf(operand));
    locs.push_back(arg.getLoc());
  }
  Block *block = b.createBlock(&copy->getRegion(0), {}, types, locs);
  auto regionBuilder = op.getRegionBuilder();
  if (!regionBuilder)
    return cloneBodyInType(b, *op.getBlock(), *block, wide);
  // A named op: its body follows from the element types.
  b.setInsertionPointToStart(block);
  ImplicitLocOpBuilder nested(op.getLoc(), b);
  regionBuilder(nested, *block, op->getAttrs(), /*emitError=*/{});
}

bool hasNarrowReduction(linalg::LinalgOp op, FloatType wide) {
  return op.hasPureTensorSemantics() && op.getNumReductionLoops() > 0 &&
         llvm::any_of(op->getResultTypes(), [&](Type type) {
           return isNarrower(getElementTypeOrSelf(type), wide);
         });
}

/// Erases the fills and empty tensors behind `values` that nothing uses now.
void eraseDead(RewriterBase &b, ArrayRef<Value> values) {
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<linalg::FillOp, tensor::EmptyOp>(op) ||
        !op->use_empty())
      continue;
    Value next = isa<linalg::FillOp>(op) ? op->getOperand(1) : Value();
    b.eraseOp(op);
    if (next)
      eraseDead(b, next);
  }
}

/// Rewrites one op. Fails, changing nothing, with a remark.
LogicalResult promote(RewriterBase &b, linalg::LinalgOp op, FloatType wide) {
  if (!op.getRegionBuilder())
    if (Operation *obstacle = findUnretypable(*op.getBlock(), wide)) {
      InFlightDiagnostic remark =
          op.emitRemark() << "keeps accumulating in "
                          << getElementTypeOrSelf(op->getResultTypes()[0])
                          << ": '" << obstacle->getName()
                          << "' in its body has no form in " << wide;
      remark.attachNote(obstacle->getLoc()) << "here";
      return failure();
    }
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  SmallVector<Value> operands = op.getDpsInputs();
  SmallVector<Type> resultTypes;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Value value = init.get();
    if (isNarrower(getElementTypeOrSelf(value), wide))
      value = extendInit(b, loc, value, wide,
                         op.payloadUsesValueFromOperand(&init));
    operands.push_back(value);
    resultTypes.push_back(value.getType());
  }
  auto copy =
      cast<linalg::LinalgOp>(cloneWithoutRegions(b, op, resultTypes, operands));
  buildBody(b, op, copy, wide);
  SmallVector<Value> results;
  for (auto [old, value] : llvm::zip(op->getResults(), copy->getResults())) {
    Type element = getElementTypeOrSelf(old);
    results.push_back(
        element == getElementTypeOrSelf(value)
            ? value
            : convertElements(b, loc, value, cast<FloatType>(element)));
  }
  SmallVector<Value> inits(op.getDpsInits());
  b.replaceOp(op, results);
  eraseDead(b, inits);
  return success();
}

/// Softmax is one value of the input IR: extended as a whole, decomposed, and
/// rounded once.
LogicalResult promoteSoftmax(RewriterBase &b, linalg::SoftmaxOp op,
                             FloatType wide) {
  Location loc = op.getLoc();
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(op.getInput()));
  bool extends = element && isNarrower(element, wide);
  b.setInsertionPoint(op);
  linalg::SoftmaxOp softmax = op;
  if (extends) {
    Value input = convertElements(b, loc, op.getInput(), wide);
    Value empty = createEmptyLike(b, loc, op.getOutput(), wide);
    softmax = linalg::SoftmaxOp::create(b, loc, TypeRange{empty.getType()},
                                        input, empty, op.getDimension());
  }
  FailureOr<SmallVector<Value>> results = softmax.decomposeOperation(b);
  if (failed(results))
    return failure();
  Value result = (*results)[0];
  if (extends) {
    b.eraseOp(softmax);
    result = convertElements(b, loc, result, element);
  }
  b.replaceOp(op, result);
  return success();
}

struct PromoteAccumulatorsPass
    : impl::PromoteAccumulatorsPassBase<PromoteAccumulatorsPass> {
  using PromoteAccumulatorsPassBase::PromoteAccumulatorsPassBase;

  void runOnOperation() override {
    FloatType wide;
    if (type == "f32")
      wide = Float32Type::get(&getContext());
    else if (type == "f64")
      wide = Float64Type::get(&getContext());
    if (!wide) {
      getOperation()->emitError()
          << "option 'type' is '" << type << "', expected 'f32' or 'f64'";
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::SoftmaxOp> softmaxes;
    getOperation()->walk([&](linalg::SoftmaxOp op) {
      if (op.hasPureTensorSemantics())
        softmaxes.push_back(op);
    });
    for (linalg::SoftmaxOp op : softmaxes)
      count(promoteSoftmax(rewriter, op, wide));
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (hasNarrowReduction(op, wide))
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      count(promote(rewriter, op, wide));
  }

  void count(LogicalResult result) {
    if (succeeded(result))
      ++numPromoted;
    else
      ++numSkipped;
  }
};
} // namespace
} // namespace mercury
