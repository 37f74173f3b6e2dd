// Slices of a tensor leave blocks where they are if they have all of each sharded
// dimension, or cut the end off; else the tensor is gathered, with a remark.
// RUN: mercury-opt %s --mercury-verify-distributed --mercury-resolve-communication -verify-diagnostics | FileCheck %s
// RUN: mercury-run %s --entry=halves_swapped --verify --strict | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=padded --verify --strict | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=into_whole --verify --strict | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=cut_across --verify --strict 2>/dev/null | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=inserted_across --verify --strict 2>/dev/null | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=rope --verify --strict --schedule=default | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=rope --verify --strict --schedule=default --topology=node=2,gpu=2 | FileCheck %s --check-prefix=EXEC
// RUN: mercury-opt %s "--mercury-distribute-pipeline=schedule=default" -verify-diagnostics | FileCheck %s --check-prefix=ROPE

// EXEC: verified

commir.topology @t levels [#commir.level<gpu, 4>]

// CHECK-LABEL: func.func @halves_swapped(
// CHECK-NOT: commir.all_gather
// CHECK: tensor.extract_slice {{.*}}[0, 4] [2, 4] [1, 1]
// CHECK: tensor.insert_slice {{.*}}[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x8xf32>
// CHECK: tensor.insert_slice {{.*}}[0, 4] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x8xf32>
// CHECK: return
func.func @halves_swapped(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<8x8xf32>
  %a = tensor.extract_slice %s[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %b = tensor.extract_slice %s[0, 4] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = tensor.insert_slice %b into %e[0, 0] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
  %1 = tensor.insert_slice %a into %0[0, 4] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// Six rows on four ranks, and every other column.
// CHECK-LABEL: func.func @padded(
// CHECK-NOT: commir.all_gather
// CHECK: tensor.extract_slice {{.*}}[0, 1] [2, 4] [1, 2]
// CHECK: tensor.insert_slice {{.*}}[0, 0] [2, 4] [1, 2]
// CHECK: return
func.func @padded(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<6x8xf32>
  %a = tensor.extract_slice %s[0, 1] [6, 4] [1, 2] : tensor<6x8xf32> to tensor<6x4xf32>
  %0 = tensor.insert_slice %a into %s[0, 0] [6, 4] [1, 2] : tensor<6x4xf32> into tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// What it is inserted into is held whole: each rank takes its block of that.
// CHECK-LABEL: func.func @into_whole(
// CHECK-NOT: commir.all_gather
// CHECK: tensor.insert_slice {{.*}} : tensor<2x4xf32> into tensor<2x8xf32>
// CHECK: return
func.func @into_whole(%x: tensor<8x4xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<8x4xf32>
  %r = commir.replicate %y : tensor<8x8xf32>
  %0 = tensor.insert_slice %s into %r[0, 4] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @cut_across(
// CHECK: commir.all_gather
func.func @cut_across(%x: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<8x8xf32>
  // expected-remark @+1 {{sharded dimension of placement [{gpu}, {}] does not survive the slice; the tensor is gathered}}
  %0 = tensor.extract_slice %s[3, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @inserted_across(
// CHECK: commir.all_gather
// CHECK: tensor.insert_slice {{.*}} : tensor<1x8xf32> into tensor<8x8xf32>
func.func @inserted_across(%x: tensor<8x8xf32>, %row: tensor<1x8xf32>) -> tensor<8x8xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<8x8xf32>
  // expected-remark @+1 {{sharded dimension of placement [{gpu}, {}] does not survive the insertion; the tensor is gathered}}
  %0 = tensor.insert_slice %row into %s[5, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Rotary embedding as other compilers emit it, behind a projection: rows stay on
// their ranks.
// ROPE-LABEL: func.func @rope(
// ROPE-NOT: commir.all
// ROPE: return
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#table = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func @rope(%x: tensor<12x6xf32>, %w: tensor<6x16xf32>, %cos: tensor<12x8xf32>, %sin: tensor<12x8xf32>) -> tensor<12x2x8xf32> {
  %z = arith.constant dense<0.0> : tensor<12x16xf32>
  %p = linalg.matmul ins(%x, %w : tensor<12x6xf32>, tensor<6x16xf32>) outs(%z : tensor<12x16xf32>) -> tensor<12x16xf32>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [12, 2, 8] : tensor<12x16xf32> into tensor<12x2x8xf32>
  %a = tensor.extract_slice %h[0, 0, 0] [12, 2, 4] [1, 1, 1] : tensor<12x2x8xf32> to tensor<12x2x4xf32>
  %b = tensor.extract_slice %h[0, 0, 4] [12, 2, 4] [1, 1, 1] : tensor<12x2x8xf32> to tensor<12x2x4xf32>
  %eb = tensor.empty() : tensor<12x2x4xf32>
  %n = linalg.negf ins(%b : tensor<12x2x4xf32>) outs(%eb : tensor<12x2x4xf32>) -> tensor<12x2x4xf32>
  %e = tensor.empty() : tensor<12x2x8xf32>
  %r0 = tensor.insert_slice %n into %e[0, 0, 0] [12, 2, 4] [1, 1, 1] : tensor<12x2x4xf32> into tensor<12x2x8xf32>
  %r1 = tensor.insert_slice %a into %r0[0, 0, 4] [12, 2, 4] [1, 1, 1] : tensor<12x2x4xf32> into tensor<12x2x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #table, #table, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h, %r1, %cos, %sin : tensor<12x2x8xf32>, tensor<12x2x8xf32>, tensor<12x8xf32>, tensor<12x8xf32>) outs(%e : tensor<12x2x8xf32>) {
  ^bb0(%u: f32, %v: f32, %c: f32, %s: f32, %out: f32):
    %0 = arith.mulf %u, %c : f32
    %1 = arith.mulf %v, %s : f32
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<12x2x8xf32>
  return %y : tensor<12x2x8xf32>
}
