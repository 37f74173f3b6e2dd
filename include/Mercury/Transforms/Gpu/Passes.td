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
    "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
  ];
}

def AttachTargetPass : Pass<"mercury-attach-target", "::mlir::ModuleOp"> {
  let summary = "check that device functions suit a chip, and name it on them";
  let description = [{
    LLVM ends the process on code that a chip has no instructions for. So each
    `gpu.module` is checked first: its element types are f16, bf16, f32, f64, i1
    to i64 or index; its ops are of the dialects that device functions of Mercury
    are made of; blocks, grids and shared memory are within the limits of a launch
    without opt-in; the features are a version of PTX that the chip has.

    **Precondition:** ops of arith, cf, gpu, math, memref, scf and vector.
    **Postcondition:** each gpu.module has the target of the chip.

    ```mlir
    gpu.module @kernels { ... }
    // becomes
    gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a",
                         features = "+ptx80">] { ... }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "sm_80, sm_89, sm_90a or sm_100">,
    Option<"features", "features", "std::string", /*default=*/"\"\"",
           "A version of PTX, as +ptx80; empty: what suits the chip">,
  ];
  let dependentDialects = ["mlir::NVVM::NVVMDialect"];
}

def LegalizeKernelsPass
    : Pass<"mercury-legalize-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "expand what the lowering to nvvm lacks";
  let description = [{
    `math.clampf` and `math.isnormal` have no counterpart there; they become a
    maximum and a minimum, and two comparisons.

    **Precondition:** none. **Postcondition:** neither is left.

    ```mlir
    %r = math.clampf %x to [%low, %high] : f32
    // becomes
    %0 = arith.minimumf %x, %high : f32
    %r = arith.maximumf %0, %low : f32
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::math::MathDialect"];
}

def SerializeKernelsPass
    : Pass<"mercury-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "turn each gpu.module of the nvvm dialect into a gpu.binary";
  let description = [{
    The formats: `isa` is PTX, which the driver compiles; `bin` is machine code of
    the chip, by ptxas; `fatbin` has both. Functions of `__nv_*` come from CUDA's
    libdevice. Where the CUDA toolkit with what is needed is, see Toolkit.h.

    **Precondition:** each gpu.module has a target, and ops of llvm and nvvm.
    **Postcondition:** no gpu.module is left.

    ```mlir
    gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
      llvm.func @k(%a: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} { ... }
    }
    // becomes
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, "...">]
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"bin\"",
           "isa, bin or fatbin">,
    Option<"toolkit", "toolkit", "std::string", /*default=*/"\"\"",
           "The root of the CUDA toolkit; empty: looked for">,
  ];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect",
                           "mlir::gpu::GPUDialect"];
}

#endif
