// RUN: mercury-opt %s --mercury-lower-kernels-to-gpu --canonicalize --cse --split-input-file | FileCheck %s

// Less than a tile: one block, guards, and one stage of eight k.
// CHECK-LABEL: gpu.func @small(
// CHECK-SAME: %[[A:.*]]: memref<4x5xf32>, %[[B:.*]]: memref<5x3xf32>, %[[C:.*]]: memref<4x3xf32>)
// CHECK-SAME: workgroup(%[[SA:.*]] : memref<1x8x20xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
// CHECK-SAME: %[[SB:.*]] : memref<1x8x20xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>, nvvm.minctasm = 1 : i32
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C5:.*]] = arith.constant 5 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<1xf32>
// CHECK-DAG: %[[T:.*]] = gpu.thread_id x
// CHECK-DAG: %[[FLAT:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [20], strides: [1]
// CHECK-DAG: %[[K:.*]] = arith.remui %[[T]], %[[C8]]
// CHECK-DAG: %[[M:.*]] = arith.divui %[[T]], %[[C8]]
// CHECK-DAG: %[[INM:.*]] = arith.cmpi ult, %[[M]], %[[C4]]
// CHECK-DAG: %[[ROW:.*]] = arith.muli %[[M]], %[[C5]]
// CHECK-DAG: %[[AT:.*]] = arith.addi %[[ROW]], %[[K]]
// CHECK-DAG: %[[INK:.*]] = arith.cmpi ult, %[[K]], %[[C5]]
// CHECK: %[[IN:.*]] = arith.andi %[[INM]], %[[INK]]
// What is outside reads the first element, and drops it.
// CHECK: %[[SAFE:.*]] = arith.select %[[IN]], %[[AT]], %[[C0]]
// CHECK: %[[READ:.*]] = vector.load %[[FLAT]][%[[SAFE]]] {alignment = 4 : i64} : memref<20xf32>, vector<1xf32>
// CHECK: %[[KEPT:.*]] = arith.select %[[IN]], %[[READ]], %[[ZERO]]
// CHECK: %[[ELEMENT:.*]] = vector.extract %[[KEPT]][0]
// CHECK: memref.store %[[ELEMENT]], %[[SA]][%[[C0]], %[[K]], %[[M]]]
// CHECK: vector.store %{{.*}}, %[[SB]]
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %[[C0]] to %[[C8]] step %[[C4]] iter_args(
// CHECK-COUNT-8: vector.fma
// CHECK: {loop_annotation =
// CHECK-COUNT-2: scf.if
// CHECK-NOT: scf.if
// CHECK: gpu.return
func.func private @small(%a: memref<4x5xf32>, %b: memref<5x3xf32>, %c: memref<4x3xf32>) attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<4x5xf32>, memref<5x3xf32>) outs(%c : memref<4x3xf32>)
  return
}

// -----

// Whole tiles: no guard; the next tile is loaded while this one is multiplied.
// CHECK-LABEL: gpu.func @whole_tiles(
// CHECK-SAME: workgroup(%[[SA:.*]] : memref<2x16x132xf32, {{.*}}, %[[SB:.*]] : memref<2x16x132xf32,
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 128, 1, 1>
// CHECK-NOT: arith.select
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C63:.*]] = arith.constant 63 : index
// CHECK-DAG: %[[LAST:.*]] = arith.constant 1 : index
// CHECK-COUNT-4: vector.load %{{.*}} {alignment = 16 : i64} : memref<{{.*}}xf32>, vector<4xf32>
// CHECK: gpu.barrier
// CHECK: scf.for %[[STEP:.*]] = %[[C0]] to %[[C63]] step %[[LAST]] iter_args(
// CHECK-NOT: arith.select
// CHECK: %[[NEXT:.*]] = arith.addi %[[STEP]], %[[LAST]]
// CHECK: arith.muli %[[NEXT]], %[[C16]]
// CHECK-COUNT-4: vector.load %{{.*}} {alignment = 16 : i64} : memref<{{.*}}xf32>, vector<4xf32>
// CHECK: %[[STAGE:.*]] = arith.remui %[[STEP]], %[[C2]]
// CHECK: scf.for
// CHECK: vector.load %[[SA]][%[[STAGE]],
// CHECK: vector.load %[[SB]][%[[STAGE]],
// CHECK-COUNT-64: vector.fma
// CHECK: scf.yield
// CHECK: %[[OTHER:.*]] = arith.remui %[[NEXT]], %[[C2]]
// A lies along k, and is turned; B does not.
// CHECK-COUNT-8: memref.store %{{.*}}, %[[SA]][%[[OTHER]],
// CHECK-COUNT-2: vector.store %{{.*}}, %[[SB]][%[[OTHER]], {{.*}} {alignment = 16 : i64}
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: vector.load %[[SA]][%[[LAST]],
// CHECK-NOT: scf.if
// CHECK-COUNT-16: vector.store %{{.*}} {alignment = 16 : i64} : memref<2097152xf32>, vector<4xf32>
// CHECK: gpu.return
func.func private @whole_tiles(%a: memref<1024x1024xf32> {llvm.align = 16 : i64}, %b: memref<1024x2048xf32> {llvm.align = 16 : i64}, %c: memref<1024x2048xf32> {llvm.align = 16 : i64}) attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<1024x1024xf32>, memref<1024x2048xf32>) outs(%c : memref<1024x2048xf32>)
  return
}

// -----

// Eight elements of 16 bits at once, converted on the way to shared memory.
// CHECK-LABEL: gpu.func @bf16(
// CHECK-SAME: workgroup(%[[SA:.*]] : memref<2x16x{{[0-9]+}}xf32, {{.*}}, %[[SB:.*]] : memref<2x16x{{[0-9]+}}xf32,
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<16384xbf16>, vector<8xbf16>
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK: vector.extract %[[WIDE]][0]
// CHECK: memref.store %{{.*}}, %[[SA]]
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<16384xbf16>, vector<8xbf16>
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK: vector.store %[[WIDE]], %[[SB]]
// CHECK: vector.fma {{.*}}xf32>
// CHECK: gpu.return
func.func private @bf16(%a: memref<128x128xbf16> {llvm.align = 16 : i64}, %b: memref<128x128xbf16> {llvm.align = 16 : i64}, %c: memref<128x128xf32> {llvm.align = 16 : i64}) attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<128x128xbf16>, memref<128x128xbf16>) outs(%c : memref<128x128xf32>)
  return
}

// -----

// A 16-bit output is added to in f32; the sum is rounded once.
// CHECK-LABEL: gpu.func @narrow_output(
// CHECK: vector.fma {{.*}}xf32>
// CHECK: scf.yield
// CHECK: %[[OLD:.*]] = vector.load %[[C:.*]][%[[AT:.*]]] {{.*}} : memref<4096xf16>, vector<1xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[OLD]] : vector<1xf16> to vector<1xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[WIDE]], %{{.*}} : vector<1xf32>
// CHECK: %[[NARROW:.*]] = arith.truncf %[[SUM]] : vector<1xf32> to vector<1xf16>
// CHECK: vector.store %[[NARROW]], %[[C]][%[[AT]]]
// CHECK: gpu.return
func.func private @narrow_output(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf16>) attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf16>)
  return
}

// -----

// CHECK-LABEL: gpu.func @f64(
// CHECK-SAME: workgroup(%{{.*}} : memref<2x16x{{[0-9]+}}xf64,
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<4096xf64>, vector<2xf64>
// CHECK: vector.fma {{.*}}xf64>
// CHECK: gpu.return
func.func private @f64(%a: memref<64x64xf64> {llvm.align = 16 : i64}, %b: memref<64x64xf64> {llvm.align = 16 : i64}, %c: memref<64x64xf64>) attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<64x64xf64>, memref<64x64xf64>) outs(%c : memref<64x64xf64>)
  return
}

// -----

// Nothing to add.
// CHECK-LABEL: gpu.func @empty(
// CHECK-NOT: workgroup
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>
// CHECK-NEXT: gpu.return
func.func private @empty(%a: memref<4x0xf32>, %b: memref<0x3xf32>, %c: memref<4x3xf32>) attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<4x0xf32>, memref<0x3xf32>) outs(%c : memref<4x3xf32>)
  return
}
