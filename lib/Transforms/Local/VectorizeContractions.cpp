//===- VectorizeContractions.cpp - Block, pack and vectorize --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionNest.h"
#include "Mercury/Dialect/CommIR/IR/AttrNames.h"
#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using mercury::commir::kPatchAttrName;

namespace mercury {
#define GEN_PASS_DEF_VECTORIZECONTRACTIONSPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
/// Replaces `op` if it is a contraction that the nest can compute. What is not
/// keeps its linalg form and becomes plain loops later.
LogicalResult vectorize(RewriterBase &b, linalg::LinalgOp op,
                        const BlockingOptions &options, int64_t minFlops) {
  FailureOr<Contraction> contraction = matchContraction(op);
  if (failed(contraction) || contraction->flops() < minFlops)
    return failure();
  Type element = contraction->c.element();
  if (!element.isF32() && !element.isF64())
    return failure();
  std::optional<Blocking> blocking = chooseBlocking(*contraction, options);
  if (!blocking)
    return failure();
  b.setInsertionPoint(op);
  Value result = ContractionNest(b, *contraction, *blocking).emit();
  b.replaceOp(op, result);
  return success();
}

struct VectorizeContractionsPass
    : impl::VectorizeContractionsPassBase<VectorizeContractionsPass> {
  using VectorizeContractionsPassBase::VectorizeContractionsPassBase;

  void runOnOperation() override {
    if (vectorBits != 0 && vectorBits != 128 && vectorBits != 256 &&
        vectorBits != 512) {
      getOperation()->emitError() << "option 'vector-bits' is " << vectorBits
                                  << ", expected 0, 128, 256 or 512";
      return signalPassFailure();
    }
    BlockingOptions options;
    options.vectorBits = vectorBits;
    options.blockM = blockM;
    options.blockN = blockN;
    options.blockK = blockK;
    options.registerM = registerM;
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      // A kernel takes the place of what is patched.
      if (op.hasPureTensorSemantics() && op.getNumReductionLoops() &&
          !op->hasAttr(kPatchAttrName))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      if (succeeded(vectorize(rewriter, op, options, minFlops)))
        ++numVectorized;
  }
};
} // namespace
} // namespace mercury
