// Sums of 16-bit integers, which ranks cannot exchange; commir-to-nccl-invalid.mlir
// runs this.
func.func @unsupported_type(%a: tensor<8x8xi16>, %b: tensor<8x8xi16>, %c: tensor<8x8xi16>) -> tensor<8x8xi16> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xi16>, tensor<8x8xi16>) outs(%c : tensor<8x8xi16>) -> tensor<8x8xi16>
  return %0 : tensor<8x8xi16>
}
