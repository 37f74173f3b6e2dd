// RUN: mercury-opt %s --mercury-vectorize-contractions=vector-bits=512 --canonicalize --cse --split-input-file --allow-unregistered-dialect | FileCheck %s
// RUN: mercury-opt %s --mercury-vectorize-contractions=vector-bits=512 --canonicalize --cse --split-input-file --allow-unregistered-dialect \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map allow-unknown-ops" | FileCheck %s --check-prefix=BUF

// Whole blocks: one workspace outside the loops, packing, an unmasked kernel.
// CHECK-LABEL: func @whole_blocks
// CHECK: tensor.empty() : tensor<2x64x32xf32>
// CHECK-NOT: tensor.empty
// CHECK: scf.for
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true]} : tensor<64x64xf32>, vector<32xf32>
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<32xf32>, tensor<2x64x32xf32>
// CHECK-COUNT-12: vector.fma %{{.*}} : vector<32xf32>
// CHECK-NOT: linalg
// CHECK: return
// In place, and no allocation or copy in a loop.
// BUF-LABEL: func @whole_blocks
// BUF: memref.alloc() {{.*}} : memref<2x64x32xf32>
// BUF-NOT: memref.alloc
// BUF-NOT: memref.copy
// BUF: return
func.func @whole_blocks(%a: tensor<60x64xf32>, %b: tensor<64x64xf32>, %c: tensor<60x64xf32>) -> tensor<60x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<60x64xf32>, tensor<64x64xf32>) outs(%c : tensor<60x64xf32>) -> tensor<60x64xf32>
  return %0 : tensor<60x64xf32>
}

// -----

// 40 columns: one panel of 32, unmasked, and 8 in a masked vector of 16. 37
// rows: three blocks of 12 and a kernel of one row.
// CHECK-LABEL: func @edges
// CHECK: scf.for
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true]} : tensor<64x40xf32>, vector<32xf32>
// CHECK-COUNT-13: vector.fma %{{.*}} : vector<32xf32>
// CHECK: vector.transfer_read %{{[^{]*}} : tensor<64x40xf32>, vector<16xf32>
// CHECK-COUNT-13: vector.fma %{{.*}} : vector<16xf32>
// CHECK: vector.transfer_write %{{[^{]*}} : vector<16xf32>, tensor<37x40xf32>
func.func @edges(%a: tensor<37x64xf32>, %b: tensor<64x40xf32>, %c: tensor<37x40xf32>) -> tensor<37x40xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<37x64xf32>, tensor<64x40xf32>) outs(%c : tensor<37x40xf32>) -> tensor<37x40xf32>
  return %0 : tensor<37x40xf32>
}

// -----

// Below min-flops.
// CHECK-LABEL: func @tiny_is_left_alone
// CHECK: linalg.matmul
func.func @tiny_is_left_alone(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Sums in bf16 are not ours to change; dynamic extents are not supported.
// CHECK-LABEL: func @narrow_or_dynamic_is_left_alone
// CHECK-COUNT-2: linalg.matmul
func.func @narrow_or_dynamic_is_left_alone(%a: tensor<64x64xbf16>, %b: tensor<?x64xf32>, %c: tensor<64x64xf32>, %d: tensor<?x64xf32>) -> (tensor<64x64xbf16>, tensor<?x64xf32>) {
  %0 = linalg.matmul ins(%a, %a : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%a : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = linalg.matmul ins(%b, %c : tensor<?x64xf32>, tensor<64x64xf32>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0, %1 : tensor<64x64xbf16>, tensor<?x64xf32>
}

// -----

// bf16 inputs are extended while they are packed, not in the kernel; a turned B
// is transposed in registers.
// CHECK-LABEL: func @extended_and_turned_while_packed
// CHECK: vector.transfer_read %{{.*}} : tensor<256x64xbf16>, vector<16xbf16>
// CHECK: arith.extf %{{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK: vector.shuffle
// CHECK: arith.extf %{{.*}} : vector<32xbf16> to vector<32xf32>
// CHECK: scf.for {{.*}} -> (vector<32xf32>
// CHECK-NOT: extf
// CHECK: return
func.func @extended_and_turned_while_packed(%a: tensor<24x64xbf16>, %b: tensor<256x64xbf16>, %c: tensor<24x256xf32>) -> tensor<24x256xf32> {
  %0 = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<24x64xbf16>, tensor<256x64xbf16>) outs(%c : tensor<24x256xf32>) -> tensor<24x256xf32>
  return %0 : tensor<24x256xf32>
}

// -----

// Inside loops and regions of any op.
// CHECK-LABEL: func @nested
// CHECK: "my.region"
// CHECK: scf.for
// CHECK: vector.fma
// CHECK-NOT: linalg.batch_matmul
// CHECK: "my.yield"
func.func @nested(%a: tensor<3x24x64xf32>, %b: tensor<3x64x32xf32>, %c: tensor<3x24x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "my.region"() ({
    %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> tensor<3x24x32xf32> {
      %1 = linalg.batch_matmul ins(%a, %b : tensor<3x24x64xf32>, tensor<3x64x32xf32>) outs(%x : tensor<3x24x32xf32>) -> tensor<3x24x32xf32>
      scf.yield %1 : tensor<3x24x32xf32>
    }
    "my.yield"(%0) : (tensor<3x24x32xf32>) -> ()
  }) : () -> ()
  return
}

// -----

// A kernel takes the place of what is patched.
//
// CHECK-LABEL: func.func @patched(
// CHECK: linalg.matmul {commir.patch = "mine"}
// CHECK: return
func.func @patched(%a: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul {commir.patch = "mine"} ins(%a, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
