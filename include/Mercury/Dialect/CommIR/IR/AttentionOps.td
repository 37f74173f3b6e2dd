//===- AttentionOps.td - Attention and its online form -----*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_ATTENTIONOPS_TD
#define MERCURY_DIALECT_COMMIR_IR_ATTENTIONOPS_TD

include "Mercury/Dialect/CommIR/IR/CollectiveOps.td"
include "mlir/Interfaces/TilingInterface.td"

def CommIR_FloatTensorOrBuffer : AnyTypeOf<[
    RankedTensorOf<[F16, BF16, F32, F64]>, MemRefOf<[F16, BF16, F32, F64]>],
    "ranked tensor or buffer of f16, bf16, f32 or f64">;

def CommIR_PositionTensorOrBuffer : AnyTypeOf<[
    RankedTensorOf<[I32]>, MemRefOf<[I32]>], "ranked tensor or buffer of i32">;

/// What both forms have in common. The indexing maps' domain is (parallel loops
/// ..., query, key, d, e).
class CommIR_AttentionLikeOp<string mnemonic, list<Trait> traits = []>
    : CommIR_Op<mnemonic, traits # [
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<TilingInterface,
          ["getLoopIteratorTypes", "getIterationDomain",
           "getTiledImplementation", "getResultTilePosition",
           "generateResultTileValue", "getIterationDomainTileFromResultTile",
           "getIterationDomainTileFromOperandTiles",
           "getTiledImplementationFromOperandTiles"]>,
        DeclareOpInterfaceMethods<BufferizableOpInterface,
          ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
           "getAliasingValues", "bufferize"]>,
        DeclareOpInterfaceMethods<DistributableOpInterface,
          ["limitReductions", "getPivot", "createRescale", "getLoopMask",
           "setTokenOrder", "countMultiplyAddsAt"]>]> {
  let arguments = (ins AffineMapArrayAttr:$indexing_maps,
    CommIR_FloatTensorOrBuffer:$query, CommIR_FloatTensorOrBuffer:$key,
    CommIR_FloatTensorOrBuffer:$value,
    Optional<CommIR_FloatTensorOrBuffer>:$mask, Optional<Index>:$valid,
    Optional<Index>:$query_start, Optional<Index>:$key_start,
    Optional<CommIR_PositionTensorOrBuffer>:$key_begin,
    Optional<CommIR_PositionTensorOrBuffer>:$key_end,
    Variadic<CommIR_FloatTensorOrBuffer>:$outputs,
    DefaultValuedAttr<F64Attr, "1.0">:$scale,
    OptionalAttr<CommIR_MaskAttr>:$visible,
    OptionalAttr<CommIR_TokenOrderAttr>:$query_order,
    OptionalAttr<CommIR_TokenOrderAttr>:$key_order);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  let assemblyFormat = [{
    `maps` $indexing_maps (`scale` $scale^)?
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,`
              type($value) `)`
    (`mask` `(` $mask^ `:` type($mask) `)`)? (`valid` `(` $valid^ `)`)?
    (`visible` $visible^)?
    (`query_start` `(` $query_start^ `)`)? (`query_order` $query_order^)?
    (`key_start` `(` $key_start^ `)`)? (`key_order` $key_order^)?
    (`key_range` `(` $key_begin^ `,` $key_end `:` type($key_begin) `,`
                     type($key_end) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` attr-dict
    (`->` type($results)^)?
  }];
  code sharedDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    /// How the maps' domain indexes a tensor or buffer operand.
    ::mlir::AffineMap getMap(::mlir::OpOperand &operand);
    /// The loops of the maps' domain, feature dimensions left out: parallel
    /// loops, the last of them the query's, then the key's.
    unsigned getKeyLoop() { return getMapDims() - 3; }
    unsigned getQueryLoop() { return getMapDims() - 4; }
    /// Dimensions of the maps' domain.
    unsigned getMapDims() {
      return ::llvm::cast<::mlir::AffineMapAttr>(getIndexingMaps()[0])
          .getValue().getNumDims();
    }
    /// Extents of all dimensions of the maps' domain.
    ::llvm::SmallVector<int64_t> getMapExtents();
    /// Whether positions of queries or keys matter: `visible`, `key_range` or
    /// an order is there. `valid` is then the position where keys end.
    bool hasPositions() {
      return getVisibleAttr() || getKeyBegin() || getQueryOrderAttr() ||
             getKeyOrderAttr();
    }
    /// f32, or f64 where an input is f64.
    ::mlir::FloatType getStateType();
  }];
}

def CommIR_AttentionOp : CommIR_AttentionLikeOp<"attention"> {
  let summary = "softmax(scale * Q K^T + mask) V";
  let description = [{
    For every point of the parallel loops, with s_j = scale * sum_d Q[d] K[j, d]
    + mask[j] over the first `valid` keys (all, where it is left out): output 0
    is sum_j exp(s_j) V[j, :] / sum_j exp(s_j), output 1, where present, the
    log-sum-exp log(sum_j exp(s_j)) in natural logarithm. A row without keys,
    and one whose scores all are -inf, gives 0 and -inf. Scores and sums have
    the state's type, which is f32, or f64 where an input is f64; output 0 is
    rounded once. What the outputs hold before is not read.

    **Masks.** `visible` says which keys a query sees as a function of their
    positions (`#commir.mask`); `key_range(begin, end)` gives for each query row
    the positions [begin, end) of the keys that it sees, as documents need it.
    All of these and the additive mask intersect. Positions are query_start + m
    and key_start + n, where a start that is left out is 0, or with an order the
    positions of these indices in it. Where positions matter, `valid` is the
    position at which keys end; else it counts keys, and starts say nothing.

    One indexing map per tensor operand over (parallel loops..., query, key, d,
    e), where d is the feature that query and key share and e that of the value.
    Several query heads that share a KV head are a loop that query alone has. d
    and e are no loops of the operator, nor is the key: that loop is opened by
    `mercury-expand-attention`.

    ```mlir
    %o = commir.attention maps [
             affine_map<(h, m, n, d, e) -> (h, m, d)>,
             affine_map<(h, m, n, d, e) -> (h, n, d)>,
             affine_map<(h, m, n, d, e) -> (h, n, e)>,
             affine_map<(h, m, n, d, e) -> (h, m, e)>] scale 2.500000e-01
           ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x8x16xf32>,
               tensor<4x8x16xf32>)
           outs(%init : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
    ```

    **Constraints:**
    - (C1) one map per tensor or buffer operand in their order, all over one
      domain of at least four dimensions, without symbols;
    - (C2) a map is a projected permutation with one result per dimension of its
      operand;
    - (C3) query has every parallel loop, the query loop and d; key has the key
      loop and d, value the key loop and e, both without the query loop; the
      mask has no feature, `key_range` neither feature nor key; none has more
      than that;
    - (C4) one output with every parallel loop and e, and at most one more with
      the parallel loops alone;
    - (C5) extents of one loop or feature agree;
    - (C6) the second output is of the state's type;
    - (C7) operands are all tensors or all buffers; on tensors there is one
      result per output, of its type, on buffers none;
    - (C8) `key_range` has both ends;
    - (C9) an order has every index: [start, start + extent), as far as it is
      known.
  }];
  let extraClassDeclaration = sharedDeclaration # [{
    bool hasLogSumExp() { return getOutputs().size() == 2; }
  }];
}

def CommIR_OnlineAttentionOp : CommIR_AttentionLikeOp<"online_attention",
    [DeclareOpInterfaceMethods<PartialReductionOpInterface,
      ["generateInitialTensorForPartialReduction", "tileToPartialReduction",
       "mergeReductions", "getPartialResultTilePosition"]>]> {
  let summary = "attention over a part of the keys, continued from a state";
  let description = [{
    Takes the state (accumulator, maximum, sum) of the keys so far and returns
    that of those and its own keys: with s_j as in `commir.attention`, m' =
    max(m, max_j s_j), sum' = exp(m - m') sum + sum_j exp(s_j - m'), and acc' =
    exp(m - m') acc + sum_j exp(s_j - m') V[j, :]. No key so far is (0, -inf,
    0); while m' is -inf, exp(s_j - m') is 0, and where m and m' are equal
    exp(m - m') is 1, so that no NaN arises. The three outputs are one reduction
    over the key loop with one combiner.

    ```mlir
    %a1, %m1, %l1 = commir.online_attention maps [
             affine_map<(h, m, n, d, e) -> (h, m, d)>,
             affine_map<(h, m, n, d, e) -> (h, n, d)>,
             affine_map<(h, m, n, d, e) -> (h, n, e)>,
             affine_map<(h, m, n, d, e) -> (h, m, e)>,
             affine_map<(h, m, n, d, e) -> (h, m)>,
             affine_map<(h, m, n, d, e) -> (h, m)>]
           ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x8x16xf32>,
               tensor<4x8x16xf32>) valid(%n)
           outs(%a0, %m0, %l0 : tensor<4x8x16xf32>, tensor<4x8xf32>,
                tensor<4x8xf32>)
           -> tensor<4x8x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>
    ```

    **Constraints:** (C1), (C2), (C3), (C5), (C7), (C8), (C9) of
    `commir.attention`, and
    - (C4) three outputs: one with every parallel loop and e, two with the
      parallel loops alone;
    - (C6) outputs are of the state's type.
  }];
  let extraClassDeclaration = sharedDeclaration;
}

#endif
