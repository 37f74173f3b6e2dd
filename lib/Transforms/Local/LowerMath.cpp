//===- LowerMath.cpp - Polynomials for vectors, libm for scalars ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace mercury {
#define GEN_PASS_DEF_LOWERMATHPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
/// Ops that one instruction, or a short sequence of them, computes.
bool hasCheapIntrinsic(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundEvenOp,
             math::RsqrtOp, math::SqrtOp, math::TruncOp, math::FPowIOp>(op);
}

struct LowerMathPass : impl::LowerMathPassBase<LowerMathPass> {
  void runOnOperation() override {
    SmallVector<Operation *> onVectors, all;
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
          hasCheapIntrinsic(op))
        return;
      all.push_back(op);
      if (op->getNumResults() == 1 && isa<VectorType>(op->getResultTypes()[0]))
        onVectors.push_back(op);
    });
    if (all.empty())
      return;
    if (!onVectors.empty()) {
      RewritePatternSet patterns(&getContext());
      populateMathPolynomialApproximationPatterns(patterns);
      // Only the vectors: scalars keep the accuracy of libm.
      (void)applyOpPatternsGreedily(
          onVectors, std::move(patterns),
          GreedyRewriteConfig().setStrictness(
              GreedyRewriteStrictness::ExistingAndNewOps));
    }
    if (failed(callLibm()))
      signalPassFailure();
  }

  LogicalResult callLibm() {
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    math::populateExpansionPatterns(patterns, {"clampf"});
    ConversionTarget target(getContext());
    target.addLegalDialect<arith::ArithDialect, func::FuncDialect,
                           vector::VectorDialect, LLVM::LLVMDialect>();
    // Neither legal nor illegal: what libm lacks may still have an intrinsic.
    target.addDynamicallyLegalDialect<math::MathDialect>(
        [](Operation *op) -> std::optional<bool> {
          if (hasCheapIntrinsic(op))
            return true;
          return std::nullopt;
        });
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }
};
} // namespace
} // namespace mercury
