// Operators are computed in the blocks that they are asked to be computed in.
// RUN: mercury-opt %s --mercury-vectorize-contractions=vector-bits=512 --canonicalize --cse | FileCheck %s
// RUN: mercury-opt %s --mercury-vectorize-contractions=vector-bits=512 --canonicalize --cse | FileCheck %s --check-prefix=DONE --implicit-check-not=commir.tile
// DONE: func.func @no_contraction(

// Blocks of the reduction, of columns and of rows, in this order. The register
// block is 12 x 16: the largest one that divides 24 x 48.
//
// CHECK-LABEL: func.func @blocks_asked_for(
// CHECK-DAG: %[[KC:.+]] = arith.constant 40 : index
// CHECK-DAG: %[[NC:.+]] = arith.constant 48 : index
// CHECK-DAG: %[[MC:.+]] = arith.constant 24 : index
// CHECK: tensor.empty() : tensor<3x40x16xf32>
// CHECK: scf.for {{.*}} step %[[KC]]
// CHECK: scf.for {{.*}} step %[[NC]]
// CHECK: scf.for {{.*}} step %[[MC]]
// CHECK-COUNT-12: vector.fma %{{.*}} : vector<16xf32>
// CHECK-NOT: vector.fma
// CHECK-NOT: linalg
// CHECK: return
func.func @blocks_asked_for(%a: tensor<96x128xf32>, %b: tensor<128x192xf32>, %c: tensor<96x192xf32>) -> tensor<96x192xf32> {
  %0 = linalg.matmul {commir.tile = array<i64: 24, 48, 40>} ins(%a, %b : tensor<96x128xf32>, tensor<128x192xf32>) outs(%c : tensor<96x192xf32>) -> tensor<96x192xf32>
  return %0 : tensor<96x192xf32>
}

// Sizes that no vector divides, few operations, and one that is left open.
//
// CHECK-LABEL: func.func @odd_sizes(
// CHECK-DAG: %[[NC:.+]] = arith.constant 20 : index
// CHECK-DAG: %[[MC:.+]] = arith.constant 7 : index
// CHECK: scf.for {{.*}} step %[[NC]]
// CHECK: scf.for {{.*}} step %[[MC]]
// CHECK-COUNT-7: vector.fma %{{.*}} : vector<20xf32>
// CHECK: return
func.func @odd_sizes(%a: tensor<14x8xf32>, %b: tensor<8x40xf32>, %c: tensor<14x40xf32>) -> tensor<14x40xf32> {
  %0 = linalg.matmul {commir.tile = array<i64: 7, 20, 0>} ins(%a, %b : tensor<14x8xf32>, tensor<8x40xf32>) outs(%c : tensor<14x40xf32>) -> tensor<14x40xf32>
  return %0 : tensor<14x40xf32>
}

// The columns of the result are the rows of the operator's first input: sizes
// follow the loops.
//
// CHECK-LABEL: func.func @inputs_change_places(
// CHECK-DAG: %[[NC:.+]] = arith.constant 32 : index
// CHECK-DAG: %[[MC:.+]] = arith.constant 6 : index
// CHECK: scf.for {{.*}} step %[[NC]]
// CHECK: scf.for {{.*}} step %[[MC]]
// CHECK: return
func.func @inputs_change_places(%a: tensor<16x64xf32>, %b: tensor<16x18xf32>, %c: tensor<18x64xf32>) -> tensor<18x64xf32> {
  %0 = linalg.generic {commir.tile = array<i64: 32, 6, 0>,
        indexing_maps = [affine_map<(n, m, k) -> (k, n)>, affine_map<(n, m, k) -> (k, m)>, affine_map<(n, m, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x64xf32>, tensor<16x18xf32>) outs(%c : tensor<18x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<18x64xf32>
  return %0 : tensor<18x64xf32>
}

// A loop that the nest does not block is cut around it.
//
// CHECK-LABEL: func.func @batch(
// CHECK: scf.for {{.*}} step %c2
// CHECK: tensor.extract_slice {{.*}} tensor<6x16x16xf32> to tensor<2x16x16xf32>
// CHECK: scf.for {{.*}} step %c8
// CHECK: vector.fma
// CHECK: return
func.func @batch(%a: tensor<6x16x16xf32>, %b: tensor<6x16x16xf32>, %c: tensor<6x16x16xf32>) -> tensor<6x16x16xf32> {
  %0 = linalg.batch_matmul {commir.tile = array<i64: 2, 8, 0, 0>} ins(%a, %b : tensor<6x16x16xf32>, tensor<6x16x16xf32>) outs(%c : tensor<6x16x16xf32>) -> tensor<6x16x16xf32>
  return %0 : tensor<6x16x16xf32>
}

// What is no contraction keeps its form, on tiles.
//
// CHECK-LABEL: func.func @no_contraction(
// CHECK: scf.for {{.*}} step %c4
// CHECK: linalg.exp ins(%{{.+}} : tensor<4x8xf32>)
// CHECK: return
func.func @no_contraction(%a: tensor<16x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = linalg.exp {commir.tile = array<i64: 4, 0>} ins(%a : tensor<16x8xf32>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
