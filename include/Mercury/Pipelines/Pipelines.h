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
      llvm::cl::desc("Named schedule, text of a schedule, or auto (the tuner's "
                     "choice), for "
                     "every operator that has none"),
      llvm::cl::init("")};
  Option<std::string> topology{
      *this, "topology",
      llvm::cl::desc("Topology (node=2,gpu=4) or @symbol; empty: the module's"),
      llvm::cl::init("")};
  Option<std::string> balance{
      *this, "balance",
      llvm::cl::desc("Order of tokens under masks, see mercury-set-schedule"),
      llvm::cl::init("auto")};
  Option<bool> promote{*this, "promote",
                       llvm::cl::desc("Accumulate f16 and bf16 in f32"),
                       llvm::cl::init(true)};
};
/// Stage 0 -> the operators that schedules are for: elementwise ops as
/// linalg's, attention raised and in its online form, f16 and bf16 accumulated
/// in f32 where `promote` says so.
void buildOperators(mlir::OpPassManager &pm, bool promote);

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

/// Stage 3 -> the function of a rank on buffers, its computation in kernels
/// that `commir.launch` enqueues, communication still waited for by the host.
/// Each hop is cut into `chunks` pieces.
void buildLaunches(mlir::OpPassManager &pm, int64_t chunks);

/// Stage 3 -> programs for devices: computation stands in kernels that
/// `commir.launch` enqueues on the compute stream, events are all that ties the
/// streams, which is verified. Each hop is cut into `chunks` pieces.
void buildDevicePrefix(mlir::OpPassManager &pm, int64_t chunks);

/// What the kernels of a program for devices are where there is none.
enum class EmulatedKernels {
  CPU, ///< the same computation, compiled for the CPU
  SIMT ///< device code, whose threads take turns
};

/// Stage 3 -> the llvm dialect: what a program for devices is, with kernels
/// that run on CPUs, in the order of the compute stream.
struct EmulatedPipelineOptions
    : public mlir::PassPipelineOptions<EmulatedPipelineOptions> {
  Option<EmulatedKernels> kernels{
      *this, "kernels", llvm::cl::desc("What kernels are:"),
      llvm::cl::init(EmulatedKernels::CPU),
      llvm::cl::values(clEnumValN(EmulatedKernels::CPU, "cpu",
                                  "the same computation, compiled for the CPU"),
                       clEnumValN(EmulatedKernels::SIMT, "simt",
                                  "device code, whose threads take turns"))};
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("Chip whose device code simt runs"),
                           llvm::cl::init("sm_90a")};
  Option<std::string> local{
      *this, "local",
      llvm::cl::desc("Kernels for the CPU: codegen, blas or loops, as of the "
                     "host pipeline"),
      llvm::cl::init("codegen")};
  Option<int64_t> chunks{*this, "chunks",
                         llvm::cl::desc("Pieces each hop is cut into"),
                         llvm::cl::init(1)};
};
void buildEmulatedPipeline(mlir::OpPassManager &pm,
                           const EmulatedPipelineOptions &options);

/// Stage 3 -> the llvm dialect: what a program for GPUs is, its device code in
/// an image that is loaded on first use.
struct GpuPipelineOptions
    : public mlir::PassPipelineOptions<GpuPipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("sm_80, sm_89, sm_90a or sm_100"),
                           llvm::cl::init("sm_90a")};
  Option<std::string> features{
      *this, "features",
      llvm::cl::desc("A version of PTX, as +ptx80; empty: what suits the chip"),
      llvm::cl::init("")};
  Option<std::string> format{
      *this, "format",
      llvm::cl::desc("Device code: isa (PTX), bin (of the chip) or fatbin"),
      llvm::cl::init("bin")};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("The root of the CUDA toolkit; empty: looked for"),
      llvm::cl::init("")};
  Option<std::string> local{
      *this, "local",
      llvm::cl::desc("Contractions: codegen, or library (cuBLASLt, of those "
                     "that it takes)"),
      llvm::cl::init("codegen")};
  Option<int64_t> chunks{*this, "chunks",
                         llvm::cl::desc("Pieces each hop is cut into"),
                         llvm::cl::init(1)};
};
void buildGpuPipeline(mlir::OpPassManager &pm,
                      const GpuPipelineOptions &options);

/// The part of it before launches become calls: kernels are the device
/// functions of a gpu.module, or calls of the library.
void buildGpuKernels(mlir::OpPassManager &pm,
                     const GpuPipelineOptions &options);

/// Registers `mercury-distribute-pipeline`, `mercury-host-pipeline`,
/// `mercury-emulated-pipeline` and `mercury-gpu-pipeline`.
void registerPipelines();

} // namespace mercury

#endif // MERCURY_PIPELINES_PIPELINES_H
