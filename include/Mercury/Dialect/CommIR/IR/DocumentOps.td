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

#endif
