// Extents that four ranks do not divide.
func.func @gemm(%a: tensor<30x22xf32>, %b: tensor<22x26xf32>)
    -> tensor<30x26xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<30x26xf32>
  %init = linalg.fill ins(%zero : f32)
                      outs(%empty : tensor<30x26xf32>) -> tensor<30x26xf32>
  %c = linalg.matmul ins(%a, %b : tensor<30x22xf32>, tensor<22x26xf32>)
                     outs(%init : tensor<30x26xf32>) -> tensor<30x26xf32>
  return %c : tensor<30x26xf32>
}
