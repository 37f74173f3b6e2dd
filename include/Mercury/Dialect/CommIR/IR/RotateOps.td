//===- RotateOps.td - The rotation loop --------------------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_ROTATEOPS_TD
#define MERCURY_DIALECT_COMMIR_IR_ROTATEOPS_TD

include "Mercury/Dialect/CommIR/IR/CollectiveOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"

def CommIR_RotateOp : CommIR_Op<"rotate", [
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    MemoryEffects<[MemRead<NetworkResource>, MemWrite<NetworkResource>]>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getLoopRegions"]>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
      ["bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues",
       "bufferize", "isWritable", "verifyAnalysis", "getBufferType",
       "isRepetitiveRegion", "resolveConflicts"]>]> {
  let summary = "a loop whose tiles travel from rank to rank";
  let description = [{
    Runs its body `steps` times. Operands: **travel** tiles are read only and
    pass on along their hop after every step but the last; **carry** tiles are
    written on their way; **state** stays. The body's arguments are the step,
    then one for each operand.

    Without `combine` the body yields each carry's new value from the one that
    has arrived. With `combine` the body's argument for a carry is a destination
    of undefined content, in which it returns the step's contribution while the
    partial result is still under way; the combine region takes (arrived,
    contribution) of every carry and yields their merge. The first step's
    contribution is the first partial result: a carry's operand is not read. Carries hop between
    steps, `steps - 1` times. Results are the carries, then the states.

    ```mlir
    %0:1 = commir.rotate steps 4 travel(%b : tensor<4x8xf32>)
             state(%c : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>]
             -> (tensor<4x8xf32>) {
    ^bb0(%step: index, %bt: tensor<4x8xf32>, %ct: tensor<4x8xf32>):
      %1 = linalg.add ins(%bt, %ct : tensor<4x8xf32>, tensor<4x8xf32>)
             outs(%ct : tensor<4x8xf32>) -> tensor<4x8xf32>
      commir.rotate_yield %1 : tensor<4x8xf32>
    }
    ```

    On buffers it has no results and no buffer arguments: tiles come from
    `commir.rotate_tile`, state from outside, `scratch` holds the buffers that
    tiles are received into, and the combine region stands at the end of the
    body, behind `commir.rotate_arrive`.

    **Constraints:**
    - (C1) one hop per travelling and carried tile, `steps` is positive;
    - (C2) arguments of the body: the step, then (on tensors) one per operand,
      of its type;
    - (C3) the body yields one value per carry and state, of their types (on
      buffers: none);
    - (C4) the combine region, where present, takes two values per carry and
      yields one, and there is a carry; on buffers one `rotate_arrive` stands in
      its place;
    - (C5) results are those of carries and states (on buffers: none);
    - (C6) axes of hops are axes of the topology;
    - (C7) operands are all tensors or all buffers;
    - (C8) `scratch`, on buffers: of each travelling tile's type one per hop but
      at most two, of each carry's one where it hops and one with combine; on
      tensors: none;
    - (C9) buffers of travelling and carried tiles and scratch have the identity
      layout.
  }];
  let arguments = (ins I64Attr:$steps, CommIR_HopArrayAttr:$hops,
    Variadic<CommIR_Tile>:$travel, Variadic<CommIR_Tile>:$carry,
    Variadic<CommIR_TensorOrBuffer>:$state,
    Variadic<CommIR_TileBuffer>:$scratch);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body,
                        VariadicRegion<SizedRegion<1>>:$combine);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let assemblyFormat = [{
    `steps` $steps (`travel` `(` $travel^ `:` type($travel) `)`)?
    (`carry` `(` $carry^ `:` type($carry) `)`)?
    (`state` `(` $state^ `:` type($state) `)`)?
    (`scratch` `(` $scratch^ `:` type($scratch) `)`)?
    `by` $hops (`->` `(` type($results)^ `)`)? $body (`combine` $combine^)?
    attr-dict
  }];
  let extraClassDeclaration = [{
    /// True for the form on buffers.
    bool hasBufferSemantics();
    bool hasCombine();
    ::mlir::Operation *getBodyYield() {
      return getBody().front().getTerminator();
    }
    /// Tiles that move: the travelling ones, then the carries.
    unsigned getNumMoving() { return getTravel().size() + getCarry().size(); }
  }];
}

def CommIR_RotateArriveOp : CommIR_Op<"rotate_arrive", [
    HasParent<"RotateOp">,
    MemoryEffects<[MemRead, MemWrite, MemRead<NetworkResource>,
                   MemWrite<NetworkResource>]>]> {
  let summary = "waits for carries, on buffers";
  let description = [{
    What stands before it in the body computes contributions; what stands behind
    merges them into the tiles that have arrived.

    ```mlir
    commir.rotate_arrive
    ```

    **Constraints:**
    - (C1) the rotation is on buffers.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def CommIR_RotateTileOp : CommIR_Op<"rotate_tile",
    [HasParent<"RotateOp">, MemoryEffects<[MemRead]>]> {
  let summary = "the buffer of a tile at this step";
  let description = [{
    `travel`, `carry` tiles by index in the order of the operands; a
    carry of a rotation with `combine` is the buffer of the step's contribution,
    `arrived` selects the one that came in instead.

    ```mlir
    %k = commir.rotate_tile 0 : memref<4x8xf32>
    ```

    **Constraints:**
    - (C1) the rotation is on buffers;
    - (C2) the index is that of a travelling or carried tile;
    - (C3) `arrived` stands behind `rotate_arrive`, for a carry;
    - (C4) the result has the shape and element type of the tile.
  }];
  let arguments = (ins I64Attr:$index, UnitAttr:$arrived);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$index (`arrived` $arrived^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def CommIR_RotateYieldOp : CommIR_Op<"rotate_yield", [
    Terminator, Pure, HasParent<"RotateOp">, ReturnLike,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
      ["bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues",
       "mustBufferizeInPlace", "bufferize"]>]> {
  let summary = "ends a region of a rotation";
  let description = [{
    Its values are what the region returns; see `commir.rotate` (C3), (C4).

    ```mlir
    commir.rotate_yield %1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
