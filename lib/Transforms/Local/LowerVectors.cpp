//===- LowerVectors.cpp - Vectors of one dimension ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace mercury {
#define GEN_PASS_DEF_LOWERVECTORSPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
/// True if an op under `root` belongs to the vector dialect.
bool hasVectorOps(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return isa_and_nonnull<vector::VectorDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

struct LowerVectorsPass : impl::LowerVectorsPassBase<LowerVectorsPass> {
  void runOnOperation() override {
    Operation *root = getOperation();
    if (!hasVectorOps(root))
      return;
    if (failed(lowerStructure(root)) || failed(lowerTransfers(root)))
      return signalPassFailure();
  }

  /// Ops that combine or rearrange whole vectors. Contractions become outer
  /// products first and those become fused multiply-adds.
  LogicalResult lowerStructure(Operation *root) {
    RewritePatternSet patterns(&getContext());
    vector::populateVectorContractLoweringPatterns(
        patterns, vector::VectorContractLowering::OuterProduct);
    vector::populateVectorOuterProductLoweringPatterns(patterns);
    vector::populateVectorMultiReductionLoweringPatterns(
        patterns, vector::VectorMultiReductionLowering::InnerParallel);
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransposeLowering::Shuffle16x16);
    vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
    vector::populateVectorMaskOpLoweringPatterns(patterns);
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    vector::populateVectorGatherLoweringPatterns(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    return applyPatternsGreedily(root, std::move(patterns));
  }

  /// Transfers: one row at a time, then loads, stores and masked ones.
  LogicalResult lowerTransfers(Operation *root) {
    RewritePatternSet patterns(&getContext());
    populateVectorToSCFConversionPatterns(
        patterns, VectorTransferToSCFOptions().enableFullUnroll());
    vector::populateVectorTransferLoweringPatterns(patterns,
                                                   /*maxTransferRank=*/1);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    vector::populateVectorMaskMaterializationPatterns(
        patterns, /*force32BitVectorIndices=*/true);
    return applyPatternsGreedily(root, std::move(patterns));
  }
};
} // namespace
} // namespace mercury
