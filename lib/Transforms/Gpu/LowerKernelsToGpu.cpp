//===- LowerKernelsToGpu.cpp - Kernels into device functions --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelEmitter.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Dialect/CommIR/IR/KernelAttrNames.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mercury {
#define GEN_PASS_DEF_LOWERKERNELSTOGPUPASS
#include "Mercury/Transforms/Gpu/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

static constexpr StringLiteral kModuleName = "kernels";

namespace {
struct LowerKernelsToGpuPass
    : public mercury::impl::LowerKernelsToGpuPassBase<LowerKernelsToGpuPass> {
  using LowerKernelsToGpuPassBase::LowerKernelsToGpuPassBase;

  static LogicalResult lower(func::FuncOp kernel, gpu::GPUModuleOp kernels,
                             const Chip &target) {
    if (kernel.isExternal())
      return kernel.emitError("this kernel has no body to make device code of");
    for (const KernelEmitter *emitter : kernelEmitters()) {
      if (!emitter->takes(kernel, target))
        continue;
      OpBuilder b = OpBuilder::atBlockEnd(kernels.getBody());
      auto function = gpu::GPUFuncOp::create(
          b, kernel.getLoc(), kernel.getSymName(), kernel.getFunctionType());
      function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                        b.getUnitAttr());
      function->setAttr(kKernelAttrName, b.getUnitAttr());
      emitter->emit(kernel, function, target);
      return success();
    }
    return kernel.emitError("no device code is known for this kernel");
  }

  /// The module of the device has the constants that its functions name.
  static void copyConstants(const SymbolTable &host, gpu::GPUModuleOp kernels) {
    SymbolTable device(kernels);
    kernels.walk([&](memref::GetGlobalOp op) {
      if (device.lookup(op.getName()))
        return;
      device.insert(host.lookup(op.getName())->clone(),
                    kernels.getBody()->begin());
    });
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<Chip> target = findChip(chip);
    if (!target) {
      module.emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(kKernelAttrName) &&
          !function->hasAttr(kMatmulAttrName))
        functions.push_back(function);
    if (functions.empty())
      return;
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    UnitAttr::get(&getContext()));
    SymbolTable symbols(module);
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), kModuleName);
    symbols.insert(kernels);
    for (func::FuncOp function : functions)
      if (failed(lower(function, kernels, *target)))
        return signalPassFailure();
    copyConstants(symbols, kernels);
    SymbolTable device(kernels);
    module.walk([&](LaunchOp launch) {
      StringAttr name = launch.getKernel().getLeafReference();
      if (device.lookup(name))
        launch.setKernelAttr(SymbolRefAttr::get(kernels.getSymNameAttr(),
                                                SymbolRefAttr::get(name)));
    });
    for (func::FuncOp function : functions)
      function.erase();
  }
};
} // namespace
