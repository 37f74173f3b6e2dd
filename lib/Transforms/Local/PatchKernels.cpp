//===- PatchKernels.cpp - Registered kernels instead of generated code ----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCall.h"
#include "Mercury/Dialect/CommIR/IR/AttrNames.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Local/KernelRegistry.h"
#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using mercury::commir::kPatchAttrName;

namespace mercury {
#define GEN_PASS_DEF_PATCHKERNELSPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
struct PatchKernelsPass : impl::PatchKernelsPassBase<PatchKernelsPass> {
  using PatchKernelsPassBase::PatchKernelsPassBase;

  void runOnOperation() override {
    KernelRegistry registry = globalKernelRegistry();
    if (failed(registerOptionKernels(registry)))
      return signalPassFailure();
    if (!local.empty() && registry.lookup(local).empty()) {
      getOperation().emitError()
          << "option 'local': no kernel '" << local << "' is registered";
      return signalPassFailure();
    }
    SmallVector<Operation *> ops;
    bool failedAny = false;
    getOperation()->walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, commir::OnlineAttentionOp>(op)) {
        ops.push_back(op);
      } else if (op->hasAttr(kPatchAttrName)) {
        op->emitError() << "'" << op->getName() << "' carries '"
                        << kPatchAttrName
                        << "' and is neither a linalg op nor "
                           "'commir.online_attention'";
        failedAny = true;
      }
    });
    for (Operation *op : ops)
      failedAny |= failed(patch(op, registry));
    if (failedAny)
      signalPassFailure();
  }

  LogicalResult registerOptionKernels(KernelRegistry &registry) {
    if (kernels.size() % 4 != 0)
      return getOperation().emitError()
             << "option 'kernel' has " << kernels.size()
             << " words, expected four for each kernel: name,form,type,symbol";
    for (size_t i = 0; i < kernels.size(); i += 4) {
      Kernel kernel;
      kernel.name = kernels[i];
      kernel.type = kernels[i + 2];
      kernel.symbol = kernels[i + 3];
      if (!parseForm(kernels[i + 1], kernel))
        return getOperation().emitError()
               << "option 'kernel': form '" << kernels[i + 1] << "' of kernel '"
               << kernel.name
               << "' is not one of nn, nt, tn, tt, attention, "
                  "masked_attention";
      if (std::string why = registry.registerKernel(kernel); !why.empty())
        return getOperation().emitError() << "option 'kernel': " << why;
    }
    return success();
  }

  /// Fails only if the attribute of `op` asked for a kernel that refuses it.
  LogicalResult patch(Operation *op, const KernelRegistry &registry) {
    Attribute attribute = op->getAttr(kPatchAttrName);
    if (!attribute && local.empty())
      return success();
    // The dialect has verified that the attribute is a name.
    std::string name =
        attribute ? cast<StringAttr>(attribute).str() : std::string(local);
    std::string reason;
    const Kernel *kernel = nullptr;
    FailureOr<KernelCall> call = matchKernelCall(op, reason);
    if (succeeded(call))
      kernel = chooseKernel(registry, name, *call, reason);
    OpBuilder b(op);
    if (kernel && failed(call->emit(b, kernel->symbol))) {
      reason =
          "symbol '" + kernel->symbol + "' is not a function of the kernel ABI";
      kernel = nullptr;
    }
    if (!kernel) {
      if (!attribute)
        return success();
      return op->emitError()
             << "kernel '" << name << "' does not take this op: " << reason;
    }
    op->erase();
    ++numPatched;
    return success();
  }
};
} // namespace
} // namespace mercury
