//===- SerializeKernels.cpp - Device functions into images ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Gpu/Chip.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "Toolkit.h"
#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace mercury {
#define GEN_PASS_DEF_SERIALIZEKERNELSPASS
#include "Mercury/Transforms/Gpu/Passes.h.inc"
} // namespace mercury

using namespace mlir;
using namespace mercury;

static std::optional<gpu::CompilationTarget> parseFormat(StringRef format) {
  return llvm::StringSwitch<std::optional<gpu::CompilationTarget>>(format)
      .Case("isa", gpu::CompilationTarget::Assembly)
      .Case("bin", gpu::CompilationTarget::Binary)
      .Case("fatbin", gpu::CompilationTarget::Fatbin)
      .Default(std::nullopt);
}

static bool callsLibdevice(gpu::GPUModuleOp module) {
  return llvm::any_of(
      module.getOps<LLVM::LLVMFuncOp>(), [](LLVM::LLVMFuncOp function) {
        return function.isExternal() && function.getName().starts_with("__nv_");
      });
}

/// What is left of other dialects has no lowering; translation to LLVM IR would
/// name its own means instead of the op.
static LogicalResult checkLowered(gpu::GPUModuleOp module) {
  bool isLowered = true;
  module->walk([&](Operation *op) {
    if (op == module || isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(
                            op->getDialect()))
      return;
    // Casts around an op that was not converted; it is reported itself.
    if (!isa<UnrealizedConversionCastOp>(op))
      op->emitOpError() << "has no lowering to the nvvm dialect";
    isLowered = false;
  });
  return success(isLowered);
}

/// From this capability on pairs of 32-bit numbers are legal types to LLVM 22,
/// whose selection of instructions then ends the process where two words are
/// truncated to a mask of two bits ("cannot select v2i32 = and").
static constexpr int kFirstWithPairs = 100;

static bool hasPairs(gpu::GPUModuleOp module) {
  return llvm::any_of(module.getTargetsAttr(), [](Attribute attribute) {
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
    llvm::Expected<Chip> chip = findChip(target ? target.getChip() : "");
    if (chip)
      return chip->capability >= kFirstWithPairs;
    llvm::consumeError(chip.takeError());
    return false;
  });
}

/// Truncates to masks number by number.
static void splitMasks(llvm::Module &module) {
  SmallVector<llvm::TruncInst *> masks;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *mask = llvm::dyn_cast<llvm::TruncInst>(&instruction))
        if (llvm::isa<llvm::FixedVectorType>(mask->getType()) &&
            mask->getType()->isIntOrIntVectorTy(1))
          masks.push_back(mask);
  for (llvm::TruncInst *mask : masks) {
    llvm::IRBuilder<> b(mask);
    auto *type = llvm::cast<llvm::FixedVectorType>(mask->getType());
    llvm::Value *made = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      llvm::Value *number = b.CreateExtractElement(mask->getOperand(0), i);
      made = b.CreateInsertElement(made, b.CreateTrunc(number, b.getInt1Ty()), i);
    }
    mask->replaceAllUsesWith(made);
    mask->eraseFromParent();
  }
}

namespace {
struct SerializeKernelsPass
    : public mercury::impl::SerializeKernelsPassBase<SerializeKernelsPass> {
  using SerializeKernelsPassBase::SerializeKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<gpu::CompilationTarget> target = parseFormat(format);
    if (!target) {
      module.emitError() << "format '" << format
                         << "' is not one of isa, bin, fatbin";
      return signalPassFailure();
    }
    ToolkitNeeds needs;
    needs.ptxas = *target != gpu::CompilationTarget::Assembly;
    needs.fatbinary = *target == gpu::CompilationTarget::Fatbin;
    bool split = false;
    for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
      if (!kernels.getTargetsAttr()) {
        kernels.emitError("has no target: run mercury-attach-target");
        return signalPassFailure();
      }
      if (failed(checkLowered(kernels)))
        return signalPassFailure();
      split |= hasPairs(kernels);
      needs.libdevice |= callsLibdevice(kernels);
      requireBlockSizes(kernels);
    }
    llvm::Expected<std::string> root = findToolkit(toolkit, needs);
    if (!root) {
      module.emitError() << "format '" << format
                         << "': " << llvm::toString(root.takeError());
      return signalPassFailure();
    }
    auto optimized = [split](llvm::Module &code) {
      if (split)
        splitMasks(code);
    };
    gpu::TargetOptions options(*root, /*librariesToLink=*/{}, /*cmdOptions=*/{},
                               /*elfSection=*/{}, *target,
                               /*getSymbolTableCallback=*/{},
                               /*initialLlvmIRCallback=*/{},
                               /*linkedLlvmIRCallback=*/{}, optimized);
    if (failed(gpu::transformGpuModulesToBinaries(module, nullptr, options)))
      signalPassFailure();
  }

  /// Blocks have the size that is known, not at most that.
  static void requireBlockSizes(gpu::GPUModuleOp kernels) {
    for (auto function : kernels.getOps<LLVM::LLVMFuncOp>())
      if (Attribute size = function->removeAttr(
              NVVM::NVVMDialect::getMaxntidAttrName()))
        function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), size);
  }
};
} // namespace
