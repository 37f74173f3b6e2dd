// Causal attention as a compiler hands it over: scores, a comparison of the
// numbers of query and key that selects them or -inf, softmax. It is recognized as
// attention, and the comparison as its mask.
//   mercury-run examples/attention/causal-decomposed.mlir --topology=gpu=4 --verify

!tokens = tensor<4x64x16xf32>
!scores = tensor<4x64x64xf32>

#id = affine_map<(h, m, n) -> (h, m, n)>
#q = affine_map<(h, m, n, d) -> (h, m, d)>
#k = affine_map<(h, m, n, d) -> (h, n, d)>
#s = affine_map<(h, m, n, d) -> (h, m, n)>

func.func @attention(%q: !tokens, %k: !tokens, %v: !tokens) -> !tokens
    attributes {commir.suggested_schedule = "ring"} {
  %zs = arith.constant dense<0.0> : !scores
  %zo = arith.constant dense<0.0> : !tokens
  %empty = tensor.empty() : !scores
  %qk = linalg.contract indexing_maps = [#q, #k, #s]
          ins(%q, %k : !tokens, !tokens) outs(%zs : !scores) -> !scores
  %masked = linalg.generic {
      indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%qk : !scores) outs(%empty : !scores) {
  ^bb0(%score: f32, %out: f32):
    %scale = arith.constant 0.25 : f32
    %never = arith.constant 0xFF800000 : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %later = arith.cmpi ugt, %n, %m : index
    %scaled = arith.mulf %score, %scale : f32
    %selected = arith.select %later, %never, %scaled : f32
    linalg.yield %selected : f32
  } -> !scores
  %weights = linalg.softmax dimension(2) ins(%masked : !scores)
               outs(%empty : !scores) -> !scores
  %o = linalg.batch_matmul ins(%weights, %v : !scores, !tokens)
         outs(%zo : !tokens) -> !tokens
  return %o : !tokens
}
