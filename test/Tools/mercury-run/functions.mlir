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

// More ranks than columns: some hold nothing but padding, which a maximum must
// not see.
// RUN: mercury-run --verify --topology=gpu=24 --entry=softmax --local=loops -O0 %s | FileCheck %s --check-prefix=PADDED
// PADDED: default 24 (gpu=24) {{.*}} verified
func.func @softmax(%a: tensor<9x16xf32>) -> tensor<9x16xf32> {
  %e = tensor.empty() : tensor<9x16xf32>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<9x16xf32>) outs(%e : tensor<9x16xf32>) -> tensor<9x16xf32>
  return %0 : tensor<9x16xf32>
}
