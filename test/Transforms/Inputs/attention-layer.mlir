// A layer around attention in the form that other compilers give it: projections,
// heads split off by a reshape and a transpose, eight query heads on two KV heads
// that are repeated, a mask, the residual.
func.func @layer(%x: tensor<1x40x128xf32>, %wq: tensor<128x128xf32>, %wk: tensor<128x32xf32>, %wv: tensor<128x32xf32>, %wo: tensor<128x128xf32>, %mask: tensor<1x1x40x40xf32>) -> tensor<1x40x128xf32> {
  %xc = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x40x128xf32> into tensor<40x128xf32>
  %zq = arith.constant dense<0.0> : tensor<40x128xf32>
  %q0 = linalg.matmul ins(%xc, %wq : tensor<40x128xf32>, tensor<128x128xf32>) outs(%zq : tensor<40x128xf32>) -> tensor<40x128xf32>
  %q1 = tensor.expand_shape %q0 [[0, 1], [2, 3]] output_shape [1, 40, 8, 16] : tensor<40x128xf32> into tensor<1x40x8x16xf32>
  %eq = tensor.empty() : tensor<1x8x40x16xf32>
  %q2 = linalg.transpose ins(%q1 : tensor<1x40x8x16xf32>) outs(%eq : tensor<1x8x40x16xf32>) permutation = [0, 2, 1, 3]
  %zk = arith.constant dense<0.0> : tensor<40x32xf32>
  %k0 = linalg.matmul ins(%xc, %wk : tensor<40x128xf32>, tensor<128x32xf32>) outs(%zk : tensor<40x32xf32>) -> tensor<40x32xf32>
  %k1 = tensor.expand_shape %k0 [[0, 1], [2, 3]] output_shape [1, 40, 2, 16] : tensor<40x32xf32> into tensor<1x40x2x16xf32>
  %ek = tensor.empty() : tensor<1x2x40x16xf32>
  %k2 = linalg.transpose ins(%k1 : tensor<1x40x2x16xf32>) outs(%ek : tensor<1x2x40x16xf32>) permutation = [0, 2, 1, 3]
  %zv = arith.constant dense<0.0> : tensor<40x32xf32>
  %v0 = linalg.matmul ins(%xc, %wv : tensor<40x128xf32>, tensor<128x32xf32>) outs(%zv : tensor<40x32xf32>) -> tensor<40x32xf32>
  %v1 = tensor.expand_shape %v0 [[0, 1], [2, 3]] output_shape [1, 40, 2, 16] : tensor<40x32xf32> into tensor<1x40x2x16xf32>
  %ev = tensor.empty() : tensor<1x2x40x16xf32>
  %v2 = linalg.transpose ins(%v1 : tensor<1x40x2x16xf32>) outs(%ev : tensor<1x2x40x16xf32>) permutation = [0, 2, 1, 3]
  %bk = tensor.empty() : tensor<1x2x4x40x16xf32>
  %k3 = linalg.broadcast ins(%k2 : tensor<1x2x40x16xf32>) outs(%bk : tensor<1x2x4x40x16xf32>) dimensions = [2]
  %k4 = tensor.collapse_shape %k3 [[0], [1, 2], [3], [4]] : tensor<1x2x4x40x16xf32> into tensor<1x8x40x16xf32>
  %kc = tensor.collapse_shape %k4 [[0, 1], [2], [3]] : tensor<1x8x40x16xf32> into tensor<8x40x16xf32>
  %bv = tensor.empty() : tensor<1x2x4x40x16xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<1x2x40x16xf32>) outs(%bv : tensor<1x2x4x40x16xf32>) dimensions = [2]
  %v4 = tensor.collapse_shape %v3 [[0], [1, 2], [3], [4]] : tensor<1x2x4x40x16xf32> into tensor<1x8x40x16xf32>
  %vc = tensor.collapse_shape %v4 [[0, 1], [2], [3]] : tensor<1x8x40x16xf32> into tensor<8x40x16xf32>
  %qc = tensor.collapse_shape %q2 [[0, 1], [2], [3]] : tensor<1x8x40x16xf32> into tensor<8x40x16xf32>
  %ekt = tensor.empty() : tensor<8x16x40xf32>
  %kt = linalg.transpose ins(%kc : tensor<8x40x16xf32>) outs(%ekt : tensor<8x16x40xf32>) permutation = [0, 2, 1]
  %zs = arith.constant dense<0.0> : tensor<8x40x40xf32>
  %s0 = linalg.batch_matmul ins(%qc, %kt : tensor<8x40x16xf32>, tensor<8x16x40xf32>) outs(%zs : tensor<8x40x40xf32>) -> tensor<8x40x40xf32>
  %s1 = tensor.expand_shape %s0 [[0, 1], [2], [3]] output_shape [1, 8, 40, 40] : tensor<8x40x40xf32> into tensor<1x8x40x40xf32>
  %scale = arith.constant dense<0.25> : tensor<1x8x40x40xf32>
  %s2 = arith.mulf %s1, %scale : tensor<1x8x40x40xf32>
  %es = tensor.empty() : tensor<1x8x40x40xf32>
  %s3 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, 0, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s2, %mask : tensor<1x8x40x40xf32>, tensor<1x1x40x40xf32>) outs(%es : tensor<1x8x40x40xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x8x40x40xf32>
  %p = linalg.softmax dimension(3) ins(%s3 : tensor<1x8x40x40xf32>) outs(%es : tensor<1x8x40x40xf32>) -> tensor<1x8x40x40xf32>
  %pc = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<1x8x40x40xf32> into tensor<8x40x40xf32>
  %zo = arith.constant dense<0.0> : tensor<8x40x16xf32>
  %o0 = linalg.batch_matmul ins(%pc, %vc : tensor<8x40x40xf32>, tensor<8x40x16xf32>) outs(%zo : tensor<8x40x16xf32>) -> tensor<8x40x16xf32>
  %o1 = tensor.expand_shape %o0 [[0, 1], [2], [3]] output_shape [1, 8, 40, 16] : tensor<8x40x16xf32> into tensor<1x8x40x16xf32>
  %et = tensor.empty() : tensor<1x40x8x16xf32>
  %o2 = linalg.transpose ins(%o1 : tensor<1x8x40x16xf32>) outs(%et : tensor<1x40x8x16xf32>) permutation = [0, 2, 1, 3]
  %o3 = tensor.collapse_shape %o2 [[0, 1], [2, 3]] : tensor<1x40x8x16xf32> into tensor<40x128xf32>
  %zy = arith.constant dense<0.0> : tensor<40x128xf32>
  %y0 = linalg.matmul ins(%o3, %wo : tensor<40x128xf32>, tensor<128x128xf32>) outs(%zy : tensor<40x128xf32>) -> tensor<40x128xf32>
  %y1 = tensor.expand_shape %y0 [[0, 1], [2]] output_shape [1, 40, 128] : tensor<40x128xf32> into tensor<1x40x128xf32>
  %y = arith.addf %y1, %x : tensor<1x40x128xf32>
  return %y : tensor<1x40x128xf32>
}
