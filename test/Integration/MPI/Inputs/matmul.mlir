// Large enough that an interrupt meets it.
!m = tensor<512x512xf32>
func.func @matmul(%a: !m, %b: !m, %c: !m) -> !m {
  %0 = linalg.matmul ins(%a, %b : !m, !m) outs(%c : !m) -> !m
  return %0 : !m
}
