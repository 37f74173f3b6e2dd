//===- KernelsToBinary.cpp - From device functions to images --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Gpu/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mercury::buildKernelsToNVVM(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createLegalizeKernelsPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.indexBitwidth = 64;
  options.useBarePtrCallConv = true;
  kernels.addPass(createConvertGpuOpsToNVVMOps(options));
  // What libdevice has no function for.
  kernels.addPass(createConvertMathToLLVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

void mercury::buildKernelsToBinary(OpPassManager &pm,
                                   const KernelsToBinaryOptions &options) {
  AttachTargetPassOptions attach;
  attach.chip = options.chip;
  attach.features = options.features;
  pm.addPass(createAttachTargetPass(attach));
  buildKernelsToNVVM(pm);
  SerializeKernelsPassOptions serialize;
  serialize.format = options.format;
  serialize.toolkit = options.toolkit;
  pm.addPass(createSerializeKernelsPass(serialize));
}

void mercury::registerGpuPipelines() {
  PassPipelineRegistration<KernelsToBinaryOptions>(
      "mercury-kernels-to-binary", "Each gpu.module -> one gpu.binary",
      buildKernelsToBinary);
}
