// Ring attention of bf16 on four GPUs: keys and values go round while each rank
// computes with what it has.
//   mercury-run examples/gpu/attention-bf16.mlir --schedule=ring --verify
//   mercury-run examples/gpu/attention-bf16.mlir --schedule=ring --verify --target=emulated
//   mercury-run examples/gpu/attention-bf16.mlir --schedule=ring --verify --target=cuda
commir.topology @machine levels [#commir.level<gpu, 4>]

#q = affine_map<(h, m, n, d) -> (h, m, d)>
#k = affine_map<(h, m, n, d) -> (h, n, d)>
#s = affine_map<(h, m, n, d) -> (h, m, n)>

func.func @attention(%q: tensor<4x256x64xbf16>, %k: tensor<4x256x64xbf16>,
                     %v: tensor<4x256x64xbf16>) -> tensor<4x256x64xbf16> {
  %scale = arith.constant dense<0.125> : tensor<4x256x256xf32>
  %zs = arith.constant dense<0.0> : tensor<4x256x256xf32>
  %zo = arith.constant dense<0.0> : tensor<4x256x64xbf16>
  %empty = tensor.empty() : tensor<4x256x256xf32>
  %qk = linalg.contract indexing_maps = [#q, #k, #s]
          ins(%q, %k : tensor<4x256x64xbf16>, tensor<4x256x64xbf16>)
          outs(%zs : tensor<4x256x256xf32>) -> tensor<4x256x256xf32>
  %scaled = arith.mulf %qk, %scale : tensor<4x256x256xf32>
  %weights = linalg.softmax dimension(2)
               ins(%scaled : tensor<4x256x256xf32>)
               outs(%empty : tensor<4x256x256xf32>) -> tensor<4x256x256xf32>
  %p = arith.truncf %weights : tensor<4x256x256xf32> to tensor<4x256x256xbf16>
  %o = linalg.batch_matmul
         ins(%p, %v : tensor<4x256x256xbf16>, tensor<4x256x64xbf16>)
         outs(%zo : tensor<4x256x64xbf16>) -> tensor<4x256x64xbf16>
  return %o : tensor<4x256x64xbf16>
}
