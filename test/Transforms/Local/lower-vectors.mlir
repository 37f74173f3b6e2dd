// RUN: mercury-opt %s --mercury-lower-vectors | FileCheck %s

// CHECK-LABEL: func @transfer_becomes_one_load_a_row
// CHECK-COUNT-3: vector.load %{{.*}} : memref<3x16xf32>, vector<16xf32>
// CHECK-NOT: vector.transfer_read
// CHECK: return
func.func @transfer_becomes_one_load_a_row(%m: memref<3x16xf32>) -> vector<3x16xf32> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %pad {in_bounds = [true, true]} : memref<3x16xf32>, vector<3x16xf32>
  return %0 : vector<3x16xf32>
}

// CHECK-LABEL: func @out_of_bounds_becomes_masked
// CHECK: vector.maskedload
func.func @out_of_bounds_becomes_masked(%m: memref<3x16xf32>, %i: index) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %i], %pad : memref<3x16xf32>, vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func @contract_becomes_fma
// CHECK-COUNT-2: vector.fma
// CHECK-NOT: vector.contract
// CHECK: return
func.func @contract_becomes_fma(%a: vector<2x1xf32>, %b: vector<1x8xf32>, %c: vector<2x8xf32>) -> vector<2x8xf32> {
  %0 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c
      : vector<2x1xf32>, vector<1x8xf32> into vector<2x8xf32>
  return %0 : vector<2x8xf32>
}
