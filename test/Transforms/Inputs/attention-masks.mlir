// Attention whose mask is computed inside, in the forms in which compilers of
// frameworks emit it, with everything that stands between.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#row4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#one4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#mask4 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>

// torch-mlir, scaled_dot_product_attention with is_causal: ones, tril by two
// aranges of i64, logical_not, masked_fill with -inf, added; the exponentials
// apart from their sum.
func.func @torch(%q: tensor<1x4x16x8xf32>, %k: tensor<1x4x16x8xf32>, %v: tensor<1x4x16x8xf32>) -> tensor<1x4x16x8xf32> {
  %true = arith.constant true
  %false = arith.constant false
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.353553385 : f32
  %c0 = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<16xi64>
  %arange = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e0 : tensor<16xi64>) {
  ^bb0(%out: i64):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i64
    linalg.yield %1 : i64
  } -> tensor<16xi64>
  %rows = tensor.expand_shape %arange [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
  %ec = tensor.empty() : tensor<16x1xi64>
  %diagonal = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<16x1xi64>) outs(%ec : tensor<16x1xi64>) {
  ^bb0(%in: i64, %out: i64):
    %0 = arith.addi %in, %c0 : i64
    linalg.yield %0 : i64
  } -> tensor<16x1xi64>
  %eb = tensor.empty() : tensor<16x16xi1>
  %ones = linalg.fill ins(%true : i1) outs(%eb : tensor<16x16xi1>) -> tensor<16x16xi1>
  %columns = tensor.expand_shape %arange [[0, 1]] output_shape [1, 16] : tensor<16xi64> into tensor<1x16xi64>
  %below = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%columns, %diagonal : tensor<1x16xi64>, tensor<16x1xi64>) outs(%eb : tensor<16x16xi1>) {
  ^bb0(%a: i64, %b: i64, %out: i1):
    %0 = arith.cmpi sle, %a, %b : i64
    linalg.yield %0 : i1
  } -> tensor<16x16xi1>
  %tril = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%below, %ones : tensor<16x16xi1>, tensor<16x16xi1>) outs(%eb : tensor<16x16xi1>) {
  ^bb0(%a: i1, %b: i1, %out: i1):
    %0 = arith.select %a, %b, %false : i1
    linalg.yield %0 : i1
  } -> tensor<16x16xi1>
  %not = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%tril : tensor<16x16xi1>) outs(%eb : tensor<16x16xi1>) {
  ^bb0(%in: i1, %out: i1):
    %0 = arith.cmpi eq, %in, %false : i1
    linalg.yield %0 : i1
  } -> tensor<16x16xi1>
  %em = tensor.empty() : tensor<16x16xf32>
  %bias = linalg.fill ins(%zero : f32) outs(%em : tensor<16x16xf32>) -> tensor<16x16xf32>
  %mask = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%not, %bias : tensor<16x16xi1>, tensor<16x16xf32>) outs(%em : tensor<16x16xf32>) {
  ^bb0(%c: i1, %b: f32, %out: f32):
    %0 = arith.select %c, %inf, %b : f32
    linalg.yield %0 : f32
  } -> tensor<16x16xf32>
  %et = tensor.empty() : tensor<1x4x8x16xf32>
  %kt = linalg.transpose ins(%k : tensor<1x4x16x8xf32>) outs(%et : tensor<1x4x8x16xf32>) permutation = [0, 1, 3, 2]
  %qc = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<1x4x16x8xf32> into tensor<4x16x8xf32>
  %kc = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<1x4x8x16xf32> into tensor<4x8x16xf32>
  %vc = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<1x4x16x8xf32> into tensor<4x16x8xf32>
  %es3 = tensor.empty() : tensor<4x16x16xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es3 : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s0 = linalg.batch_matmul ins(%qc, %kc : tensor<4x16x8xf32>, tensor<4x8x16xf32>) outs(%zs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s1 = tensor.expand_shape %s0 [[0, 1], [2], [3]] output_shape [1, 4, 16, 16] : tensor<4x16x16xf32> into tensor<1x4x16x16xf32>
  %es = tensor.empty() : tensor<1x4x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x4x16x16xf32>) outs(%es : tensor<1x4x16x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x16x16xf32>
  %s3 = linalg.generic {indexing_maps = [#id4, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s2, %mask : tensor<1x4x16x16xf32>, tensor<16x16xf32>) outs(%es : tensor<1x4x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x16x16xf32>
  %er = tensor.empty() : tensor<1x4x16xf32>
  %lr = linalg.fill ins(%inf : f32) outs(%er : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %max = linalg.generic {indexing_maps = [#id4, #row4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s3 : tensor<1x4x16x16xf32>) outs(%lr : tensor<1x4x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x16xf32>
  %maxx = tensor.expand_shape %max [[0], [1], [2, 3]] output_shape [1, 4, 16, 1] : tensor<1x4x16xf32> into tensor<1x4x16x1xf32>
  %d = linalg.generic {indexing_maps = [#id4, #one4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s3, %maxx : tensor<1x4x16x16xf32>, tensor<1x4x16x1xf32>) outs(%es : tensor<1x4x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x16x16xf32>
  %x = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%d : tensor<1x4x16x16xf32>) outs(%es : tensor<1x4x16x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x16x16xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %sum = linalg.generic {indexing_maps = [#id4, #row4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x : tensor<1x4x16x16xf32>) outs(%zr : tensor<1x4x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x16xf32>
  %sumx = tensor.expand_shape %sum [[0], [1], [2, 3]] output_shape [1, 4, 16, 1] : tensor<1x4x16xf32> into tensor<1x4x16x1xf32>
  %p = linalg.generic {indexing_maps = [#id4, #one4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %sumx : tensor<1x4x16x16xf32>, tensor<1x4x16x1xf32>) outs(%es : tensor<1x4x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x16x16xf32>
  %pc = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<1x4x16x16xf32> into tensor<4x16x16xf32>
  %eo = tensor.empty() : tensor<4x16x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %o = linalg.batch_matmul ins(%pc, %vc : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%zo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %ox = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [1, 4, 16, 8] : tensor<4x16x8xf32> into tensor<1x4x16x8xf32>
  return %ox : tensor<1x4x16x8xf32>
}

// StableHLO from JAX: heads behind rows, queries that begin four keys later
// (prefill of a chunk), iotas of i32, and of two comparisons, selected against
// 0.7 of the lowest number where scores are in f32; weights rounded to bf16.
func.func @jax(%q: tensor<2x12x2x8xbf16>, %k: tensor<2x16x2x8xbf16>, %v: tensor<2x16x2x8xbf16>) -> tensor<2x2x12x8xf32> {
  %low = arith.constant dense<-2.38197633E+38> : tensor<2x2x12x16xf32>
  %four = arith.constant dense<4> : tensor<12x16xi32>
  %window = arith.constant dense<6> : tensor<12x16xi32>
  %zs = arith.constant dense<0.0> : tensor<2x2x12x16xf32>
  %zo = arith.constant dense<0.0> : tensor<2x2x12x8xf32>
  %zr = arith.constant dense<0.0> : tensor<2x2x12xf32>
  %lr = arith.constant dense<0xFF800000> : tensor<2x2x12xf32>
  %scale = arith.constant dense<0.353515625> : tensor<2x12x2x8xbf16>
  %qs = arith.mulf %q, %scale : tensor<2x12x2x8xbf16>
  %s0 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, d) -> (b, m, h, d)>, affine_map<(b, h, m, n, d) -> (b, n, h, d)>, affine_map<(b, h, m, n, d) -> (b, h, m, n)>],
                        iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%qs, %k : tensor<2x12x2x8xbf16>, tensor<2x16x2x8xbf16>) outs(%zs : tensor<2x2x12x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x2x12x16xf32>
  %ei = tensor.empty() : tensor<12x16xi32>
  %rows = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<12x16xi32>) {
  ^bb0(%out: i32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    linalg.yield %1 : i32
  } -> tensor<12x16xi32>
  %columns = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<12x16xi32>) {
  ^bb0(%out: i32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    linalg.yield %1 : i32
  } -> tensor<12x16xi32>
  %positions = arith.addi %rows, %four : tensor<12x16xi32>
  %causal = arith.cmpi sge, %positions, %columns : tensor<12x16xi32>
  %distance = arith.subi %positions, %columns : tensor<12x16xi32>
  %near = arith.cmpi slt, %distance, %window : tensor<12x16xi32>
  %seen = arith.andi %causal, %near : tensor<12x16xi1>
  %eb = tensor.empty() : tensor<2x2x12x16xi1>
  %all = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3)>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%seen : tensor<12x16xi1>) outs(%eb : tensor<2x2x12x16xi1>) {
  ^bb0(%in: i1, %out: i1):
    linalg.yield %in : i1
  } -> tensor<2x2x12x16xi1>
  %s1 = arith.select %all, %s0, %low : tensor<2x2x12x16xi1>, tensor<2x2x12x16xf32>
  %max = linalg.reduce {arith.maximumf} ins(%s1 : tensor<2x2x12x16xf32>) outs(%lr : tensor<2x2x12xf32>) dimensions = [3]
  %es = tensor.empty() : tensor<2x2x12x16xf32>
  %maxb = linalg.broadcast ins(%max : tensor<2x2x12xf32>) outs(%es : tensor<2x2x12x16xf32>) dimensions = [3]
  %d = arith.subf %s1, %maxb : tensor<2x2x12x16xf32>
  %x = math.exp %d : tensor<2x2x12x16xf32>
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<2x2x12x16xf32>) outs(%zr : tensor<2x2x12xf32>) dimensions = [3]
  %sumb = linalg.broadcast ins(%sum : tensor<2x2x12xf32>) outs(%es : tensor<2x2x12x16xf32>) dimensions = [3]
  %p = arith.divf %x, %sumb : tensor<2x2x12x16xf32>
  %ph = arith.truncf %p : tensor<2x2x12x16xf32> to tensor<2x2x12x16xbf16>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, d, n) -> (b, h, m, n)>, affine_map<(b, h, m, d, n) -> (b, n, h, d)>, affine_map<(b, h, m, d, n) -> (b, h, m, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%ph, %v : tensor<2x2x12x16xbf16>, tensor<2x16x2x8xbf16>) outs(%zo : tensor<2x2x12x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %out: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x2x12x8xf32>
  return %o : tensor<2x2x12x8xf32>
}

// ONNX of GPT-2: a buffer of truth values of the longest sequence, sliced at the
// keys that there are, then at the rows of the queries; Where, Softmax.
func.func @onnx(%q: tensor<1x4x4x8xf32>, %k: tensor<1x4x8x6xf32>, %v: tensor<1x4x6x8xf32>) -> tensor<1x4x4x8xf32> {
  %buffer = arith.constant dense<[[[[true, false, false, false, false, false, false, false],
                                      [true, true, false, false, false, false, false, false],
                                      [true, true, true, false, false, false, false, false],
                                      [true, true, true, true, false, false, false, false],
                                      [true, true, true, true, true, false, false, false],
                                      [true, true, true, true, true, true, false, false],
                                      [true, true, true, true, true, true, true, false],
                                      [true, true, true, true, true, true, true, true]]]]> : tensor<1x1x8x8xi1>
  %low = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %root = arith.constant dense<2.82842708> : tensor<f32>
  %zs = arith.constant dense<0.0> : tensor<4x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<4x4x8xf32>
  %keys = tensor.extract_slice %buffer[0, 0, 0, 0] [1, 1, 8, 6] [1, 1, 1, 1] : tensor<1x1x8x8xi1> to tensor<1x1x8x6xi1>
  %bias = tensor.extract_slice %keys[0, 0, 2, 0] [1, 1, 4, 6] [1, 1, 1, 1] : tensor<1x1x8x6xi1> to tensor<1x1x4x6xi1>
  %qc = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<1x4x4x8xf32> into tensor<4x4x8xf32>
  %kc = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<1x4x8x6xf32> into tensor<4x8x6xf32>
  %vc = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<1x4x6x8xf32> into tensor<4x6x8xf32>
  %s0 = linalg.batch_matmul ins(%qc, %kc : tensor<4x4x8xf32>, tensor<4x8x6xf32>) outs(%zs : tensor<4x4x6xf32>) -> tensor<4x4x6xf32>
  %s1 = tensor.expand_shape %s0 [[0, 1], [2], [3]] output_shape [1, 4, 4, 6] : tensor<4x4x6xf32> into tensor<1x4x4x6xf32>
  %es = tensor.empty() : tensor<1x4x4x6xf32>
  %s2 = linalg.generic {indexing_maps = [#id4, affine_map<(d0, d1, d2, d3) -> ()>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s1, %root : tensor<1x4x4x6xf32>, tensor<f32>) outs(%es : tensor<1x4x4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x4x6xf32>
  %s3 = linalg.generic {indexing_maps = [#mask4, #id4, affine_map<(d0, d1, d2, d3) -> ()>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias, %s2, %low : tensor<1x1x4x6xi1>, tensor<1x4x4x6xf32>, tensor<f32>) outs(%es : tensor<1x4x4x6xf32>) {
  ^bb0(%c: i1, %a: f32, %b: f32, %out: f32):
    %0 = arith.select %c, %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x4x6xf32>
  %p = linalg.softmax dimension(3) ins(%s3 : tensor<1x4x4x6xf32>) outs(%es : tensor<1x4x4x6xf32>) -> tensor<1x4x4x6xf32>
  %pc = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<1x4x4x6xf32> into tensor<4x4x6xf32>
  %o = linalg.batch_matmul ins(%pc, %vc : tensor<4x4x6xf32>, tensor<4x6x8xf32>) outs(%zo : tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
  %ox = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [1, 4, 4, 8] : tensor<4x4x8xf32> into tensor<1x4x4x8xf32>
  return %ox : tensor<1x4x4x8xf32>
}

// IREE, fused: what selects -inf stands in the generic of every reader of the
// scores, in f16; a prefix of three keys beside the triangle.
func.func @iree(%q: tensor<4x16x8xf16>, %k: tensor<4x16x8xf16>, %v: tensor<4x16x8xf16>) -> tensor<4x16x8xf16> {
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.353553385 : f32
  %c3 = arith.constant 3 : index
  %es = tensor.empty() : tensor<4x16x16xf32>
  %er = tensor.empty() : tensor<4x16xf32>
  %eo = tensor.empty() : tensor<4x16x8xf32>
  %eh = tensor.empty() : tensor<4x16x8xf16>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16xf32>) -> tensor<4x16xf32>
  %lr = linalg.fill ins(%inf : f32) outs(%er : tensor<4x16xf32>) -> tensor<4x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, affine_map<(b, m, n, d) -> (b, n, d)>, affine_map<(b, m, n, d) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x16x8xf16>, tensor<4x16x8xf16>) outs(%zs : tensor<4x16x16xf32>) {
  ^bb0(%a: f16, %b: f16, %out: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %2, %out : f32
    linalg.yield %3 : f32
  } -> tensor<4x16x16xf32>
  %max = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s : tensor<4x16x16xf32>) outs(%lr : tensor<4x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %behind = arith.cmpi ule, %j, %i : index
    %first = arith.cmpi ult, %j, %c3 : index
    %c = arith.ori %behind, %first : i1
    %0 = arith.mulf %in, %scale : f32
    %1 = arith.select %c, %0, %inf : f32
    %2 = arith.maximumf %1, %out : f32
    linalg.yield %2 : f32
  } -> tensor<4x16xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row3, #row3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s, %max : tensor<4x16x16xf32>, tensor<4x16xf32>) outs(%zr : tensor<4x16xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %behind = arith.cmpi ule, %j, %i : index
    %first = arith.cmpi ult, %j, %c3 : index
    %c = arith.ori %behind, %first : i1
    %0 = arith.mulf %in, %scale : f32
    %1 = arith.select %c, %0, %inf : f32
    %2 = arith.subf %1, %m : f32
    %3 = math.exp %2 : f32
    %4 = arith.addf %3, %out : f32
    linalg.yield %4 : f32
  } -> tensor<4x16xf32>
  %p = linalg.generic {indexing_maps = [#id3, #row3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %max, %sum : tensor<4x16x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%in: f32, %m: f32, %l: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %behind = arith.cmpi ule, %j, %i : index
    %first = arith.cmpi ult, %j, %c3 : index
    %c = arith.ori %behind, %first : i1
    %0 = arith.mulf %in, %scale : f32
    %1 = arith.select %c, %0, %inf : f32
    %2 = arith.subf %1, %m : f32
    %3 = math.exp %2 : f32
    %4 = arith.divf %3, %l : f32
    linalg.yield %4 : f32
  } -> tensor<4x16x16xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, e, n) -> (b, m, n)>, affine_map<(b, m, e, n) -> (b, n, e)>, affine_map<(b, m, e, n) -> (b, m, e)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf16>) outs(%zo : tensor<4x16x8xf32>) {
  ^bb0(%a: f32, %b: f16, %out: f32):
    %0 = arith.extf %b : f16 to f32
    %1 = arith.mulf %a, %0 : f32
    %2 = arith.addf %1, %out : f32
    linalg.yield %2 : f32
  } -> tensor<4x16x8xf32>
  %oh = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%o : tensor<4x16x8xf32>) outs(%eh : tensor<4x16x8xf16>) {
  ^bb0(%in: f32, %out: f16):
    %0 = arith.truncf %in : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<4x16x8xf16>
  return %oh : tensor<4x16x8xf16>
}
