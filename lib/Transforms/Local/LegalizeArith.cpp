//===- LegalizeArith.cpp - Expand arithmetic that targets lack ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace mercury {
#define GEN_PASS_DEF_LEGALIZEARITHPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
/// `type` with its element type replaced: f32 -> i32, vector<4xf32> ->
/// vector<4xi32>.
Type withElement(Type type, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(element);
  return element;
}

/// Builds arithmetic on scalars and vectors of the shape of `like` alike.
struct Builder {
  PatternRewriter &b;
  Location loc;
  Type like;

  Type i16() const { return withElement(like, b.getI16Type()); }
  Type i32() const { return withElement(like, b.getI32Type()); }
  Type f32() const { return withElement(like, b.getF32Type()); }
  Type bf16() const { return withElement(like, b.getBF16Type()); }

  Value constant(int32_t value) const {
    TypedAttr attr = b.getI32IntegerAttr(value);
    if (auto shaped = dyn_cast<ShapedType>(i32()))
      attr = DenseElementsAttr::get(shaped, b.getI32IntegerAttr(value));
    return arith::ConstantOp::create(b, loc, attr);
  }
  template <typename Op> Value make(Value lhs, Value rhs) const {
    return Op::create(b, loc, lhs, rhs);
  }
  template <typename Op> Value cast(Type to, Value from) const {
    return Op::create(b, loc, to, from);
  }
  Value select(Value cond, Value yes, Value no) const {
    return arith::SelectOp::create(b, loc, cond, yes, no);
  }

  /// bf16 to f32: the upper half of the word.
  Value extendBF16(Value value) const {
    Value word =
        cast<arith::ExtUIOp>(i32(), cast<arith::BitcastOp>(i16(), value));
    word = make<arith::ShLIOp>(word, constant(16));
    return cast<arith::BitcastOp>(f32(), word);
  }

  /// f32 to bf16: to nearest even; a NaN stays one.
  Value roundToBF16(Value value) const {
    Value word = cast<arith::BitcastOp>(i32(), value);
    Value upper = make<arith::ShRUIOp>(word, constant(16));
    Value odd = make<arith::AndIOp>(upper, constant(1));
    Value rounded =
        make<arith::AddIOp>(make<arith::AddIOp>(word, constant(0x7fff)), odd);
    rounded = make<arith::ShRUIOp>(rounded, constant(16));
    Value isNaN =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
    Value quiet = make<arith::OrIOp>(upper, constant(0x40));
    Value bits = select(isNaN, quiet, rounded);
    return cast<arith::BitcastOp>(bf16(), cast<arith::TruncIOp>(i16(), bits));
  }

  /// f64 to f32, to odd: towards zero, the last bit set if inexact. Rounding
  /// that to at most 22 bits gives what rounding the f64 once would give
  /// (Boldo and Melquiond, "When double rounding is odd", 2004).
  Value roundToOdd(Value value) const {
    Value nearest = cast<arith::TruncFOp>(f32(), value);
    Value back = cast<arith::ExtFOp>(value.getType(), nearest);
    Value word = cast<arith::BitcastOp>(i32(), nearest);
    Value tooLarge = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                           math::AbsFOp::create(b, loc, back),
                                           math::AbsFOp::create(b, loc, value));
    Value towardsZero =
        select(tooLarge, make<arith::SubIOp>(word, constant(1)), word);
    // Ordered: a NaN passes as it is.
    Value inexact =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, value);
    Value odd =
        select(inexact, make<arith::OrIOp>(towardsZero, constant(1)), word);
    return cast<arith::BitcastOp>(f32(), odd);
  }
};

struct ExpandExtendBF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "does not extend bf16");
    Builder b{rewriter, op.getLoc(), op.getType()};
    Value wide = b.extendBF16(op.getIn());
    if (wide.getType() != op.getType())
      wide = b.cast<arith::ExtFOp>(op.getType(), wide);
    rewriter.replaceOp(op, wide);
    return success();
  }
};

struct ExpandTruncate : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType());
    Type to = getElementTypeOrSelf(op.getType());
    if (!to.isBF16() && !(to.isF16() && from.isF64()))
      return rewriter.notifyMatchFailure(op, "has an instruction");
    if (op.getRoundingmode() &&
        *op.getRoundingmode() != arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "does not round to nearest");
    Builder b{rewriter, op.getLoc(), op.getType()};
    Value value = op.getIn();
    if (from.isF64())
      value = b.roundToOdd(value);
    else if (!from.isF32())
      return rewriter.notifyMatchFailure(op, "neither from f64 nor from f32");
    rewriter.replaceOp(op, to.isBF16()
                               ? b.roundToBF16(value)
                               : b.cast<arith::TruncFOp>(op.getType(), value));
    return success();
  }
};

/// What an operation under a root needs.
struct Needs {
  bool narrowMath = false, bf16 = false, expansion = false;
};

bool anyType(Operation *op, function_ref<bool(Type)> pred) {
  auto test = [&](Type type) { return pred(getElementTypeOrSelf(type)); };
  return llvm::any_of(op->getOperandTypes(), test) ||
         llvm::any_of(op->getResultTypes(), test);
}

Needs findNeeds(Operation *root) {
  Needs needs;
  root->walk([&](Operation *op) {
    Dialect *dialect = op->getDialect();
    if (isa_and_nonnull<math::MathDialect>(dialect))
      needs.narrowMath |=
          anyType(op, [](Type t) { return t.isBF16() || t.isF16(); });
    if (isa_and_nonnull<arith::ArithDialect, vector::VectorDialect>(dialect))
      needs.bf16 |= anyType(op, [](Type t) { return t.isBF16(); });
    needs.expansion |= isa<arith::CeilDivSIOp, arith::CeilDivUIOp,
                           arith::FloorDivSIOp, arith::TruncFOp>(op);
  });
  return needs;
}

struct LegalizeArithPass : impl::LegalizeArithPassBase<LegalizeArithPass> {
  void runOnOperation() override {
    Operation *root = getOperation();
    MLIRContext *context = &getContext();
    Needs needs = findNeeds(root);
    Type f32 = Float32Type::get(context);
    if (needs.narrowMath) {
      TypeConverter converter;
      SetVector<Type> supported;
      supported.insert(f32);
      supported.insert(Float64Type::get(context));
      math::populateExtendToSupportedTypesTypeConverter(converter, supported,
                                                        f32);
      ConversionTarget target(*context);
      math::populateExtendToSupportedTypesConversionTarget(target, converter);
      RewritePatternSet patterns(context);
      math::populateExtendToSupportedTypesPatterns(patterns, converter);
      if (failed(applyPartialConversion(root, target, std::move(patterns))))
        return signalPassFailure();
    }
    if (needs.bf16) {
      TypeConverter converter;
      arith::populateEmulateUnsupportedFloatsConversions(
          converter, {BFloat16Type::get(context)}, f32);
      ConversionTarget target(*context);
      arith::populateEmulateUnsupportedFloatsLegality(target, converter);
      RewritePatternSet patterns(context);
      arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
      if (failed(applyPartialConversion(root, target, std::move(patterns))))
        return signalPassFailure();
    }
    if (needs.narrowMath || needs.bf16 || needs.expansion) {
      RewritePatternSet patterns(context);
      patterns.add<ExpandExtendBF16, ExpandTruncate>(context);
      arith::populateCeilFloorDivExpandOpsPatterns(patterns);
      if (failed(applyPatternsGreedily(root, std::move(patterns))))
        return signalPassFailure();
    }
  }
};
} // namespace
} // namespace mercury
