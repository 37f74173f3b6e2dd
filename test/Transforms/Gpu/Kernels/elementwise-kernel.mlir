// Device code of elementwise and reducing ops; unittests/Gpu run it.
// RUN: mercury-opt --split-input-file --mercury-lower-kernels-to-gpu %s | FileCheck %s

// Eight bf16 are 16 bytes, but the longest elements decide; what has been computed
// is not loaded, what is overwritten not stored.
// CHECK-LABEL: gpu.func @flat(
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 4, 1, 1>
// CHECK:         scf.for
// CHECK:           vector.load %{{.*}} {alignment = 8 : i64} : memref<4096xbf16>, vector<4xbf16>
// CHECK-COUNT-4:   math.exp
// CHECK-NOT:       vector.load
// CHECK:           vector.store %{{.*}} {alignment = 8 : i64} : memref<4096xbf16>, vector<4xbf16>
// CHECK:           vector.store %{{.*}} {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
// CHECK-NOT:       vector.store
// CHECK:         gpu.return
#id = affine_map<(i, j) -> (i, j)>
func.func private @flat(%x: memref<64x64xbf16> {llvm.align = 16 : i64}, %y: memref<64x64xbf16> {llvm.align = 16 : i64}, %z: memref<64x64xf32> {llvm.align = 16 : i64}) attributes {commir.kernel} {
  linalg.exp ins(%x : memref<64x64xbf16>) outs(%y : memref<64x64xbf16>)
  linalg.negf ins(%y : memref<64x64xbf16>) outs(%y : memref<64x64xbf16>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : memref<64x64xbf16>) outs(%z : memref<64x64xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Without a known alignment, one by one.
// CHECK-LABEL: gpu.func @unaligned(
// CHECK-NOT:     vector
// CHECK:         memref.load
// CHECK:         memref.store
// CHECK-NOT:     vector
// CHECK:         gpu.return
func.func private @unaligned(%x: memref<64x64xf32> {llvm.align = 4 : i64}, %y: memref<64x64xf32>) attributes {commir.kernel} {
  linalg.exp ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>)
  return
}

// -----

// An operand that is not aligned does not keep the others from vectors; rows of
// 18 elements end with two.
// CHECK-LABEL: gpu.func @ends(
// CHECK:         scf.if
// CHECK-COUNT-4:   memref.load
// CHECK:           vector.store {{.*}} vector<4xf32>
// CHECK:         scf.for
// CHECK:           memref.load
// CHECK:           memref.store
// CHECK:         gpu.return
func.func private @ends(%x: memref<8x18xf32, strided<[19, 1]>> {llvm.align = 16 : i64}, %y: memref<8x18xf32, strided<[20, 1]>> {llvm.align = 16 : i64}) attributes {commir.kernel} {
  memref.copy %x, %y : memref<8x18xf32, strided<[19, 1]>> to memref<8x18xf32, strided<[20, 1]>>
  return
}

// -----

// Sixteen threads to a row of 64 elements: shuffles are enough.
// CHECK-LABEL: gpu.func @rows(
// CHECK-NOT:     workgroup
// CHECK-SAME:    known_grid_size = array<i32: 64, 1, 1>
// CHECK:         memref.store
// CHECK:         gpu.barrier
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           vector.load {{.*}} vector<4xf32>
// CHECK:         gpu.shuffle xor
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT:     gpu.shuffle
// CHECK:         scf.if
// CHECK:           memref.store
// CHECK:         gpu.return
func.func private @rows(%x: memref<1024x64xf32> {llvm.align = 16 : i64}, %s: memref<1024xf32>) attributes {commir.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<1024xf32>)
  linalg.reduce { arith.addf } ins(%x : memref<1024x64xf32>) outs(%s : memref<1024xf32>) dimensions = [1]
  return
}

// -----

// Long rows: warps bring their results together in shared memory.
// CHECK-LABEL: gpu.func @long_rows(
// CHECK-SAME:    workgroup(%[[W:.*]] : memref<256xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME:    known_grid_size = array<i32: 8, 1, 1>
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK:         memref.store %{{.*}}, %[[W]]
// CHECK-NEXT:    gpu.barrier
// CHECK:         scf.if
// CHECK-COUNT-7: memref.load %[[W]]
func.func private @long_rows(%x: memref<8x4096xf32>, %s: memref<8xf32>) attributes {commir.kernel} {
  linalg.reduce { arith.addf } ins(%x : memref<8x4096xf32>) outs(%s : memref<8xf32>) dimensions = [1]
  return
}

// -----

// Columns: neighbouring threads have neighbouring columns, eight share one.
// CHECK-LABEL: gpu.func @columns(
// CHECK-SAME:    workgroup(%[[W:.*]] : memref<256xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME:    known_grid_size = array<i32: 32, 1, 1>
// CHECK-NOT:     gpu.shuffle
// CHECK:         memref.store %{{.*}}, %[[W]]
// CHECK-NEXT:    gpu.barrier
// CHECK:         gpu.return
func.func private @columns(%x: memref<512x1024xf32>, %s: memref<1024xf32>) attributes {commir.kernel} {
  linalg.reduce { arith.addf } ins(%x : memref<512x1024xf32>) outs(%s : memref<1024xf32>) dimensions = [0]
  return
}

// -----

// Equal elements are no memory; others lie in the module of the device.
// CHECK-LABEL: gpu.module @kernels
// CHECK:         memref.global "private" constant @table
// CHECK-NOT:     memref.global
// CHECK:         gpu.func @constants(
// CHECK:           memref.get_global @table
// CHECK-NOT:       memref.get_global
// CHECK:           gpu.return
memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
memref.global "private" constant @splat : memref<4xf32> = dense<5.0>
func.func private @constants(%y: memref<4xf32>) attributes {commir.kernel} {
  %t = memref.get_global @table : memref<4xf32>
  %s = memref.get_global @splat : memref<4xf32>
  linalg.add ins(%t, %s : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
