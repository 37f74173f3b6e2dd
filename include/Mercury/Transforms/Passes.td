//===- Passes.td - Passes that mix commir with upstream -*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_PASSES_TD
#define MERCURY_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DistributePass : Pass<"mercury-distribute", "::mlir::ModuleOp"> {
  let summary = "Turn schedules into distributed loop nests (stage 1 -> 2)";
  let description = [{
    Every operator with a `commir.schedule` becomes a nest of time loops
    (`scf.for`) around a rank loop (`scf.forall` with a commir mapping) over
    global shapes, between placement ops.

    Precondition: a topology resolves; in each function all distributable ops
    have a schedule, or none has.
    Postcondition: stage 2 (see `mercury-verify-distributed`).

    ```mlir
    %0 = linalg.matmul {commir.schedule = #commir.schedule<
           "loops [rank gpu, -, -] inputs [[{gpu}, {} ], [{}, {} ]]
            results [[{gpu}, {} ]]">} ...
    // becomes
    %a1 = commir.shard %a to [{gpu}, {} ]
    %b1 = commir.replicate %b
    %c1 = commir.shard %c to [{gpu}, {} ]
    %0 = scf.forall (%r) in (4) shared_outs(%o = %c1) { ... }
           {mapping = [#commir.axis<gpu>]}
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mercury::commir::CommIRDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def ResolveCommunicationPass
    : Pass<"mercury-resolve-communication", "::mlir::ModuleOp"> {
  let summary = "Turn distributed loop nests into SPMD functions (stage 2 -> 3)";
  let description = [{
    Decides by evaluating the index arithmetic for every step and rank how each
    tile reaches its reader: local, gathered, broadcast, rotated, fetched,
    exchanged, or by explicit lists; and how results are reduced. Functions get
    local shapes; arguments and results keep their type and placement as
    attributes `commir.global_type` and `commir.placement`.

    Precondition: stage 2 (see `mercury-verify-distributed`).
    Postcondition: stage 3 (see `mercury-verify-spmd`).
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mercury::commir::CommIRDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif
