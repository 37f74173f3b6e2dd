// RUN: mercury-opt --mercury-lower-kernels-to-gpu --canonicalize --cse --split-input-file %s | FileCheck %s

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#s = affine_map<(h, m, n, d, e) -> (h, m)>

// Four heads of four tiles; operands are staged as f32, 16 bytes of them read
// at a time, and rows padded against bank conflicts.
// CHECK-LABEL: gpu.func @aligned(
// CHECK-SAME:    %[[Q:[^ ]*]]: memref<4x256x64xbf16>, %[[K:[^ ]*]]: memref<4x256x64xbf16>, %[[V:[^ ]*]]: memref<4x256x64xbf16>,
// CHECK-SAME:    %[[A:[^ ]*]]: memref<4x256x64xf32>, %[[M:[^ ]*]]: memref<4x256xf32>, %[[L:[^ ]*]]: memref<4x256xf32>)
// CHECK-SAME:    workgroup(%[[SQ:[^ ]*]] : memref<64x68xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}
// CHECK-SAME:    %[[SK:[^ ]*]] : memref<64x36xf32
// CHECK-SAME:    %[[SV:[^ ]*]] : memref<16x64xf32
// CHECK-SAME:    %[[SW:[^ ]*]] : memref<64x68xf32
// CHECK-SAME:    kernel attributes {commir.kernel, known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 16, 1, 1>
func.func private @aligned(
    %q: memref<4x256x64xbf16> {llvm.align = 16 : i64},
    %k: memref<4x256x64xbf16> {llvm.align = 16 : i64},
    %v: memref<4x256x64xbf16> {llvm.align = 16 : i64},
    %a: memref<4x256x64xf32> {llvm.align = 16 : i64},
    %m: memref<4x256xf32>, %l: memref<4x256xf32>) attributes {commir.kernel} {
  // The state comes once, the query is staged once.
  // CHECK-DAG:   %[[C16:.*]] = arith.constant 16 : index
  // CHECK-DAG:   %[[C32:.*]] = arith.constant 32 : index
  // CHECK-DAG:   %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG:   %[[C256:.*]] = arith.constant 256 : index
  // CHECK:       vector.load %[[A]]{{.*}} {alignment = 16 : i64} : memref<4x256x64xf32>, vector<4xf32>
  // CHECK:       memref.load %[[M]]
  // CHECK:       memref.load %[[L]]
  // CHECK:       scf.for
  // CHECK:         vector.load %[[Q]]{{.*}} {alignment = 16 : i64} : memref<4x256x64xbf16>, vector<8xbf16>
  // CHECK:         arith.extf {{.*}} : vector<8xbf16> to vector<8xf32>
  // CHECK:         vector.store {{.*}}, %[[SQ]]

  // Tiles of keys, carrying 16 accumulators, 4 maxima, 4 sums.
  // CHECK:       %[[STATE:.*]]:24 = scf.for %{{.*}} = %{{.*}} to %[[C256]] step %[[C64]] iter_args
  // Scores over slices of features.
  // CHECK:         scf.for %{{.*}} = %{{.*}} to %[[C64]] step %[[C32]] iter_args
  // CHECK-NEXT:      gpu.barrier
  // CHECK:           vector.load %[[K]]{{.*}}, vector<8xbf16>
  // CHECK:           vector.store {{.*}}, %[[SK]]
  // CHECK:           gpu.barrier
  // CHECK-NEXT:      scf.for
  // CHECK:             vector.load %[[SQ]]{{.*}}, vector<4xf32>
  // CHECK:             vector.load %[[SK]]{{.*}}, vector<4xf32>
  // CHECK:             math.fma
  // Maxima of 16 lanes, weights.
  // CHECK-COUNT-4: gpu.shuffle xor
  // CHECK:         math.exp2
  // CHECK:         memref.store {{.*}}, %[[SW]]
  // Slices of values.
  // CHECK:         scf.for %{{.*}} = %{{.*}} to %[[C64]] step %[[C16]] iter_args
  // CHECK-NEXT:      gpu.barrier
  // CHECK:           vector.load %[[V]]{{.*}}, vector<8xbf16>
  // CHECK:           vector.store {{.*}}, %[[SV]]
  // CHECK:           gpu.barrier
  // CHECK-NEXT:      scf.for
  // CHECK:             vector.load %[[SW]]{{.*}}, vector<4xf32>
  // CHECK:             vector.load %[[SV]]{{.*}}, vector<4xf32>
  // CHECK:             math.fma
  // CHECK:       vector.store {{.*}}, %[[A]]{{.*}} {alignment = 16 : i64}
  // Sums of 16 lanes.
  // CHECK-COUNT-4: gpu.shuffle xor
  // CHECK:       scf.if
  // CHECK:         memref.store %[[STATE]]#16, %[[M]]
  // CHECK:         memref.store {{.*}}, %[[L]]
  // CHECK:       gpu.return
  commir.online_attention maps [#q, #k, #v, #o, #s, #s] scale 0.125
    ins(%q, %k, %v : memref<4x256x64xbf16>, memref<4x256x64xbf16>,
        memref<4x256x64xbf16>)
    outs(%a, %m, %l : memref<4x256x64xf32>, memref<4x256xf32>,
         memref<4x256xf32>)
  return
}

// -----

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#s = affine_map<(h, m, n, d, e) -> (h, m)>

// Of an address nothing is known but that elements are aligned.
// CHECK-LABEL: gpu.func @unaligned(
// CHECK-SAME:    %[[Q:[^ ]*]]: memref<4x64x64xf32>, %[[K:[^ ]*]]: memref<4x64x64xf32>, %[[V:[^ ]*]]: memref<4x64x64xf32>,
// CHECK-SAME:    %[[A:[^ ]*]]: memref<4x64x64xf32>, %[[M:[^ ]*]]: memref<4x64xf32>,
func.func private @unaligned(
    %q: memref<4x64x64xf32>, %k: memref<4x64x64xf32>, %v: memref<4x64x64xf32>,
    %a: memref<4x64x64xf32>, %m: memref<4x64xf32>, %l: memref<4x64xf32>)
    attributes {commir.kernel} {
  // CHECK-NOT:   vector.load %[[A]]
  // CHECK:       memref.load %[[A]]
  // CHECK-NOT:   vector.load %[[Q]]
  // CHECK:       memref.load %[[Q]]
  // CHECK-NOT:   vector.load %[[K]]
  // CHECK:       memref.load %[[K]]
  // CHECK-NOT:   vector.load %[[V]]
  // CHECK:       memref.load %[[V]]
  // CHECK-NOT:   vector.store {{.*}}, %[[A]]
  // CHECK:       memref.store {{.*}}, %[[A]]
  // CHECK:       gpu.return
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<4x64x64xf32>, memref<4x64x64xf32>,
        memref<4x64x64xf32>)
    outs(%a, %m, %l : memref<4x64x64xf32>, memref<4x64xf32>, memref<4x64xf32>)
  return
}

// -----

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, d, n)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#b = affine_map<(h, m, n, d, e) -> (n)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#s = affine_map<(h, m, n, d, e) -> (h, m)>

// Beyond the last query, the last valid key and the last feature nothing is
// read or written. Keys that lie side by side are read one by one: a vector
// could have some that are not valid.
// CHECK-LABEL: gpu.func @edges(
// CHECK-SAME:    %[[Q:[^ ]*]]: memref<2x5x20xf32>, %[[K:[^ ]*]]: memref<2x20x100xf32>, %[[V:[^ ]*]]: memref<2x100x20xf32>, %[[MASK:[^ ]*]]: memref<100xf32>, %[[VALID:[^ ]*]]: index,
// CHECK-SAME:    %[[A:[^ ]*]]: memref<2x5x20xf32>,
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 2, 1, 1>
func.func private @edges(
    %q: memref<2x5x20xf32> {llvm.align = 16 : i64},
    %k: memref<2x20x100xf32> {llvm.align = 16 : i64},
    %v: memref<2x100x20xf32> {llvm.align = 16 : i64},
    %mask: memref<100xf32>, %valid: index,
    %a: memref<2x5x20xf32>, %m: memref<2x5xf32>, %l: memref<2x5xf32>)
    attributes {commir.kernel} {
  // CHECK-DAG:   %[[NONE:.*]] = arith.constant 0xFF800000 : f32
  // CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG:   %[[C5:.*]] = arith.constant 5 : index
  // CHECK-DAG:   %[[C100:.*]] = arith.constant 100 : index
  // CHECK:       %[[POSITIVE:.*]] = arith.maxsi %[[VALID]], %[[C0]]
  // CHECK:       %[[KEYS:.*]] = arith.minsi %[[POSITIVE]], %[[C100]]
  // CHECK:       %[[IS_ROW:.*]] = arith.cmpi slt, %[[ROW:.*]], %[[C5]]
  // CHECK:       %[[NEAREST:.*]] = arith.minsi %[[ROW]], %[[C4]]
  // CHECK:       memref.load %[[A]][%{{.*}}, %[[NEAREST]], %{{.*}}]
  // CHECK:       vector.load %[[Q]]{{.*}}, vector<4xf32>
  // CHECK:       scf.for %{{.*}} = %[[C0]] to %[[KEYS]]
  // CHECK-NOT:     vector.load %[[K]]
  // CHECK:         memref.load %[[K]]
  // CHECK:         arith.select
  // CHECK:         memref.load %[[MASK]]
  // CHECK:         arith.select %{{.*}}, %{{.*}}, %[[NONE]] : f32
  // CHECK:         %[[LOADED:.*]] = vector.load %[[V]]{{.*}}, vector<4xf32>
  // CHECK:         arith.select %{{.*}}, %[[LOADED]], %{{.*}} : vector<4xf32>
  // CHECK:       %[[IS_THERE:.*]] = arith.andi %[[IS_ROW]], %{{.*}} : i1
  // CHECK-NEXT:  scf.if %[[IS_THERE]]
  // CHECK:         memref.store {{.*}}, %[[A]]
  // CHECK:       gpu.return
  commir.online_attention maps [#q, #k, #v, #b, #o, #s, #s]
    ins(%q, %k, %v : memref<2x5x20xf32>, memref<2x20x100xf32>,
        memref<2x100x20xf32>)
    mask(%mask : memref<100xf32>) valid(%valid)
    outs(%a, %m, %l : memref<2x5x20xf32>, memref<2x5xf32>, memref<2x5xf32>)
  return
}

// -----

#q = affine_map<(h, g, m, n, d, e) -> (h, g, m, d)>
#k = affine_map<(h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, g, m, n, d, e) -> (h, g, m, e)>
#s = affine_map<(h, g, m, n, d, e) -> (h, g, m)>

// Sixteen query heads that share keys make one tile of a single token.
// CHECK-LABEL: gpu.func @groups(
// CHECK-SAME:    workgroup(%{{.*}} : memref<16x68xf32,
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 2, 1, 1>
func.func private @groups(
    %q: memref<2x16x1x64xf16>, %k: memref<2x64x64xf16>, %v: memref<2x64x64xf16>,
    %a: memref<2x16x1x64xf32>, %m: memref<2x16x1xf32>, %l: memref<2x16x1xf32>)
    attributes {commir.kernel} {
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<2x16x1x64xf16>, memref<2x64x64xf16>,
        memref<2x64x64xf16>)
    outs(%a, %m, %l : memref<2x16x1x64xf32>, memref<2x16x1xf32>,
         memref<2x16x1xf32>)
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#b = affine_map<(m, n, d, e) -> (n)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#s = affine_map<(m, n, d, e) -> (m)>

// A constant's global is copied to where device code finds it.
// CHECK-LABEL: gpu.module @kernels
// CHECK:         memref.global "private" constant @mask : memref<4xf32> =
// CHECK:         gpu.func @constants
// CHECK:           %[[MASK:.*]] = memref.get_global @mask
// CHECK:           memref.load %[[MASK]]
memref.global "private" constant @mask : memref<4xf32> = dense<[0., 1., 2., 3.]>
func.func private @constants(
    %q: memref<4x8xf32>, %k: memref<4x8xf32>, %v: memref<4x8xf32>,
    %a: memref<4x8xf32>, %m: memref<4xf32>, %l: memref<4xf32>)
    attributes {commir.kernel} {
  %mask = memref.get_global @mask : memref<4xf32>
  commir.online_attention maps [#q, #k, #v, #b, #o, #s, #s]
    ins(%q, %k, %v : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>)
    mask(%mask : memref<4xf32>)
    outs(%a, %m, %l : memref<4x8xf32>, memref<4xf32>, memref<4xf32>)
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#s = affine_map<(m, n, d, e) -> (m)>

// More features of the value than registers accumulate: each slice begins with
// the state of before, the last one writes maximum and sum.
// CHECK-LABEL: gpu.func @many_features(
// CHECK-SAME:    %[[M:[^ ]*]]: memref<64xf32>, %{{[^ ]*}}: memref<64xf32>) workgroup
// CHECK:         %[[LAST:.*]] = arith.constant 208 : index
// CHECK:         scf.for %[[SLICE:.*]] = %{{.*}} to %{{.*}} step %[[LAST]]
// CHECK:           memref.load %[[M]]
// CHECK:           arith.cmpi eq, %[[SLICE]], %[[LAST]]
// CHECK:           memref.store {{.*}}, %[[M]]
func.func private @many_features(
    %q: memref<64x8xf32>, %k: memref<64x8xf32>, %v: memref<64x400xf32>,
    %a: memref<64x400xf32>, %m: memref<64xf32>, %l: memref<64xf32>)
    attributes {commir.kernel} {
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<64x8xf32>, memref<64x8xf32>, memref<64x400xf32>)
    outs(%a, %m, %l : memref<64x400xf32>, memref<64xf32>, memref<64xf32>)
  return
}
