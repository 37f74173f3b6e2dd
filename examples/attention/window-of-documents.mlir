// A sliding window that ends where the document begins: ranges of keys
// intersect. Lengths are an operand, as where they are computed.
//   mercury-run examples/attention/window-of-documents.mlir --topology=gpu=4 --verify

!tokens = tensor<4x64x16xf32>
!bounds = tensor<64xi32>

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#r = affine_map<(h, m, n, d, e) -> (m)>

func.func @attention(%q: !tokens, %k: !tokens, %v: !tokens) -> !tokens
    attributes {commir.suggested_schedule = "ring_bidirectional"} {
  %lengths = arith.constant dense<[20, 13, 31]> : tensor<3xi32>
  %begin, %end = commir.document_ranges lengths(%lengths : tensor<3xi32>)
                 -> !bounds, !bounds
  %init = tensor.empty() : !tokens
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o] scale 0.25
         ins(%q, %k, %v : !tokens, !tokens, !tokens)
         visible <left 15 right 0>
         key_range(%begin, %end : !bounds, !bounds)
         outs(%init : !tokens) -> !tokens
  return %o : !tokens
}
