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

def CommIR_ArrangeOp : CommIR_Op<"arrange", [Pure, SameOperandsAndResultType]> {
  let summary = "stores a dimension in another order";
  let description = [{
    Element x of dimension `dim` of the result is that at position(x) of the
    operand; with `back` the other way round. On ranks, nothing happens where
    the operand's placement has that order: what was a block of the order is now
    a block of the result, whose placement is natural there.

    ```mlir
    %1 = commir.shard %0 to [{gpu} zigzag 4, {} ] : tensor<64x8xf32>
    %2 = commir.arrange %1 dim 0 as <zigzag 4 of 64> : tensor<64x8xf32>
    %3 = commir.arrange %2 dim 0 as <zigzag 4 of 64> back : tensor<64x8xf32>
    ```

    **Constraints:**
    - (C1) the dimension exists and has the order's extent.
  }];
  let arguments = (ins AnyRankedTensor:$source, I64Attr:$dim,
                       CommIR_TokenOrderAttr:$order, UnitAttr:$back);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `dim` $dim `as` $order (`back` $back^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
