// One token with room for 64 keys, of which 41 are there: the token is at
// position 40, its own key the last that it sees. Ranks share the keys.
//   mercury-run examples/attention/decode.mlir --topology=gpu=4 --verify

!queries = tensor<4x1x16xf32>
!keys = tensor<4x64x16xf32>

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>

func.func @attention(%q: !queries, %k: !keys, %v: !keys) -> !queries
    attributes {commir.suggested_schedule = "tree"} {
  %start = arith.constant 40 : index
  %init = tensor.empty() : !queries
  %o = commir.attention maps [#q, #k, #v, #o] scale 0.25
         ins(%q, %k, %v : !queries, !keys, !keys)
         visible <right 0> query_start(%start)
         outs(%init : !queries) -> !queries
  return %o : !queries
}
