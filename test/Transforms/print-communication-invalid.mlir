// RUN: mercury-opt %s --mercury-print-communication --verify-diagnostics

// expected-error @+1 {{has rank loops, but no topology resolves}}
func.func @no_topology(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scf.forall (%r) in (2) shared_outs(%o = %a) -> (tensor<8xf32>) {
    %offset = affine.apply affine_map<(d0) -> (d0 * 4)>(%r)
    %tile = tensor.extract_slice %o[%offset] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %tile into %o[%offset] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %0 : tensor<8xf32>
}
