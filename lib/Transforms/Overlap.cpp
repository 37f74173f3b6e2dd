//===- Overlap.cpp - Starts early, waits late -----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/BufferEffects.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Passes.h"
#include "Prefetch.h"

namespace mercury {
#define GEN_PASS_DEF_OVERLAPPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// Whether `op` (with everything inside) communicates, or touches buffers that
/// are in flight.
static bool conflicts(Operation *op, ArrayRef<Value> read,
                      ArrayRef<Value> written) {
  WalkResult result = op->walk([](Operation *inner) {
    return isa<CommunicationOpInterface, HopOp, WaitOp>(inner)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted() || mayConflict(op, read, written);
}

namespace {
struct OverlapPass : public mercury::impl::OverlapPassBase<OverlapPass> {
  using OverlapPassBase::OverlapPassBase;

  void split(Operation *op, int32_t request) {
    OpBuilder b(op);
    SmallVector<Value> buffers, written, read;
    auto dps = cast<DestinationStyleOpInterface>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<BaseMemRefType>(operand.get().getType()))
        continue;
      buffers.push_back(operand.get());
      (dps.isDpsInit(&operand) ? written : read).push_back(operand.get());
    }
    // The start moves up past what does not touch its buffers, and index
    // arithmetic that it needs with it.
    Operation *before = op;
    SmallVector<Operation *> moved{op};
    for (Operation *previous = op->getPrevNode(); previous;
         previous = previous->getPrevNode()) {
      bool isNeeded = llvm::any_of(previous->getUsers(), [&](Operation *user) {
        return llvm::is_contained(moved, user);
      });
      if (isNeeded && isMemoryEffectFree(previous) &&
          previous->getNumRegions() == 0) {
        moved.push_back(previous);
        continue;
      }
      if (isNeeded || conflicts(previous, read, written))
        break;
      before = previous;
    }
    // The wait moves down in the same way.
    Operation *after = op;
    while (Operation *next = after->getNextNode()) {
      if (next->hasTrait<OpTrait::IsTerminator>() ||
          conflicts(next, read, written))
        break;
      after = next;
    }
    bool overlaps = before != op || after != op;
    if (!overlaps)
      return;
    op->setAttr("request", b.getI32IntegerAttr(request));
    b.setInsertionPointAfter(after);
    WaitOp::create(b, op->getLoc(), request, buffers);
    for (Operation *mover : llvm::reverse(moved))
      if (before->isBeforeInBlock(mover))
        mover->moveBefore(before);
    ++numSplit;
  }

  void runOnOperation() override {
    int32_t nextRequest = 0;
    getOperation().walk([&](Operation *op) {
      if (auto request = op->getAttrOfType<IntegerAttr>("request"))
        nextRequest = std::max<int32_t>(nextRequest, request.getInt() + 1);
    });
    numPrefetched += prefetchTiles(getOperation(), nextRequest);
    SmallVector<Operation *> blocking;
    getOperation().walk([&](Operation *op) {
      if (isa<CommunicationOpInterface>(op) && !op->hasAttr("request"))
        blocking.push_back(op);
    });
    for (Operation *op : blocking)
      split(op, nextRequest++);
  }
};
} // namespace
