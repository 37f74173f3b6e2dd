!t = tensor<4000000000x4000000000xbf16>
func.func @f(%a: !t, %b: !t, %c: !t) -> !t {
  %0 = linalg.matmul ins(%a, %b : !t, !t) outs(%c : !t) -> !t
  return %0 : !t
}
