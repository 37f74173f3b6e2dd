//===- DocumentOps.td - Bounds of packed documents ---------*- tablegen -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MERCURY_DIALECT_COMMIR_IR_DOCUMENTOPS_TD
#define MERCURY_DIALECT_COMMIR_IR_DOCUMENTOPS_TD

include "Mercury/Dialect/CommIR/IR/CommIRAttrs.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CommIR_DocumentRangesOp : CommIR_Op<"document_ranges",
    [Pure, AttrSizedOperandSegments]> {
  let summary = "for each query the keys of its document";
  let description = [{
    The keys of a sequence are packed documents. For query m, which stands at
    position p = query_start + m (0 where it is left out), the results have the
    positions [begin, end) of the keys of its document; empty, [0, 0), where no
    key stands at p. Documents are given by one of three: `segments`, for each
    key the number of its document, which must not decrease; `lengths`, that of
    each document, as an operand or static, which must sum to the number of keys.
    Further dimensions in front are sequences of their own, of operand and
    results alike.

    ```mlir
    %begin, %end = commir.document_ranges segments(%ids : tensor<2x32xi32>)
                   -> tensor<2x32xi32>, tensor<2x32xi32>
    %b, %e = commir.document_ranges static [5, 3, 24]
             -> tensor<32xi32>, tensor<32xi32>
    ```

    **Constraints:**
    - (C1) exactly one of `segments`, `lengths` and static lengths is there;
    - (C2) results have one type, and the operand's dimensions in front; the
      last dimension of each is static;
    - (C3) static lengths are not negative, and numbers of 32 bits.
  }];
  let arguments = (ins Optional<RankedTensorOf<[I32]>>:$segments,
                       Optional<RankedTensorOf<[I32]>>:$lengths,
                       OptionalAttr<DenseI64ArrayAttr>:$static_lengths,
                       Optional<Index>:$query_start);
  let results = (outs RankedTensorOf<[I32]>:$begin, RankedTensorOf<[I32]>:$end);
  let assemblyFormat = [{
    (`segments` `(` $segments^ `:` type($segments) `)`)?
    (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    (`static` $static_lengths^)?
    (`query_start` `(` $query_start^ `)`)?
    attr-dict `->` type($begin) `,` type($end)
  }];
  let hasVerifier = 1;
}

def CommIR_CheckDocumentsOp : CommIR_Op<"check_documents", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
      ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
       "getAliasingValues", "bufferize"]>]> {
  let summary = "the program fails where numbers describe no documents";
  let description = [{
    Checks what `commir.document_ranges` takes as an operand, when the program
    runs: `segments` must not decrease; `lengths` must not be negative, and sum
    to the number of `keys` where that is given. Each row of the last dimension
    is a sequence of its own. Where it is not so, the program ends with an error
    that names the sequence and the values; its results are not to be used.

    ```mlir
    commir.check_documents segments(%ids : tensor<2x32xi32>)
    commir.check_documents lengths(%lengths : tensor<3xi32>) keys 32
    ```

    **Constraints:**
    - (C1) the last dimension is static; a buffer is static and contiguous;
    - (C2) `keys` stands beside `lengths`, and is not negative.
  }];
  let arguments = (ins AnyTypeOf<[RankedTensorOf<[I32]>, MemRefOf<[I32]>]>:$values,
                       UnitAttr:$segments, OptionalAttr<I64Attr>:$keys);
  let assemblyFormat = [{
    (`segments` $segments^) : (`lengths`)? `(` $values `:` type($values) `)`
    (`keys` $keys^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif
