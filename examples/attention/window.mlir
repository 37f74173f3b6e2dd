// A sliding window: each query sees its own key and the 15 before it. A rank
// needs the keys of the rank before and no others, so that the ring ends after
// two of its four steps.
//   mercury-run examples/attention/window.mlir --topology=gpu=4 --verify

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
         visible <left 15 right 0>
         outs(%init : !tokens) -> !tokens
  return %o : !tokens
}
