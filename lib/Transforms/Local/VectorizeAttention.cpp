//===- VectorizeAttention.cpp - A fused tile for online attention ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionTile.h"
#include "Mercury/Dialect/CommIR/IR/AttrNames.h"
#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using mercury::commir::OnlineAttentionOp;

namespace mercury {
#define GEN_PASS_DEF_VECTORIZEATTENTIONPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
struct VectorizeAttentionPass
    : impl::VectorizeAttentionPassBase<VectorizeAttentionPass> {
  using VectorizeAttentionPassBase::VectorizeAttentionPassBase;

  void runOnOperation() override {
    if (vectorBits != 0 && vectorBits != 128 && vectorBits != 256 &&
        vectorBits != 512) {
      getOperation()->emitError()
          << "option 'vector-bits' is " << vectorBits.getValue()
          << ", expected 0, 128, 256 or 512";
      return signalPassFailure();
    }
    for (auto [name, value] :
         {std::pair("block-queries", blockQueries.getValue()),
          std::pair("block-keys", blockKeys.getValue())})
      if (value < 0) {
        getOperation()->emitError() << "option '" << name << "' is " << value
                                    << ", expected 0 or a positive number";
        return signalPassFailure();
      }
    AttentionBlocking blocking{vectorBits, blockQueries, blockKeys};
    SmallVector<OnlineAttentionOp> ops;
    getOperation()->walk([&](OnlineAttentionOp op) {
      // A kernel takes the place of what is patched.
      if (isa<MemRefType>(op.getQuery().getType()) &&
          !op->hasAttr(commir::kPatchAttrName) &&
          AttentionTile::canEmit(op, minFlops))
        ops.push_back(op);
    });
    for (OnlineAttentionOp op : ops) {
      OpBuilder b(op);
      AttentionTile(b, op, blocking).emit();
      op.erase();
      ++numVectorized;
    }
  }
};
} // namespace
} // namespace mercury
