//===- OutlineKernels.cpp - Local work into kernels -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/BufferEffects.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "Mercury/Transforms/Local/AttentionLoops.h"
#include "Outline/FusionGroup.h"
#include "Outline/KernelFunction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mercury {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "Mercury/Transforms/Gpu/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// Whether a kernel has `op` alone: work that has emitters, or a library, of
/// its own.
static bool standsAlone(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return isa<OnlineAttentionOp>(op) || op->hasAttr(kPatchAttrName) ||
         (linalgOp && linalg::isaContractionOpInterface(linalgOp));
}

/// Whether `op` computes on elements.
static bool isWork(Operation *op) {
  return isa<OnlineAttentionOp, linalg::LinalgOp, memref::CopyOp>(op);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A global that `op` writes, if it does.
static memref::GetGlobalOp findWrittenGlobal(Operation *op) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  cast<MemoryEffectOpInterface>(op).getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
      for (Value root : rootsOf(effect.getValue()))
        if (auto global = root.getDefiningOp<memref::GetGlobalOp>())
          return global;
  return {};
}

/// Device code has copies of what is constant, and of no other globals.
static LogicalResult checkGlobals(func::FuncOp function) {
  WalkResult walked = function.walk([&](Operation *op) {
    if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
      auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
          op, get.getNameAttr());
      if (op->use_empty() || (global.getConstant() && !global.isExternal() &&
                              !global.isUninitialized()))
        return WalkResult::advance();
      op->emitOpError() << "names @" << get.getName()
                        << ", which is no constant; device code has no other "
                           "globals";
      return WalkResult::interrupt();
    }
    memref::GetGlobalOp written = isWork(op) ? findWrittenGlobal(op) : nullptr;
    if (!written)
      return WalkResult::advance();
    op->emitOpError() << "writes the constant @" << written.getName();
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// Whether a use of the constant, or of a view of it, needs a buffer of the
/// device: all but loads by the host, and groups that make the constant inside.
static bool needsBuffer(Value constant) {
  for (Operation *user : constant.getUsers()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
      bool isStatic = baseOf(user->getResult(0)).buffer != user->getResult(0);
      if (!isStatic || needsBuffer(user->getResult(0)))
        return true;
    } else if (!isa<memref::LoadOp>(user) &&
               (standsAlone(user) ||
                !isa<linalg::LinalgOp, memref::CopyOp>(user))) {
      return true;
    }
  }
  return false;
}

/// Copies constants into buffers once per call where they are needed there.
static void copyConstants(func::FuncOp function) {
  SmallVector<memref::GetGlobalOp> constants;
  function.walk([&](memref::GetGlobalOp op) {
    if (needsBuffer(op))
      constants.push_back(op);
  });
  for (memref::GetGlobalOp op : constants) {
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    auto buffer = memref::AllocOp::create(b, op.getLoc(), op.getType());
    buffer->setAttr(kMemoryClassAttrName, b.getStringAttr("workspace"));
    auto copy = memref::CopyOp::create(b, op.getLoc(), op, buffer);
    op.getResult().replaceUsesWithIf(buffer, [&](OpOperand &use) {
      return use.getOwner() != copy && !isa<memref::LoadOp>(use.getOwner());
    });
    b.setInsertionPoint(op->getBlock()->getTerminator());
    memref::DeallocOp::create(b, op.getLoc(), buffer);
  }
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {
class Outliner {
public:
  Outliner(func::FuncOp function, KernelFunctions &kernels)
      : function(function), kernels(kernels) {}

  LogicalResult run() {
    if (failed(checkGlobals(function)))
      return failure();
    copyConstants(function);
    return visit(function.getBody());
  }
  unsigned numLaunches = 0;

private:
  LogicalResult visit(Region &region) {
    for (Block &block : region) {
      for (Operation &op : llvm::make_early_inc_range(block))
        if (failed(visit(op)))
          return failure();
      flush();
    }
    return success();
  }

  LogicalResult visit(Operation &op) {
    if (isWork(&op))
      return visitLocal(op);
    if (isa<scf::ForOp, scf::IfOp>(op)) {
      flush();
      for (Region &region : op.getRegions())
        if (failed(visit(region)))
          return failure();
      return success();
    }
    if (isa<memref::AllocOp>(op) || isMemoryEffectFree(&op))
      return success();
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      if (touches(dealloc.getMemref()))
        flush();
      return success();
    }
    flush();
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return checkLoad(load);
    if (op.hasTrait<OpTrait::IsTerminator>() ||
        (isa_and_nonnull<CommIRDialect>(op.getDialect()) &&
         !isa<AttentionOp>(op)))
      return success();
    if (isa<scf::ForallOp>(op))
      return op.emitOpError("stands around the work of one rank, which is not "
                            "made a kernel; lower it to loops first");
    return op.emitOpError("is neither a kernel nor what the host of a device "
                          "does: communication, views and index arithmetic");
  }

  /// The host reads constants, as tables of indices; all else is on the device.
  static LogicalResult checkLoad(memref::LoadOp load) {
    for (Value root : rootsOf(load.getMemRef()))
      if (!root.getDefiningOp<memref::GetGlobalOp>())
        return load.emitOpError(
            "reads an element of a device's buffer on the host");
    return success();
  }

  LogicalResult visitLocal(Operation &op) {
    if (op.getNumResults() != 0)
      return op.emitOpError("does not become a kernel: it is not on buffers");
    auto attention = dyn_cast<OnlineAttentionOp>(op);
    if (attention && !hasOnlyRanges(attention))
      return op.emitOpError("does not become a kernel: its mask is in terms of "
                            "positions; mercury-materialize-masks makes ranges "
                            "of keys of them");
    if (standsAlone(&op)) {
      flush();
      outline(&op,
              attention ? "attention"
              : isa<linalg::LinalgOp>(op) && linalg::isaContractionOpInterface(
                                                 cast<linalg::LinalgOp>(op))
                  ? "contraction"
                  : "patched");
      return success();
    }
    std::string reason;
    std::optional<LocalOp> local = describeLocalOp(&op, reason);
    if (!local)
      return op.emitOpError("does not become a kernel: ") << reason;
    if (local->size() == 0) {
      op.erase();
      return success();
    }
    if (Value buffer = findOwnConflict(*local))
      return op.emitOpError("does not become a kernel: iterations write "
                            "elements of a buffer of type ")
             << buffer.getType() << " that others read";
    if (!group.ops.empty() && !extendGroup(group, *local, mayOverlap))
      flush();
    if (group.ops.empty())
      extendGroup(group, *local, mayOverlap);
    return success();
  }

  bool touches(Value buffer) {
    return llvm::any_of(group.ops, [&](const LocalOp &op) {
      return llvm::any_of(op.accesses, [&](const OpAccess &access) {
        return mayOverlap(access.value, buffer);
      });
    });
  }

  /// In a word, what the group does.
  StringRef describeGroup() {
    bool reduces = false, computes = false, copies = false;
    for (auto [number, op] : llvm::enumerate(group.ops)) {
      auto linalgOp = dyn_cast<linalg::LinalgOp>(op.op);
      reduces |= group.hasReduction(number);
      computes |= linalgOp && linalgOp.getBlock()->getOperations().size() > 1;
      copies |= llvm::any_of(
          op.accesses, [](const OpAccess &access) { return access.reads; });
    }
    return reduces    ? "reduction"
           : computes ? "elementwise"
           : copies   ? "copy"
                      : "fill";
  }

  void flush() {
    if (group.ops.empty())
      return;
    StringRef what = describeGroup();
    SmallVector<Operation *> ops;
    for (const LocalOp &op : group.ops)
      ops.push_back(op.op);
    group = FusionGroup();
    outline(ops, what);
  }

  void outline(ArrayRef<Operation *> ops, StringRef what) {
    kernels.outline(ops, function.getSymName() + "_" + what);
    ++numLaunches;
  }

  func::FuncOp function;
  KernelFunctions &kernels;
  FusionGroup group;
};

struct OutlineKernelsPass
    : public mercury::impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  using OutlineKernelsPassBase::OutlineKernelsPassBase;

  void runOnOperation() override {
    KernelFunctions kernels(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      Outliner outliner(function, kernels);
      if (failed(outliner.run()))
        return signalPassFailure();
      numLaunches += outliner.numLaunches;
    }
    numKernels += kernels.size();
  }
};
} // namespace
