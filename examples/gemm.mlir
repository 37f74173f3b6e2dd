// One GEMM as a compiler hands it over: no word about devices. The topology is
// the machine that it runs on unless another one is named.
//   mercury-run examples/gemm.mlir --schedule=all_gather_gemm_shifted --verify
commir.topology @machine levels [#commir.level<gpu, 4>]

func.func @gemm(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>)
    -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32)
                      outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = linalg.matmul
         ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>)
         outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %c : tensor<512x512xf32>
}
