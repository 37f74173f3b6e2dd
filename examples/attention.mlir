// Multi-head attention as a compiler hands it over: two contractions with a
// softmax between them, and no word about devices. The topology is the machine
// that it runs on unless another one is named.
//   mercury-run examples/attention.mlir --schedule=ring --verify
commir.topology @machine levels [#commir.level<gpu, 4>]

#q = affine_map<(h, m, n, d) -> (h, m, d)>
#k = affine_map<(h, m, n, d) -> (h, n, d)>
#s = affine_map<(h, m, n, d) -> (h, m, n)>

func.func @attention(%q: tensor<8x512x64xf32>, %k: tensor<8x512x64xf32>,
                     %v: tensor<8x512x64xf32>) -> tensor<8x512x64xf32> {
  %scale = arith.constant dense<0.125> : tensor<8x512x512xf32>
  %zs = arith.constant dense<0.0> : tensor<8x512x512xf32>
  %zo = arith.constant dense<0.0> : tensor<8x512x64xf32>
  %empty = tensor.empty() : tensor<8x512x512xf32>

  // Scores of each query for each key, by head.
  %qk = linalg.contract indexing_maps = [#q, #k, #s]
          ins(%q, %k : tensor<8x512x64xf32>, tensor<8x512x64xf32>)
          outs(%zs : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %scaled = arith.mulf %qk, %scale : tensor<8x512x512xf32>
  %weights = linalg.softmax dimension(2)
               ins(%scaled : tensor<8x512x512xf32>)
               outs(%empty : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %o = linalg.batch_matmul
         ins(%weights, %v : tensor<8x512x512xf32>, tensor<8x512x64xf32>)
         outs(%zo : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %o : tensor<8x512x64xf32>
}
