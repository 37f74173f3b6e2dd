// Tiles of attention under masks: their offsets are added to the starts, which
// orders then take to positions, and `valid` stays a position.
// RUN: mercury-opt %s -split-input-file -transform-interpreter -canonicalize -cse | FileCheck %s

#maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]

// CHECK-DAG: #[[BEHIND:.+]] = affine_map<(d0)[s0] -> (d0 + s0)>
// CHECK-LABEL: func.func @starts_and_orders(
// CHECK-SAME: %[[VALID:[^ ]*]]: index, %[[START:[^ ]*]]: index,
// CHECK-SAME: %[[B:[^ ]*]]: tensor<8xi32>, %[[E:[^ ]*]]: tensor<8xi32>,
// CHECK: scf.for %[[M:.*]] = %c0 to %c8 step %c4
// CHECK: scf.for %[[N:.*]] = %c0 to %c32 step %c8
// CHECK-DAG: %[[BT:.*]] = tensor.extract_slice %[[B]][%[[M]]] [4] [1]
// CHECK-DAG: %[[ET:.*]] = tensor.extract_slice %[[E]][%[[M]]] [4] [1]
// CHECK-DAG: %[[FROM:.*]] = affine.apply #[[BEHIND]](%[[M]])[%[[START]]]
// CHECK: commir.online_attention {{.*}} valid(%[[VALID]]) visible <right 0> query_start(%[[FROM]]) query_order <zigzag 2 of 16> key_start(%[[N]]) key_order <striped 2 by 4 of 32> key_range(%[[BT]], %[[ET]] : tensor<4xi32>, tensor<4xi32>)
func.func @starts_and_orders(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>, %valid: index, %start: index, %b: tensor<8xi32>, %e: tensor<8xi32>,
                             %a: tensor<8x12xf32>, %m: tensor<8xf32>, %l: tensor<8xf32>) -> (tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) {
  %r:3 = commir.online_attention maps #maps
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>) valid(%valid) visible <right 0>
      query_start(%start) query_order <zigzag 2 of 16> key_order <striped 2 by 4 of 32>
      key_range(%b, %e : tensor<8xi32>, tensor<8xi32>)
      outs(%a, %m, %l : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1, %r#2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["commir.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [4, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Numbers of iterations of a tile begin at its offset, and are then taken to
// positions: rotary embeddings that are computed from them stay right.
// CHECK-DAG: #[[BEHIND:.+]] = affine_map<(d0)[s0] -> (d0 + s0)>
// CHECK-LABEL: func.func @positions_in_a_body(
// CHECK: scf.for %[[M:.*]] = %c0 to %c16 step %c4
// CHECK: linalg.generic
// CHECK: %[[X:.*]] = linalg.index 0 : index
// CHECK: %[[INDEX:.*]] = affine.apply #[[BEHIND]]({{.*}})[{{.*}}]
// CHECK: commir.position %[[INDEX]] in <zigzag 2 of 16>
func.func @positions_in_a_body(%o: tensor<16xindex>) -> tensor<16xindex> {
  %r = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>], iterator_types = ["parallel"]} outs(%o : tensor<16xindex>) {
  ^bb0(%x: index):
    %m = linalg.index 0 : index
    %p = commir.position %m in <zigzag 2 of 16>
    linalg.yield %p : index
  } -> tensor<16xindex>
  return %r : tensor<16xindex>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
