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

// CHECK-LABEL: func @rows_are_copied_at_once
// CHECK-SAME: %[[A:.*]]: memref<4x8x16xf32, strided<[1024, 16, 1], offset: ?>>, %[[B:.*]]: memref<4x8x16xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c4
// CHECK-NOT: scf.for
// CHECK: %[[FROM:.*]] = memref.subview %[[A]][%[[I]], 0, 0] [1, 8, 16] [1, 1, 1]
// CHECK: %[[TO:.*]] = memref.subview %[[B]][%[[I]], 0, 0] [1, 8, 16] [1, 1, 1]
// CHECK: memref.copy %[[FROM]], %[[TO]] : memref<8x16xf32, {{.*}}> to memref<8x16xf32
// CHECK-NOT: linalg.generic
func.func @rows_are_copied_at_once(
    %a: memref<4x8x16xf32, strided<[1024, 16, 1], offset: ?>>, %b: memref<4x8x16xf32>) {
  memref.copy %a, %b : memref<4x8x16xf32, strided<[1024, 16, 1], offset: ?>> to memref<4x8x16xf32>
  return
}
