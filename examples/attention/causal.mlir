// Causal attention: the query at position p sees the keys at positions up to p.
// A ring, whose tokens are stored in zigzag order so that all ranks have the
// same work.
//   mercury-run examples/attention/causal.mlir --topology=gpu=4 --verify

!tokens = tensor<4x64x16xf32>

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>

func.func @attention(%q: !tokens, %k: !tokens, %v: !tokens) -> !tokens
    attributes {commir.suggested_schedule = "ring"} {
  %init = tensor.empty() : !tokens
  %o = commir.attention maps [#q, #k, #v, #o] scale 0.25
         ins(%q, %k, %v : !tokens, !tokens, !tokens)
         visible <right 0>
         outs(%init : !tokens) -> !tokens
  return %o : !tokens
}
