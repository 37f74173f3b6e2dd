//===- BuildLowerBufferizedToLLVM.cpp - From buffers to the llvm dialect --===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mercury::buildLowerBufferizedToLLVM(OpPassManager &pm) {
  pm.addPass(createConvertBufferizationToMemRefPass()); // clones
  pm.addPass(createLowerAttentionPass());
  pm.addPass(createLowerCopiesPass());
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(createLowerForallsPass());
  pm.addPass(createLowerVectorsPass());
  pm.addPass(createLegalizeArithPass());
  pm.addPass(createLowerMathPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCSEPass());
}

void mercury::registerLocalPipelines() {
  PassPipelineRegistration<>(
      "mercury-lower-to-llvm",
      "Lower a module of bufferized functions to the llvm dialect",
      buildLowerBufferizedToLLVM);
}
