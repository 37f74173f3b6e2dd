#query = affine_map<(h, m, n, d, e) -> (h, m, d)>
#key = affine_map<(h, m, n, d, e) -> (h, n, d)>
#value = affine_map<(h, m, n, d, e) -> (h, n, e)>
#output = affine_map<(h, m, n, d, e) -> (h, m, e)>
func.func @attention(%q: tensor<4x24x8xf32>, %k: tensor<4x24x8xf32>, %v: tensor<4x24x8xf32>) -> tensor<4x24x8xf32> {
  %empty = tensor.empty() : tensor<4x24x8xf32>
  %o = commir.attention maps [#query, #key, #value, #output] scale 0.25
    ins(%q, %k, %v : tensor<4x24x8xf32>, tensor<4x24x8xf32>, tensor<4x24x8xf32>)
    outs(%empty : tensor<4x24x8xf32>) -> tensor<4x24x8xf32>
  return %o : tensor<4x24x8xf32>
}
