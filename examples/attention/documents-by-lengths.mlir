// Three documents packed into one sequence, given by their lengths; a token
// sees all of its document.
//   mercury-run examples/attention/documents-by-lengths.mlir --topology=gpu=4 --verify

!tokens = tensor<4x64x16xf32>
!bounds = tensor<64xi32>

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#r = affine_map<(h, m, n, d, e) -> (m)>

func.func @attention(%q: !tokens, %k: !tokens, %v: !tokens) -> !tokens
    attributes {commir.suggested_schedule = "double_ring"} {
  %begin, %end = commir.document_ranges static [20, 13, 31] -> !bounds, !bounds
  %init = tensor.empty() : !tokens
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o] scale 0.25
         ins(%q, %k, %v : !tokens, !tokens, !tokens)
         key_range(%begin, %end : !bounds, !bounds)
         outs(%init : !tokens) -> !tokens
  return %o : !tokens
}
