// Two sequences of different lengths, packed alike: the first 12 queries see
// the first 40 keys, the other 20 see the other 24. Ranges of keys are
// operands, one begin and one end for each query.
//   mercury-run examples/attention/cross.mlir --topology=gpu=4 --verify

!queries = tensor<4x32x16xf32>
!keys = tensor<4x64x16xf32>
!bounds = tensor<32xi32>

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#r = affine_map<(h, m, n, d, e) -> (m)>

func.func @attention(%q: !queries, %k: !keys, %v: !keys) -> !queries
    attributes {commir.suggested_schedule = "ring_of_queries"} {
  %begin = arith.constant dense<[
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 40, 40, 40, 40, 40, 40, 40,
    40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40]> : !bounds
  %end = arith.constant dense<[
    40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64]> : !bounds
  %init = tensor.empty() : !queries
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o] scale 0.25
         ins(%q, %k, %v : !queries, !keys, !keys)
         key_range(%begin, %end : !bounds, !bounds)
         outs(%init : !queries) -> !queries
  return %o : !queries
}
