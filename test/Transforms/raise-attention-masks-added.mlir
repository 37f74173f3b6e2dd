// Masks that are no structure, or cannot be shown to be, are added, with a remark.
//
// RUN: mercury-opt %s --mercury-raise-attention --verify-diagnostics | FileCheck %s

// Queries 0 and 1 see no key: with the lowest number they see all alike.
// CHECK-LABEL: func.func @lowest_without_keys(
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) mask(%{{[^)]+}}) outs(
func.func @lowest_without_keys(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @below {{a mask of the scores of 'linalg.matmul' is added, not raised to structure: it hides keys by a finite number, and a row keeps none}}
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %low = arith.constant -3.40282347E+38 : f32
  %c2 = arith.constant 2 : index
  %t = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = arith.addi %j, %c2 : index
    %c = arith.cmpi sle, %x, %i : index
    %0 = arith.select %c, %a, %low : f32
    linalg.yield %0 : f32
  } -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// With a mask of an argument, which may hide all that is left.
// CHECK-LABEL: func.func @lowest_and_argument(
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) mask(%{{[^)]+}}) outs(
func.func @lowest_and_argument(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %pad: tensor<12xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @below {{a mask of the scores of 'linalg.matmul' is added, not raised to structure: it hides keys by a finite number, and with another mask, which is not known, a row may keep none}}
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %low = arith.constant -3.40282347E+38 : f32
  %t = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %pad : tensor<8x12xf32>, tensor<12xf32>) outs(%es : tensor<8x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sle, %j, %i : index
    %0 = arith.addf %a, %b : f32
    %1 = arith.select %c, %0, %low : f32
    linalg.yield %1 : f32
  } -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// Ids of documents that an argument gives may decrease.
// CHECK-LABEL: func.func @ids_of_argument(
// CHECK: linalg.generic {{.+}} ins(%{{.+}}, %{{.+}} : tensor<8xi64>, tensor<12xi64>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: i64, %[[Y:.+]]: i64, %{{.+}}: f32):
// CHECK: arith.cmpi eq, %[[X]], %[[Y]] : i64
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) mask(%{{[^)]+}}) outs(
func.func @ids_of_argument(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>, %rows: tensor<8xi64>, %columns: tensor<12xi64>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @below {{a mask of the scores of 'linalg.matmul' is added, not raised to structure: it depends on values that are not known}}
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %low = arith.constant 0xFF800000 : f32
  %t = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %rows, %columns : tensor<8x12xf32>, tensor<8xi64>, tensor<12xi64>) outs(%es : tensor<8x12xf32>) {
  ^bb0(%a: f32, %x: i64, %y: i64, %out: f32):
    %c = arith.cmpi eq, %x, %y : i64
    %0 = arith.select %c, %a, %low : f32
    linalg.yield %0 : f32
  } -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// Every second key: no range.
// CHECK-LABEL: func.func @holes(
// CHECK: linalg.generic
// CHECK: linalg.index 0
// CHECK: linalg.index 1
// CHECK: arith.remui
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) mask(%{{[^)]+}}) outs(
func.func @holes(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @below {{a mask of the scores of 'linalg.matmul' is added, not raised to structure: what a query sees is no range of keys}}
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %low = arith.constant 0xFF800000 : f32
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %t = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = arith.addi %i, %j : index
    %r = arith.remui %x, %c2 : index
    %c = arith.cmpi eq, %r, %c0 : index
    %0 = arith.select %c, %a, %low : f32
    linalg.yield %0 : f32
  } -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// A score may be as low as -1e9: added, as it is.
// CHECK-LABEL: func.func @large(
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) mask(%{{[^)]+}}) outs(
func.func @large(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<8x12xf32>
  %zo = arith.constant dense<0.0> : tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x12xf32>
  // expected-remark @below {{a mask of the scores of 'linalg.matmul' is added, not raised to structure: it has numbers that are neither small nor hide a key}}
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<8x12xf32>) -> tensor<8x12xf32>
  %low = arith.constant -1.0e+9 : f32
  %zero = arith.constant 0.0 : f32
  %t = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sge, %i, %j : index
    %0 = arith.select %c, %zero, %low : f32
    %1 = arith.addf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<8x12xf32>) outs(%es : tensor<8x12xf32>) -> tensor<8x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// More queries than are looked at.
// CHECK-LABEL: func.func @too_large(
// CHECK: commir.attention maps [{{[^]]+}}] ins({{[^)]+}}) mask(%{{[^)]+}}) outs(
func.func @too_large(%q: tensor<16777216x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x4xf32>) -> tensor<16777216x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<16777216x12xf32>
  %zo = arith.constant dense<0.0> : tensor<16777216x4xf32>
  %es = tensor.empty() : tensor<16777216x12xf32>
  // expected-remark @below {{a mask of the scores of 'linalg.matmul' is added, not raised to structure: it is too large}}
  %s = linalg.matmul ins(%q, %k : tensor<16777216x16xf32>, tensor<16x12xf32>) outs(%zs : tensor<16777216x12xf32>) -> tensor<16777216x12xf32>
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %t = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<16777216x12xf32>) outs(%es : tensor<16777216x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sge, %i, %j : index
    %0 = arith.select %c, %zero, %low : f32
    %1 = arith.addf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16777216x12xf32>
  %p = linalg.softmax dimension(1) ins(%t : tensor<16777216x12xf32>) outs(%es : tensor<16777216x12xf32>) -> tensor<16777216x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<16777216x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<16777216x4xf32>) -> tensor<16777216x4xf32>
  return %o : tensor<16777216x4xf32>
}
