// Attention under upstream's transform ops: tiles of parallel loops, of the key
// loop, and partial states. unittests/Integration/AttentionTiles.cpp runs them.
// RUN: mercury-opt %s -split-input-file -transform-interpreter -canonicalize -cse | FileCheck %s

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#b = affine_map<(h, m, n, d, e) -> (m, n)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#row = affine_map<(h, m, n, d, e) -> (h, m)>

// Heads and queries of commir.attention; features and keys stay whole.
// CHECK-LABEL: func.func @parallel_loops(
// CHECK: scf.for %[[H:.*]] = %c0 to %c4 step %c2
// CHECK: scf.for %[[M:.*]] = %c0 to %c8 step %c4
// CHECK: tensor.extract_slice %{{.*}}[%[[H]], %[[M]], 0] [2, 4, 16]
// CHECK: tensor.extract_slice %{{.*}}[%[[H]], 0, 0] [2, 32, 16]
// CHECK: tensor.extract_slice %{{.*}}[%[[H]], 0, 0] [2, 32, 12]
// CHECK: tensor.extract_slice %{{.*}}[%[[M]], 0] [4, 32]
// CHECK: %[[T:.*]]:2 = commir.attention {{.*}} scale 5.000000e-01 ins({{.*}} : tensor<2x4x16xf32>, tensor<2x32x16xf32>, tensor<2x32x12xf32>) mask({{.*}} : tensor<4x32xf32>) valid(%{{.*}}) outs({{.*}}) {commir.patch = "mine"} -> tensor<2x4x12xf32>, tensor<2x4xf32>
// CHECK: tensor.insert_slice %[[T]]#0 into %{{.*}}[%[[H]], %[[M]], 0] [2, 4, 12]
// CHECK: tensor.insert_slice %[[T]]#1 into %{{.*}}[%[[H]], %[[M]]] [2, 4]
func.func @parallel_loops(%q: tensor<4x8x16xf32>, %k: tensor<4x32x16xf32>, %v: tensor<4x32x12xf32>, %b: tensor<8x32xf32>, %n: index,
                          %o: tensor<4x8x12xf32>, %l: tensor<4x8xf32>) -> (tensor<4x8x12xf32>, tensor<4x8xf32>) {
  %r:2 = commir.attention maps [#q, #k, #v, #b, #o, #row] scale 0.5
      ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x32x16xf32>, tensor<4x32x12xf32>) mask(%b : tensor<8x32xf32>) valid(%n)
      outs(%o, %l : tensor<4x8x12xf32>, tensor<4x8xf32>) {commir.patch = "mine"} -> tensor<4x8x12xf32>, tensor<4x8xf32>
  return %r#0, %r#1 : tensor<4x8x12xf32>, tensor<4x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["commir.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [2, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// Steps of the key loop continue one state, whose valid keys count from the
// tile's first one; the last tile is smaller.
// CHECK-DAG: #[[LEFT:.+]] = affine_map<(d0)[s0] -> (-d0 + s0)>
// CHECK-DAG: #[[SIZE:.+]] = affine_map<(d0) -> (-d0 + 31, 8)>
// CHECK-LABEL: func.func @key_loop(
// CHECK-SAME: %[[Q:[^ ]*]]: tensor<8x16xbf16>
// CHECK-SAME: %[[VALID:[^ ]*]]: index
// CHECK-SAME: %[[A:[^ ]*]]: tensor<8x12xf32>, %[[M:[^ ]*]]: tensor<8xf32>, %[[L:[^ ]*]]: tensor<8xf32>)
// CHECK: scf.for %[[N:.*]] = %c0 to %c31 step %c8 iter_args(%[[AT:.*]] = %[[A]], %[[MT:.*]] = %[[M]], %[[LT:.*]] = %[[L]])
// CHECK: %[[KEYS:.*]] = affine.min #[[SIZE]](%[[N]])
// CHECK: %[[KT:.*]] = tensor.extract_slice %{{.*}}[%[[N]], 0] [%[[KEYS]], 16]
// CHECK: %[[VT:.*]] = tensor.extract_slice %{{.*}}[%[[N]], 0] [%[[KEYS]], 12]
// CHECK: %[[LEFTOVER:.*]] = affine.apply #[[LEFT]](%[[N]])[%[[VALID]]]
// CHECK: %[[S:.*]]:3 = commir.online_attention {{.*}} ins(%[[Q]], %[[KT]], %[[VT]] : tensor<8x16xbf16>, tensor<?x16xbf16>, tensor<?x12xbf16>) valid(%[[LEFTOVER]]) outs(%[[AT]], %[[MT]], %[[LT]] : {{.*}})
// CHECK: scf.yield %[[S]]#0, %[[S]]#1, %[[S]]#2
func.func @key_loop(%q: tensor<8x16xbf16>, %k: tensor<31x16xbf16>, %v: tensor<31x12xbf16>, %n: index,
                    %a: tensor<8x12xf32>, %m: tensor<8xf32>, %l: tensor<8xf32>) -> (tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) {
  %r:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row]
      ins(%q, %k, %v : tensor<8x16xbf16>, tensor<31x16xbf16>, tensor<31x12xbf16>) valid(%n)
      outs(%a, %m, %l : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1, %r#2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["commir.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// CHECK-LABEL: func.func @parallel_loops_in_parallel(
// CHECK: scf.forall (%[[M:.*]]) in (4) shared_outs(
// CHECK: commir.online_attention {{.*}} outs({{.*}} : tensor<2x12xf32>, tensor<2xf32>, tensor<2xf32>)
// CHECK: scf.forall.in_parallel
// CHECK-COUNT-3: tensor.parallel_insert_slice
func.func @parallel_loops_in_parallel(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>,
                                      %a: tensor<8x12xf32>, %m: tensor<8xf32>, %l: tensor<8xf32>) -> (tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) {
  %r:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%a, %m, %l : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1, %r#2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["commir.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_forall %0 num_threads [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// Each of two threads starts from the neutral state; both are then merged into
// the state that enters, at first accumulator and sum, which need both maxima as
// they were.
// CHECK-LABEL: func.func @partial_states(
// CHECK-SAME: %[[A:[^ ]*]]: tensor<8x12xf32>, %[[M:[^ ]*]]: tensor<8xf32>, %[[L:[^ ]*]]: tensor<8xf32>)
// CHECK-DAG: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: linalg.fill ins(%[[ZERO]] : f32) outs(%{{.*}} : tensor<2x8x12xf32>)
// CHECK-DAG: linalg.fill ins(%[[LEAST]] : f32) outs(%{{.*}} : tensor<2x8xf32>)
// CHECK-DAG: linalg.fill ins(%[[ZERO]] : f32) outs(%{{.*}} : tensor<2x8xf32>)
// CHECK: %[[P:.*]]:3 = scf.forall (%[[T:.*]]) in (2)
// CHECK: commir.online_attention {{.*}} ins({{.*}} : tensor<8x16xf32>, tensor<16x16xf32>, tensor<16x12xf32>)
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[T]], 0, 0] [1, 8, 12]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[T]], 0] [1, 8]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[T]], 0] [1, 8]
// CHECK-DAG: %[[A0:.*]] = tensor.extract_slice %[[P]]#0[0, 0, 0] [1, 8, 12]
// CHECK-DAG: %[[M0:.*]] = tensor.extract_slice %[[P]]#1[0, 0] [1, 8]
// CHECK-DAG: %[[L0:.*]] = tensor.extract_slice %[[P]]#2[0, 0] [1, 8]
// CHECK: %[[A1:.*]] = linalg.generic {{.*}} ins(%[[M]], %[[M0]], %[[A0]] : {{.*}}) outs(%[[A]] : tensor<8x12xf32>)
// CHECK: %[[L1:.*]] = linalg.generic {{.*}} ins(%[[M]], %[[M0]], %[[L0]] : {{.*}}) outs(%[[L]] : tensor<8xf32>)
// CHECK: %[[M1:.*]] = linalg.generic {{.*}} ins(%[[M0]] : {{.*}}) outs(%[[M]] : tensor<8xf32>)
// CHECK: arith.maximumf
// CHECK-DAG: tensor.extract_slice %[[P]]#1[1, 0] [1, 8]
// CHECK: %[[A2:.*]] = linalg.generic {{.*}} outs(%[[A1]] : tensor<8x12xf32>)
// CHECK: %[[L2:.*]] = linalg.generic {{.*}} outs(%[[L1]] : tensor<8xf32>)
// CHECK: %[[M2:.*]] = linalg.generic {{.*}} outs(%[[M1]] : tensor<8xf32>)
// CHECK: return %[[A2]], %[[M2]], %[[L2]]
func.func @partial_states(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>,
                          %a: tensor<8x12xf32>, %m: tensor<8xf32>, %l: tensor<8xf32>) -> (tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) {
  %r:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%a, %m, %l : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1, %r#2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["commir.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %fill:3, %tiled, %merge:6, %loop = transform.structured.tile_reduction_using_forall %0 by num_threads = [0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
