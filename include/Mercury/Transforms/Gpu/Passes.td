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
    Each function with `commir.kernel`, but those that the device's library
    computes (`commir.matmul`), becomes a `gpu.func` of the module
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
          commir.kernel, known_block_size = array<i32: 256, 1, 1>,
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

def PatchLaunchesPass : Pass<"mercury-patch-launches", "::mlir::ModuleOp"> {
  let summary = "leave contractions to the device's library";
  let description = [{
    A kernel that is one contraction which the library, cuBLASLt, takes gets
    `commir.matmul`: the problem by which a launch of it is one call. The library
    takes f32, f16 or bf16 inputs and an f32 output; at most one batch, row, column
    and reduction index, of which each matrix has rows or columns of stride 1. It
    is asked by `commir.patch = "cublaslt"` on the op, where what it does not take
    is an error, or by the option for all that it takes.

    **Precondition:** computation on buffers stands in kernels.
    **Postcondition:** no op has `commir.patch`.

    ```mlir
    func.func private @k(%a: memref<8x4xf32>, %b: memref<4x6xf32>,
                         %c: memref<8x6xf32>) attributes {commir.kernel} {
      linalg.matmul {commir.patch = "cublaslt"} ins(%a, %b : ...) outs(%c : ...)
      return
    }
    // becomes
    func.func private @k(...) attributes {commir.kernel, commir.matmul =
        array<i64: 1, 8, 6, 4, 4, 1, 0, 6, 1, 0, 6, 1, 0, 0, 1, 2>} { ... }
    ```
  }];
  let options = [
    Option<"local", "local", "std::string", /*default=*/"\"\"",
           "library: all contractions that it takes; empty: those that ask">,
  ];
  let statistics = [
    Statistic<"numPatched", "num-patched", "Kernels left to the library">];
}

def AttachTargetPass : Pass<"mercury-attach-target", "::mlir::ModuleOp"> {
  let summary = "check that device functions suit a chip, and name it on them";
  let description = [{
    LLVM ends the process on code that a chip has no instructions for. So each
    `gpu.module` is checked first: its element types are f16, bf16, f32, f64, i1
    to i64 or index; its ops are of the dialects that device functions of Mercury
    are made of; blocks, grids and shared memory are within the limits of a launch
    without opt-in; the features are a version of PTX that the chip has.

    **Precondition:** ops of affine, arith, cf, gpu, math, memref, scf, ub and
    vector.
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
    %r = math.clampf %x to [%a, %b] : f32
    // becomes
    %0 = arith.minimumf %x, %a : f32
    %r = arith.maximumf %0, %b : f32
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

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

class EventsPass<string name> : Pass<name, "::mlir::func::FuncOp"> {
  let options = [
    Option<"budget", "budget", "int64_t", "5000000",
           "Ops to play, all ranks together; a communication counts for 16">];
}

def InsertEventsPass : EventsPass<"mercury-insert-events"> {
  let summary = "tie the streams of ranks by events, so that the host never "
                "waits";
  let description = [{
    Plays the function on every rank and ties what must be in order on different
    streams: uses of a part of a buffer of which one writes (the function's
    start writes all arguments on the compute stream, its end uses them;
    allocation and release of a buffer use all of it), and communication over
    different sets of axes, unless the later of two starts before the earlier is
    waited for. Of communication that may be in flight together with such of
    other axes, `commir.concurrent` names these.

    An event is recorded right after the op that it stands for, and waited for
    right before the op that follows or before the loop around it. Where the
    event would have been recorded again by then, the wait stands where
    `commir.wait` stood. No event or wait is emitted that the others imply. Then
    `commir.wait` and requests go: nothing blocks any more.

    **Precondition:** `mercury-verify-communication` holds, all computation
    stands in kernels, no event yet. What cannot be played is an error.
    **Postcondition:** `mercury-verify-events` holds, and would not without any
    one of the events.

    ```mlir
    scf.for %step = %c0 to %c4 step %c1 iter_args(...) {
      commir.hop %k into %next by [#commir.hop<{gpu} by 1>] request 0 : ...
      commir.launch @attend ins(%q, %k : ...) outs(%state : ...)
      commir.wait 0 for %k, %next : ...
    }
    // becomes
    commir.wait_event 0 on {gpu} // recorded at the start
    scf.for %step = %c0 to %c4 step %c1 iter_args(...) {
      commir.wait_event 2 on {gpu} // %next is no longer read
      commir.hop %k into %next by [#commir.hop<{gpu} by 1>] : ...
      commir.record_event 1 on {gpu}
      commir.launch @attend ins(%q, %k : ...) outs(%state : ...)
      commir.record_event 2 on compute
      commir.wait_event 1 on compute // for this hop, not for the next
    }
    ```
  }];
  let statistics = [
    Statistic<"numEvents", "num-events", "Events recorded">,
    Statistic<"numWaits", "num-waits", "Waits for events">];
}

def VerifyEventsPass : EventsPass<"mercury-verify-events"> {
  let summary = "check that events order all that must be in order";
  let description = [{
    Plays the function on every rank, keeps a vector clock for each stream, and
    rejects two uses of a part of a buffer, of which one writes, that streams
    may do in either order (see `mercury-insert-events` for what counts as a
    use), and communication over different sets of axes that may be in flight
    together without `commir.concurrent`, or with more than two. Events that are
    waited for and never recorded, or recorded by two ops, are errors, and uses
    of buffers on the host. Ranks must communicate in one order.

    **Precondition:** all computation stands in kernels; communication does not
    block. **Postcondition:** nothing is changed.

    ```mlir
    commir.all_gather %a into %b over {gpu} : ...
    // error: reads a buffer on compute that is still in use on {gpu}: no event
    // orders the two
    commir.launch @k ins(%b : ...) outs(%c : ...)
    ```
  }];
  let statistics = [
    Statistic<"numItems", "num-items", "Items played, all ranks together">];
}

#endif
