// RUN: mercury-opt --mercury-lower-kernels-to-gpu --canonicalize --cse --split-input-file %s | FileCheck %s

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#r = affine_map<(h, m, n, d, e) -> (m)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#s = affine_map<(h, m, n, d, e) -> (h, m)>

// Four heads of four tiles. A warp finds the bounds of the 64 rows, two a lane.
// CHECK-LABEL: gpu.func @ranges(
// CHECK-SAME:    %[[Q:[^ ]*]]: memref<4x256x64xf32>, %[[K:[^ ]*]]: memref<4x512x64xf32>, %[[V:[^ ]*]]: memref<4x512x64xf32>,
// CHECK-SAME:    %[[BEGIN:[^ ]*]]: memref<256xi32>, %[[END:[^ ]*]]: memref<256xi32>, %[[A:[^ ]*]]: memref<4x256x64xf32>
func.func private @ranges(
    %q: memref<4x256x64xf32> {llvm.align = 16 : i64},
    %k: memref<4x512x64xf32> {llvm.align = 16 : i64},
    %v: memref<4x512x64xf32> {llvm.align = 16 : i64},
    %begin: memref<256xi32>, %end: memref<256xi32>,
    %a: memref<4x256x64xf32> {llvm.align = 16 : i64},
    %m: memref<4x256xf32>, %l: memref<4x256xf32>) attributes {commir.kernel} {
  // CHECK-DAG:   %[[C15:.*]] = arith.constant 15 : index
  // CHECK-DAG:   %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG:   %[[NONE:.*]] = arith.constant 0xFF800000 : f32
  // The last rows come first.
  // CHECK:       %[[BLOCK:.*]] = gpu.block_id x
  // CHECK-NEXT:  arith.subi %[[C15]], %[[BLOCK]]
  // CHECK-COUNT-2: memref.load %[[BEGIN]][
  // CHECK:       arith.minsi
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:       %[[FIRST:.*]] = arith.index_cast {{.*}} : i32 to index
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:       %[[LAST:.*]] = arith.index_cast {{.*}} : i32 to index
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:       %[[ALL_BEGIN:.*]] = arith.index_cast {{.*}} : i32 to index
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK:       %[[ALL_END:.*]] = arith.index_cast {{.*}} : i32 to index

  // A block that sees nothing leaves before it reads anything.
  // CHECK:       %[[IS_ANYTHING:.*]] = arith.cmpi slt, %[[FIRST]], %[[LAST]]
  // CHECK-NEXT:  scf.if %[[IS_ANYTHING]] {
  // CHECK:         vector.load %[[A]][
  // CHECK:         vector.load %[[Q]][
  // CHECK:         %[[COUNT:.*]] = arith.subi %[[LAST]], %[[FIRST]]
  // CHECK:         scf.for %[[OFFSET:.*]] = %{{.*}} to %[[COUNT]] step %[[C64]]
  // CHECK:           %[[KEY:.*]] = arith.addi %[[FIRST]], %[[OFFSET]]
  // CHECK:           %[[BEGINS:.*]] = arith.cmpi sle, %[[ALL_BEGIN]], %[[KEY]]
  // CHECK:           %[[ENDS:.*]] = arith.cmpi sle, %{{.*}}, %[[ALL_END]]
  // CHECK:           %[[IS_WHOLE:.*]] = arith.andi %[[BEGINS]], %[[ENDS]]

  // What all rows see: neither keys that are missing, nor ranges.
  // CHECK:           scf.if %[[IS_WHOLE]]
  // CHECK-NOT:         memref.load %[[END]][
  // CHECK:             vector.load %[[K]][
  // CHECK-NOT:         arith.select {{.*}} : vector<4xf32>
  // CHECK-NOT:         arith.select {{.*}}, %[[NONE]] : f32
  // CHECK:             vector.load %[[V]][
  // CHECK:           } else {
  // CHECK:             vector.load %[[K]][
  // CHECK:             arith.select {{.*}} : vector<4xf32>
  // CHECK:             memref.load %[[END]][
  // CHECK:             arith.select {{.*}}, %[[NONE]] : f32
  // CHECK:             vector.load %[[V]][
  // CHECK:       gpu.return
  commir.online_attention maps [#q, #k, #v, #r, #r, #o, #s, #s] scale 0.125
    ins(%q, %k, %v : memref<4x256x64xf32>, memref<4x512x64xf32>,
        memref<4x512x64xf32>)
    key_range(%begin, %end : memref<256xi32>, memref<256xi32>)
    outs(%a, %m, %l : memref<4x256x64xf32>, memref<4x256xf32>,
         memref<4x256xf32>)
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (d, n)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#r = affine_map<(m, n, d, e) -> ()>
#o = affine_map<(m, n, d, e) -> (m, e)>
#s = affine_map<(m, n, d, e) -> (m)>

// A tile begins at any key: keys that lie side by side are read one by one, and
// up to the last that is valid.
// CHECK-LABEL: gpu.func @side_by_side(
// CHECK-SAME:    %[[K:[^ ]*]]: memref<16x64xf32>, %{{[^ ]*}}: memref<64x16xf32>, %[[VALID:[^ ]*]]: index,
// CHECK:         %[[POSITIVE:.*]] = arith.maxsi %[[VALID]]
// CHECK:         %[[KEYS:.*]] = arith.minsi %[[POSITIVE]]
// CHECK:         %[[KEYS32:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK:         arith.minsi %{{.*}}, %[[KEYS32]] : i32
// CHECK-NOT:     vector.load %[[K]][
// CHECK:         gpu.return
func.func private @side_by_side(
    %q: memref<8x16xf32>, %k: memref<16x64xf32> {llvm.align = 16 : i64},
    %v: memref<64x16xf32>, %valid: index, %begin: memref<i32>,
    %end: memref<i32>, %a: memref<8x16xf32>, %m: memref<8xf32>,
    %l: memref<8xf32>) attributes {commir.kernel} {
  commir.online_attention maps [#q, #k, #v, #r, #r, #o, #s, #s]
    ins(%q, %k, %v : memref<8x16xf32>, memref<16x64xf32>, memref<64x16xf32>)
    valid(%valid) key_range(%begin, %end : memref<i32>, memref<i32>)
    outs(%a, %m, %l : memref<8x16xf32>, memref<8xf32>, memref<8xf32>)
  return
}
