commir.topology @t levels [#commir.level<gpu, 4>]
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#row = affine_map<(m, n, d, e) -> (m)>
func.func @attention(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %a: tensor<8x4xf32>, %m: tensor<8xf32>) -> tensor<8x4xf32> {
  %s:3 = commir.online_attention maps [#q, #k, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>, #row, #row]
      ins(%q, %k, %k : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%a, %m, %m : tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>
  return %s#0 : tensor<8x4xf32>
}
