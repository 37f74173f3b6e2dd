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

def EmulateKernelsPass
    : Pass<"mercury-emulate-kernels", "::mlir::ModuleOp"> {
  let summary = "turn device functions into host functions that run the grid";
  let description = [{
    Each kernel `@k` of a gpu.module becomes a function `@k` with `commir.kernel`
    that runs all threads of the grid on the calling thread, in libmercury_simt
    (Mercury/Runtime/mercury_simt.h), and `@k_thread`, what one of them does:
    barriers and shuffles are calls with which other threads take their turn. So
    device code is tested without a device. Launches name the new function.
    Constants of a gpu.module become those of the module.

    With `checks`, accesses are checked: indices against extents, addresses against
    the `alignment` of the op, and races: two threads at one byte, one of which
    writes, without a barrier in between, or in two blocks. A fault ends the kernel;
    `mercury_simt_error` tells.

    **Precondition:** kernels have `known_grid_size` and `known_block_size`, take
    memrefs of static layout that start at their first element and numbers, and
    consist of ops of arith, math, memref, scf, vector, and of gpu.thread_id,
    block_id, block_dim, grid_dim, barrier and shuffle (width 32, of f32 and i32).
    **Postcondition:** no op of the gpu dialect is left.

    ```mlir
    gpu.module @kernels {
      gpu.func @k(%a: memref<64xf32>) kernel attributes {
          known_block_size = array<i32: 64, 1, 1>,
          known_grid_size = array<i32: 1, 1, 1>} {
        %i = gpu.thread_id x
        gpu.barrier
        ...
        gpu.return
      } }
    commir.launch @kernels::@k outs(%x : memref<64xf32>)
    // becomes
    func.func private @k_thread(%thread: !llvm.ptr, %parameters: !llvm.ptr,
                                %shared: !llvm.ptr, %i: index, ...) {
      call @mercury_simt_barrier(%thread, %op) : (!llvm.ptr, !llvm.ptr) -> ()
      ...
    }
    func.func private @k(%a: memref<64xf32>) attributes {commir.kernel} {
      ...
      call @mercury_simt_run(%name, %k_thread, %parameters, %c1, %c1, %c1, %c64,
                             %c1, %c1, %shared_bytes) : ...
      return
    }
    commir.launch @k outs(%x : memref<64xf32>)
    ```
  }];
  let options = [
    Option<"checks", "checks", "bool", /*default=*/"true",
           "Check indices, alignment and races">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect",
  ];
}

#endif
