//===- Passes.h - The computation inside one rank, on GPUs ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_GPU_PASSES_H
#define MERCURY_TRANSFORMS_GPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

#include <string>

namespace mercury {

#define GEN_PASS_DECL
#include "Mercury/Transforms/Gpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Mercury/Transforms/Gpu/Passes.h.inc"

/// gpu.module -> gpu.binary; see AttachTargetPass and SerializeKernelsPass.
struct KernelsToBinaryOptions
    : public mlir::PassPipelineOptions<KernelsToBinaryOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("sm_80, sm_89, sm_90a or sm_100"),
                           llvm::cl::init("sm_90a")};
  Option<std::string> features{
      *this, "features",
      llvm::cl::desc("A version of PTX, as +ptx80; empty: what suits the chip"),
      llvm::cl::init("")};
  Option<std::string> format{*this, "format",
                             llvm::cl::desc("isa, bin or fatbin"),
                             llvm::cl::init("bin")};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("The root of the CUDA toolkit; empty: looked for"),
      llvm::cl::init("")};
};
void buildKernelsToBinary(mlir::OpPassManager &pm,
                          const KernelsToBinaryOptions &options);

/// Device functions, in gpu.modules, -> the llvm and nvvm dialects. A parameter
/// is one pointer or number for each argument.
void buildKernelsToNVVM(mlir::OpPassManager &pm);

/// Registers `mercury-kernels-to-binary`.
void registerGpuPipelines();

} // namespace mercury

#endif // MERCURY_TRANSFORMS_GPU_PASSES_H
