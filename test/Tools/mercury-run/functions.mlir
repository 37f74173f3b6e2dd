// Functions of forms that are rare and right.

// Two results whose inits are one fill: bufferization must not keep the second
// in the buffer of the first.
// RUN: mercury-run --verify --topology=gpu=2 --entry=two_results --local=loops -O0 %s | FileCheck %s
// CHECK: default 2 (gpu=2) {{.*}} verified
// CHECK-NOT: verified
func.func @two_results(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// One value twice, and an argument.
// RUN: mercury-run --verify --topology=gpu=2 --entry=returns_twice --local=loops -O0 %s | FileCheck %s
func.func @returns_twice(%a: tensor<8x8xf32>, %unused: tensor<3xi8>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%a : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %0, %a : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
