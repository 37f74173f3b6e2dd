//===- CollectiveOps.td - What ranks exchange --------------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_COLLECTIVEOPS_TD
#define MERCURY_DIALECT_COMMIR_IR_COLLECTIVEOPS_TD

include "Mercury/Dialect/CommIR/IR/CommIRAttrs.td"
include "Mercury/Dialect/CommIR/IR/CommIRInterfaces.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def CommIR_TensorOrBuffer : AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef],
    "ranked tensor or buffer of static shape">;
/// The wire takes contiguous bytes.
def CommIR_WireBuffer : ConfinedType<AnyStaticShapeMemRef,
    [CPred<"::mlir::memref::isStaticShapeAndContiguousRowMajor("
           "::llvm::cast<::mlir::MemRefType>($_self))">],
    "contiguous buffer of static shape">;
def CommIR_Wire : AnyTypeOf<[AnyStaticShapeTensor, CommIR_WireBuffer],
    "ranked tensor or contiguous buffer of static shape">;
/// Buffers that take turns have one type.
def CommIR_TileBuffer : ConfinedType<AnyStaticShapeMemRef,
    [CPred<"::llvm::cast<::mlir::MemRefType>($_self).getLayout().isIdentity()">],
    "buffer of static shape and identity layout">;
def CommIR_Tile : AnyTypeOf<[AnyStaticShapeTensor, CommIR_TileBuffer],
    "ranked tensor or buffer of static shape and identity layout">;

def CommIR_RankCoordOp : CommIR_Op<"rank_coord", [Pure]> {
  let summary = "this rank's coordinate on axes";
  let description = [{
    The row-major coordinate of the rank over the axes, the first is the major
    one; in [0, product of their sizes).

    ```mlir
    %c = commir.rank_coord {node, gpu}
    ```

    **Constraints:**
    - (C1) at least one axis, each an axis of the topology;
    - (C2) no axis is used twice.
  }];
  let arguments = (ins CommIR_AxisArrayAttr:$axes);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<Axes>($axes) attr-dict";
  let hasVerifier = 1;
}

/// Reads its input, writes its output, all ranks of a group take part. On
/// tensors it has a result and blocking meaning; on buffers it has none, and
/// with `request` it only starts and `commir.wait` ends it.
class CommIR_CommunicationOp<string mnemonic, list<Trait> traits = []>
    : CommIR_Op<mnemonic, [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<InferTypeOpInterface>,
        DeclareOpInterfaceMethods<CommIR_CommunicationOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<BufferizableOpInterface,
          ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
           "getAliasingValues", "bufferize"]>] # traits> {
  let results = (outs Optional<AnyRankedTensor>:$result);
  let hasVerifier = 1;
}

class CommIR_MoveOp<string mnemonic, list<Trait> traits = []>
    : CommIR_CommunicationOp<mnemonic, traits> {
  dag moveArguments = (ins CommIR_Wire:$input,
                           CommIR_Wire:$output,
                           CommIR_AxisArrayAttr:$axes,
                           OptionalAttr<I32Attr>:$request);
  let arguments = moveArguments;
  let assemblyFormat = [{
    $input `into` $output `over` custom<Axes>($axes) (`request` $request^)?
    attr-dict `:` type($input) `into` type($output) (`->` type($result)^)?
  }];
  code declarations = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputMutable(); }
  }];
  let extraClassDeclaration = declarations;
}

def CommIR_AllGatherOp : CommIR_MoveOp<"all_gather"> {
  let summary = "every rank receives the input of every rank of its group";
  let description = [{
    `output[p, ...]` is the input of the rank at coordinate p of the axes.

    ```mlir
    %1 = commir.all_gather %0 into %init over {gpu}
         : tensor<4x8xf32> into tensor<4x4x8xf32> -> tensor<4x4x8xf32>
    ```

    **Constraints:**
    - (C1) at least one axis, each an axis of the topology, none twice;
    - (C2) the output's shape is the axes' size followed by the input's shape;
    - (C3) element types agree;
    - (C4) tensors: a result of the output's type and no request; buffers: no
      result, a request is not negative;
    - (C5) buffers are contiguous.
  }];
  let hasCanonicalizer = 1;
}

def CommIR_ReduceScatterOp : CommIR_MoveOp<"reduce_scatter"> {
  let summary = "every rank receives its slice of a reduction over the group";
  let description = [{
    `output` on the rank at coordinate p is the reduction of `input[p, ...]` over
    the ranks of the group.

    ```mlir
    %1 = commir.reduce_scatter sum %0 into %init over {gpu}
         : tensor<4x2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
    ```

    **Constraints:**
    - (C1) at least one axis, each an axis of the topology, none twice;
    - (C2) the input's shape is the axes' size followed by the output's shape;
    - (C3) element types agree;
    - (C4) tensors: a result of the output's type and no request; buffers: no
      result, a request is not negative;
    - (C5) buffers are contiguous.
  }];
  let arguments = !con((ins CommIR_ReductionKindAttr:$kind), moveArguments);
  let assemblyFormat = [{
    $kind $input `into` $output `over` custom<Axes>($axes) (`request` $request^)?
    attr-dict `:` type($input) `into` type($output) (`->` type($result)^)?
  }];
}

def CommIR_AllToAllOp : CommIR_MoveOp<"all_to_all"> {
  let summary = "every rank sends a slice to every rank of its group";
  let description = [{
    `output[q, ...]` on the rank at coordinate p is `input[p, ...]` of the rank
    at coordinate q.

    ```mlir
    %1 = commir.all_to_all %0 into %init over {gpu}
         : tensor<4x2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
    ```

    **Constraints:**
    - (C1) at least one axis, each an axis of the topology, none twice;
    - (C2) input and output have one shape, whose first extent is the axes' size;
    - (C3) element types agree;
    - (C4) tensors: a result of the output's type and no request; buffers: no
      result, a request is not negative;
    - (C5) buffers are contiguous.
  }];
}

def CommIR_BroadcastOp : CommIR_MoveOp<"broadcast"> {
  let summary = "every rank receives the input of one";
  let description = [{
    `output` is the input of the rank at coordinate `root`, which is the same
    value on all ranks of the group.

    ```mlir
    %1 = commir.broadcast %0 into %init from %root over {gpu}
         : tensor<4x8xf32> into tensor<4x8xf32> -> tensor<4x8xf32>
    ```

    **Constraints:**
    - (C1) at least one axis, each an axis of the topology, none twice;
    - (C2) input and output have one shape;
    - (C3) element types agree;
    - (C4) tensors: a result of the output's type and no request; buffers: no
      result, a request is not negative;
    - (C5) buffers are contiguous.
  }];
  let arguments = !con(moveArguments, (ins Index:$root));
  let assemblyFormat = [{
    $input `into` $output `from` $root `over` custom<Axes>($axes)
    (`request` $request^)? attr-dict
    `:` type($input) `into` type($output) (`->` type($result)^)?
  }];
}

def CommIR_PermuteOp : CommIR_MoveOp<"permute"> {
  let summary = "every rank sends to one rank and receives from one";
  let description = [{
    `output` is the input of the rank at coordinate `source`; this rank's input
    goes to coordinate `destination`. A negative coordinate is nobody: nothing
    is sent, or the output keeps its value. Sending to itself copies.

    ```mlir
    %1 = commir.permute %0 into %init to %next from %previous over {gpu}
         : tensor<4x8xf32> into tensor<4x8xf32> -> tensor<4x8xf32>
    ```

    **Constraints:**
    - (C1) at least one axis, each an axis of the topology, none twice;
    - (C2) input and output have one shape;
    - (C3) element types agree;
    - (C4) tensors: a result of the output's type and no request; buffers: no
      result, a request is not negative;
    - (C5) buffers are contiguous;
    - (C6) source and destination match over the group (checked by
      `mercury-verify-communication`, which evaluates them).
  }];
  let arguments = !con(moveArguments, (ins Index:$destination, Index:$source));
  let assemblyFormat = [{
    $input `into` $output `to` $destination `from` $source
    `over` custom<Axes>($axes) (`request` $request^)? attr-dict
    `:` type($input) `into` type($output) (`->` type($result)^)?
  }];
}

def CommIR_AllReduceOp : CommIR_CommunicationOp<"all_reduce"> {
  let summary = "every rank receives the reduction over its group, in place";
  let description = [{
    ```mlir
    %1 = commir.all_reduce sum %0 over {gpu} : tensor<4x8xf32> -> tensor<4x8xf32>
    ```

    **Constraints:**
    - (C1) at least one axis, each an axis of the topology, none twice;
    - (C4) tensors: a result of the output's type and no request; buffers: no
      result, a request is not negative;
    - (C5) buffers are contiguous.
  }];
  let hasCanonicalizer = 1;
  let arguments = (ins CommIR_ReductionKindAttr:$kind,
                       CommIR_Wire:$output,
                       CommIR_AxisArrayAttr:$axes, OptionalAttr<I32Attr>:$request);
  let assemblyFormat = [{
    $kind $output `over` custom<Axes>($axes) (`request` $request^)? attr-dict
    `:` type($output) (`->` type($result)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputMutable(); }
  }];
}

def CommIR_HopOp : CommIR_Op<"hop", [
    SameVariadicOperandSize,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "tiles travel one step, on buffers";
  let description = [{
    One group of sends and receives: each source goes, by its hop, to the rank
    behind, each target receives from the rank ahead. With `request` it only
    starts.

    ```mlir
    commir.hop %k into %k1 by [#commir.hop<{gpu} by 1>] request 0
      : memref<4x8xf32> into memref<4x8xf32>
    ```

    **Constraints:**
    - (C1) one hop per source and target, at least one;
    - (C2) the types of a source and its target agree;
    - (C3) axes of hops are axes of the topology;
    - (C4) a request is not negative;
    - (C5) buffers are contiguous.
  }];
  let arguments = (ins Variadic<CommIR_WireBuffer>:$sources,
                       Variadic<CommIR_WireBuffer>:$targets,
                       CommIR_HopArrayAttr:$hops, OptionalAttr<I32Attr>:$request);
  let assemblyFormat = [{
    $sources `into` $targets `by` $hops (`request` $request^)? attr-dict
    `:` type($sources) `into` type($targets)
  }];
  let hasVerifier = 1;
}

def CommIR_WaitOp : CommIR_Op<"wait", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "ends what was started under a request";
  let description = [{
    Names the buffers that were in flight, so that no pass moves their uses
    across.

    ```mlir
    commir.wait 0 for %k, %k1 : memref<4x8xf32>, memref<4x8xf32>
    ```

    **Constraints:**
    - (C1) the request is not negative.
  }];
  let hasVerifier = 1;
  let arguments = (ins I32Attr:$request, Variadic<AnyMemRef>:$buffers);
  let assemblyFormat = [{
    $request (`for` $buffers^ `:` type($buffers))? attr-dict
  }];
}

#endif
