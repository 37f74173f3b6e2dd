// What scripts/device-check.sh measures: one rank, no reference.
commir.topology @machine levels [#commir.level<gpu, 1>]

func.func @gemm_bf16_2048(%a: tensor<2048x2048xbf16>, %b: tensor<2048x2048xbf16>, %c: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<2048x2048xbf16>, tensor<2048x2048xbf16>)
                     outs(%c : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

func.func @gemm_f32_2048(%a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>, %c: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<2048x2048xf32>, tensor<2048x2048xf32>)
                     outs(%c : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

func.func @attention_bf16_4096(%q: tensor<8x4096x64xbf16>, %k: tensor<8x4096x64xbf16>, %v: tensor<8x4096x64xbf16>) -> tensor<8x4096x64xbf16> {
  %zero = arith.constant dense<0.0> : tensor<8x4096x64xbf16>
  %o = commir.attention
         maps [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
               affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
         scale 0.125
         ins(%q, %k, %v : tensor<8x4096x64xbf16>, tensor<8x4096x64xbf16>, tensor<8x4096x64xbf16>)
         outs(%zero : tensor<8x4096x64xbf16>) -> tensor<8x4096x64xbf16>
  return %o : tensor<8x4096x64xbf16>
}
