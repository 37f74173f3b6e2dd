// Masks that are computed become structure: what a query sees as a function of
// positions. Every form is one that a frontend emits.
//
// RUN: mercury-opt %s --mercury-raise-attention --canonicalize | FileCheck %s

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// A select of -inf where the key stands behind the query, in one generic.
// CHECK-LABEL: func.func @causal_select(
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) visible <right 0> outs(
// CHECK-NOT: linalg
// CHECK: return
func.func @causal_select(%q: tensor<12x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<12x4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zs = arith.constant dense<0.0> : tensor<12x12xf32>
  %zo = arith.constant dense<0.0> : tensor<12x4xf32>
  %es = tensor.empty() : tensor<12x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<12x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<12x12xf32>) -> tensor<12x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<12x12xf32>) outs(%es : tensor<12x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sge, %i, %j : index
    %x = arith.select %c, %a, %lowest : f32
    linalg.yield %x : f32
  } -> tensor<12x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<12x12xf32>) outs(%es : tensor<12x12xf32>) -> tensor<12x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<12x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<12x4xf32>) -> tensor<12x4xf32>
  return %o : tensor<12x4xf32>
}

// Two iotas, i64 and i32, whose comparison is negated; torch.tril, masked_fill.
// CHECK-LABEL: func.func @causal_tril(
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) visible <right 3> outs(
// CHECK-NOT: linalg
// CHECK: return
func.func @causal_tril(%q: tensor<9x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<9x4xf32> {
  %lowest = arith.constant -3.40282347E+38 : f32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %false = arith.constant false
  %three = arith.constant 3 : i64
  %zs = arith.constant dense<0.0> : tensor<9x12xf32>
  %zo = arith.constant dense<0.0> : tensor<9x4xf32>
  %es = tensor.empty() : tensor<9x12xf32>
  %e9 = tensor.empty() : tensor<9xi64>
  %e12 = tensor.empty() : tensor<12xi32>
  %eb = tensor.empty() : tensor<9x12xi1>
  %rows = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e9 : tensor<9xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %0 = arith.index_cast %i : index to i64
    %1 = arith.addi %0, %three : i64
    linalg.yield %1 : i64
  } -> tensor<9xi64>
  %columns = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e12 : tensor<12xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %0 = arith.index_cast %i : index to i32
    linalg.yield %0 : i32
  } -> tensor<12xi32>
  %rx = tensor.expand_shape %rows [[0, 1]] output_shape [9, 1] : tensor<9xi64> into tensor<9x1xi64>
  %cx = tensor.expand_shape %columns [[0, 1]] output_shape [1, 12] : tensor<12xi32> into tensor<1x12xi32>
  %ones = linalg.fill ins(%true : i1) outs(%eb : tensor<9x12xi1>) -> tensor<9x12xi1>
  %tril = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, 0)>, affine_map<(m, n) -> (0, n)>, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%rx, %cx, %ones : tensor<9x1xi64>, tensor<1x12xi32>, tensor<9x12xi1>) outs(%eb : tensor<9x12xi1>) {
  ^bb0(%i: i64, %j: i32, %one: i1, %out: i1):
    %0 = arith.extsi %j : i32 to i64
    %1 = arith.cmpi sge, %i, %0 : i64
    %2 = arith.select %1, %one, %false : i1
    linalg.yield %2 : i1
  } -> tensor<9x12xi1>
  %not = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%tril : tensor<9x12xi1>) outs(%eb : tensor<9x12xi1>) {
  ^bb0(%a: i1, %out: i1):
    %0 = arith.xori %a, %true : i1
    linalg.yield %0 : i1
  } -> tensor<9x12xi1>
  %mask = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%not : tensor<9x12xi1>) outs(%es : tensor<9x12xf32>) {
  ^bb0(%a: i1, %out: f32):
    %0 = arith.select %a, %lowest, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<9x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<9x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<9x12xf32>) -> tensor<9x12xf32>
  %t = arith.addf %s, %mask : tensor<9x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<9x12xf32>) outs(%es : tensor<9x12xf32>) -> tensor<9x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<9x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<9x4xf32>) -> tensor<9x4xf32>
  return %o : tensor<9x4xf32>
}

// A larger triangle of truth values, a resource, sliced from its middle and
// broadcast over heads: GPT-2's buffer. The scores where it is false are the lowest number.
// CHECK-LABEL: func.func @sliced_triangle(
// CHECK: commir.attention maps [{{[^]]+}}] scale 2.500000e-01 ins({{[^)]+}}) visible <right 2> outs(
// CHECK-NOT: linalg
// CHECK: return
#bmn = affine_map<(b, m, n) -> (b, m, n)>
#b0 = affine_map<(b, m, n) -> (0, m, n)>
func.func @sliced_triangle(%q: tensor<3x4x16xf32>, %k: tensor<3x16x6xf32>, %v: tensor<3x6x4xf32>) -> tensor<3x4x4xf32> {
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<f32>
  %scale = arith.constant 0.25 : f32
  %triangle = arith.constant dense_resource<triangle> : tensor<1x8x8xi1>
  %zs = arith.constant dense<0.0> : tensor<3x4x6xf32>
  %zo = arith.constant dense<0.0> : tensor<3x4x4xf32>
  %es = tensor.empty() : tensor<3x4x6xf32>
  %slice = tensor.extract_slice %triangle[0, 2, 0] [1, 4, 6] [1, 1, 1] : tensor<1x8x8xi1> to tensor<1x4x6xi1>
  %s = linalg.batch_matmul ins(%q, %k : tensor<3x4x16xf32>, tensor<3x16x6xf32>) outs(%zs : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %t = linalg.generic {indexing_maps = [#bmn, #b0, affine_map<(b, m, n) -> ()>, #bmn], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %slice, %lowest : tensor<3x4x6xf32>, tensor<1x4x6xi1>, tensor<f32>) outs(%es : tensor<3x4x6xf32>) {
  ^bb0(%a: f32, %c: i1, %l: f32, %out: f32):
    %0 = arith.mulf %a, %scale : f32
    %1 = arith.select %c, %0, %l : f32
    linalg.yield %1 : f32
  } -> tensor<3x4x6xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<3x4x6xf32>) outs(%es : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<3x4x6xf32>, tensor<3x6x4xf32>) outs(%zo : tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  return %o : tensor<3x4x4xf32>
}

// A window: an and of two comparisons, added as (1 - mask) * lowest, a uniform
// 2.0 beside it, which softmax does not see.
// CHECK-LABEL: func.func @window(
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) visible <left 4 right 1> outs(
// CHECK-NOT: linalg
// CHECK: return
func.func @window(%q: tensor<12x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<12x4xf32> {
  %lowest = arith.constant -3.40282347E+38 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %c5 = arith.constant 5 : index
  %c1 = arith.constant 1 : index
  %zs = arith.constant dense<0.0> : tensor<12x12xf32>
  %zo = arith.constant dense<0.0> : tensor<12x4xf32>
  %es = tensor.empty() : tensor<12x12xf32>
  %mask = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%es : tensor<12x12xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %near = arith.cmpi slt, %d, %c5 : index
    %up = arith.addi %i, %c1 : index
    %behind = arith.cmpi sle, %j, %up : index
    %both = arith.andi %near, %behind : i1
    %f = arith.uitofp %both : i1 to f32
    %0 = arith.subf %one, %f : f32
    %1 = arith.mulf %0, %lowest : f32
    %2 = arith.addf %1, %two : f32
    linalg.yield %2 : f32
  } -> tensor<12x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<12x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<12x12xf32>) -> tensor<12x12xf32>
  %t = linalg.add ins(%mask, %s : tensor<12x12xf32>, tensor<12x12xf32>) outs(%es : tensor<12x12xf32>) -> tensor<12x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<12x12xf32>) outs(%es : tensor<12x12xf32>) -> tensor<12x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<12x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<12x4xf32>) -> tensor<12x4xf32>
  return %o : tensor<12x4xf32>
}

// A prefix: an or of a comparison of the key alone, as JAX emits it from iotas
// over both dimensions, with its large negative number.
// CHECK-LABEL: func.func @prefix(
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) visible <right 0 prefix 5> outs(
// CHECK-NOT: linalg
// CHECK: return
func.func @prefix(%q: tensor<12x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<12x4xf32> {
  %low = arith.constant dense<-2.38197633E+38> : tensor<12x12xf32>
  %five = arith.constant dense<5> : tensor<12x12xi32>
  %zs = arith.constant dense<0.0> : tensor<12x12xf32>
  %zo = arith.constant dense<0.0> : tensor<12x4xf32>
  %es = tensor.empty() : tensor<12x12xf32>
  %ei = tensor.empty() : tensor<12x12xi32>
  %rows = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<12x12xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %0 = arith.index_cast %i : index to i32
    linalg.yield %0 : i32
  } -> tensor<12x12xi32>
  %columns = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<12x12xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 1 : index
    %0 = arith.index_cast %i : index to i32
    linalg.yield %0 : i32
  } -> tensor<12x12xi32>
  %causal = arith.cmpi sge, %rows, %columns : tensor<12x12xi32>
  %first = arith.cmpi slt, %columns, %five : tensor<12x12xi32>
  %both = arith.ori %causal, %first : tensor<12x12xi1>
  %s = linalg.matmul ins(%q, %k : tensor<12x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<12x12xf32>) -> tensor<12x12xf32>
  %t = arith.select %both, %s, %low : tensor<12x12xi1>, tensor<12x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<12x12xf32>) outs(%es : tensor<12x12xf32>) -> tensor<12x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<12x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<12x4xf32>) -> tensor<12x4xf32>
  return %o : tensor<12x4xf32>
}

// Queries before the first key: rows without keys, -inf. The function counts
// them, for the comparison with what it was.
// CHECK-LABEL: func.func @rows_without_keys(
// CHECK-SAME: attributes {commir.rows_without_keys = 2 : i64}
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) visible <right -2> outs(
func.func @rows_without_keys(%q: tensor<12x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<12x4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %c2 = arith.constant 2 : index
  %zs = arith.constant dense<0.0> : tensor<12x12xf32>
  %zo = arith.constant dense<0.0> : tensor<12x4xf32>
  %es = tensor.empty() : tensor<12x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<12x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<12x12xf32>) -> tensor<12x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<12x12xf32>) outs(%es : tensor<12x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k2 = arith.addi %j, %c2 : index
    %c = arith.cmpi ult, %i, %k2 : index
    %x = arith.select %c, %lowest, %a : f32
    linalg.yield %x : f32
  } -> tensor<12x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<12x12xf32>) outs(%es : tensor<12x12xf32>) -> tensor<12x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<12x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<12x4xf32>) -> tensor<12x4xf32>
  return %o : tensor<12x4xf32>
}

// A triangle padded with -inf, as a bucket of keys is: structure and padding in
// one.
// CHECK-LABEL: func.func @padded(
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) visible <right 0> outs(
func.func @padded(%q: tensor<4x16xf32>, %k: tensor<16x7xf32>, %v: tensor<7x4xf32>) -> tensor<4x4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %triangle = arith.constant dense<[[0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000],
                                    [0.0, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %zs = arith.constant dense<0.0> : tensor<4x7xf32>
  %zo = arith.constant dense<0.0> : tensor<4x4xf32>
  %es = tensor.empty() : tensor<4x7xf32>
  %mask = tensor.pad %triangle low[0, 0] high[0, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %lowest : f32
  } : tensor<4x4xf32> to tensor<4x7xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4x16xf32>, tensor<16x7xf32>) outs(%zs : tensor<4x7xf32>) -> tensor<4x7xf32>
  %t = arith.addf %s, %mask : tensor<4x7xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<4x7xf32>) outs(%es : tensor<4x7xf32>) -> tensor<4x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<4x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// The first five keys for all: a count of valid keys.
// CHECK-LABEL: func.func @valid(
// CHECK: %[[FIVE:.+]] = arith.constant 5 : index
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) valid(%[[FIVE]]) outs(
func.func @valid(%q: tensor<4x16xf32>, %k: tensor<16x7xf32>, %v: tensor<7x4xf32>) -> tensor<4x4xf32> {
  %mask = arith.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, -3.40282347E+38, -3.40282347E+38]> : tensor<7xf32>
  %zs = arith.constant dense<0.0> : tensor<4x7xf32>
  %zo = arith.constant dense<0.0> : tensor<4x4xf32>
  %es = tensor.empty() : tensor<4x7xf32>
  %s = linalg.matmul ins(%q, %k : tensor<4x16xf32>, tensor<16x7xf32>) outs(%zs : tensor<4x7xf32>) -> tensor<4x7xf32>
  %b = linalg.broadcast ins(%mask : tensor<7xf32>) outs(%es : tensor<4x7xf32>) dimensions = [0]
  %t = arith.addf %s, %b : tensor<4x7xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<4x7xf32>) outs(%es : tensor<4x7xf32>) -> tensor<4x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<4x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %o : tensor<4x4xf32>
}

// Documents by constant ids, which do not decrease, and causal.
// CHECK-LABEL: func.func @documents(
// CHECK: %[[B:.+]], %[[E:.+]] = commir.document_ranges static [3, 5] -> tensor<8xi32>, tensor<8xi32>
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) visible <right 0> key_range(%[[B]], %[[E]] : tensor<8xi32>, tensor<8xi32>) outs(
// CHECK-NOT: linalg
// CHECK: return
func.func @documents(%q: tensor<8x16xf32>, %k: tensor<16x8xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %ids = arith.constant dense<[4, 4, 4, 7, 7, 7, 7, 7]> : tensor<8xi32>
  %lowest = arith.constant 0xFF800000 : f32
  %zs = arith.constant dense<0.0> : tensor<8x8xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x8xf32>) outs(%zs : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s, %ids, %ids : tensor<8x8xf32>, tensor<8xi32>, tensor<8xi32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %x: i32, %y: i32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %same = arith.cmpi eq, %x, %y : i32
    %causal = arith.cmpi sge, %i, %j : index
    %both = arith.andi %same, %causal : i1
    %0 = arith.select %both, %a, %lowest : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x8xf32>, tensor<8x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// Chunks of the position divided by four, each key seen by its chunk.
// CHECK-LABEL: func.func @chunks(
// CHECK: commir.document_ranges static [4, 4, 2] -> tensor<10xi32>, tensor<10xi32>
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) key_range(
func.func @chunks(%q: tensor<10x16xf32>, %k: tensor<16x10xf32>, %v: tensor<10x4xf32>) -> tensor<10x4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %c4 = arith.constant 4 : index
  %zs = arith.constant dense<0.0> : tensor<10x10xf32>
  %zo = arith.constant dense<0.0> : tensor<10x4xf32>
  %es = tensor.empty() : tensor<10x10xf32>
  %s = linalg.matmul ins(%q, %k : tensor<10x16xf32>, tensor<16x10xf32>) outs(%zs : tensor<10x10xf32>) -> tensor<10x10xf32>
  %t = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<10x10xf32>) outs(%es : tensor<10x10xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = arith.divui %i, %c4 : index
    %y = arith.divui %j, %c4 : index
    %same = arith.cmpi eq, %x, %y : index
    %0 = arith.select %same, %a, %lowest : f32
    linalg.yield %0 : f32
  } -> tensor<10x10xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<10x10xf32>) outs(%es : tensor<10x10xf32>) -> tensor<10x10xf32>
  %o = linalg.matmul ins(%p, %v : tensor<10x10xf32>, tensor<10x4xf32>) outs(%zo : tensor<10x4xf32>) -> tensor<10x4xf32>
  return %o : tensor<10x4xf32>
}

// Any other ranges of keys, here one set for each batch.
// CHECK-LABEL: func.func @ranges_of_batches(
// CHECK-DAG: %[[B:.+]] = arith.constant dense<{{\[\[}}0, 1, 0], [2, 0, 1]]> : tensor<2x3xi32>
// CHECK-DAG: %[[E:.+]] = arith.constant dense<{{\[\[}}2, 4, 1], [3, 4, 3]]> : tensor<2x3xi32>
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) key_range(%[[B]], %[[E]] : tensor<2x3xi32>, tensor<2x3xi32>) outs(
func.func @ranges_of_batches(%q: tensor<2x3x16xf32>, %k: tensor<2x16x4xf32>, %v: tensor<2x4x4xf32>) -> tensor<2x3x4xf32> {
  %mask = arith.constant dense<[[[true, true, false, false], [false, true, true, true], [true, false, false, false]],
                                [[false, false, true, false], [true, true, true, true], [false, true, true, false]]]> : tensor<2x3x4xi1>
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<2x3x4xf32>
  %zs = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %zo = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %es = tensor.empty() : tensor<2x3x4xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x3x16xf32>, tensor<2x16x4xf32>) outs(%zs : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %t = arith.select %mask, %s, %lowest : tensor<2x3x4xi1>, tensor<2x3x4xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x3x4xf32>) outs(%es : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x3x4xf32>, tensor<2x4x4xf32>) outs(%zo : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// A causal mask of -inf and, added to it, one of an argument, which stays: both
// stand in one tensor.
// CHECK-LABEL: func.func @causal_and_argument(
// CHECK-SAME: %[[PAD:[a-z0-9]+]]: tensor<12xf32>)
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) mask(%[[PAD]] : tensor<12xf32>) visible <right 0> outs(
// CHECK-NOT: linalg
// CHECK: return
func.func @causal_and_argument(%q: tensor<12x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %pad: tensor<12xf32>) -> tensor<12x4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %zs = arith.constant dense<0.0> : tensor<12x12xf32>
  %zo = arith.constant dense<0.0> : tensor<12x4xf32>
  %es = tensor.empty() : tensor<12x12xf32>
  %mask = linalg.generic {indexing_maps = [#n, #mn], iterator_types = ["parallel", "parallel"]} ins(%pad : tensor<12xf32>) outs(%es : tensor<12x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sgt, %j, %i : index
    %0 = arith.select %c, %lowest, %zero : f32
    %1 = arith.addf %0, %a : f32
    linalg.yield %1 : f32
  } -> tensor<12x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<12x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<12x12xf32>) -> tensor<12x12xf32>
  %t = arith.addf %s, %mask : tensor<12x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<12x12xf32>) outs(%es : tensor<12x12xf32>) -> tensor<12x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<12x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<12x4xf32>) -> tensor<12x4xf32>
  return %o : tensor<12x4xf32>
}

// Causal and truth values of an argument, scaled scores: the structure, and what
// is left as a mask that is computed once.
// CHECK-LABEL: func.func @causal_and_truth(
// CHECK-SAME: %[[PAD:[a-z0-9]+]]: tensor<12xi1>)
// CHECK: %[[MASK:.+]] = linalg.generic
// CHECK-SAME: ins(%[[PAD]] : tensor<12xi1>)
// CHECK-NEXT: ^bb0(%[[C:.+]]: i1, %{{.+}}: f32):
// CHECK-NEXT: %[[X:.+]] = arith.select %[[C]], %{{.+}}, %{{.+}} : f32
// CHECK-NEXT: linalg.yield %[[X]]
// CHECK: commir.attention maps [{{[^]]+}}] scale 2.500000e-01 ins({{[^)]+}}) mask(%[[MASK]] : tensor<12xf32>) visible <right 0> outs(
func.func @causal_and_truth(%q: tensor<12x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %pad: tensor<12xi1>) -> tensor<12x4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %quarter = arith.constant 0.25 : f32
  %zs = arith.constant dense<0.0> : tensor<12x12xf32>
  %zo = arith.constant dense<0.0> : tensor<12x4xf32>
  %es = tensor.empty() : tensor<12x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<12x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<12x12xf32>) -> tensor<12x12xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]} ins(%s, %pad : tensor<12x12xf32>, tensor<12xi1>) outs(%es : tensor<12x12xf32>) {
  ^bb0(%a: f32, %b: i1, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sle, %j, %i : index
    %both = arith.andi %b, %c : i1
    %0 = arith.mulf %a, %quarter : f32
    %1 = arith.select %both, %0, %lowest : f32
    linalg.yield %1 : f32
  } -> tensor<12x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<12x12xf32>) outs(%es : tensor<12x12xf32>) -> tensor<12x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<12x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<12x4xf32>) -> tensor<12x4xf32>
  return %o : tensor<12x4xf32>
}

// A bias that grows with the distance (ALiBi) and -inf in one constant: what is
// seen is structure, and the bias is added.
// CHECK-LABEL: func.func @bias(
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) mask(%{{.+}} : tensor<3x3xf32>) visible <right 0> outs(
func.func @bias(%q: tensor<3x16xf32>, %k: tensor<16x3xf32>, %v: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %mask = arith.constant dense<[[0.0, 0xFF800000, 0xFF800000], [-0.5, 0.0, 0xFF800000], [-1.0, -0.5, 0.0]]> : tensor<3x3xf32>
  %zs = arith.constant dense<0.0> : tensor<3x3xf32>
  %zo = arith.constant dense<0.0> : tensor<3x4xf32>
  %es = tensor.empty() : tensor<3x3xf32>
  %s = linalg.matmul ins(%q, %k : tensor<3x16xf32>, tensor<16x3xf32>) outs(%zs : tensor<3x3xf32>) -> tensor<3x3xf32>
  %t = arith.addf %s, %mask : tensor<3x3xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<3x3xf32>) outs(%es : tensor<3x3xf32>) -> tensor<3x3xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x3xf32>, tensor<3x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      triangle: "0x0100000001000000000000000101000000000000010101000000000001010101000000000101010101000000010101010101000001010101010101000101010101010101"
    }
  }
#-}
