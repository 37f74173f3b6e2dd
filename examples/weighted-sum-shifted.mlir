// The weighted sum of four ranks, y = sum over r of w[r] * x[r], as a distributed
// loop nest written by hand: both inputs are sharded, each rank sums up a quarter
// of the result, and the inputs travel around the ring.
//   mercury-run examples/weighted-sum-shifted.mlir --verify
commir.topology @four levels [#commir.level<gpu, 4>]

func.func @weighted_sum(%w: tensor<4xf32>, %x: tensor<4x64xf32>)
    -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %w1 = commir.shard %w to [{gpu}] : tensor<4xf32>
  %x1 = commir.shard %x to [{gpu}, {}] : tensor<4x64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %y0 = commir.shard %z to [{gpu}] : tensor<64xf32>

  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%yt = %y0) -> (tensor<64xf32>) {
    %next = scf.forall (%r) in (4) shared_outs(%o = %yt) -> (tensor<64xf32>) {
      // Rank r starts with its own term and goes on to the next rank's.
      %s = commir.shift %t by %r mod 4
      %at = arith.muli %r, %c16 : index
      %wt = tensor.extract_slice %w1[%s] [1] [1] : tensor<4xf32> to tensor<1xf32>
      %xt = tensor.extract_slice %x1[%s, %at] [1, 16] [1, 1] : tensor<4x64xf32> to tensor<1x16xf32>
      %ot = tensor.extract_slice %o[%at] [16] [1] : tensor<64xf32> to tensor<16xf32>
      %sum = linalg.vecmat ins(%wt, %xt : tensor<1xf32>, tensor<1x16xf32>)
                           outs(%ot : tensor<16xf32>) -> tensor<16xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %sum into %o[%at] [16] [1] : tensor<16xf32> into tensor<64xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %next : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}
