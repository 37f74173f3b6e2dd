// One token of twelve query heads on two KV heads: K and V are repeated by a
// broadcast that adds zero and collapsed, the weights come by log-sum-exp.
#one = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, 0, d3, d4)>
#id5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#q = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#kt = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#s = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#all = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
func.func @gqa(%q: tensor<1x12x1x16xf32>, %k: tensor<1x2x24x16xf32>, %v: tensor<1x2x24x16xf32>, %mask: tensor<1x1x1x24xf32>) -> tensor<1x12x1x16xf32> {
  %lowest = arith.constant -3.40282347E+38 : f32
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant dense<0.25> : tensor<12x1x24xf32>
  %zs = arith.constant dense<0.0> : tensor<12x1x24xf32>
  %zk = arith.constant dense<0.0> : tensor<1x2x6x24x16xf32>
  %kx = tensor.expand_shape %k [[0], [1, 2], [3], [4]] output_shape [1, 2, 1, 24, 16] : tensor<1x2x24x16xf32> into tensor<1x2x1x24x16xf32>
  %ek = tensor.empty() : tensor<1x2x6x24x16xf32>
  %kr = linalg.generic {indexing_maps = [#one, #id5, #id5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%kx, %zk : tensor<1x2x1x24x16xf32>, tensor<1x2x6x24x16xf32>) outs(%ek : tensor<1x2x6x24x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x2x6x24x16xf32>
  %vx = tensor.expand_shape %v [[0], [1, 2], [3], [4]] output_shape [1, 2, 1, 24, 16] : tensor<1x2x24x16xf32> into tensor<1x2x1x24x16xf32>
  %vr = linalg.generic {indexing_maps = [#one, #id5, #id5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%vx, %zk : tensor<1x2x1x24x16xf32>, tensor<1x2x6x24x16xf32>) outs(%ek : tensor<1x2x6x24x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x2x6x24x16xf32>
  %qc = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<1x12x1x16xf32> into tensor<12x1x16xf32>
  %kc = tensor.collapse_shape %kr [[0, 1, 2], [3], [4]] : tensor<1x2x6x24x16xf32> into tensor<12x24x16xf32>
  %qk = linalg.batch_matmul indexing_maps = [#q, #kt, #s] ins(%qc, %kc : tensor<12x1x16xf32>, tensor<12x24x16xf32>) outs(%zs : tensor<12x1x24xf32>) -> tensor<12x1x24xf32>
  %e = tensor.empty() : tensor<12x1x24xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%qk, %scale : tensor<12x1x24xf32>, tensor<12x1x24xf32>) outs(%e : tensor<12x1x24xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<12x1x24xf32>
  %mc = tensor.collapse_shape %mask [[0], [1, 2], [3]] : tensor<1x1x1x24xf32> into tensor<1x1x24xf32>
  %s = linalg.generic {indexing_maps = [#id, #all, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scaled, %mc : tensor<12x1x24xf32>, tensor<1x1x24xf32>) outs(%e : tensor<12x1x24xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<12x1x24xf32>
  %er = tensor.empty() : tensor<12x1xf32>
  %lr = linalg.fill ins(%lowest : f32) outs(%er : tensor<12x1xf32>) -> tensor<12x1xf32>
  %m = linalg.reduce ins(%s : tensor<12x1x24xf32>) outs(%lr : tensor<12x1xf32>) dimensions = [2]
    (%a: f32, %b: f32) {
      %0 = arith.maximumf %a, %b : f32
      linalg.yield %0 : f32
    }
  %mx = tensor.expand_shape %m [[0], [1, 2]] output_shape [12, 1, 1] : tensor<12x1xf32> into tensor<12x1x1xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mx : tensor<12x1x24xf32>, tensor<12x1x1xf32>) outs(%e : tensor<12x1x24xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<12x1x24xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%d : tensor<12x1x24xf32>) outs(%d : tensor<12x1x24xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<12x1x24xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<12x1xf32>) -> tensor<12x1xf32>
  %l = linalg.reduce ins(%x : tensor<12x1x24xf32>) outs(%zr : tensor<12x1xf32>) dimensions = [2]
    (%a: f32, %b: f32) {
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
  %lx = tensor.expand_shape %l [[0], [1, 2]] output_shape [12, 1, 1] : tensor<12x1xf32> into tensor<12x1x1xf32>
  %e1 = tensor.empty() : tensor<12x1x1xf32>
  %log = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%lx : tensor<12x1x1xf32>) outs(%e1 : tensor<12x1x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.log %a : f32
    linalg.yield %0 : f32
  } -> tensor<12x1x1xf32>
  %lse = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mx, %log : tensor<12x1x1xf32>, tensor<12x1x1xf32>) outs(%e1 : tensor<12x1x1xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<12x1x1xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %lse : tensor<12x1x24xf32>, tensor<12x1x1xf32>) outs(%e : tensor<12x1x24xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<12x1x24xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<12x1x24xf32>) outs(%y : tensor<12x1x24xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<12x1x24xf32>
  %vc = tensor.collapse_shape %vr [[0, 1, 2], [3], [4]] : tensor<1x2x6x24x16xf32> into tensor<12x24x16xf32>
  %eo = tensor.empty() : tensor<12x1x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<12x1x16xf32>) -> tensor<12x1x16xf32>
  %o = linalg.batch_matmul ins(%p, %vc : tensor<12x1x24xf32>, tensor<12x24x16xf32>) outs(%zo : tensor<12x1x16xf32>) -> tensor<12x1x16xf32>
  %ox = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [1, 12, 1, 16] : tensor<12x1x16xf32> into tensor<1x12x1x16xf32>
  return %ox : tensor<1x12x1x16xf32>
}
