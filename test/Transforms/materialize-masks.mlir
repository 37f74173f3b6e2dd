// RUN: mercury-opt %s --mercury-materialize-masks --canonicalize | FileCheck %s
// RUN: mercury-opt %s --mercury-materialize-masks --mercury-materialize-masks --canonicalize --cse | FileCheck %s --check-prefix=TWICE

// Twice does no harm.
// TWICE-NOT: visible
// TWICE: func @scores_stay

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#r = affine_map<(h, m, n, d, e) -> (h, m)>

// The tile of a step: row 0 is the sequence's, keys begin anywhere.
// CHECK-LABEL: func @causal
// CHECK-SAME: %[[START:[^:]*]]: index) -> tensor<2x8x4xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[RANGE:.*]]:2 = linalg.generic
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<8xi32>, tensor<8xi32>)
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[PAST:.*]] = arith.addi %[[ROW]], %[[C1]]
// CHECK: %[[HERE:.*]] = arith.subi %[[PAST]], %[[START]]
// CHECK: %[[SOME:.*]] = arith.maxsi %[[HERE]], %[[C0]]
// CHECK: %[[END:.*]] = arith.minsi %[[SOME]], %[[C16]]
// CHECK: %[[NARROW:.*]] = arith.index_cast %[[END]] : index to i32
// CHECK: linalg.yield %c0_i32, %[[NARROW]]
// CHECK: commir.online_attention
// CHECK-NOT: visible
// CHECK-SAME: key_range(%[[RANGE]]#0, %[[RANGE]]#1 : tensor<8xi32>, tensor<8xi32>)
// CHECK-SAME: {commir.tile = array<i64: 1, 4, 8>}
func.func @causal(%q: tensor<2x8x4xf32>, %k: tensor<2x16x4xf32>, %a: tensor<2x8x4xf32>, %m: tensor<2x8xf32>, %start: index) -> tensor<2x8x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, #o, #r, #r]
    ins(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32>)
    visible <right 0> key_start(%start)
    outs(%a, %m, %m : tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {commir.tile = array<i64: 1, 4, 8>}
    -> tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>
  return %0#0 : tensor<2x8x4xf32>
}

// Two chunks of 8; how far they are apart depends on the rank. What does not
// depend on the row stands outside.
// CHECK-LABEL: func @zigzag
// CHECK: %[[START:.*]] = arith.muli
// CHECK: %[[FIRST:.*]] = commir.position %[[START]] in <zigzag 8 of 128>
// CHECK: %[[NEXT:.*]] = arith.addi %[[START]], %c8
// CHECK: %[[SECOND:.*]] = commir.position %[[NEXT]] in <zigzag 8 of 128>
// CHECK: %[[STEP:.*]] = arith.subi %[[SECOND]], %[[FIRST]]
// CHECK: linalg.generic
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[INDEX:.*]] = arith.addi %{{.*}}, %[[ROW]]
// CHECK: %[[POSITION:.*]] = commir.position %[[INDEX]] in <zigzag 8 of 128>
// CHECK: arith.divui %{{.*}}, %[[STEP]]
// CHECK: arith.remui %{{.*}}, %[[STEP]]
// CHECK: commir.online_attention
// CHECK-NOT: order
// CHECK-SAME: key_range
func.func @zigzag(%q: tensor<2x8x4xf32>, %k: tensor<2x16x4xf32>, %a: tensor<2x8x4xf32>, %m: tensor<2x8xf32>, %t: index, %r: index) -> tensor<2x8x4xf32> {
  %c16 = arith.constant 16 : index
  %start = arith.muli %t, %c16 : index
  %0:3 = commir.online_attention maps [#q, #k, #v, #o, #r, #r]
    ins(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32>)
    visible <left 20 right 0>
    query_start(%r) query_order <zigzag 8 of 128> key_start(%start) key_order <zigzag 8 of 128>
    outs(%a, %m, %m : tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
    -> tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>
  return %0#0 : tensor<2x8x4xf32>
}

// Four chunks that do not grow: two at a time, in place.
// CHECK-LABEL: func @parts
// CHECK: scf.for %[[AT:.*]] = %c0 to %c32 step %c16 iter_args(%[[A:.*]] = %{{.*}}, %[[M:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}})
// CHECK: tensor.extract_slice %{{.*}}[0, %[[AT]], 0] [2, 16, 4] [1, 1, 1]
// CHECK: arith.addi %{{.*}}, %[[AT]]
// CHECK: commir.position
// CHECK: %[[NEW:.*]]:3 = commir.online_attention
// CHECK-SAME: key_range
// CHECK-SAME: outs(%[[A]], %[[M]], %[[L]]
// CHECK: scf.yield %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#2
func.func @parts(%q: tensor<2x8x4xf32>, %k: tensor<2x32x4xf32>, %a: tensor<2x8x4xf32>, %m: tensor<2x8xf32>, %t: index) -> tensor<2x8x4xf32> {
  %start = affine.apply affine_map<(t) -> (t * 32)>(%t)
  %0:3 = commir.online_attention maps [#q, #k, #v, #o, #r, #r]
    ins(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x32x4xf32>, tensor<2x32x4xf32>)
    visible <right 0> key_start(%start) key_order <zigzag 8 of 128>
    outs(%a, %m, %m : tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
    -> tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>
  return %0#0 : tensor<2x8x4xf32>
}

// Ranges of documents in positions, one sequence for each head; the range has
// the dimensions of both.
// CHECK-LABEL: func @documents
// CHECK-SAME: %[[BEGIN:[^:]*]]: tensor<2x8xi32>, %[[END:[^:]*]]: tensor<2xi32>, %[[VALID:.*]]: index
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[BEGIN]], %[[END]] : tensor<2x8xi32>, tensor<2xi32>) outs(%{{.*}}, %{{.*}} : tensor<2x8xi32>, tensor<2x8xi32>)
// CHECK: ^bb0(%[[B:.*]]: i32, %[[E:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32):
// CHECK: %[[ROW:.*]] = linalg.index 1
// CHECK: %[[LEFT:.*]] = arith.subi %[[ROW]], %c3
// CHECK: %[[GIVEN:.*]] = arith.index_cast %[[B]]
// CHECK: arith.maxsi %[[LEFT]], %[[GIVEN]]
// CHECK: arith.minsi %{{.*}}, %[[VALID]]
// CHECK: commir.online_attention
// CHECK-NOT: valid
// CHECK-SAME: key_range(%{{.*}} : tensor<2x8xi32>, tensor<2x8xi32>)
func.func @documents(%q: tensor<2x8x4xf32>, %k: tensor<2x16x4xf32>, %a: tensor<2x8x4xf32>, %m: tensor<2x8xf32>,
                     %begin: tensor<2x8xi32>, %end: tensor<2xi32>, %valid: index) -> tensor<2x8x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, #r, affine_map<(h, m, n, d, e) -> (h)>, #o, #r, #r]
    ins(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32>)
    valid(%valid) visible <left 3> key_range(%begin, %end : tensor<2x8xi32>, tensor<2xi32>)
    outs(%a, %m, %m : tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
    -> tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>
  return %0#0 : tensor<2x8x4xf32>
}

// All rows see the same keys: no range.
// CHECK-LABEL: func @order_alone
// CHECK-NOT: linalg.generic
// CHECK: %[[THERE:.*]] = arith.minsi %{{.*}}, %c16
// CHECK: commir.online_attention
// CHECK-NOT: key_range
// CHECK-SAME: valid(%[[THERE]]) outs
func.func @order_alone(%q: tensor<2x8x4xf32>, %k: tensor<2x16x4xf32>, %a: tensor<2x8x4xf32>, %m: tensor<2x8xf32>, %valid: index) -> tensor<2x8x4xf32> {
  %c16 = arith.constant 16 : index
  %0:3 = commir.online_attention maps [#q, #k, #v, #o, #r, #r]
    ins(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32>)
    valid(%valid) query_order <zigzag 2 of 32> key_start(%c16) key_order <zigzag 2 of 32>
    outs(%a, %m, %m : tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
    -> tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>
  return %0#0 : tensor<2x8x4xf32>
}

// Starts alone say nothing; `valid` counts keys.
// CHECK-LABEL: func @starts_alone
// CHECK-SAME: %[[VALID:[^:]*]]: index)
// CHECK-NEXT: commir.online_attention
// CHECK-SAME: valid(%[[VALID]]) outs
func.func @starts_alone(%q: tensor<2x8x4xf32>, %k: tensor<2x16x4xf32>, %a: tensor<2x8x4xf32>, %m: tensor<2x8xf32>, %valid: index) -> tensor<2x8x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, #o, #r, #r]
    ins(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32>)
    valid(%valid) query_start(%valid) key_start(%valid)
    outs(%a, %m, %m : tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
    -> tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>
  return %0#0 : tensor<2x8x4xf32>
}

// CHECK-LABEL: func @dynamic
// CHECK: %[[ROWS:.*]] = tensor.dim
// CHECK: tensor.empty(%[[ROWS]]) : tensor<?xi32>
// CHECK: commir.online_attention
// CHECK-SAME: key_range(%{{.*}} : tensor<?xi32>, tensor<?xi32>)
func.func @dynamic(%q: tensor<2x?x4xf32>, %k: tensor<2x?x4xf32>, %a: tensor<2x?x4xf32>, %m: tensor<2x?xf32>) -> tensor<2x?x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, #o, #r, #r]
    ins(%q, %k, %k : tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<2x?x4xf32>)
    visible <right 0 prefix 3>
    outs(%a, %m, %m : tensor<2x?x4xf32>, tensor<2x?xf32>, tensor<2x?xf32>)
    -> tensor<2x?x4xf32>, tensor<2x?xf32>, tensor<2x?xf32>
  return %0#0 : tensor<2x?x4xf32>
}

// The number of keys is not known, nor which of them grow: one at a time.
// CHECK-LABEL: func @dynamic_in_an_order
// CHECK: %[[KEYS:.*]] = tensor.dim %{{.*}}, %c1
// CHECK: scf.for %{{.*}} = %c0 to %[[KEYS]] step %c1
// CHECK: commir.online_attention
func.func @dynamic_in_an_order(%q: tensor<2x8x4xf32>, %k: tensor<2x?x4xf32>, %a: tensor<2x8x4xf32>, %m: tensor<2x8xf32>) -> tensor<2x8x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, #o, #r, #r]
    ins(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x?x4xf32>, tensor<2x?x4xf32>)
    visible <right 0> key_order <zigzag 2 of 32>
    outs(%a, %m, %m : tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
    -> tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>
  return %0#0 : tensor<2x8x4xf32>
}

// An additive mask stays beside the range, cut with the keys.
// CHECK-LABEL: func @scores_stay
// CHECK: tensor.extract_slice %{{.*}}[0, %[[AT:.*]]] [8, 16] [1, 1] : tensor<8x32xf32>
// CHECK: commir.online_attention
// CHECK-SAME: mask(%{{.*}} : tensor<8x16xf32>) key_range
func.func @scores_stay(%q: tensor<2x8x4xf32>, %k: tensor<2x32x4xf32>, %mask: tensor<8x32xf32>, %a: tensor<2x8x4xf32>, %m: tensor<2x8xf32>) -> tensor<2x8x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, affine_map<(h, m, n, d, e) -> (m, n)>, #o, #r, #r]
    ins(%q, %k, %k : tensor<2x8x4xf32>, tensor<2x32x4xf32>, tensor<2x32x4xf32>)
    mask(%mask : tensor<8x32xf32>) visible <right 0> key_order <zigzag 2 of 32>
    outs(%a, %m, %m : tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>)
    -> tensor<2x8x4xf32>, tensor<2x8xf32>, tensor<2x8xf32>
  return %0#0 : tensor<2x8x4xf32>
}
