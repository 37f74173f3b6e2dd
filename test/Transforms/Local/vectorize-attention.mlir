// RUN: mercury-opt %s --pass-pipeline='builtin.module(func.func(mercury-vectorize-attention{vector-bits=512}),canonicalize)' | FileCheck %s
// RUN: mercury-opt %s --pass-pipeline='builtin.module(func.func(mercury-vectorize-attention{vector-bits=256 block-queries=12 block-keys=48}),canonicalize)' | FileCheck %s --check-prefix=BLOCKS
// RUN: mercury-opt %s --pass-pipeline='builtin.module(func.func(mercury-vectorize-attention{vector-bits=512},buffer-loop-hoisting))' | FileCheck %s --check-prefix=HOIST

// 8 panels of 12 rows; the workspace first and once; no mask, no -inf put in.
// CHECK-LABEL: func @plain
// CHECK-SAME: %[[Q:.*]]: memref<4x96x64xf32>, %[[K:.*]]: memref<4x512x64xf32>, %[[V:.*]]: memref<4x512x64xf32>, %[[A:.*]]: memref<4x96x64xf32>, %[[M:.*]]: memref<4x96xf32>, %[[L:.*]]: memref<4x96xf32>
// CHECK-DAG: %[[WQ:.*]] = memref.alloc() {alignment = 64 : i64} : memref<96x80xf32>
// CHECK-DAG: %[[WK:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x64x32xf32>
// CHECK-DAG: %[[WV:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x256x32xf32>
// CHECK-DAG: %[[S:.*]] = memref.alloc() {alignment = 64 : i64} : memref<96x272xf32>
// CHECK-DAG: %[[O:.*]] = memref.alloc() {alignment = 64 : i64} : memref<96x64xf32>
// CHECK-NOT: vector.create_mask
// Batch, blocks of keys; K turned in registers, V copied.
// CHECK: scf.for %[[H:.*]] = %{{.*}} to %{{.*}} step
// CHECK: scf.for %[[N0:.*]] = %{{.*}} to %{{.*}} step %c256
// CHECK: vector.transfer_read %[[K]]{{.*}} {in_bounds = [true]}
// CHECK: vector.shuffle
// CHECK: vector.store %{{.*}}, %[[WK]]
// CHECK: vector.transfer_read %[[V]]{{.*}} {in_bounds = [true]}
// CHECK: vector.store %{{.*}}, %[[WV]]
// CHECK: vector.transfer_read %[[Q]]
// CHECK: vector.store %{{.*}}, %[[WQ]]
// Scores.
// CHECK: scf.for {{.*}} -> (vector<32xf32>, {{.*}}
// CHECK: vector.load %[[WK]]
// CHECK: memref.load %[[WQ]]
// CHECK-COUNT-12: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-12: vector.store %{{.*}}, %[[S]]
// Softmax.
// CHECK: vector.reduction <maxnumf>
// CHECK: memref.store %{{.*}}, %[[M]]
// CHECK: arith.subf
// CHECK: arith.shli
// CHECK: vector.store %{{.*}}, %[[S]]
// CHECK: vector.reduction <add>
// The state, then the second product.
// CHECK: memref.store %{{.*}}, %[[L]]
// CHECK: vector.transfer_read %[[A]]
// CHECK: vector.store %{{.*}}, %[[O]]
// CHECK: vector.load %[[WV]]
// CHECK-COUNT-12: vector.fma
// CHECK: scf.yield
// CHECK: vector.transfer_write %{{.*}}, %[[A]]
// CHECK: return

// 96 rows in panels of 6, two a block; 512 keys in blocks of 48.
// BLOCKS-LABEL: func @plain
// BLOCKS-DAG: memref.alloc() {{.*}} : memref<12x72xf32>
// BLOCKS-DAG: memref.alloc() {{.*}} : memref<3x64x16xf32>
// BLOCKS: scf.for %{{.*}} step %c48
// BLOCKS: scf.for %{{.*}} step %c12
// BLOCKS: -> (vector<16xf32>,
// BLOCKS-COUNT-6: vector.fma
// BLOCKS-NOT: vector.fma
// BLOCKS: scf.yield
func.func @plain(%q: memref<4x96x64xf32>, %k: memref<4x512x64xf32>, %v: memref<4x512x64xf32>,
                 %a: memref<4x96x64xf32>, %m: memref<4x96xf32>, %l: memref<4x96xf32>) {
  commir.online_attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>,
      affine_map<(h, m, n, d, e) -> (h, m)>, affine_map<(h, m, n, d, e) -> (h, m)>]
    ins(%q, %k, %v : memref<4x96x64xf32>, memref<4x512x64xf32>, memref<4x512x64xf32>)
    outs(%a, %m, %l : memref<4x96x64xf32>, memref<4x96xf32>, memref<4x96xf32>)
  return
}

// Six query heads of one position are the rows of one kernel of six; bf16 is
// extended where it is packed; V is not packed for so few rows, nor is it f32.
// CHECK-LABEL: func @grouped_decode
// CHECK: scf.for %{{.*}} = %c0 to %c2 step
// CHECK: arith.extf %{{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK: vector.shuffle
// CHECK: arith.mulf
// CHECK-COUNT-6: vector.fma
// CHECK: scf.yield
// CHECK: vector.reduction <maxnumf>
func.func @grouped_decode(%q: memref<2x6x1x64xbf16>, %k: memref<2x512x64xbf16>, %v: memref<2x512x64xbf16>,
                          %a: memref<2x6x1x64xf32>, %m: memref<2x6x1xf32>, %l: memref<2x6x1xf32>) {
  commir.online_attention maps [
      affine_map<(h, g, m, n, d, e) -> (h, g, m, d)>, affine_map<(h, g, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, g, m, n, d, e) -> (h, n, e)>, affine_map<(h, g, m, n, d, e) -> (h, g, m, e)>,
      affine_map<(h, g, m, n, d, e) -> (h, g, m)>, affine_map<(h, g, m, n, d, e) -> (h, g, m)>] scale 0.125
    ins(%q, %k, %v : memref<2x6x1x64xbf16>, memref<2x512x64xbf16>, memref<2x512x64xbf16>)
    outs(%a, %m, %l : memref<2x6x1x64xf32>, memref<2x6x1xf32>, memref<2x6x1xf32>)
  return
}

// One row: V is read where it is.
// CHECK-LABEL: func @one_row
// CHECK-SAME: %[[Q:.*]]: memref<1x64xf32>, %[[K:.*]]: memref<512x64xf32>, %[[V:.*]]: memref<512x64xf32>
// CHECK: vector.shuffle
// CHECK: vector.reduction <add>
// CHECK: vector.transfer_read %[[V]]
// CHECK-NEXT: memref.load
// CHECK-NEXT: vector.broadcast
// CHECK-NEXT: vector.fma
// CHECK-NEXT: scf.yield
func.func @one_row(%q: memref<1x64xf32>, %k: memref<512x64xf32>, %v: memref<512x64xf32>,
                   %a: memref<1x64xf32>, %m: memref<1xf32>, %l: memref<1xf32>) {
  commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
    ins(%q, %k, %v : memref<1x64xf32>, memref<512x64xf32>, memref<512x64xf32>)
    outs(%a, %m, %l : memref<1x64xf32>, memref<1xf32>, memref<1xf32>)
  return
}

// K is contiguous along keys: nothing is turned. Keys that do not count, or do
// not exist, are hidden; there may be none.
// CHECK-LABEL: func @transposed_masked_partial
// CHECK-SAME: %{{.*}}: memref<40x64xf32>, %[[K:.*]]: memref<64x100xf32>, %{{.*}}: memref<100x48xf32>, %[[MASK:.*]]: memref<40x100xf16>, %[[VALID:.*]]: index
// CHECK-NOT: vector.shuffle
// CHECK: %[[POSITIVE:.*]] = arith.maxsi %[[VALID]], %c0
// CHECK: %[[KEYS:.*]] = arith.minsi %[[POSITIVE]], %c100
// CHECK: scf.for %{{.*}} = %c0 to %[[KEYS]]
// CHECK: vector.transfer_read %[[K]][{{.*}}], %{{.*}} : memref<64x100xf32>, vector<32xf32>
// CHECK: vector.transfer_read %[[MASK]]{{.*}} : memref<40x100xf16>, vector<32xf16>
// CHECK: %[[THERE:.*]] = vector.create_mask
// CHECK: arith.select %[[THERE]]
// CHECK: vector.reduction <maxnumf>
func.func @transposed_masked_partial(%q: memref<40x64xf32>, %k: memref<64x100xf32>, %v: memref<100x48xf32>,
                                     %mask: memref<40x100xf16>, %valid: index, %a: memref<40x48xf32>,
                                     %m: memref<40xf32>, %l: memref<40xf32>) {
  commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (d, n)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, n)>,
      affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>,
      affine_map<(m, n, d, e) -> (m)>]
    ins(%q, %k, %v : memref<40x64xf32>, memref<64x100xf32>, memref<100x48xf32>)
    mask(%mask : memref<40x100xf16>) valid(%valid)
    outs(%a, %m, %l : memref<40x48xf32>, memref<40xf32>, memref<40xf32>)
  return
}

// Inside another loop, the workspace leaves it, too.
// HOIST-LABEL: func @in_a_loop
// HOIST-COUNT-8: memref.alloc
// HOIST: scf.for
// HOIST-NOT: memref.alloc
// HOIST: return
func.func @in_a_loop(%q: memref<40x64xf32>, %k: memref<64x64xf32>, %v: memref<64x64xf32>,
                     %a: memref<40x64xf32>, %m: memref<40xf32>, %l: memref<40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %t = %c0 to %c3 step %c1 {
    commir.online_attention maps [
        affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
        affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>,
        affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %v : memref<40x64xf32>, memref<64x64xf32>, memref<64x64xf32>)
      outs(%a, %m, %l : memref<40x64xf32>, memref<40xf32>, memref<40xf32>)
  }
  return
}

// CHECK-LABEL: func @small_stays
// CHECK: commir.online_attention
func.func @small_stays(%q: memref<4x4xf32>, %k: memref<4x4xf32>, %v: memref<4x4xf32>,
                       %a: memref<4x4xf32>, %m: memref<4xf32>, %l: memref<4xf32>) {
  commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
    ins(%q, %k, %v : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>)
    outs(%a, %m, %l : memref<4x4xf32>, memref<4xf32>, memref<4xf32>)
  return
}

// CHECK-LABEL: func @dynamic_stays
// CHECK: commir.online_attention
func.func @dynamic_stays(%q: memref<?x64xf32>, %k: memref<512x64xf32>, %v: memref<512x64xf32>,
                         %a: memref<?x64xf32>, %m: memref<?xf32>, %l: memref<?xf32>) {
  commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
    ins(%q, %k, %v : memref<?x64xf32>, memref<512x64xf32>, memref<512x64xf32>)
    outs(%a, %m, %l : memref<?x64xf32>, memref<?xf32>, memref<?xf32>)
  return
}

// CHECK-LABEL: func @f64_stays
// CHECK: commir.online_attention
func.func @f64_stays(%q: memref<64x64xf64>, %k: memref<512x64xf32>, %v: memref<512x64xf32>,
                     %a: memref<64x64xf64>, %m: memref<64xf64>, %l: memref<64xf64>) {
  commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
    ins(%q, %k, %v : memref<64x64xf64>, memref<512x64xf32>, memref<512x64xf32>)
    outs(%a, %m, %l : memref<64x64xf64>, memref<64xf64>, memref<64xf64>)
  return
}

// CHECK-LABEL: func @patched_stays
// CHECK: commir.online_attention
func.func @patched_stays(%q: memref<64x64xf32>, %m: memref<64xf32>) {
  commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
    ins(%q, %q, %q : memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>)
    outs(%q, %m, %m : memref<64x64xf32>, memref<64xf32>, memref<64xf32>) {commir.patch = "mine"}
  return
}
