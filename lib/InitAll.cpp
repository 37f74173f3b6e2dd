//===- InitAll.cpp - Everything Mercury registers -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/InitAll.h"
#include "Mercury/Conversion/Passes.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Dialect/CommIR/TransformOps/DialectExtension.h"
#include "Mercury/Dialect/Linalg/DistributableOpInterfaceImpl.h"
#include "Mercury/Pipelines/Pipelines.h"
#include "Mercury/Transforms/Gpu/Passes.h"
#include "Mercury/Transforms/Local/Passes.h"
#include "Mercury/Transforms/Passes.h"
#include "Mercury/Tuning/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

void mercury::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registry.insert<commir::CommIRDialect>();
  commir::registerLinalgDistributableOps(registry);
  commir::registerTransformDialectExtension(registry);
}

void mercury::registerAllPasses() {
  mlir::registerAllPasses();
  registerMercuryTransformsPasses();
  registerMercuryConversionPasses();
  registerMercuryTuningPasses();
  registerGpuPasses();
  registerGpuPipelines();
  registerLocalPasses();
  registerLocalPipelines();
  registerPipelines();
}
