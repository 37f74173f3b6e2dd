// The weighted sum of four ranks, y = sum over r of w[r] * x[r], as a distributed
// loop nest written by hand: one input is replicated, the other sharded, and the
// partial sums are combined at the end.
//   mercury-run examples/weighted-sum-synchronous.mlir --verify
commir.topology @four levels [#commir.level<gpu, 4>]

func.func @weighted_sum(%w: tensor<4xf32>, %x: tensor<4x64xf32>)
    -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %w1 = commir.replicate %w : tensor<4xf32>
  %x1 = commir.shard %x to [{gpu}, {}] : tensor<4x64xf32>

  // One slot per rank: each writes its own, there is no race.
  %e = tensor.empty() : tensor<4x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %p = commir.shard %z to [{gpu}, {}] : tensor<4x64xf32>
  %partial = scf.forall (%r) in (4) shared_outs(%o = %p) -> (tensor<4x64xf32>) {
    %wt = tensor.extract_slice %w1[%r] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %xt = tensor.extract_slice %x1[%r, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<1x64xf32>
    %ot = tensor.extract_slice %o[%r, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %s = linalg.vecmat ins(%wt, %xt : tensor<1xf32>, tensor<1x64xf32>)
                       outs(%ot : tensor<64xf32>) -> tensor<64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%r, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    }
  } {mapping = [#commir.axis<gpu>]}

  // An ordinary reduction over the slots. On ranks it is the communication.
  %ey = tensor.empty() : tensor<64xf32>
  %zy = linalg.fill ins(%zero : f32) outs(%ey : tensor<64xf32>) -> tensor<64xf32>
  %y0 = commir.replicate %zy : tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%partial : tensor<4x64xf32>)
                                      outs(%y0 : tensor<64xf32>) dimensions = [0]
  %y = commir.replicate %sum : tensor<64xf32>
  return %y : tensor<64xf32>
}
