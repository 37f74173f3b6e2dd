// What scripts may not ask for, with the reason and a note at the operator.
// RUN: mercury-opt %s -split-input-file -verify-diagnostics -transform-interpreter

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @tile_steps_not_positive(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{loop 0 cannot be cut into 0 steps}}
    transform.commir.tile %m loop 0 steps 0 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @tile_loop_out_of_range(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{loop 3 is out of range, 'linalg.matmul' has 3}}
    transform.commir.tile %m loop 3 steps 2 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @tile_axis_not_in_topology(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{axis 'tpu' is not in the topology, which has 'node', 'gpu'}}
    transform.commir.tile %m loop 0 over {tpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @join_rank_and_time(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    transform.commir.tile %m loop 0 steps 2 : !transform.any_op
    // expected-error @below {{factors 0 and 1 of loop 0 are a rank and a time factor and cannot be joined}}
    transform.commir.join %m loop 0 factor 0 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @join_nothing(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    // expected-error @below {{factor 1 is out of range, loop 0 has 1}}
    transform.commir.join %m loop 0 factor 0 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @reorder_incomplete(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.tile %m loop 0 steps 2 : !transform.any_op
    transform.commir.tile %m loop 2 steps 2 : !transform.any_op
    // expected-error @below {{order names 1 time loops, schedule has 2}}
    transform.commir.reorder %m loops [0] factors [0] : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @reorder_names_no_time_loop(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.tile %m loop 0 steps 2 : !transform.any_op
    // expected-error @below {{order does not name each time loop once: it has (1, 0) where (0, 0) is expected}}
    transform.commir.reorder %m loops [1] factors [0] : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @parallelize_axis_used_twice(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    // expected-error @below {{axis 'gpu' is used twice: by loop 1 and, as 'gpu', by loop 0}}
    transform.commir.parallelize %m loop 1 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]

func.func @parallelize_sub_axis_used_twice(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    // expected-error @below {{axis 'gpu:(1)2' is used twice: by loop 1 and, as 'gpu', by loop 0}}
    transform.commir.parallelize %m loop 1 over {gpu:(1)2} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @parallelize_axis_twice_at_once(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{axis twice: 'gpu' and 'gpu'}}
    transform.commir.parallelize %m loop 0 over {gpu, gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @parallelize_no_axis(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expected at least one axis}}
    transform.commir.parallelize %m loop 0 over {} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @parallelize_reduction_without_combiner(%a: tensor<12x8xf32>, %c: tensor<12xf32>) -> tensor<12xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                       iterator_types = ["parallel", "reduction"]}
         ins(%a : tensor<12x8xf32>) outs(%c : tensor<12xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.divf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<12xf32>
  return %0 : tensor<12xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{axes {gpu} cannot parallelize reduction loop 1: result 0 of 'linalg.generic' has no known combiner}}
    transform.commir.parallelize %m loop 1 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @shard_axis_used_twice(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.shard %m input 0 dim 0 over {gpu} : !transform.any_op
    // expected-error @below {{dimension 0 of input 0 is already sharded over axis 'gpu'}}
    transform.commir.shard %m input 0 dim 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @shard_dimension_out_of_range(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{dimension 2 is out of range, input 0 has 2}}
    transform.commir.shard %m input 0 dim 2 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @shard_input_out_of_range(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{input 2 is out of range, 'linalg.matmul' has 2}}
    transform.commir.shard %m input 2 dim 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @shard_result_axis_used_twice(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    // expected-error @below {{uses an axis twice: 'gpu' and 'gpu'}}
    transform.commir.shard_result %m result 0 dim 1 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @shard_result_out_of_range(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{result 1 is out of range, 'linalg.matmul' has 1}}
    transform.commir.shard_result %m result 1 dim 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @replicate_not_sharded(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{input 1 with placement [{}, {}] is not sharded over axis 'gpu'}}
    transform.commir.replicate %m input 1 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @replicate_result_not_sharded(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{result 0 with placement [{}, {}] is not sharded over axis 'gpu'}}
    transform.commir.replicate_result %m result 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @shift_of_rank_factor(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    // expected-error @below {{factor 0 of loop 0 is over ranks {gpu}, only time factors are shifted}}
    transform.commir.shift %m loop 0 factor 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @shift_of_other_number_of_steps(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.tile %m loop 0 steps 3 : !transform.any_op
    // expected-error @below {{factor 0 of loop 0 has 3 steps, but axes {gpu} have 2 ranks}}
    transform.commir.shift %m loop 0 factor 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @shift_stride_skips_tiles(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.tile %m loop 0 over {gpu} : !transform.any_op
    // expected-error @below {{stride 2 has a common factor with the 2 steps of factor 0 of loop 0}}
    transform.commir.shift %m loop 0 factor 0 over {gpu} stride 2 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @fetch_without_owners(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{input 0 with placement [{}, {}] has no owners to fetch from over axis 'gpu'}}
    transform.commir.fetch %m input 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @patch_no_word(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{kernel name 'my kernel' is not a word of letters, digits, underscores and dots}}
    transform.commir.patch %m kernel "my kernel" : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @named_schedule_misspelt(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{no schedule is called 'al_gather_gemm'; did you mean 'all_gather_gemm'?}}
    transform.commir.named_schedule %m "al_gather_gemm" : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @set_schedule_illegal(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{illegal schedule: input 0 of 'linalg.matmul': axis 'rack' is not in the topology, which has 'node', 'gpu'}}
    transform.commir.set_schedule %m "loops [rank rack, -, -] inputs [[{rack}, {}], [{}, {}]] results [[{rack}, {}]]" : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @named_schedule_of_other_operator(%f: f32, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.fill ins(%f : f32) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.fill"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'linalg.fill' is no contraction of two inputs into one result}}
    transform.commir.named_schedule %m "all_gather_gemm" : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @schedule_of_other_operator(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [-] inputs [] results []">} ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{has not the loops and dimensions of 'linalg.matmul'}}
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----


func.func @no_topology(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{no topology resolves: the module has none, or several and 'commir.topology' names none of them}}
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<gpu, 2>]
commir.topology @u levels [#commir.level<gpu, 4>]

func.func @two_topologies(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{no topology resolves: the module has none, or several and 'commir.topology' names none of them}}
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @not_distributable(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = tensor.empty() : tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["tensor.empty"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'tensor.empty' is no operator that can be distributed}}
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @on_buffers(%a: memref<12x8xf32>, %b: memref<8x16xf32>, %c: memref<12x16xf32>) -> memref<12x16xf32> {
  // expected-note @below {{on this operator}}
  linalg.matmul ins(%a, %b : memref<12x8xf32>, memref<8x16xf32>) outs(%c : memref<12x16xf32>)
  return %c : memref<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'linalg.matmul' has no tensor as a result}}
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @dynamic_extent(%a: tensor<?x8xf32>, %b: tensor<8x16xf32>, %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x16xf32>) outs(%c : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{has a dynamic extent in a value of type tensor<?x8xf32>; only static shapes are distributed}}
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @distribute_without_schedule(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'linalg.matmul' has no schedule}}
    %t, %r = transform.commir.distribute %m : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// What depends on the rest of the script is asked when it has ended.

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @distribute_shift_that_no_operand_needs(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 1 over {gpu} : !transform.any_op
    transform.commir.tile %m loop 0 over {gpu} : !transform.any_op
    transform.commir.shift %m loop 0 factor 0 over {gpu} : !transform.any_op
    // expected-error @below {{illegal schedule: loop 0 of 'linalg.matmul' is shifted by {gpu}, but no operand or result travels over it}}
    %t, %r = transform.commir.distribute %m : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<gpu, 2, primitives [send_recv]>]

func.func @distribute_primitive_that_level_lacks(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 2 over {gpu} : !transform.any_op
    // expected-error @below {{illegal schedule: result 0 of 'linalg.matmul' needs all_reduce over axis 'gpu', level 'gpu' allows only send_recv}}
    %t, %r = transform.commir.distribute %m : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @distribute_race(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{}, {}]]">} ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{illegal schedule: result 0 of 'linalg.matmul' dimension 0 is not sharded over axis 'gpu', which parallelizes its loop 0}}
    %t, %r = transform.commir.distribute %m : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @distribute_dynamic_extent(%a: tensor<?x8xf32>, %b: tensor<8x16xf32>, %c: tensor<?x16xf32>) -> tensor<?x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x16xf32>) outs(%c : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{has a dynamic extent in a value of type tensor<?x8xf32>; only static shapes are distributed}}
    %t, %r = transform.commir.distribute %m : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @tile_without_steps(%m: !transform.any_op) {
    // expected-error @below {{expects either axes, a number of steps, or a size}}
    transform.commir.tile %m loop 0 : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @tile_with_axes_and_steps(%m: !transform.any_op) {
    // expected-error @below {{expects either axes, a number of steps, or a size}}
    transform.commir.tile %m loop 0 over {gpu} steps 2 : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @tile_loop_negative(%m: !transform.any_op) {
    // expected-error @below {{attribute 'loop' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
    transform.commir.tile %m loop -1 steps 2 : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @reorder_lengths_differ(%m: !transform.any_op) {
    // expected-error @below {{expects as many factors as loops, got 1 and 2}}
    transform.commir.reorder %m loops [0, 1] factors [0] : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @reorder_negative(%m: !transform.any_op) {
    // expected-error @below {{expects numbers of loops and factors, got -1}}
    transform.commir.reorder %m loops [-1] factors [0] : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<gpu, 2>]

// A silenceable failure leaves the operator as it was.
func.func @alternatives(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-remark @below {{still without}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    transform.sequence %root : !transform.any_op failures(suppress) {
    ^bb0(%r: !transform.any_op):
      %m = transform.structured.match ops{["linalg.matmul"]} in %r : (!transform.any_op) -> !transform.any_op
      transform.commir.shift %m loop 0 factor 0 over {gpu} : !transform.any_op
      %t, %k = transform.commir.distribute %m : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    }
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.debug.emit_remark_at %m, "still without" : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @tile_with_steps_and_size(%m: !transform.any_op) {
    // expected-error @below {{expects either axes, a number of steps, or a size}}
    transform.commir.tile %m loop 0 steps 2 size 2 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @shard_exit_out_of_range(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 0 over {gpu} : !transform.any_op
    // expected-error @below {{dimension 2 is out of range, result 0 has 2}}
    transform.commir.shard_exit %m result 0 dim 2 over {gpu} : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @bidirectional_not_shifted(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.tile %m loop 2 over {gpu} : !transform.any_op
    // expected-error @below {{factor 0 of loop 2 of 'linalg.matmul' is no shifted time factor of a reduction and cannot run in both directions}}
    transform.commir.bidirectional %m loop 2 factor 0 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @bidirectional_of_a_parallel_loop(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %m loop 1 over {gpu} : !transform.any_op
    transform.commir.tile %m loop 0 over {gpu} : !transform.any_op
    transform.commir.shift %m loop 0 factor 0 over {gpu} : !transform.any_op
    // expected-error @below {{factor 0 of loop 0 of 'linalg.matmul' is no shifted time factor of a reduction and cannot run in both directions}}
    transform.commir.bidirectional %m loop 0 factor 0 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @backwards_not_shifted(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.commir.tile %m loop 2 over {gpu} : !transform.any_op
    // expected-error @below {{factor 0 of loop 2 of 'linalg.matmul' is no shifted time factor of one direction and cannot run backwards}}
    transform.commir.backwards %m loop 2 factor 0 : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @arrange_unknown_order(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{order 'spiral 4': expected 'natural', 'zigzag', 'striped' or 'table', got 'spiral'}}
    transform.commir.arrange %m loop 0 as "spiral 4" : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @arrange_more_text(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{order 'zigzag 4 by 2': expected the end, got 'by'}}
    transform.commir.arrange %m loop 0 as "zigzag 4 by 2" : !transform.any_op
    transform.yield
  }
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @arrange_no_permutation(%a: tensor<12x8xf32>, %b: tensor<8x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  // expected-note @below {{on this operator}}
  %0 = linalg.matmul ins(%a, %b : tensor<12x8xf32>, tensor<8x16xf32>) outs(%c : tensor<12x16xf32>) -> tensor<12x16xf32>
  return %0 : tensor<12x16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %m = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{loop 0 of 'linalg.matmul': 'table [0, 2]' is no permutation: chunk 2 is not one of 0 to 1}}
    transform.commir.arrange %m loop 0 as "table [0, 2]" : !transform.any_op
    transform.yield
  }
}
