//===- EmulatedPipeline.cpp - Programs for devices, on CPUs ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Conversion/Passes.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "Mercury/Transforms/Local/Passes.h"
#include "Mercury/Transforms/Passes.h"
#include "Stages.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mercury;

void mercury::buildLaunches(OpPassManager &pm, int64_t chunks) {
  buildSpmdOnBuffers(pm, chunks, /*vectorizeContractions=*/false,
                     /*vectorizeAttention=*/false);
  pm.addPass(createOutlineKernelsPass());
  // Constants of kernels may have become buffers.
  settleBuffers(pm);
}

void mercury::buildDevicePrefix(OpPassManager &pm, int64_t chunks) {
  buildLaunches(pm, chunks);
  pm.addNestedPass<func::FuncOp>(createInsertEventsPass());
  pm.addNestedPass<func::FuncOp>(createVerifyEventsPass());
}

void mercury::buildEmulatedPipeline(OpPassManager &pm,
                                    const EmulatedPipelineOptions &options) {
  buildDevicePrefix(pm, options.chunks);
  if (options.kernels == EmulatedKernels::SIMT) {
    LowerKernelsToGpuPassOptions device;
    device.chip = options.chip;
    pm.addPass(createLowerKernelsToGpuPass(device));
    pm.addPass(createEmulateKernelsPass());
  } else {
    addPatchKernels(pm, options.local);
    if (options.local != "loops")
      pm.addNestedPass<func::FuncOp>(createVectorizeAttentionPass());
    pm.addPass(createLowerAttentionPass());
  }
  ConvertCommIRToNCCLPassOptions calls;
  calls.target = "device";
  pm.addPass(createConvertCommIRToNCCLPass(calls));
  buildLowerBufferizedToLLVM(pm);
}
