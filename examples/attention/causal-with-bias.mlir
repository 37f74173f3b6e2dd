// A bias per head, query and key (relative positions, say) is added to the
// scores, and the mask is causal besides.
//   mercury-run examples/attention/causal-with-bias.mlir --topology=gpu=4 --verify

!tokens = tensor<4x64x16xf32>
!bias = tensor<4x64x64xf32>

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#b = affine_map<(h, m, n, d, e) -> (h, m, n)>

func.func @attention(%q: !tokens, %k: !tokens, %v: !tokens, %bias: !bias) -> !tokens
    attributes {commir.suggested_schedule = "ulysses"} {
  %init = tensor.empty() : !tokens
  %o = commir.attention maps [#q, #k, #v, #b, #o] scale 0.25
         ins(%q, %k, %v : !tokens, !tokens, !tokens)
         mask(%bias : !bias) visible <right 0>
         outs(%init : !tokens) -> !tokens
  return %o : !tokens
}
