// What stands between and around the contractions: scales, masks, transposes,
// reshapes, heads that are merged or repeated.
//
// RUN: mercury-opt %s --mercury-raise-attention --canonicalize | FileCheck %s

// CHECK: #[[MASKED:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3)>

// Scale.

// On the query and on the key, before and after, by multiplication and division:
// 0.5 * 2 * 0.25 / 8.
// CHECK-LABEL: func.func @scale_everywhere(
// CHECK-SAME: %[[Q:.+]]: tensor<2x8x16xf32>, %[[K:.+]]: tensor<2x16x12xf32>, %[[V:.+]]: tensor<2x12x4xf32>
// CHECK-NEXT: tensor.empty()
// CHECK-NEXT: commir.attention maps [{{.+}}] scale 3.125000e-02 ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-NEXT: return
func.func @scale_everywhere(%q: tensor<2x8x16xf32>, %k: tensor<2x16x12xf32>, %v: tensor<2x12x4xf32>) -> tensor<2x8x4xf32> {
  %half = arith.constant 0.5 : f32
  %twos = arith.constant dense<2.0> : tensor<2x16x12xf32>
  %quarters = arith.constant dense<0.25> : tensor<2x8x12xf32>
  %eights = arith.constant dense<8.0> : tensor<2x8x12xf32>
  %eq = tensor.empty() : tensor<2x8x16xf32>
  %es = tensor.empty() : tensor<2x8x12xf32>
  %zs = arith.constant dense<0.0> : tensor<2x8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<2x8x4xf32>
  %halves = linalg.fill ins(%half : f32) outs(%eq : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %qs = linalg.mul ins(%q, %halves : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%eq : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %ks = arith.mulf %twos, %k : tensor<2x16x12xf32>
  %s = linalg.batch_matmul ins(%qs, %ks : tensor<2x8x16xf32>, tensor<2x16x12xf32>) outs(%zs : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %t = arith.mulf %s, %quarters : tensor<2x8x12xf32>
  %u = arith.divf %t, %eights : tensor<2x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%u : tensor<2x8x12xf32>) outs(%es : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x12xf32>, tensor<2x12x4xf32>) outs(%zo : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// Inside the contraction, from a root that folds.
#qm = affine_map<(b, m, n, d) -> (b, m, d)>
#km = affine_map<(b, m, n, d) -> (b, n, d)>
#sm = affine_map<(b, m, n, d) -> (b, m, n)>
// CHECK-LABEL: func.func @scale_inside(
// CHECK: commir.attention maps [{{.+}}] scale 2.500000e-01 ins(
func.func @scale_inside(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x4xf32>) -> tensor<2x8x4xf32> {
  %size = arith.constant 16.0 : f32
  %es = tensor.empty() : tensor<2x8x12xf32>
  %zs = arith.constant dense<0.0> : tensor<2x8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<2x8x4xf32>
  %s = linalg.generic {indexing_maps = [#qm, #km, #sm], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x8x16xf32>, tensor<2x12x16xf32>) outs(%zs : tensor<2x8x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = math.sqrt %size : f32
    %0 = arith.divf %a, %r : f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x12xf32>) outs(%es : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x12xf32>, tensor<2x12x4xf32>) outs(%zo : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// A scale that is no constant stays where it is, on the query.
// CHECK-LABEL: func.func @scale_unknown(
// CHECK: %[[Q:.+]] = linalg.generic
// CHECK: commir.attention maps [{{.+}}] ins(%[[Q]],
func.func @scale_unknown(%q: tensor<2x8x16xf32>, %k: tensor<2x16x12xf32>, %v: tensor<2x12x4xf32>, %scale: f32) -> tensor<2x8x4xf32> {
  %eq = tensor.empty() : tensor<2x8x16xf32>
  %es = tensor.empty() : tensor<2x8x12xf32>
  %zs = arith.constant dense<0.0> : tensor<2x8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<2x8x4xf32>
  %qs = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<2x8x16xf32>) outs(%eq : tensor<2x8x16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.mulf %a, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<2x8x16xf32>
  %s = linalg.batch_matmul ins(%qs, %k : tensor<2x8x16xf32>, tensor<2x16x12xf32>) outs(%zs : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x12xf32>) outs(%es : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x8x12xf32>, tensor<2x12x4xf32>) outs(%zo : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// Masks.

// Over batch and heads, in one generic with the scale; the mask is read as it
// is.
#all = affine_map<(b, h, m, n) -> (b, h, m, n)>
#mn = affine_map<(b, h, m, n) -> (m, n)>
// CHECK-LABEL: func.func @mask_of_all_heads(
// CHECK-SAME: %[[MASK:[a-z0-9]+]]: tensor<8x12xf32>)
// CHECK-NEXT: tensor.empty()
// CHECK-NEXT: commir.attention maps [{{.+}}, #[[MASKED]], {{.+}}] scale 5.000000e-01 ins({{.+}}) mask(%[[MASK]] : tensor<8x12xf32>)
// CHECK-NEXT: return
#bq = affine_map<(b, h, m, n, d) -> (b, h, m, d)>
#bk = affine_map<(b, h, m, n, d) -> (b, h, n, d)>
#bs = affine_map<(b, h, m, n, d) -> (b, h, m, n)>
#ps = affine_map<(b, h, m, e, n) -> (b, h, m, n)>
#vs = affine_map<(b, h, m, e, n) -> (b, h, n, e)>
#os = affine_map<(b, h, m, e, n) -> (b, h, m, e)>
func.func @mask_of_all_heads(%q: tensor<2x3x8x16xf32>, %k: tensor<2x3x12x16xf32>, %v: tensor<2x3x12x4xf32>, %mask: tensor<8x12xf32>) -> tensor<2x3x8x4xf32> {
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<2x3x8x12xf32>
  %zs = arith.constant dense<0.0> : tensor<2x3x8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<2x3x8x4xf32>
  %s = linalg.contract indexing_maps = [#bq, #bk, #bs] ins(%q, %k : tensor<2x3x8x16xf32>, tensor<2x3x12x16xf32>) outs(%zs : tensor<2x3x8x12xf32>) -> tensor<2x3x8x12xf32>
  %t = linalg.generic {indexing_maps = [#all, #mn, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<2x3x8x12xf32>, tensor<8x12xf32>) outs(%es : tensor<2x3x8x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %scale : f32
    %1 = arith.addf %b, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x8x12xf32>
  %p = linalg.softmax dimension(3) ins(%t : tensor<2x3x8x12xf32>) outs(%es : tensor<2x3x8x12xf32>) -> tensor<2x3x8x12xf32>
  %o = linalg.contract indexing_maps = [#ps, #vs, #os] ins(%p, %v : tensor<2x3x8x12xf32>, tensor<2x3x12x4xf32>) outs(%zo : tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// Two masks, one over heads and one over keys, the second under the scale: they
// are added up once, over the dimensions that they have.
// CHECK-LABEL: func.func @two_masks(
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: tensor<3x8x12xf32>, %[[KEYS:[a-z0-9]+]]: tensor<2x12xbf16>)
// CHECK: %[[MASK:.+]] = linalg.generic
// CHECK-SAME: ins(%[[KEYS]], %[[BIAS]] : tensor<2x12xbf16>, tensor<3x8x12xf32>) outs({{.+}} : tensor<2x3x8x12xf32>)
// CHECK: arith.extf
// CHECK-NEXT: arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK-NEXT: arith.addf
// CHECK: commir.attention maps [{{.+}}] scale 5.000000e-01 ins({{.+}}) mask(%[[MASK]] : tensor<2x3x8x12xf32>)
#hmn = affine_map<(b, h, m, n) -> (h, m, n)>
#bn = affine_map<(b, h, m, n) -> (b, n)>
func.func @two_masks(%q: tensor<2x3x8x16xf32>, %k: tensor<2x3x12x16xf32>, %v: tensor<2x3x12x4xf32>, %bias: tensor<3x8x12xf32>, %keys: tensor<2x12xbf16>) -> tensor<2x3x8x4xf32> {
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<2x3x8x12xf32>
  %zs = arith.constant dense<0.0> : tensor<2x3x8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<2x3x8x4xf32>
  %s = linalg.contract indexing_maps = [#bq, #bk, #bs] ins(%q, %k : tensor<2x3x8x16xf32>, tensor<2x3x12x16xf32>) outs(%zs : tensor<2x3x8x12xf32>) -> tensor<2x3x8x12xf32>
  %t = linalg.generic {indexing_maps = [#all, #hmn, #bn, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %bias, %keys : tensor<2x3x8x12xf32>, tensor<3x8x12xf32>, tensor<2x12xbf16>) outs(%es : tensor<2x3x8x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: bf16, %out: f32):
    %0 = arith.extf %c : bf16 to f32
    %1 = arith.subf %a, %0 : f32
    %2 = arith.mulf %1, %scale : f32
    %3 = arith.addf %2, %b : f32
    linalg.yield %3 : f32
  } -> tensor<2x3x8x12xf32>
  %p = linalg.softmax dimension(3) ins(%t : tensor<2x3x8x12xf32>) outs(%es : tensor<2x3x8x12xf32>) -> tensor<2x3x8x12xf32>
  %o = linalg.contract indexing_maps = [#ps, #vs, #os] ins(%p, %v : tensor<2x3x8x12xf32>, tensor<2x3x12x4xf32>) outs(%zo : tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// Layout.

// Transposes are seen through: everything is read as (batch, row, head, feature).
// CHECK-LABEL: func.func @transposed_heads(
// CHECK-SAME: %[[Q:.+]]: tensor<2x8x3x16xf32>, %[[K:.+]]: tensor<2x12x3x16xf32>, %[[V:.+]]: tensor<2x12x3x4xf32>)
// CHECK-NEXT: tensor.empty()
// CHECK-NEXT: commir.attention maps [{{.+}}] ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-SAME: -> tensor<2x3x8x4xf32>
// CHECK-NEXT: return
func.func @transposed_heads(%q: tensor<2x8x3x16xf32>, %k: tensor<2x12x3x16xf32>, %v: tensor<2x12x3x4xf32>) -> tensor<2x3x8x4xf32> {
  %eq = tensor.empty() : tensor<2x3x8x16xf32>
  %ek = tensor.empty() : tensor<2x3x16x12xf32>
  %ev = tensor.empty() : tensor<2x3x12x4xf32>
  %es = tensor.empty() : tensor<2x3x8x12xf32>
  %zs = arith.constant dense<0.0> : tensor<6x8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<6x8x4xf32>
  %qt = linalg.transpose ins(%q : tensor<2x8x3x16xf32>) outs(%eq : tensor<2x3x8x16xf32>) permutation = [0, 2, 1, 3]
  %kt = linalg.transpose ins(%k : tensor<2x12x3x16xf32>) outs(%ek : tensor<2x3x16x12xf32>) permutation = [0, 2, 3, 1]
  %vt = linalg.transpose ins(%v : tensor<2x12x3x4xf32>) outs(%ev : tensor<2x3x12x4xf32>) permutation = [0, 2, 1, 3]
  %qc = tensor.collapse_shape %qt [[0, 1], [2], [3]] : tensor<2x3x8x16xf32> into tensor<6x8x16xf32>
  %kc = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<2x3x16x12xf32> into tensor<6x16x12xf32>
  %vc = tensor.collapse_shape %vt [[0, 1], [2], [3]] : tensor<2x3x12x4xf32> into tensor<6x12x4xf32>
  %s = linalg.batch_matmul ins(%qc, %kc : tensor<6x8x16xf32>, tensor<6x16x12xf32>) outs(%zs : tensor<6x8x12xf32>) -> tensor<6x8x12xf32>
  %sx = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [2, 3, 8, 12] : tensor<6x8x12xf32> into tensor<2x3x8x12xf32>
  %p = linalg.softmax dimension(3) ins(%sx : tensor<2x3x8x12xf32>) outs(%es : tensor<2x3x8x12xf32>) -> tensor<2x3x8x12xf32>
  %pc = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<2x3x8x12xf32> into tensor<6x8x12xf32>
  %o = linalg.batch_matmul ins(%pc, %vc : tensor<6x8x12xf32>, tensor<6x12x4xf32>) outs(%zo : tensor<6x8x4xf32>) -> tensor<6x8x4xf32>
  %ox = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [2, 3, 8, 4] : tensor<6x8x4xf32> into tensor<2x3x8x4xf32>
  return %ox : tensor<2x3x8x4xf32>
}

// Heads merged into batch for the contractions; the mask is one of each batch
// and is added where they stand apart.
// CHECK-LABEL: func.func @merged_heads(
// CHECK-SAME: %[[Q:.+]]: tensor<6x8x16xf32>, %[[K:.+]]: tensor<6x16x12xf32>, %[[V:.+]]: tensor<6x12x4xf32>, %[[MASK:[a-z0-9]+]]: tensor<2x1x1x12xf32>)
// CHECK-DAG: %[[QX:.+]] = tensor.expand_shape %[[Q]] {{\[}}[0, 1], [2], [3]] output_shape [2, 3, 8, 16]
// CHECK-DAG: %[[KX:.+]] = tensor.expand_shape %[[K]] {{\[}}[0, 1], [2], [3]] output_shape [2, 3, 16, 12]
// CHECK-DAG: %[[VX:.+]] = tensor.expand_shape %[[V]] {{\[}}[0, 1], [2], [3]] output_shape [2, 3, 12, 4]
// CHECK-DAG: %[[MC:.+]] = tensor.collapse_shape %[[MASK]]
// CHECK: %[[O:.+]] = commir.attention maps [{{.+}}] ins(%[[QX]], %[[KX]], %[[VX]] : {{.+}}) mask(%[[MC]] : tensor<2x12xf32>)
// CHECK: tensor.collapse_shape %[[O]] {{\[}}[0, 1], [2], [3]] : tensor<2x3x8x4xf32> into tensor<6x8x4xf32>
#row = affine_map<(b, h, m, n) -> (b, 0, 0, n)>
func.func @merged_heads(%q: tensor<6x8x16xf32>, %k: tensor<6x16x12xf32>, %v: tensor<6x12x4xf32>, %mask: tensor<2x1x1x12xf32>) -> tensor<6x8x4xf32> {
  %es = tensor.empty() : tensor<2x3x8x12xf32>
  %zs = arith.constant dense<0.0> : tensor<6x8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<6x8x4xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<6x8x16xf32>, tensor<6x16x12xf32>) outs(%zs : tensor<6x8x12xf32>) -> tensor<6x8x12xf32>
  %sx = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [2, 3, 8, 12] : tensor<6x8x12xf32> into tensor<2x3x8x12xf32>
  %t = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sx, %mask : tensor<2x3x8x12xf32>, tensor<2x1x1x12xf32>) outs(%es : tensor<2x3x8x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x3x8x12xf32>
  %p = linalg.softmax dimension(3) ins(%t : tensor<2x3x8x12xf32>) outs(%es : tensor<2x3x8x12xf32>) -> tensor<2x3x8x12xf32>
  %pc = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<2x3x8x12xf32> into tensor<6x8x12xf32>
  %o = linalg.batch_matmul ins(%pc, %v : tensor<6x8x12xf32>, tensor<6x12x4xf32>) outs(%zo : tensor<6x8x4xf32>) -> tensor<6x8x4xf32>
  return %o : tensor<6x8x4xf32>
}

// Reshapes between that cut the heads for nothing leave no cut behind.
// CHECK-LABEL: func.func @cut_for_nothing(
// CHECK-SAME: %[[Q:.+]]: tensor<6x8x16xf32>, %[[K:.+]]: tensor<6x16x12xf32>, %[[V:.+]]: tensor<2x3x12x4xf32>)
// CHECK: %[[VC:.+]] = tensor.collapse_shape %[[V]]
// CHECK: %[[O:.+]] = commir.attention maps [{{.+}}] ins(%[[Q]], %[[K]], %[[VC]] : {{.+}} -> tensor<6x8x4xf32>
// CHECK: return %[[O]]
func.func @cut_for_nothing(%q: tensor<6x8x16xf32>, %k: tensor<6x16x12xf32>, %v: tensor<2x3x12x4xf32>) -> tensor<6x8x4xf32> {
  %es = tensor.empty() : tensor<6x8x12xf32>
  %zs = arith.constant dense<0.0> : tensor<6x8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<6x8x4xf32>
  %vc = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<2x3x12x4xf32> into tensor<6x12x4xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<6x8x16xf32>, tensor<6x16x12xf32>) outs(%zs : tensor<6x8x12xf32>) -> tensor<6x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<6x8x12xf32>) outs(%es : tensor<6x8x12xf32>) -> tensor<6x8x12xf32>
  %o = linalg.batch_matmul ins(%p, %vc : tensor<6x8x12xf32>, tensor<6x12x4xf32>) outs(%zo : tensor<6x8x4xf32>) -> tensor<6x8x4xf32>
  return %o : tensor<6x8x4xf32>
}

// KV heads, each repeated for three query heads, outermost first; the repeated
// ones go. Query head h reads KV head h / 3.
#rep = affine_map<(b, g, r, n, d) -> (b, g, n, d)>
#id5 = affine_map<(b, g, r, n, d) -> (b, g, r, n, d)>
// CHECK-LABEL: func.func @grouped(
// CHECK-SAME: %[[Q:.+]]: tensor<2x6x8x16xbf16>, %[[K:.+]]: tensor<2x2x12x16xbf16>, %[[V:.+]]: tensor<2x2x12x4xbf16>)
// CHECK: %[[QX:.+]] = tensor.expand_shape %[[Q]] {{\[}}[0], [1, 2], [3], [4]] output_shape [2, 2, 3, 8, 16]
// CHECK: %[[O:.+]] = commir.attention maps [#[[GQ:.+]], #[[GK:.+]], #[[GV:.+]], #[[GO:.+]]] ins(%[[QX]], %[[K]], %[[V]] : {{.+}} -> tensor<2x2x3x8x4xf32>
// CHECK: tensor.collapse_shape %[[O]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @grouped(%q: tensor<2x6x8x16xbf16>, %k: tensor<2x2x12x16xbf16>, %v: tensor<2x2x12x4xbf16>) -> tensor<2x6x8x4xf32> {
  %ek = tensor.empty() : tensor<2x2x3x12x16xbf16>
  %ev = tensor.empty() : tensor<2x2x3x12x4xbf16>
  %es = tensor.empty() : tensor<2x6x8x12xf32>
  %zs = arith.constant dense<0.0> : tensor<2x6x8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<2x6x8x4xf32>
  %kr = linalg.generic {indexing_maps = [#rep, #id5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<2x2x12x16xbf16>) outs(%ek : tensor<2x2x3x12x16xbf16>) {
  ^bb0(%a: bf16, %out: bf16):
    linalg.yield %a : bf16
  } -> tensor<2x2x3x12x16xbf16>
  %vr = linalg.broadcast ins(%v : tensor<2x2x12x4xbf16>) outs(%ev : tensor<2x2x3x12x4xbf16>) dimensions = [2]
  %kc = tensor.collapse_shape %kr [[0], [1, 2], [3], [4]] : tensor<2x2x3x12x16xbf16> into tensor<2x6x12x16xbf16>
  %vc = tensor.collapse_shape %vr [[0], [1, 2], [3], [4]] : tensor<2x2x3x12x4xbf16> into tensor<2x6x12x4xbf16>
  %s = linalg.contract indexing_maps = [#bq, #bk, #bs] ins(%q, %kc : tensor<2x6x8x16xbf16>, tensor<2x6x12x16xbf16>) outs(%zs : tensor<2x6x8x12xf32>) -> tensor<2x6x8x12xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<2x6x8x12xf32>) outs(%es : tensor<2x6x8x12xf32>) -> tensor<2x6x8x12xf32>
  %eh = tensor.empty() : tensor<2x6x8x12xbf16>
  %ph = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p : tensor<2x6x8x12xf32>) outs(%eh : tensor<2x6x8x12xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %0 = arith.truncf %a : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<2x6x8x12xbf16>
  %o = linalg.contract indexing_maps = [#ps, #vs, #os] ins(%ph, %vc : tensor<2x6x8x12xbf16>, tensor<2x6x12x4xbf16>) outs(%zo : tensor<2x6x8x4xf32>) -> tensor<2x6x8x4xf32>
  return %o : tensor<2x6x8x4xf32>
}

// One query a head and no loop for it: query and output get one of one step.
// CHECK-LABEL: func.func @no_query_loop(
// CHECK-SAME: %[[Q:.+]]: tensor<6x16xf32>, %[[K:.+]]: tensor<6x12x16xf32>, %[[V:.+]]: tensor<6x12x4xf32>)
// CHECK: %[[QX:.+]] = tensor.expand_shape %[[Q]] {{\[}}[0], [1, 2]] output_shape [6, 1, 16]
// CHECK: %[[O:.+]] = commir.attention maps [{{.+}}] ins(%[[QX]], %[[K]], %[[V]] : {{.+}} -> tensor<6x1x4xf32>
// CHECK: tensor.collapse_shape %[[O]] {{\[}}[0], [1, 2]] : tensor<6x1x4xf32> into tensor<6x4xf32>
func.func @no_query_loop(%q: tensor<6x16xf32>, %k: tensor<6x12x16xf32>, %v: tensor<6x12x4xf32>) -> tensor<6x4xf32> {
  %es = tensor.empty() : tensor<6x12xf32>
  %zs = arith.constant dense<0.0> : tensor<6x12xf32>
  %zo = arith.constant dense<0.0> : tensor<6x4xf32>
  %s = linalg.contract indexing_maps = [affine_map<(h, n, d) -> (h, d)>, affine_map<(h, n, d) -> (h, n, d)>, affine_map<(h, n, d) -> (h, n)>]
      ins(%q, %k : tensor<6x16xf32>, tensor<6x12x16xf32>) outs(%zs : tensor<6x12xf32>) -> tensor<6x12xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<6x12xf32>) outs(%es : tensor<6x12xf32>) -> tensor<6x12xf32>
  %o = linalg.contract indexing_maps = [affine_map<(h, e, n) -> (h, n)>, affine_map<(h, e, n) -> (h, n, e)>, affine_map<(h, e, n) -> (h, e)>]
      ins(%p, %v : tensor<6x12xf32>, tensor<6x12x4xf32>) outs(%zo : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// f64 is kept in f64.
// CHECK-LABEL: func.func @f64(
// CHECK: commir.attention maps [{{.+}}] ins({{.+}} : tensor<8x16xf64>, tensor<16x12xf64>, tensor<12x4xf64>)
func.func @f64(%q: tensor<8x16xf64>, %k: tensor<16x12xf64>, %v: tensor<12x4xf64>) -> tensor<8x4xf64> {
  %es = tensor.empty() : tensor<8x12xf64>
  %zs = arith.constant dense<0.0> : tensor<8x12xf64>
  %zo = arith.constant dense<0.0> : tensor<8x4xf64>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf64>, tensor<16x12xf64>) outs(%zs : tensor<8x12xf64>) -> tensor<8x12xf64>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x12xf64>) outs(%es : tensor<8x12xf64>) -> tensor<8x12xf64>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf64>, tensor<12x4xf64>) outs(%zo : tensor<8x4xf64>) -> tensor<8x4xf64>
  return %o : tensor<8x4xf64>
}
