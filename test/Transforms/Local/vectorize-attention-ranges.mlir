// RUN: mercury-opt %s --pass-pipeline='builtin.module(func.func(mercury-vectorize-attention{vector-bits=512}),canonicalize)' | FileCheck %s --implicit-check-not=scf.if
// RUN: mercury-opt %s --pass-pipeline='builtin.module(func.func(mercury-vectorize-attention{vector-bits=512},buffer-loop-hoisting))' | FileCheck %s --check-prefix=HOIST

// What excludes a tile are bounds. First what each of the two blocks of rows
// sees: some of it, all of it.
// CHECK-LABEL: func @ranged
// CHECK-SAME: %{{.*}}: memref<4x192x64xf32>, %[[K:[^:]*]]: memref<4x512x64xf32>, %[[V:[^:]*]]: memref<4x512x64xf32>, %[[BEGIN:[^:]*]]: memref<192xi32>, %[[END:[^:]*]]: memref<192xi32>
// CHECK-DAG: %[[S:.*]] = memref.alloc() {alignment = 64 : i64} : memref<96x272xf32>
// CHECK-DAG: %[[REACH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x4xi32>
// CHECK: scf.for %{{.*}} = %c0 to %c192 step %c96
// CHECK: scf.for
// CHECK: memref.load %[[BEGIN]]
// CHECK: memref.load %[[END]]
// CHECK-COUNT-4: memref.store %{{.*}}, %[[REACH]]
// Batch; blocks of keys that any row sees.
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK: %[[SEEN:.*]]:2 = scf.for
// CHECK: %[[BLOCK:.*]] = arith.divui %[[SEEN]]#0, %c256
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c256
// CHECK: scf.for %[[N0:.*]] = %[[FIRST]] to %[[SEEN]]#1 step %c256
// The blocks of rows that see some of these, and the keys that are seen, which
// are packed.
// CHECK: %[[ROWS:.*]]:4 = scf.for
// CHECK: memref.load %[[REACH]]
// CHECK: vector.transfer_read %[[K]]
// CHECK: vector.transfer_read %[[V]]
// CHECK: %[[FROM:.*]] = arith.muli %[[ROWS]]#0, %c96
// CHECK: %[[TO:.*]] = arith.muli %[[ROWS]]#1, %c96
// CHECK: scf.for %[[M0:.*]] = %[[FROM]] to %[[TO]] step %c96
// CHECK: %[[LOW:.*]] = arith.maxsi %{{.*}}, %[[N0]]
// CHECK: %[[HIGH:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %[[LOW]] to %[[HIGH]] step %c256
// CHECK: %[[CUT:.*]] = arith.ori
// CHECK: %[[HIDDEN:.*]] = arith.select %[[CUT]], %c96, %c0
// CHECK: vector.fma
// CHECK: vector.store %{{.*}}, %[[S]]
// Only rows of blocks that are cut are looked at one by one.
// CHECK: scf.for %{{.*}} = %c0 to %[[HIDDEN]] step %c1
// CHECK: memref.load %[[BEGIN]]
// CHECK: memref.load %[[END]]
// CHECK: vector.create_mask
// CHECK: vector.store %{{.*}}, %[[S]]
// CHECK: vector.create_mask
// CHECK: vector.store %{{.*}}, %[[S]]
// CHECK-NOT: vector.create_mask
// CHECK: vector.reduction <maxnumf>
// CHECK: vector.fma
// CHECK: return

// The table of ranges leaves loops, too.
// HOIST-LABEL: func @ranged
// HOIST-COUNT-9: memref.alloc
// HOIST: scf.for
// HOIST-NOT: memref.alloc
// HOIST: return
func.func @ranged(%q: memref<4x192x64xf32>, %k: memref<4x512x64xf32>, %v: memref<4x512x64xf32>,
                  %begin: memref<192xi32>, %end: memref<192xi32>,
                  %a: memref<4x192x64xf32>, %m: memref<4x192xf32>, %l: memref<4x192xf32>) {
  commir.online_attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (m)>,
      affine_map<(h, m, n, d, e) -> (m)>, affine_map<(h, m, n, d, e) -> (h, m, e)>,
      affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m)>]
    ins(%q, %k, %v : memref<4x192x64xf32>, memref<4x512x64xf32>, memref<4x512x64xf32>)
    key_range(%begin, %end : memref<192xi32>, memref<192xi32>)
    outs(%a, %m, %l : memref<4x192x64xf32>, memref<4x192xf32>, memref<4x192xf32>)
  return
}

// Query heads of a group see the same: rows of one position stand together, so
// that a block has few positions. Sequences have ranges of their own, which are
// measured within their loop.
// CHECK-LABEL: func @grouped
// CHECK-SAME: %{{.*}}: memref<2x6x64x64xf32>, %{{.*}}: memref<2x64x64xf32>, %{{.*}}: memref<2x64x64xf32>, %[[BEGIN:[^:]*]]: memref<2x64xi32>
// CHECK: scf.for %[[H:.*]] = %c0 to %c2 step %c1
// CHECK: scf.for %[[FIRST:.*]] = %c0 to %c384 step %c96
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]]
// CHECK: %[[QUERY:.*]] = arith.divui %[[ROW]], %c6
// CHECK: memref.load %[[BEGIN]][%[[H]], %[[QUERY]]]
func.func @grouped(%q: memref<2x6x64x64xf32>, %k: memref<2x64x64xf32>, %v: memref<2x64x64xf32>,
                   %begin: memref<2x64xi32>, %end: memref<2x64xi32>,
                   %a: memref<2x6x64x64xf32>, %m: memref<2x6x64xf32>, %l: memref<2x6x64xf32>) {
  commir.online_attention maps [
      affine_map<(h, g, m, n, d, e) -> (h, g, m, d)>, affine_map<(h, g, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, g, m, n, d, e) -> (h, n, e)>, affine_map<(h, g, m, n, d, e) -> (h, m)>,
      affine_map<(h, g, m, n, d, e) -> (h, m)>, affine_map<(h, g, m, n, d, e) -> (h, g, m, e)>,
      affine_map<(h, g, m, n, d, e) -> (h, g, m)>, affine_map<(h, g, m, n, d, e) -> (h, g, m)>]
    ins(%q, %k, %v : memref<2x6x64x64xf32>, memref<2x64x64xf32>, memref<2x64x64xf32>)
    key_range(%begin, %end : memref<2x64xi32>, memref<2x64xi32>)
    outs(%a, %m, %l : memref<2x6x64x64xf32>, memref<2x6x64xf32>, memref<2x6x64xf32>)
  return
}

// Positions that are no ranges yet are not for kernels.
// CHECK-LABEL: func @positions_stay
// CHECK: commir.online_attention
func.func @positions_stay(%q: memref<64x64xf32>, %a: memref<64x64xf32>, %m: memref<64xf32>, %l: memref<64xf32>) {
  commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
    ins(%q, %q, %q : memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>) visible <right 0>
    outs(%a, %m, %l : memref<64x64xf32>, memref<64xf32>, memref<64xf32>)
  return
}
