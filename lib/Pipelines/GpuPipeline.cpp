//===- GpuPipeline.cpp - Programs for GPUs --------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Conversion/Passes.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "Mercury/Transforms/Local/Passes.h"
#include "Stages.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mercury;

void mercury::buildGpuKernels(OpPassManager &pm,
                              const GpuPipelineOptions &options) {
  buildDevicePrefix(pm, options.chunks);
  PatchLaunchesPassOptions patch;
  if (options.local != "codegen")
    patch.local = options.local.getValue();
  pm.addPass(createPatchLaunchesPass(patch));
  LowerKernelsToGpuPassOptions lower;
  lower.chip = options.chip;
  pm.addPass(createLowerKernelsToGpuPass(lower));
}

void mercury::buildGpuPipeline(OpPassManager &pm,
                               const GpuPipelineOptions &options) {
  buildGpuKernels(pm, options);
  ConvertCommIRToNCCLPassOptions calls;
  calls.target = "device";
  pm.addPass(createConvertCommIRToNCCLPass(calls));
  // What the library computes in their place.
  pm.addPass(createSymbolDCEPass());
  KernelsToBinaryOptions binary;
  binary.chip = options.chip.getValue();
  binary.features = options.features.getValue();
  binary.format = options.format.getValue();
  binary.toolkit = options.toolkit.getValue();
  buildKernelsToBinary(pm, binary);
  pm.addPass(createConvertGpuToRuntimePass());
  buildLowerBufferizedToLLVM(pm);
}
