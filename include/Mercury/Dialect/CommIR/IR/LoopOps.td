//===- LoopOps.td - Index arithmetic of distributed loops --*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_LOOPOPS_TD
#define MERCURY_DIALECT_COMMIR_IR_LOOPOPS_TD

include "Mercury/Dialect/CommIR/IR/CommIRAttrs.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def CommIR_ShiftOp : CommIR_Op<"shift", [Pure, SameOperandsAndResultType]> {
  let summary = "a time step staggered by a coordinate";
  let description = [{
    Computes `(index + stride * coordinate) mod modulus`, in [0, modulus).

    ```mlir
    %tile = commir.shift %step by %r mod 4
    %back = commir.shift %step by %r stride -1 mod 4
    ```

    **Constraints:**
    - (C1) the modulus is positive;
    - (C2) the stride is not zero.
  }];
  let arguments = (ins Index:$index, Index:$coordinate,
                       DefaultValuedAttr<I64Attr, "1">:$stride,
                       I64Attr:$modulus);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $index `by` $coordinate (`stride` $stride^)? `mod` $modulus attr-dict
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def CommIR_PositionOp : CommIR_Op<"position", [Pure, SameOperandsAndResultType]> {
  let summary = "the position of an index in a token order";
  let description = [{
    Where the element stands that an order has at `index`. Undefined for an
    index outside of the order's extent.

    ```mlir
    %p = commir.position %x in <zigzag 4 of 64>
    ```
  }];
  let arguments = (ins Index:$index, CommIR_TokenOrderAttr:$order);
  let results = (outs Index:$result);
  let assemblyFormat = "$index `in` $order attr-dict";
  let hasFolder = 1;
}

#endif
