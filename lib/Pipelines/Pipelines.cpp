//===- Pipelines.cpp - The phases of the compiler -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Conversion/Passes.h"
#include "Mercury/Transforms/Local/Passes.h"
#include "Mercury/Transforms/Passes.h"
#include "Mercury/Tuning/Passes.h"
#include "Stages.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mercury;

void mercury::buildOperators(OpPassManager &pm, bool promote) {
  pm.addPass(createConvertElementwiseToLinalgPass());
  // Before accumulators get another type: the lowest number of the old one,
  // from which a maximum starts, is not the lowest of the new one.
  pm.addNestedPass<func::FuncOp>(createRaiseAttentionPass());
  if (promote)
    pm.addNestedPass<func::FuncOp>(createPromoteAccumulatorsPass());
  pm.addNestedPass<func::FuncOp>(createExpandAttentionPass());
}

/// The schedule that the tuner chooses.
static constexpr llvm::StringLiteral kAutomatic("auto");

void mercury::buildDistributePipeline(
    OpPassManager &pm, const DistributePipelineOptions &options) {
  buildOperators(pm, options.promote);
  SetSchedulePassOptions schedule;
  schedule.schedule = options.schedule;
  if (schedule.schedule == kAutomatic) {
    AutotunePassOptions tuning;
    tuning.topology = options.topology;
    pm.addPass(createAutotunePass(tuning));
    schedule.schedule = "default";
  }
  // The tuner has set it already.
  schedule.topology =
      options.schedule == kAutomatic ? "" : options.topology.getValue();
  schedule.balance = options.balance;
  pm.addPass(createSetSchedulePass(schedule));
  pm.addPass(createDistributePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyDistributedPass());
  pm.addPass(createResolveCommunicationPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifySpmdPass());
  pm.addPass(createVerifyCommunicationPass());
}

void mercury::buildSpmdOnBuffers(OpPassManager &pm, int64_t chunks,
                                 bool vectorizeContractions,
                                 bool vectorizeAttention) {
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addNestedPass<func::FuncOp>(createAnnotateRequirementsPass());
  pm.addNestedPass<func::FuncOp>(createExpandAttentionPass());
  pm.addNestedPass<func::FuncOp>(createMaterializeMasksPass());
  pm.addNestedPass<func::FuncOp>(createLowerTokenOrdersPass());
  pm.addNestedPass<func::FuncOp>(createMakeDestinationsPass());
  if (vectorizeContractions)
    pm.addNestedPass<func::FuncOp>(createVectorizeContractionsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createOneShotBufferizePass());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  if (vectorizeAttention)
    pm.addNestedPass<func::FuncOp>(createVectorizeAttentionPass());
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  bufferization::BufferDeallocationPipelineOptions deallocation;
  bufferization::buildBufferDeallocationPipeline(pm, deallocation);
  pm.addPass(createConvertBufferizationToMemRefPass());
  LowerRotationPassOptions rotation;
  rotation.chunks = chunks;
  pm.addNestedPass<func::FuncOp>(createLowerRotationPass(rotation));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createOverlapPass());
  pm.addPass(createVerifyCommunicationPass());
}

void mercury::settleBuffers(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createShortenLifetimesPass());
  pm.addNestedPass<func::FuncOp>(createAnnotateRequirementsPass());
}

void mercury::addPatchKernels(OpPassManager &pm, StringRef local) {
  PatchKernelsPassOptions options;
  if (local == "blas")
    options.local = "blas";
  pm.addPass(createPatchKernelsPass(options));
}

void mercury::buildHostPipeline(OpPassManager &pm,
                                const HostPipelineOptions &options) {
  buildSpmdOnBuffers(pm, options.chunks,
                     /*vectorizeContractions=*/options.local == "codegen",
                     /*vectorizeAttention=*/options.local != "loops");
  settleBuffers(pm);
  addPatchKernels(pm, options.local);
  pm.addPass(createLowerAttentionPass());
  pm.addPass(createConvertCommIRToNCCLPass());
  buildLowerBufferizedToLLVM(pm);
}

void mercury::registerPipelines() {
  PassPipelineRegistration<DistributePipelineOptions>(
      "mercury-distribute-pipeline",
      "Operators with or without schedules -> SPMD on tensors",
      buildDistributePipeline);
  PassPipelineRegistration<HostPipelineOptions>(
      "mercury-host-pipeline",
      "SPMD on tensors -> the llvm dialect with calls of the NCCL C API",
      buildHostPipeline);
  PassPipelineRegistration<EmulatedPipelineOptions>(
      "mercury-emulated-pipeline",
      "SPMD on tensors -> the llvm dialect, the program for devices with its "
      "kernels on CPUs",
      buildEmulatedPipeline);
  PassPipelineRegistration<GpuPipelineOptions>(
      "mercury-gpu-pipeline",
      "SPMD on tensors -> the llvm dialect with an image of device code and "
      "calls of NCCL",
      buildGpuPipeline);
}
