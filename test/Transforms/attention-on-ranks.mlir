// What ranks run for attention of bf16: the state is f32 wherever it goes, and the
// output is rounded once, behind all communication.
//
// RUN: mercury-opt %s --mercury-distribute-pipeline="schedule=ring topology=gpu=4" | FileCheck %s --check-prefixes=CHECK,RING
// RUN: mercury-opt %s --mercury-distribute-pipeline="schedule=ring_bidirectional topology=gpu=4" | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: mercury-opt %s --mercury-distribute-pipeline="schedule=double_ring topology=node=2,gpu=2" | FileCheck %s --check-prefixes=CHECK,DOUBLE
// RUN: mercury-opt %s --mercury-distribute-pipeline="schedule=ring_of_queries topology=gpu=4" | FileCheck %s --check-prefixes=CHECK,QUERIES
// RUN: mercury-opt %s --mercury-distribute-pipeline="schedule=tree topology=gpu=4" | FileCheck %s --check-prefixes=CHECK,TREE
// RUN: mercury-opt %s --mercury-distribute-pipeline="schedule=ulysses topology=gpu=4" | FileCheck %s --check-prefixes=CHECK,ULYSSES
// RUN: mercury-opt %s --mercury-distribute-pipeline="schedule=ring topology=gpu=2" | FileCheck %s --check-prefix=ODD

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>

// Kind of fault: outputs of blocks in bf16 before they are merged.
//
// CHECK-LABEL: func.func @bf16(
// CHECK-NOT: arith.truncf
//
// RING: commir.rotate steps 4 travel(%{{.*}}, %{{.*}} : tensor<4x2x16xbf16>, tensor<4x2x16xbf16>) state(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x2x16xf32>, tensor<4x2xf32>, tensor<4x2xf32>) by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by 1>]
// RING-COUNT-1: commir.online_attention {{.*}} -> tensor<4x2x16xf32>, tensor<4x2xf32>, tensor<4x2xf32>
// RING: commir.rotate_yield {{.*}} : tensor<4x2x16xf32>, tensor<4x2xf32>, tensor<4x2xf32>
//
// Half of each tile goes each way; the second half continues the first one's state.
// BOTH: commir.rotate steps 4 travel(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x1x16xbf16>, tensor<4x1x16xbf16>, tensor<4x1x16xbf16>, tensor<4x1x16xbf16>) state({{.*}} : tensor<4x2x16xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
// BOTH-SAME: by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by 1>, #commir.hop<{gpu} by -1>, #commir.hop<{gpu} by -1>]
// BOTH: %[[FIRST:.*]]:3 = commir.online_attention
// BOTH: commir.online_attention {{.*}} outs(%[[FIRST]]#0, %[[FIRST]]#1, %[[FIRST]]#2 : tensor<4x2x16xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
//
// DOUBLE: commir.rotate steps 2 {{.*}} state({{.*}} : tensor<4x2x16xf32>, tensor<4x2xf32>, tensor<4x2xf32>) by [#commir.hop<{node} by 1>, #commir.hop<{node} by 1>]
// DOUBLE: commir.rotate steps 2 {{.*}} state({{.*}} : tensor<4x2x16xf32>, tensor<4x2xf32>, tensor<4x2xf32>) by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by 1>]
//
// The state hops beside Q and is merged in f32.
// QUERIES: commir.rotate steps 4 travel(%{{.*}} : tensor<4x2x16xbf16>) carry(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x2x16xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
// QUERIES: } combine {
// QUERIES-NEXT: ^bb0(%{{.*}}: tensor<4x2x16xf32>, %{{.*}}: tensor<4x2x16xf32>, %{{.*}}: tensor<4x2xf32>, %{{.*}}: tensor<4x2xf32>, %{{.*}}: tensor<4x2xf32>, %{{.*}}: tensor<4x2xf32>):
//
// The maximum first; what each rank has is rescaled to it and summed up.
// TREE: %[[S:.*]]:3 = commir.online_attention
// TREE: %[[TOP:.*]] = commir.all_reduce max %[[S]]#1 over {gpu} : tensor<4x8xf32>
// TREE: %[[A:.*]] = linalg.generic {{.*}} ins(%[[S]]#1, %[[TOP]] : tensor<4x8xf32>, tensor<4x8xf32>) outs(%[[S]]#0 : tensor<4x8x16xf32>)
// TREE: %[[L:.*]] = linalg.generic {{.*}} ins(%[[S]]#1, %[[TOP]] : tensor<4x8xf32>, tensor<4x8xf32>) outs(%[[S]]#2 : tensor<4x8xf32>)
// TREE: commir.all_reduce sum %[[A]] over {gpu} : tensor<4x8x16xf32>
// TREE: commir.all_reduce sum %[[L]] over {gpu} : tensor<4x8xf32>
//
// One tensor goes back, and it is rounded before: of the state nothing moves.
// ULYSSES-COUNT-3: commir.all_to_all {{.*}} : tensor<4x1x2x16xbf16>
// ULYSSES: commir.online_attention {{.*}} -> tensor<1x8x16xf32>, tensor<1x8xf32>, tensor<1x8xf32>
//
// CHECK: arith.divf
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT: linalg.yield
// ULYSSES: commir.all_to_all {{.*}} : tensor<4x1x2x16xbf16>
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @bf16(%q: tensor<4x8x16xbf16>, %k: tensor<4x8x16xbf16>, %v: tensor<4x8x16xbf16>) -> tensor<4x8x16xbf16> {
  %o = tensor.empty() : tensor<4x8x16xbf16>
  %r = commir.attention maps [#q, #k, #v, #o] scale 0.25
      ins(%q, %k, %v : tensor<4x8x16xbf16>, tensor<4x8x16xbf16>, tensor<4x8x16xbf16>)
      outs(%o : tensor<4x8x16xbf16>) -> tensor<4x8x16xbf16>
  return %r : tensor<4x8x16xbf16>
}

// Kind of fault: a length that ranks do not divide makes them disagree on the
// number of steps. 32769 tokens on 2 ranks: both have two steps of 16385 keys, of
// which the last is one of nobody's and does not count.
//
// ODD-LABEL: func.func @odd(
// ODD-SAME: tensor<1x16385x4xf32> {commir.global_type = tensor<1x32769x4xf32>
// ODD: commir.rotate steps 2 travel({{.*}} : tensor<1x16385x4xf32>, tensor<1x16385x4xf32>)
// ODD: %[[LEFT:.*]] = affine.apply
// ODD: commir.online_attention {{.*}} valid(%[[LEFT]])
func.func @odd(%q: tensor<1x32769x4xf32>, %k: tensor<1x32769x4xf32>, %v: tensor<1x32769x4xf32>) -> tensor<1x32769x4xf32> {
  %o = tensor.empty() : tensor<1x32769x4xf32>
  %r = commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : tensor<1x32769x4xf32>, tensor<1x32769x4xf32>, tensor<1x32769x4xf32>)
      outs(%o : tensor<1x32769x4xf32>) -> tensor<1x32769x4xf32>
  return %r : tensor<1x32769x4xf32>
}
