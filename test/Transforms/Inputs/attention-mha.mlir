// Four heads in the form of a decomposed scaled dot product: transposed K, a
// splat as the scale, a mask of all heads, the reciprocal of the sum.
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#head = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
#row = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
func.func @mha(%q: tensor<4x10x16xf32>, %k: tensor<4x16x10xf32>, %mask: tensor<1x1x10x10xf32>, %v: tensor<1x4x10x16xf32>) -> tensor<4x10x16xf32> {
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant -3.40282347E+38 : f32
  %scale = arith.constant dense<0.25> : tensor<1x4x10x10xf32>
  %zero = arith.constant 0.0 : f32
  %e3 = tensor.empty() : tensor<4x10x10xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%e3 : tensor<4x10x10xf32>) -> tensor<4x10x10xf32>
  %qk = linalg.batch_matmul ins(%q, %k : tensor<4x10x16xf32>, tensor<4x16x10xf32>) outs(%zs : tensor<4x10x10xf32>) -> tensor<4x10x10xf32>
  %qkx = tensor.expand_shape %qk [[0, 1], [2], [3]] output_shape [1, 4, 10, 10] : tensor<4x10x10xf32> into tensor<1x4x10x10xf32>
  %e = tensor.empty() : tensor<1x4x10x10xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%qkx, %scale : tensor<1x4x10x10xf32>, tensor<1x4x10x10xf32>) outs(%e : tensor<1x4x10x10xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x10x10xf32>
  %s = linalg.generic {indexing_maps = [#id, #head, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scaled, %mask : tensor<1x4x10x10xf32>, tensor<1x1x10x10xf32>) outs(%e : tensor<1x4x10x10xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x10x10xf32>
  %er = tensor.empty() : tensor<1x4x10xf32>
  %lr = linalg.fill ins(%lowest : f32) outs(%er : tensor<1x4x10xf32>) -> tensor<1x4x10xf32>
  %m = linalg.reduce ins(%s : tensor<1x4x10x10xf32>) outs(%lr : tensor<1x4x10xf32>) dimensions = [3]
    (%a: f32, %b: f32) {
      %0 = arith.maximumf %a, %b : f32
      linalg.yield %0 : f32
    }
  %mx = tensor.expand_shape %m [[0], [1], [2, 3]] output_shape [1, 4, 10, 1] : tensor<1x4x10xf32> into tensor<1x4x10x1xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %mx : tensor<1x4x10x10xf32>, tensor<1x4x10x1xf32>) outs(%e : tensor<1x4x10x10xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x10x10xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%d : tensor<1x4x10x10xf32>) outs(%e : tensor<1x4x10x10xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x10x10xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<1x4x10xf32>) -> tensor<1x4x10xf32>
  %l = linalg.reduce ins(%x : tensor<1x4x10x10xf32>) outs(%zr : tensor<1x4x10xf32>) dimensions = [3]
    (%a: f32, %b: f32) {
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
  %lx = tensor.expand_shape %l [[0], [1], [2, 3]] output_shape [1, 4, 10, 1] : tensor<1x4x10xf32> into tensor<1x4x10x1xf32>
  %e1 = tensor.empty() : tensor<1x4x10x1xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%lx : tensor<1x4x10x1xf32>) outs(%e1 : tensor<1x4x10x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.divf %one, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x10x1xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %r : tensor<1x4x10x10xf32>, tensor<1x4x10x1xf32>) outs(%e : tensor<1x4x10x10xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x10x10xf32>
  %pc = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<1x4x10x10xf32> into tensor<4x10x10xf32>
  %vc = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<1x4x10x16xf32> into tensor<4x10x16xf32>
  %eo = tensor.empty() : tensor<4x10x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x10x16xf32>) -> tensor<4x10x16xf32>
  %o = linalg.batch_matmul ins(%pc, %vc : tensor<4x10x10xf32>, tensor<4x10x16xf32>) outs(%zo : tensor<4x10x16xf32>) -> tensor<4x10x16xf32>
  return %o : tensor<4x10x16xf32>
}
