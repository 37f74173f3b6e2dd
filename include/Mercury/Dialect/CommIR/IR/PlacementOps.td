//===- PlacementOps.td - Where tensors live ----------------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_PLACEMENTOPS_TD
#define MERCURY_DIALECT_COMMIR_IR_PLACEMENTOPS_TD

include "Mercury/Dialect/CommIR/IR/CommIRAttrs.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class CommIR_PlacementOp<string mnemonic>
    : CommIR_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
}

def CommIR_ShardOp : CommIR_PlacementOp<"shard"> {
  let summary = "places a tensor in shards";
  let description = [{
    Returns its operand's value. On ranks, each holds the block of every
    dimension that the coordinates on the named axes select. `fetch` names axes
    over which a loop nest that reads the result takes each step's tile from its
    owner instead of passing tiles on.

    ```mlir
    %1 = commir.shard %0 to [{gpu}, {} ] : tensor<16x8xf32>
    ```

    **Constraints:**
    - (C1) the placement has as many dimensions as the tensor;
    - (C2) its axes are axes of the topology;
    - (C3) no axis is used twice;
    - (C4) axes of `fetch` are axes of the placement, none twice.
  }];
  let arguments = (ins AnyRankedTensor:$source, CommIR_PlacementAttr:$placement,
                       OptionalAttr<CommIR_AxisArrayAttr>:$fetch);
  let assemblyFormat = [{
    $source `to` custom<Placement>($placement) (`fetch` custom<Axes>($fetch)^)?
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def CommIR_ReplicateOp : CommIR_PlacementOp<"replicate"> {
  let summary = "places a tensor whole on every rank";
  let description = [{
    Returns its operand's value. On ranks, each holds all of it.

    ```mlir
    %1 = commir.replicate %0 : tensor<16x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let assemblyFormat = "$source attr-dict `:` type($result)";
}

def CommIR_ReshardOp : CommIR_PlacementOp<"reshard"> {
  let summary = "changes the placement of a tensor";
  let description = [{
    Returns its operand's value; on ranks, moves what has to move. Stands where
    a producer and a consumer disagree.

    ```mlir
    %1 = commir.reshard %0 to [{}, {gpu} ] : tensor<16x8xf32>
    ```

    **Constraints:**
    - (C1) the placement has as many dimensions as the tensor;
    - (C2) its axes are axes of the topology;
    - (C3) no axis is used twice;
    - (C4) axes of `fetch` are axes of the placement, none twice.
  }];
  let arguments = (ins AnyRankedTensor:$source, CommIR_PlacementAttr:$placement,
                       OptionalAttr<CommIR_AxisArrayAttr>:$fetch);
  let assemblyFormat = [{
    $source `to` custom<Placement>($placement) (`fetch` custom<Axes>($fetch)^)?
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif
