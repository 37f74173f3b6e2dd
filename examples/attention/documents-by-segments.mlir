// Three documents packed into one sequence, given by the number of the document
// of each token; causal within each of them.
//   mercury-run examples/attention/documents-by-segments.mlir --topology=gpu=4 --verify

!tokens = tensor<4x64x16xf32>
!bounds = tensor<64xi32>

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#r = affine_map<(h, m, n, d, e) -> (m)>

func.func @attention(%q: !tokens, %k: !tokens, %v: !tokens) -> !tokens
    attributes {commir.suggested_schedule = "usp"} {
  %segments = arith.constant dense<[
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]> : tensor<64xi32>
  %begin, %end = commir.document_ranges segments(%segments : tensor<64xi32>)
                 -> !bounds, !bounds
  %init = tensor.empty() : !tokens
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o] scale 0.25
         ins(%q, %k, %v : !tokens, !tokens, !tokens)
         visible <right 0>
         key_range(%begin, %end : !bounds, !bounds)
         outs(%init : !tokens) -> !tokens
  return %o : !tokens
}
