//===- Passes.td - commir into other dialects --------------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_CONVERSION_PASSES_TD
#define MERCURY_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertCommIRToNCCLPass : Pass<"convert-commir-to-nccl", "::mlir::ModuleOp"> {
  let summary = "Turn SPMD functions on buffers into calls of the NCCL C API";
  let description = [{
    Each function that ranks run becomes
    `int f(mercury_context *, void *arguments..., void *results...)` (see
    mercury_runtime.h), with `f_packed` and the text `f_requirements` beside it.
    Communication becomes calls of the NCCL C API on the stream of its
    communicator, whose results are checked; a started one records an event, a
    wait synchronizes with it. Loops beside a wait that have two or more levels of
    loops in them call mercury_progress in each iteration. Allocations go through
    the context.

    `target=device` is for devices with streams: the function returns when all is
    enqueued, waits for nothing, and `commir.record_event` and
    `commir.wait_event` are all that ties the streams. A launch of a `gpu.func`
    becomes `gpu.launch_func` on the compute stream, of its `known_grid_size` and
    `known_block_size`, with operands of the types of its arguments. A launch of a
    function on the host passes mgpuLaunchKernel a function `k_params`, which
    takes pointers to the parameters and calls `k`.

    ```mlir
    commir.wait_event 0 on compute
    commir.launch @k ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    // becomes, with the pointers to %a and %b in the slots of %parameters
    %stream = call @mercury_compute_stream(%ctx) : (!llvm.ptr) -> !llvm.ptr
    %event = call @mercury_event(%ctx, %c0) : (!llvm.ptr, i32) -> !llvm.ptr
    call @mgpuStreamWaitEvent(%stream, %event) : (!llvm.ptr, !llvm.ptr) -> ()
    %k = llvm.mlir.addressof @k_params : !llvm.ptr
    call @mgpuLaunchKernel(%k, %c1, ..., %stream, %parameters, %null, %c2)
    ```

    Precondition: bufferized, deallocations in, no `commir.rotate`; of a device,
    no `commir.wait`.
    Postcondition: no commir op is left; scf, memref and linalg may be.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "host (its thread computes and waits) or device (it enqueues)">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def ConvertGpuToRuntimePass : Pass<"convert-gpu-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Turn launches of a device image into calls of the runtime";
  let description = [{
    The image of a `gpu.binary` becomes a constant of the program. A launch asks
    the context, the first argument of the function, for the kernel, which is
    loaded on first use, and enqueues it: nothing runs before the program does.

    Precondition: each launch is on a stream, in a function whose first argument is
    the context, and names a kernel of a gpu.binary with one object.
    Postcondition: no gpu op is left outside of gpu.modules.

    ```mlir
    gpu.launch_func <%s : !llvm.ptr> @kernels::@k blocks in (%x, %y, %z)
        threads in (%u, %v, %w) args(%a : memref<64xf32>)
    // becomes
    %image = llvm.mlir.addressof @kernels_image : !llvm.ptr
    %kernel = call @mercury_kernel(%ctx, %image, %bytes, %name) : ...
    llvm.store %pointer, %slot : !llvm.ptr, !llvm.ptr
    call @mgpuLaunchKernel(%kernel, ..., %s, %parameters, %null, %count) : ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

#endif
