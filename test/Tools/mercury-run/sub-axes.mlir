// Communicators over factors of a level: K is split over pairs of neighbours,
// rows over the pairs; the sum of 4 x 8 numbers is among neighbours.
// RUN: mercury-run --verify --strict --topology=gpu=4 "--schedule=loops [rank gpu:(1)2, -, rank gpu:(2)2] inputs [[{gpu:(1)2}, {gpu:(2)2}], [{gpu:(2)2}, {}]] results [[{gpu:(1)2}, {}]]" %s | FileCheck %s
// CHECK: 4 (gpu=4) {{.*}} verified
// CHECK: 0 {{ *}}128 {{ *}}128

func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
