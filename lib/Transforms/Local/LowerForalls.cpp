//===- LowerForalls.cpp - Local foralls as loops --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"

using namespace mlir;

namespace mercury {
#define GEN_PASS_DEF_LOWERFORALLSPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
struct LowerForallsPass : impl::LowerForallsPassBase<LowerForallsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForallOp> foralls; // inner ones first
    getOperation()->walk([&](scf::ForallOp op) { foralls.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp op : foralls) {
      // Upstream's function expects buffers and does not ask.
      if (op->getNumResults()) {
        op.emitOpError("is on tensors; only loops on buffers are lowered");
        return signalPassFailure();
      }
      rewriter.setInsertionPoint(op);
      if (failed(scf::forallToForLoop(rewriter, op)))
        return signalPassFailure();
    }
  }
};
} // namespace
} // namespace mercury
