// A reference that shows little is noted.
// RUN: mercury-run --verify --topology=gpu=2 --entry=zero %s 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: mercury-run: note: result 0: the reference is all zero; the error is absolute
// RUN: mercury-run --verify --topology=gpu=2 --entry=infinite %s 2>&1 | FileCheck %s --check-prefix=INFINITE
// INFINITE: mercury-run: note: result 0: the reference is not finite in 64 of 64 elements

func.func @zero(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>)
    -> tensor<8x8xf32>
  %r = linalg.matmul ins(%a, %init : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

func.func @infinite(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %inf = arith.constant 0x7F800000 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%inf : f32) outs(%empty : tensor<8x8xf32>)
    -> tensor<8x8xf32>
  %r = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
