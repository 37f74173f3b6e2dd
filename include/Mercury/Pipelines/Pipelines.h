//===- Pipelines.h - The phases of the compiler -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_PIPELINES_PIPELINES_H
#define MERCURY_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mercury {

/// Stage 0, 1 or 2 -> stage 3 (SPMD on tensors).
struct DistributePipelineOptions
    : public mlir::PassPipelineOptions<DistributePipelineOptions> {
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc(
          "Named schedule, or text of a schedule, for every operator "
          "that has none"),
      llvm::cl::init("")};
  Option<std::string> topology{
      *this, "topology",
      llvm::cl::desc("Topology (node=2,gpu=4) or @symbol; empty: the module's"),
      llvm::cl::init("")};
  Option<bool> promote{*this, "promote",
                       llvm::cl::desc("Accumulate f16 and bf16 in f32"),
                       llvm::cl::init(true)};
};
void buildDistributePipeline(mlir::OpPassManager &pm,
                             const DistributePipelineOptions &options);

/// Stage 3 -> the llvm dialect with calls of the communication ABI.
struct HostPipelineOptions
    : public mlir::PassPipelineOptions<HostPipelineOptions> {
  Option<std::string> local{
      *this, "local",
      llvm::cl::desc("Local compute: codegen (vectorized), blas, or loops (no "
                     "optimization, compiles fast)"),
      llvm::cl::init("codegen")};
  Option<int64_t> chunks{*this, "chunks",
                         llvm::cl::desc("Pieces each hop is cut into"),
                         llvm::cl::init(1)};
};
void buildHostPipeline(mlir::OpPassManager &pm,
                       const HostPipelineOptions &options);

/// Registers `mercury-distribute-pipeline` and `mercury-host-pipeline`.
void registerPipelines();

} // namespace mercury

#endif // MERCURY_PIPELINES_PIPELINES_H
