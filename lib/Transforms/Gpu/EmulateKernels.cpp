//===- EmulateKernels.cpp - Device functions that run on CPUs -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulation/EmulatedKernel.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mercury {
#define GEN_PASS_DEF_EMULATEKERNELSPASS
#include "Mercury/Transforms/Gpu/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {
struct EmulateKernelsPass
    : public mercury::impl::EmulateKernelsPassBase<EmulateKernelsPass> {
  using EmulateKernelsPassBase::EmulateKernelsPassBase;

  LogicalResult emulate(gpu::GPUModuleOp device, SymbolTable &symbols) {
    for (Operation &op : device.getBody()->getOperations())
      if (!isa<gpu::GPUFuncOp, memref::GlobalOp>(op))
        return op.emitOpError("in a gpu.module is not emulated");
    // Constants first: renaming one renames what uses it.
    SymbolTable inner(device);
    for (auto global :
         llvm::make_early_inc_range(device.getOps<memref::GlobalOp>())) {
      if (symbols.lookup(global.getSymName()) &&
          failed(inner.renameToUnique(global, {&symbols})))
        return global.emitOpError("cannot be renamed");
      global->remove();
      symbols.insert(global, getOperation().getBody()->begin());
    }
    llvm::DenseMap<StringAttr, StringAttr> names;
    for (auto kernel : device.getOps<gpu::GPUFuncOp>()) {
      FailureOr<func::FuncOp> function = emulateKernel(kernel, symbols, checks);
      if (failed(function))
        return failure();
      names[kernel.getNameAttr()] = function->getSymNameAttr();
    }
    StringAttr from = device.getSymNameAttr();
    getOperation().walk([&](LaunchOp launch) {
      SymbolRefAttr callee = launch.getKernel();
      if (callee.getRootReference() == from)
        launch.setKernelAttr(
            FlatSymbolRefAttr::get(names.lookup(callee.getLeafReference())));
    });
    symbols.erase(device);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    for (auto device :
         llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
      if (failed(emulate(device, symbols)))
        return signalPassFailure();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};
} // namespace
