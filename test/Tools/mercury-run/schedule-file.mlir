// One schedule a line, for the contractions in order: the first one's columns
// are where the second one's K is, so that nothing but the sum is sent.
// RUN: mercury-run --verify --topology=gpu=2 --schedule=%S/Inputs/column-row.schedule %s | FileCheck %s
// CHECK: column-row.schedule  2 (gpu=2) {{.*}} verified
// CHECK: 0 {{ *}}512 {{ *}}128

// A text on the command line is for every contraction.
// RUN: mercury-run --verify --topology=gpu=2 "--schedule=loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]" %s | FileCheck %s --check-prefix=TEXT
// TEXT: of the command line  2 (gpu=2) {{.*}} verified
// TEXT: 0 {{ *}}512 {{ *}}0

func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>)
    -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%0, %c : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
