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
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using mercury::commir::kPatchAttrName;
using mercury::commir::kTileAttrName;

namespace mercury {
#define GEN_PASS_DEF_VECTORIZECONTRACTIONSPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
/// The sizes of the local tile that `op` is asked to be computed in, per loop.
SmallVector<int64_t> askedTile(linalg::LinalgOp op) {
  auto tile = op->getAttrOfType<DenseI64ArrayAttr>(kTileAttrName);
  return tile ? llvm::to_vector(tile.asArrayRef()) : SmallVector<int64_t>();
}

/// `op` in loops over tiles of these sizes, 0: a loop stays whole. Returns the
/// op on one tile.
FailureOr<linalg::LinalgOp> tileInto(RewriterBase &b, linalg::LinalgOp op,
                                     ArrayRef<int64_t> sizes) {
  b.setInsertionPoint(op);
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(b.getContext(), sizes));
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(b, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return failure();
  b.replaceOp(op, tiled->replacements);
  return cast<linalg::LinalgOp>(tiled->tiledOps.back());
}

/// Replaces `op` if it is a contraction that the nest can compute. What is not
/// keeps its linalg form, on the tiles that it is asked to be computed in, and
/// becomes plain loops later.
LogicalResult vectorize(RewriterBase &b, linalg::LinalgOp op,
                        const BlockingOptions &options, int64_t minFlops) {
  SmallVector<int64_t> tile = askedTile(op), outer = tile;
  FailureOr<Contraction> contraction = matchContraction(op);
  std::optional<Blocking> blocking;
  if (succeeded(contraction) &&
      (contraction->flops() >= minFlops || !tile.empty())) {
    Type element = contraction->c.element();
    if (element.isF32() || element.isF64())
      blocking = chooseBlocking(*contraction, options, tile);
  }
  if (blocking && !tile.empty()) {
    // The nest blocks these; of all others it takes one index at a time.
    outer[blocking->nLoop] = outer[blocking->kLoop] = 0;
    if (blocking->mLoop)
      outer[*blocking->mLoop] = 0;
  }
  for (auto [size, extent] : llvm::zip(outer, op.getStaticLoopRanges()))
    if (size >= extent || (blocking && size == 1))
      size = 0;
  if (llvm::any_of(outer, [](int64_t size) { return size != 0; })) {
    FailureOr<linalg::LinalgOp> inner = tileInto(b, op, outer);
    if (failed(inner))
      return failure();
    for (auto [size, done] : llvm::zip(tile, outer))
      if (done)
        size = 0;
    (*inner)->setAttr(kTileAttrName, b.getDenseI64ArrayAttr(tile));
    return vectorize(b, *inner, options, minFlops);
  }
  if (!blocking) {
    op->removeAttr(kTileAttrName);
    return failure();
  }
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
      getOperation()->emitError()
          << "option 'vector-bits' is " << vectorBits.getValue()
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
      if (op.hasPureTensorSemantics() && !op->hasAttr(kPatchAttrName) &&
          (op.getNumReductionLoops() || op->hasAttr(kTileAttrName)))
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
