// RUN: mercury-opt --mercury-lower-kernels-to-gpu --canonicalize --cse --split-input-file %s | FileCheck %s

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#s = affine_map<(h, m, n, d, e) -> (h, m)>

// A state in f64: a thread per row, of which there are 3 * 100.
// CHECK-LABEL: gpu.func @f64(
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 3, 1, 1>
func.func private @f64(
    %q: memref<3x100x8xf32>, %k: memref<3x20x8xf64>, %v: memref<3x20x8xf32>,
    %a: memref<3x100x8xf64>, %m: memref<3x100xf64>, %l: memref<3x100xf64>)
    attributes {commir.kernel} {
  // CHECK-DAG:   %[[C100:.*]] = arith.constant 100 : index
  // CHECK-DAG:   %[[C300:.*]] = arith.constant 300 : index
  // CHECK:       %[[IS_ROW:.*]] = arith.cmpi slt, %[[ROW:.*]], %[[C300]]
  // CHECK:       scf.if %[[IS_ROW]] {
  // CHECK:         arith.remui %[[ROW]], %[[C100]]
  // CHECK:         arith.divui %[[ROW]], %[[C100]]
  // CHECK:         arith.maximumf {{.*}} : f64
  // CHECK:         math.exp {{.*}} : f64
  // CHECK:       gpu.return
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<3x100x8xf32>, memref<3x20x8xf64>,
        memref<3x20x8xf32>)
    outs(%a, %m, %l : memref<3x100x8xf64>, memref<3x100xf64>,
         memref<3x100xf64>)
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#s = affine_map<(m, n, d, e) -> (m)>

// No rows: a grid has a block, which does nothing.
// CHECK-LABEL: gpu.func @no_rows(
// CHECK-SAME:    known_grid_size = array<i32: 1, 1, 1>
// CHECK-NOT:     memref.store
// CHECK:         gpu.return
func.func private @no_rows(
    %q: memref<0x8xf32>, %k: memref<4x8xf32>, %v: memref<4x8xf32>,
    %a: memref<0x8xf32>, %m: memref<0xf32>, %l: memref<0xf32>)
    attributes {commir.kernel} {
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<0x8xf32>, memref<4x8xf32>, memref<4x8xf32>)
    outs(%a, %m, %l : memref<0x8xf32>, memref<0xf32>, memref<0xf32>)
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#s = affine_map<(m, n, d, e) -> (m)>

// No keys: the state stays.
// CHECK-LABEL: gpu.func @no_keys(
// CHECK-SAME:    %[[M:[^ ]*]]: memref<4xf32>, %{{[^ ]*}}: memref<4xf32>)
// CHECK:         %[[BEFORE:.*]] = memref.load %[[M]][%[[ROW:.*]]]
// CHECK:         memref.store %[[BEFORE]], %[[M]][%[[ROW]]]
// CHECK:         gpu.return
func.func private @no_keys(
    %q: memref<4x8xf32>, %k: memref<0x8xf32>, %v: memref<0x8xf32>,
    %a: memref<4x8xf32>, %m: memref<4xf32>, %l: memref<4xf32>)
    attributes {commir.kernel} {
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<4x8xf32>, memref<0x8xf32>, memref<0x8xf32>)
    outs(%a, %m, %l : memref<4x8xf32>, memref<4xf32>, memref<4xf32>)
  return
}
