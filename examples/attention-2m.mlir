// Attention over two million tokens, of which eight GPUs hold no gathered copy: the
// tuner says which schedules fit, what each costs, and why.
//   mercury-tune examples/attention-2m.mlir --topology=h100-sxm:node=2,gpu=4 --against=all

!tokens = tensor<4x32x2097152x128xbf16>

#q = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>

func.func @attention(%q: !tokens, %k: !tokens, %v: !tokens) -> !tokens {
  %init = tensor.empty() : !tokens
  %o = commir.attention maps [#q, #k, #v, #o] scale 0.08838834764831845
         ins(%q, %k, %v : !tokens, !tokens, !tokens)
         outs(%init : !tokens) -> !tokens
  return %o : !tokens
}
