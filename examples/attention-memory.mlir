// Attention on devices of little memory: with the keys and values gathered a rank
// would hold 8 MiB, in a ring it holds less than 5.
//   mercury-run examples/attention-memory.mlir --enforce-memory --schedule=context_parallel
//   mercury-run examples/attention-memory.mlir --enforce-memory --schedule=ring --verify
// Of the 8 MiB of a device a program may reserve 6.
commir.topology @small levels [#commir.level<gpu, 4, bandwidth 5.0e9, latency 5.0e-6>]
  device <memory 8388608, reservable 6291456, bandwidth 1.0e11, peak {f32 = 1.0e12}>

func.func @attention(%q: tensor<8x1024x64xf32>, %k: tensor<8x1024x64xf32>,
                     %v: tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32> {
  %empty = tensor.empty() : tensor<8x1024x64xf32>
  %o = commir.attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
      scale 0.125
      ins(%q, %k, %v : tensor<8x1024x64xf32>, tensor<8x1024x64xf32>, tensor<8x1024x64xf32>)
      outs(%empty : tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32>
  return %o : tensor<8x1024x64xf32>
}
