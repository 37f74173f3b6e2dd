//===- Passes.td - The computation inside one rank, on GPUs -*- tablegen -*-==//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_GPU_PASSES
#define MERCURY_TRANSFORMS_GPU_PASSES

include "mlir/Pass/PassBase.td"

def LowerKernelsToGpuPass
    : Pass<"mercury-lower-kernels-to-gpu", "::mlir::ModuleOp"> {
  let summary = "turn kernels into the device functions of one gpu.module";
  let description = [{
    Each function with `commir.kernel` becomes a `gpu.func` of the module
    `@kernels`, its body written by the first kernel emitter that takes it on the
    chip (KernelEmitter.h); its grid and block are `known_grid_size` and
    `known_block_size`. Launches name the new function. A kernel that no emitter
    takes is an error.

    **Precondition:** computation on buffers stands in kernels.
    **Postcondition:** no function has `commir.kernel` but those of `@kernels`.

    ```mlir
    func.func private @k(%a: memref<64xf32>) attributes {commir.kernel} {
      linalg.exp ins(%a : memref<64xf32>) outs(%a : memref<64xf32>)
      return
    }
    commir.launch @k outs(%x : memref<64xf32>)
    // becomes
    gpu.module @kernels {
      gpu.func @k(%a: memref<64xf32>) kernel attributes {
          commir.kernel, known_block_size = array<i32: 64, 1, 1>,
          known_grid_size = array<i32: 1, 1, 1>} {
        %i = gpu.thread_id x ...
        gpu.return
      } }
    commir.launch @kernels::@k outs(%x : memref<64xf32>)
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "sm_80, sm_89, sm_90a or sm_100">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
    "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::NVVM::NVVMDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
  ];
}

#endif
