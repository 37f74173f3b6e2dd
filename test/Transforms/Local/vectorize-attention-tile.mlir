// Attention is computed in the blocks that it is asked to be computed in, and
// options are for what says nothing.
// RUN: mercury-opt %s --pass-pipeline='builtin.module(func.func(mercury-vectorize-attention{vector-bits=512 block-queries=36 block-keys=64}),canonicalize)' | FileCheck %s

// Queries in blocks of four panels of 12 rows, keys of 128.
//
// CHECK-LABEL: func.func @blocks_asked_for(
// CHECK-DAG: memref.alloc() {{.*}} : memref<48x80xf32>
// CHECK-DAG: memref.alloc() {{.*}} : memref<4x64x32xf32>
// CHECK: scf.for %{{.*}} step %c128
// CHECK: scf.for %{{.*}} step %c48
// CHECK: vector.fma
// CHECK-NOT: commir.online_attention
// CHECK: return
func.func @blocks_asked_for(%q: memref<4x96x64xf32>, %k: memref<4x512x64xf32>, %v: memref<4x512x64xf32>,
                            %a: memref<4x96x64xf32>, %m: memref<4x96xf32>, %l: memref<4x96xf32>) {
  commir.online_attention maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
                                affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>,
                                affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m)>]
      ins(%q, %k, %v : memref<4x96x64xf32>, memref<4x512x64xf32>, memref<4x512x64xf32>)
      outs(%a, %m, %l : memref<4x96x64xf32>, memref<4x96xf32>, memref<4x96xf32>) {commir.tile = array<i64: 0, 48, 128>}
  return
}

// What a tile leaves open is the option's, or the generator's.
//
// CHECK-LABEL: func.func @keys_alone(
// CHECK-DAG: memref.alloc() {{.*}} : memref<36x80xf32>
// CHECK-DAG: memref.alloc() {{.*}} : memref<8x64x32xf32>
// CHECK: return
func.func @keys_alone(%q: memref<4x96x64xf32>, %k: memref<4x512x64xf32>, %v: memref<4x512x64xf32>,
                      %a: memref<4x96x64xf32>, %m: memref<4x96xf32>, %l: memref<4x96xf32>) {
  commir.online_attention maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
                                affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>,
                                affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m)>]
      ins(%q, %k, %v : memref<4x96x64xf32>, memref<4x512x64xf32>, memref<4x512x64xf32>)
      outs(%a, %m, %l : memref<4x96x64xf32>, memref<4x96xf32>, memref<4x96xf32>) {commir.tile = array<i64: 2, 0, 256>}
  return
}

// Rows are those of the query heads of a key's head, too: 2 x 24 of them.
//
// CHECK-LABEL: func.func @grouped(
// CHECK-DAG: memref.alloc() {{.*}} : memref<48x80xf32>
// CHECK-DAG: memref.alloc() {{.*}} : memref<2x64x32xf32>
// CHECK: return
func.func @grouped(%q: memref<2x4x96x64xf32>, %k: memref<2x512x64xf32>, %v: memref<2x512x64xf32>,
                   %a: memref<2x4x96x64xf32>, %m: memref<2x4x96xf32>, %l: memref<2x4x96xf32>) {
  commir.online_attention maps [affine_map<(h, g, m, n, d, e) -> (h, g, m, d)>, affine_map<(h, g, m, n, d, e) -> (h, n, d)>,
                                affine_map<(h, g, m, n, d, e) -> (h, n, e)>, affine_map<(h, g, m, n, d, e) -> (h, g, m, e)>,
                                affine_map<(h, g, m, n, d, e) -> (h, g, m)>, affine_map<(h, g, m, n, d, e) -> (h, g, m)>]
      ins(%q, %k, %v : memref<2x4x96x64xf32>, memref<2x512x64xf32>, memref<2x512x64xf32>)
      outs(%a, %m, %l : memref<2x4x96x64xf32>, memref<2x4x96xf32>, memref<2x4x96xf32>) {commir.tile = array<i64: 0, 2, 24, 0>}
  return
}
