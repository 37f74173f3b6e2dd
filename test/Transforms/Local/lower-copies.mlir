// RUN: mercury-opt %s --mercury-lower-copies | FileCheck %s

// CHECK-LABEL: func @contiguous_stays
// CHECK: memref.copy
func.func @contiguous_stays(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  memref.copy %a, %b : memref<4x4xf32> to memref<4x4xf32>
  return
}

// CHECK-LABEL: func @strided_becomes_elementwise
// CHECK-SAME: %[[A:.*]]: memref<4x4xf32, strided<[8, 1]>>, %[[B:.*]]: memref<4x4xf32>
// CHECK-NOT: memref.copy
// CHECK: linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[B]] :
func.func @strided_becomes_elementwise(%a: memref<4x4xf32, strided<[8, 1]>>, %b: memref<4x4xf32>) {
  memref.copy %a, %b : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32>
  return
}
