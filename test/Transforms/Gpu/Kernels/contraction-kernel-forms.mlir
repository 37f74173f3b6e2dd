// RUN: mercury-opt %s --mercury-lower-kernels-to-gpu --canonicalize --cse --split-input-file | FileCheck %s

// A transposed output exchanges the inputs, so that columns stay contiguous:
// rows of the tile are those of %b.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nm = affine_map<(m, n, k) -> (n, m)>
// CHECK-LABEL: gpu.func @transposed_output(
// CHECK-SAME: %[[A:.*]]: memref<64x96xf32>, %[[B:.*]]: memref<96x32xf32>, %[[C:.*]]: memref<32x64xf32>)
// CHECK-SAME: workgroup(%[[S0:.*]] : memref<2x16x20xf32, {{.*}}, %[[S1:.*]] : memref<2x16x20xf32,
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %[[B]]
// CHECK: memref.reinterpret_cast %[[A]]
// CHECK: %[[V:.*]] = vector.load %[[FLAT]][
// CHECK: vector.store %[[V]], %[[S0]]
// CHECK: gpu.return
func.func private @transposed_output(%a: memref<64x96xf32>, %b: memref<96x32xf32>, %c: memref<32x64xf32>) attributes {commir.kernel} {
  linalg.contract indexing_maps = [#mk, #kn, #nm] ins(%a, %b : memref<64x96xf32>, memref<96x32xf32>) outs(%c : memref<32x64xf32>)
  return
}

// -----

// Vectors are as long as alignment, strides and extents allow.
// CHECK-LABEL: gpu.func @row_of_six(
// CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<{{.*}}xf32>, vector<2xf32>
// CHECK: gpu.return
func.func private @row_of_six(%a: memref<32x32xf32, strided<[34, 1]>> {llvm.align = 16 : i64}, %b: memref<32x32xf32>, %c: memref<32x32xf32>) attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<32x32xf32, strided<[34, 1]>>, memref<32x32xf32>) outs(%c : memref<32x32xf32>)
  return
}

// CHECK-LABEL: gpu.func @unaligned(
// CHECK-NOT: vector<4xf32>
// CHECK: vector.load %{{.*}} {alignment = 4 : i64} : memref<1024xf32>, vector<1xf32>
// CHECK: gpu.return
func.func private @unaligned(%a: memref<32x32xf32>, %b: memref<32x32xf32>, %c: memref<32x32xf32>) attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>)
  return
}

// -----

// Loops that step as one are one index; the two batches do not, and are taken
// apart.
#a = affine_map<(b0, b1, m0, m1, n, k0, k1) -> (b0, m0, m1, b1, k0, k1)>
#b = affine_map<(b0, b1, m0, m1, n, k0, k1) -> (b0, b1, k0, k1, n)>
#c = affine_map<(b0, b1, m0, m1, n, k0, k1) -> (b0, b1, m0, m1, n)>
// CHECK-LABEL: gpu.func @many_loops(
// CHECK-SAME: known_grid_size = array<i32: 24, 1, 1>
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK-DAG: %[[ROWS:.*]] = arith.divui %[[BLOCK]], %[[C2]]
// CHECK-DAG: %[[BATCH:.*]] = arith.divui %[[ROWS]], %[[C2]]
// CHECK-DAG: arith.remui %[[BATCH]], %[[C3]]
// CHECK-DAG: arith.divui %[[BATCH]], %[[C3]]
// CHECK: gpu.barrier
// No index of the K loop is taken apart.
// CHECK: scf.for
// CHECK-NOT: arith.divui
// CHECK: gpu.barrier
// CHECK: gpu.return
func.func private @many_loops(%a: memref<2x4x8x3x4x8xf32>, %b: memref<2x3x4x8x32xf32>, %c: memref<2x3x4x8x32xf32>) attributes {commir.kernel} {
  linalg.contract indexing_maps = [#a, #b, #c] ins(%a, %b : memref<2x4x8x3x4x8xf32>, memref<2x3x4x8x32xf32>) outs(%c : memref<2x3x4x8x32xf32>)
  return
}

// -----

// A vector is one column, a row of threads all the same.
// CHECK-LABEL: gpu.func @matvec(
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: vector.fma
// CHECK: gpu.return
func.func private @matvec(%a: memref<200x40xf32>, %x: memref<40xf32>, %y: memref<200xf32>) attributes {commir.kernel} {
  linalg.matvec ins(%a, %x : memref<200x40xf32>, memref<40xf32>) outs(%y : memref<200xf32>)
  return
}

// -----

// A constant of the kernel is one of the device, with the alignment it has.
// CHECK: gpu.module @kernels
// CHECK: memref.global "private" constant @weights
// CHECK-LABEL: gpu.func @constant(
// CHECK: %[[B:.*]] = memref.get_global @weights
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %[[B]]
// CHECK: vector.load %[[FLAT]][%{{.*}}] {alignment = 16 : i64} : memref<256xf32>, vector<4xf32>
// CHECK: gpu.return
memref.global "private" constant @weights : memref<16x16xf32> = dense<1.0> {alignment = 64 : i64}
func.func private @constant(%a: memref<16x16xf32>, %c: memref<16x16xf32>) attributes {commir.kernel} {
  %b = memref.get_global @weights : memref<16x16xf32>
  linalg.matmul ins(%a, %b : memref<16x16xf32>, memref<16x16xf32>) outs(%c : memref<16x16xf32>)
  return
}
