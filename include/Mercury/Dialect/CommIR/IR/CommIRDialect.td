//===- CommIRDialect.td - The commir dialect ---------------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_COMMIRDIALECT_TD
#define MERCURY_DIALECT_COMMIR_IR_COMMIRDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CommIR_Dialect : Dialect {
  let name = "commir";
  let summary = "Tensor programs for many devices, communication included";
  let description = [{
    Remote memory as one more, explicitly scheduled level of the memory
    hierarchy. Placement and loop ops describe a distributed loop nest that
    still computes on one device what it computed before; SPMD ops are what
    each rank runs. See docs/CommIRSpec.md.
  }];
  let cppNamespace = "::mercury::commir";
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

/// All communication reads and writes it, so that no pass moves, merges or
/// drops a communicating op.
def NetworkResource : Resource<"::mercury::commir::NetworkResource">;

/// What may end the program with an error writes it, so that no pass drops it.
def StatusResource : Resource<"::mercury::commir::StatusResource">;

class CommIR_Op<string mnemonic, list<Trait> traits = []>
    : Op<CommIR_Dialect, mnemonic, traits>;

#endif
