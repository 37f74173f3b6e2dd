// A chunk of a long prompt: 32 queries, of which the first is at position 32,
// and the 64 keys so far. Queries go around, for they are fewer.
//   mercury-run examples/attention/prefill.mlir --topology=gpu=4 --verify

!queries = tensor<4x32x16xf32>
!keys = tensor<4x64x16xf32>

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>

func.func @attention(%q: !queries, %k: !keys, %v: !keys) -> !queries
    attributes {commir.suggested_schedule = "ring_of_queries"} {
  %start = arith.constant 32 : index
  %init = tensor.empty() : !queries
  %o = commir.attention maps [#q, #k, #v, #o] scale 0.25
         ins(%q, %k, %v : !queries, !keys, !keys)
         visible <right 0> query_start(%start)
         outs(%init : !queries) -> !queries
  return %o : !queries
}
