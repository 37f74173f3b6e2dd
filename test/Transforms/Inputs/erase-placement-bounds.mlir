// A rank loop whose length is an argument; erase-placement.mlir runs this.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @rank_loop_of_variable_length(%c: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %y = scf.forall (%r) in (%n) shared_outs(%o = %c) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %o[%r] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%r] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8xf32>
}
