// Token orders at the top level of a function, on ranks: what stands by itself
// keeps its order, what is split, joined or cut across leaves it first.
// RUN: mercury-opt %s --mercury-verify-distributed --mercury-resolve-communication --canonicalize --mercury-verify-spmd -verify-diagnostics | FileCheck %s
// DEFINE: %{run} = mercury-run %s --verify --strict
// RUN: %{run} --entry=reshape_beside | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=reshape_across 2>/dev/null | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=end_cut_off | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=cut_across 2>/dev/null | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=inserted_beside | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=padded_with_ones | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=arranged_by_hand | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=arranged_twice | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=arranged_whole | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=read_by_a_nest | FileCheck %s --check-prefix=EXEC
// EXEC: verified

commir.topology @t levels [#commir.level<gpu, 4>]

// CHECK-LABEL: func.func @reshape_beside(
// CHECK-NEXT: tensor.expand_shape {{.*}} : tensor<4x8xf32> into tensor<4x1x2x4xf32>
// CHECK-NEXT: return
func.func @reshape_beside(%x: tensor<16x8xf32>) -> tensor<16x1x2x4xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  %0 = tensor.expand_shape %s [[0, 1], [2, 3]] output_shape [16, 1, 2, 4] : tensor<16x8xf32> into tensor<16x1x2x4xf32>
  return %0 : tensor<16x1x2x4xf32>
}

// CHECK-LABEL: func.func @reshape_across(
// CHECK-NOT: commir.all
// CHECK-COUNT-2: commir.permute
// CHECK: tensor.collapse_shape {{.*}} : tensor<4x8xf32> into tensor<32xf32>
func.func @reshape_across(%x: tensor<16x8xf32>) -> tensor<128xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  // expected-remark@below {{order of placement [{gpu} zigzag 4, {}] does not survive the reshape; the tensor leaves it}}
  %0 = tensor.collapse_shape %s [[0, 1]] : tensor<16x8xf32> into tensor<128xf32>
  return %0 : tensor<128xf32>
}

// CHECK-LABEL: func.func @end_cut_off(
// CHECK-SAME: -> (tensor<4x4xf32> {commir.global_type = tensor<13x4xf32>, commir.placement = #commir.placement<[{gpu} zigzag 4, {}]>})
// CHECK-NEXT: tensor.extract_slice %arg0[0, 0] [4, 4]
// CHECK-NEXT: return
func.func @end_cut_off(%x: tensor<16x8xf32>) -> tensor<13x4xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  %0 = tensor.extract_slice %s[0, 0] [13, 4] [1, 1] : tensor<16x8xf32> to tensor<13x4xf32>
  return %0 : tensor<13x4xf32>
}

// CHECK-LABEL: func.func @cut_across(
// CHECK: commir.all_gather
func.func @cut_across(%x: tensor<16x8xf32>) -> tensor<4x8xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  // expected-remark@below {{sharded dimension of placement [{gpu} zigzag 4, {}] does not survive the slice; the tensor is gathered}}
  %0 = tensor.extract_slice %s[4, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @inserted_beside(
// CHECK-NOT: commir.permute
// CHECK: tensor.insert_slice {{.*}} : tensor<4x4xf32> into tensor<4x8xf32>
// CHECK-NEXT: return
func.func @inserted_beside(%x: tensor<16x8xf32>, %y: tensor<16x4xf32>) -> tensor<16x8xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  %p = commir.shard %y to [{gpu} zigzag 4, {}] : tensor<16x4xf32>
  %0 = tensor.insert_slice %p into %s[0, 4] [16, 4] [1, 1] : tensor<16x4xf32> into tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// Padding stands at the last positions, wherever these are.
// CHECK-LABEL: func.func @padded_with_ones(
// CHECK: commir.position {{.*}} in <zigzag 4 of 16>
// CHECK: return {{.*}} : tensor<4x8xf32>
func.func @padded_with_ones(%x: tensor<13x8xf32>) -> tensor<16x8xf32> {
  %one = arith.constant 1.0 : f32
  %0 = tensor.pad %x low[0, 0] high[3, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<13x8xf32> to tensor<16x8xf32>
  %s = commir.shard %0 to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  return %s : tensor<16x8xf32>
}

// What does not stand in the order is brought there.
// CHECK-LABEL: func.func @arranged_by_hand(
// CHECK-COUNT-2: commir.permute
// CHECK-NOT: commir.permute
// CHECK: return
func.func @arranged_by_hand(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<16x8xf32>
  %0 = commir.arrange %s dim 0 as <zigzag 4 of 16> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @arranged_twice(
// CHECK: commir.permute
// CHECK: return
func.func @arranged_twice(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  %0 = commir.arrange %s dim 0 as <striped 4 by 2 of 16> : tensor<16x8xf32>
  %1 = commir.arrange %0 dim 0 as <table [1, 0] of 16> back : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// Blocks of 10 elements padded to 12 are no blocks of an order of 10.
// CHECK-LABEL: func.func @arranged_whole(
// CHECK: commir.all_gather
// CHECK: return {{.*}} : tensor<10x8xf32>
func.func @arranged_whole(%x: tensor<10x8xf32>) -> tensor<10x8xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<10x8xf32>
  %0 = commir.arrange %s dim 0 as <striped 5 by 1 of 10> : tensor<10x8xf32>
  return %0 : tensor<10x8xf32>
}

// A nest that is written over positions reads positions.
// CHECK-LABEL: func.func @read_by_a_nest(
// CHECK-COUNT-2: commir.permute
// CHECK: linalg.negf
// CHECK: return
func.func @read_by_a_nest(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  %e = tensor.empty() : tensor<16x8xf32>
  %i = commir.shard %e to [{gpu}, {}] : tensor<16x8xf32>
  %0 = scf.forall (%r) in (4) shared_outs(%o = %i) -> (tensor<16x8xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%r)
    %a = tensor.extract_slice %s[%at, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    %b = tensor.extract_slice %o[%at, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    %y = linalg.negf ins(%a : tensor<4x8xf32>) outs(%b : tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%at, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %0 : tensor<16x8xf32>
}
