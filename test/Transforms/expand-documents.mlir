// Bounds of documents. unittests/Run/TokensTest.cpp compares their values.
// RUN: mercury-opt %s --mercury-expand-attention --canonicalize | FileCheck %s --implicit-check-not=commir.
// The operators run on ranks as any others.
// RUN: mercury-run %s --entry=on_ranks --topology=gpu=4 --schedule=default --verify | FileCheck %s --check-prefix=EXEC
// EXEC: verified

// What is constant is computed.
// CHECK-LABEL: func.func @static(
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[0, 0, 0, 3, 3, 3, 3, 3]> : tensor<8xi32>
// CHECK-DAG: %[[E:.*]] = arith.constant dense<[3, 3, 3, 8, 8, 8, 8, 8]> : tensor<8xi32>
// CHECK: return %[[B]], %[[E]]
func.func @static() -> (tensor<8xi32>, tensor<8xi32>) {
  %b, %e = commir.document_ranges static [3, 0, 5] -> tensor<8xi32>, tensor<8xi32>
  return %b, %e : tensor<8xi32>, tensor<8xi32>
}

// Two queries from position 2 on; behind the keys there is nothing.
// CHECK-LABEL: func.func @constant_operands(
// CHECK-DAG: arith.constant dense<{{\[}}[0, 3], [2, 2]]> : tensor<2x2xi32>
// CHECK-DAG: arith.constant dense<{{\[}}[3, 8], [8, 8]]> : tensor<2x2xi32>
// CHECK-DAG: arith.constant dense<{{\[}}[1, 0], [3, 0]]> : tensor<2x2xi32>
// CHECK-DAG: arith.constant dense<{{\[}}[4, 0], [4, 0]]> : tensor<2x2xi32>
func.func @constant_operands() -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %lengths = arith.constant dense<[[3, 5], [2, 6]]> : tensor<2x2xi32>
  %b, %e = commir.document_ranges lengths(%lengths : tensor<2x2xi32>) query_start(%c2) -> tensor<2x2xi32>, tensor<2x2xi32>
  %segments = arith.constant dense<[[-1, 7, 7, 7], [4, 4, 4, 9]]> : tensor<2x4xi32>
  %b2, %e2 = commir.document_ranges segments(%segments : tensor<2x4xi32>) query_start(%c3) -> tensor<2x2xi32>, tensor<2x2xi32>
  return %b, %e, %b2, %e2 : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>
}

// A search without a loop: three elements of eight, and the last.
// CHECK-LABEL: func.func @segments(
// CHECK-SAME: %[[IDS:.*]]: tensor<2x8xi32>)
// CHECK: commir.check_documents segments(%[[IDS]] : tensor<2x8xi32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} outs(%{{.*}}, %{{.*}} : tensor<2x8xi32>, tensor<2x8xi32>)
// CHECK: %[[OWN:.*]] = tensor.extract %[[IDS]]
// CHECK-COUNT-4: arith.cmpi slt, %{{.*}}, %[[OWN]]
// CHECK-COUNT-4: arith.cmpi sle, %{{.*}}, %[[OWN]]
// CHECK: linalg.yield
func.func @segments(%ids: tensor<2x8xi32>) -> (tensor<2x8xi32>, tensor<2x8xi32>) {
  %b, %e = commir.document_ranges segments(%ids : tensor<2x8xi32>) -> tensor<2x8xi32>, tensor<2x8xi32>
  return %b, %e : tensor<2x8xi32>, tensor<2x8xi32>
}

// Sums of two lengths, then of four; and the search.
// CHECK-LABEL: func.func @lengths(
// CHECK-SAME: %[[LENGTHS:.*]]: tensor<?x3xi32>, %[[AT:.*]]: index)
// CHECK: commir.check_documents lengths(%[[LENGTHS]] : tensor<?x3xi32>)
// CHECK: %[[TWO:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} outs(%{{.*}} : tensor<?x3xi32>)
// CHECK: tensor.extract %[[LENGTHS]]
// CHECK: arith.maxsi
// CHECK: %[[ENDS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x3xi32>)
// CHECK: tensor.extract %[[TWO]]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} outs(%{{.*}}, %{{.*}} : tensor<?x8xi32>, tensor<?x8xi32>)
// CHECK: arith.addi {{.*}}%[[AT]]{{.*}} : index
// CHECK: tensor.extract %[[ENDS]]
func.func @lengths(%lengths: tensor<?x3xi32>, %at: index) -> (tensor<?x8xi32>, tensor<?x8xi32>) {
  %b, %e = commir.document_ranges lengths(%lengths : tensor<?x3xi32>) query_start(%at) -> tensor<?x8xi32>, tensor<?x8xi32>
  return %b, %e : tensor<?x8xi32>, tensor<?x8xi32>
}

// The number of keys is that of the attention which reads the ranges.
// CHECK-LABEL: func.func @lengths_of_keys(
// CHECK-SAME: %[[LENGTHS:[^ ]*]]: tensor<2xi32>)
// CHECK: commir.check_documents lengths(%[[LENGTHS]] : tensor<2xi32>) keys 8
// CHECK: commir.online_attention
func.func @lengths_of_keys(%q: tensor<4x16xf32>, %k: tensor<8x16xf32>, %lengths: tensor<2xi32>) -> tensor<4x16xf32> {
  %b, %e = commir.document_ranges lengths(%lengths : tensor<2xi32>) -> tensor<4xi32>, tensor<4xi32>
  %o = tensor.empty() : tensor<4x16xf32>
  %0 = commir.attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m, e)>]
    ins(%q, %k, %k : tensor<4x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>)
    key_range(%b, %e : tensor<4xi32>, tensor<4xi32>)
    outs(%o : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// No keys: no ranges.
// CHECK-LABEL: func.func @nothing(
// CHECK: commir.check_documents segments
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @nothing(%ids: tensor<0xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %b, %e = commir.document_ranges segments(%ids : tensor<0xi32>) -> tensor<8xi32>, tensor<8xi32>
  return %b, %e : tensor<8xi32>, tensor<8xi32>
}

// Arguments are random, so lengths are made here: 5, 1, 26 of 32 keys.
// CHECK-LABEL: func.func @on_ranks(
// CHECK: commir.check_documents lengths(
// CHECK: commir.check_documents segments(
func.func @on_ranks(%x: tensor<3xi32>) -> (tensor<32xi32>, tensor<32xi32>, tensor<32xi32>, tensor<32xi32>) {
  %some = arith.constant dense<[5, 1, 26]> : tensor<3xi32>
  %e3 = tensor.empty() : tensor<3xi32>
  %lengths = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%some, %x : tensor<3xi32>, tensor<3xi32>) outs(%e3 : tensor<3xi32>) {
  ^bb0(%l: i32, %a: i32, %o: i32):
    %zero = arith.subi %a, %a : i32
    %0 = arith.addi %l, %zero : i32
    linalg.yield %0 : i32
  } -> tensor<3xi32>
  %e32 = tensor.empty() : tensor<32xi32>
  %ids = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e32 : tensor<32xi32>) {
  ^bb0(%o: i32):
    %c7 = arith.constant 7 : index
    %i = linalg.index 0 : index
    %0 = arith.divui %i, %c7 : index
    %1 = arith.index_cast %0 : index to i32
    linalg.yield %1 : i32
  } -> tensor<32xi32>
  %b, %e = commir.document_ranges lengths(%lengths : tensor<3xi32>) -> tensor<32xi32>, tensor<32xi32>
  %b2, %e2 = commir.document_ranges segments(%ids : tensor<32xi32>) -> tensor<32xi32>, tensor<32xi32>
  return %b, %e, %b2, %e2 : tensor<32xi32>, tensor<32xi32>, tensor<32xi32>, tensor<32xi32>
}
