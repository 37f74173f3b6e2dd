// A function without contractions, and a dynamic one.
// RUN: mercury-tune %s --topology=gpu=2 --entry=add 2>&1 | FileCheck %s --check-prefix=ADD
// ADD: remark: no operator of @add is to be tuned
// RUN: not mercury-tune %s --topology=gpu=2 --entry=dynamic 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error: has a dynamic extent in a value of type 'tensor<?x8xf32>'; only static shapes are tuned

func.func @add(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.addf %a, %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @dynamic(%a: tensor<?x8xf32>, %b: tensor<8x8xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x8xf32>) outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
