//===- Overlap.cpp - Starts early, waits late -----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mercury {
#define GEN_PASS_DEF_OVERLAPPASS
#include "Mercury/Transforms/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury::commir;

/// Buffers that a view may be part of: allocations and arguments, of which no
/// two overlap, or (loop-carried and selected buffers) something unknown.
static Value rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

static bool isKnownRoot(Value root) {
  if (root.getDefiningOp<memref::AllocOp>())
    return true;
  auto argument = dyn_cast<BlockArgument>(root);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

static bool mayOverlap(Value a, Value b) {
  Value x = rootOf(a), y = rootOf(b);
  if (x == y)
    return true;
  return !(isKnownRoot(x) && isKnownRoot(y));
}

/// Whether `op` (with everything inside) may write a buffer of `read`, may
/// touch one of `written`, communicates, or has effects that are not known.
static bool conflicts(Operation *op, ArrayRef<Value> read,
                      ArrayRef<Value> written) {
  WalkResult result = op->walk([&](Operation *inner) {
    if (isa<CommunicationOpInterface, HopOp, WaitOp>(inner))
      return WalkResult::interrupt();
    if (isMemoryEffectFree(inner))
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!effects)
      return inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>()
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> list;
    effects.getEffects(list);
    for (const MemoryEffects::EffectInstance &effect : list) {
      bool onlyReads = isa<MemoryEffects::Read>(effect.getEffect());
      if (isa<MemoryEffects::Allocate>(effect.getEffect()))
        continue;
      if (!effect.getValue())
        return WalkResult::interrupt();
      for (Value buffer : written)
        if (mayOverlap(effect.getValue(), buffer))
          return WalkResult::interrupt();
      for (Value buffer : read)
        if (!onlyReads && mayOverlap(effect.getValue(), buffer))
          return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
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
    // The start moves up past what touches neither its buffers nor defines its
    // operands.
    Operation *before = op;
    while (Operation *previous = before->getPrevNode()) {
      if (llvm::any_of(op->getOperands(),
                       [&](Value operand) {
                         return operand.getDefiningOp() == previous;
                       }) ||
          conflicts(previous, read, written))
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
    if (before != op)
      op->moveBefore(before);
    ++numSplit;
  }

  void runOnOperation() override {
    int32_t nextRequest = 0;
    SmallVector<Operation *> blocking;
    getOperation().walk([&](Operation *op) {
      if (auto request = op->getAttrOfType<IntegerAttr>("request"))
        nextRequest = std::max<int32_t>(nextRequest, request.getInt() + 1);
      else if (isa<CommunicationOpInterface>(op))
        blocking.push_back(op);
    });
    for (Operation *op : blocking)
      split(op, nextRequest++);
  }
};
} // namespace
