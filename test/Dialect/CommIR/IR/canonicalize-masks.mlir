// Folds of positions and arranged tensors.
// RUN: mercury-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @positions(
// CHECK-SAME: %[[I:.*]]: index)
// CHECK-DAG: %[[P:.*]] = arith.constant 28 : index
// CHECK-DAG: %[[OUTSIDE:.*]] = arith.constant 32 : index
// An order has no index beyond its extent.
// CHECK: %[[KEPT:.*]] = commir.position %[[OUTSIDE]] in <zigzag 4 of 32>
// CHECK: return %[[I]], %[[P]], %[[KEPT]]
func.func @positions(%i: index) -> (index, index, index) {
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %0 = commir.position %i in <natural of 32>
  %1 = commir.position %c4 in <zigzag 4 of 32>
  %2 = commir.position %c32 in <zigzag 4 of 32>
  return %0, %1, %2 : index, index, index
}

// CHECK-LABEL: func.func @there_and_back(
// CHECK-SAME: %[[X:.*]]: tensor<8x8xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
func.func @there_and_back(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = commir.arrange %x dim 0 as <zigzag 4 of 8> : tensor<8x8xf32>
  %1 = commir.arrange %0 dim 0 as <zigzag 4 of 8> back : tensor<8x8xf32>
  %2 = commir.arrange %x dim 1 as <striped 2 by 2 of 8> back : tensor<8x8xf32>
  %3 = commir.arrange %2 dim 1 as <striped 2 by 2 of 8> : tensor<8x8xf32>
  %4 = commir.arrange %x dim 1 as <natural of 8> : tensor<8x8xf32>
  return %1, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// Another order, dimension or direction.
// CHECK-LABEL: func.func @not_back(
// CHECK-COUNT-6: commir.arrange
// CHECK: return
func.func @not_back(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = commir.arrange %x dim 0 as <zigzag 2 of 8> : tensor<8x8xf32>
  %1 = commir.arrange %0 dim 0 as <zigzag 4 of 8> back : tensor<8x8xf32>
  %2 = commir.arrange %0 dim 1 as <zigzag 2 of 8> back : tensor<8x8xf32>
  %3 = commir.arrange %0 dim 0 as <zigzag 2 of 8> : tensor<8x8xf32>
  %4 = commir.arrange %x dim 1 as <zigzag 2 of 8> : tensor<8x8xf32>
  %5 = commir.arrange %4 dim 0 as <zigzag 2 of 8> back : tensor<8x8xf32>
  %6 = tensor.empty() : tensor<8x8xf32>
  %7 = linalg.add ins(%1, %5 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%6 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %7, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
