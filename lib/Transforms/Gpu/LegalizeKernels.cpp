//===- LegalizeKernels.cpp - What the lowering to nvvm lacks --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mercury {
#define GEN_PASS_DEF_LEGALIZEKERNELSPASS
#include "Mercury/Transforms/Gpu/Passes.h.inc"
} // namespace mercury

using namespace mlir;

/// A number that is normal is, without its sign, at least the smallest of those
/// and less than infinity. A NaN compares false.
static LogicalResult expandIsNormal(math::IsNormalOp op,
                                    PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Type type = op.getOperand().getType();
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  auto constant = [&](const APFloat &value) -> Value {
    TypedAttr attr = FloatAttr::get(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, attr);
    return arith::ConstantOp::create(rewriter, loc, attr);
  };
  Value magnitude = math::AbsFOp::create(rewriter, loc, op.getOperand());
  Value isLarge = arith::CmpFOp::create(
      rewriter, loc, arith::CmpFPredicate::OGE, magnitude,
      constant(APFloat::getSmallestNormalized(semantics)));
  Value isFinite =
      arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OLT, magnitude,
                            constant(APFloat::getInf(semantics)));
  rewriter.replaceOpWithNewOp<arith::AndIOp>(op, isLarge, isFinite);
  return success();
}

namespace {
struct LegalizeKernelsPass
    : public mercury::impl::LegalizeKernelsPassBase<LegalizeKernelsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    math::populateExpansionPatterns(patterns, {"clampf"});
    patterns.add(expandIsNormal);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
