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

def OutlineKernelsPass : Pass<"mercury-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "move a rank's own work into kernels that the host launches";
  let description = [{
    In every public function on buffers, work on elements becomes functions with
    `commir.kernel` and launches of them: a contraction, an online attention or an
    op with `commir.patch` alone; other linalg ops and copies in groups, as long
    as possible, of ops that follow each other, with nothing between them that
    communicates or frees what they use. The ops of a group have parallel loops in
    common through which they access what one of them writes alike, so that a
    block of threads can run one op after the other on its share of these loops.
    Kernels that are alike are one function, called
    `<function>_<what>_<n>`.

    Views, index arithmetic, loops and conditions stay where they are. Numbers
    are passed by value. Constants (`arith.constant`, and `memref.get_global` that
    is only computed with) are made inside the kernel; a constant that is sent, or
    is an operand of work that stands alone, is copied to a buffer once per call.
    Arguments carry `llvm.align` in bytes, at most 16.

    **Precondition:** functions of a rank on buffers that are static in shape and
    strides, communication overlapped; linalg.softmax and commir.attention
    decomposed.
    **Postcondition:** public functions have no op that touches elements but
    `memref.load` of constants; an op of which no kernel can be made is an error.

    ```mlir
    func.func @f(%x: memref<4x8xf32>, %sum: memref<4xf32>) {
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%sum : memref<4xf32>)
      linalg.reduce { arith.addf } ins(%x : memref<4x8xf32>)
          outs(%sum : memref<4xf32>) dimensions = [1]
      return
    }
    // becomes
    func.func @f(%x: memref<4x8xf32>, %sum: memref<4xf32>) {
      commir.launch @f_reduction_0 ins(%x : memref<4x8xf32>)
                                   outs(%sum : memref<4xf32>)
      return
    }
    func.func private @f_reduction_0(%x: memref<4x8xf32> {llvm.align = 16 : i64},
                                     %sum: memref<4xf32> {llvm.align = 16 : i64})
        attributes {commir.kernel} {
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%sum : memref<4xf32>)
      linalg.reduce { arith.addf } ins(%x : memref<4x8xf32>)
          outs(%sum : memref<4xf32>) dimensions = [1]
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernel functions that were made">,
    Statistic<"numLaunches", "launches", "Launches that were made">,
  ];
  let dependentDialects = [
    "mlir::func::FuncDialect", "mlir::memref::MemRefDialect",
    "mercury::commir::CommIRDialect", "mlir::LLVM::LLVMDialect",
  ];
}

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
    "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
  ];
}

#endif
