// What mercury-resolve-communication refuses: loop nests of another form, tiles
// that it cannot evaluate, and outputs and reductions that no communication gives.
// RUN: mercury-opt %s -mercury-resolve-communication -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// The form of a nest
//===----------------------------------------------------------------------===//

// Two rank loops in one time loop.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @form_two_rank_loops(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    // expected-error @+1 {{is a second loop inside a time loop; a nest has one rank loop}}
    %m = scf.forall (%r) in (4) shared_outs(%o = %n) -> (tensor<8x8xf32>) {
      scf.forall.in_parallel {
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// A tensor made between the loops.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @form_tensor_between_loops(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    // expected-error @+1 {{'linalg.exp' computes a tensor between a time loop and its rank loop}}
    %e = linalg.exp ins(%x : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// A loop at the top level that is no time loop.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @form_no_rank_loop(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{is a time loop without a rank loop inside}}
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    scf.yield %x : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// A time loop that drops what its rank loop computes.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @form_yields_something_else(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{yields as value 0 something else than the inner loop's result}}
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %x : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// A rank loop that starts over at every step.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @form_starts_from_something_else(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    // expected-error @+1 {{starts from other values than those that the time loop carries}}
    %n = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
      %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// A time loop that does not start at 0.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @form_time_loop_from_one(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{is a time loop, whose bounds must be constant, from 0 by steps of 1}}
  %y = scf.for %t = %c1 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// A number of steps that is not constant.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @form_time_loop_of_variable_length(%c: tensor<8x8xf32>, %end: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{is a time loop, whose bounds must be constant, from 0 by steps of 1}}
  %y = scf.for %t = %c0 to %end step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// More iterations than ranks.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @form_extent_is_not_the_axis_size(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{runs dimension 0 to 8, but axis 'gpu' has size 4}}
  %y = scf.forall (%r) in (8) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

// An offset that depends on an argument.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @tile_offset_of_an_argument(%c: tensor<8x8xf32>, %at: index) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    // expected-error @+1 {{has an offset that cannot be evaluated from the steps and ranks of its loops}}
    %ot = tensor.extract_slice %cp[%at, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// A size that depends on the rank.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @tile_of_dynamic_size(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    // expected-error @+1 {{has a dynamic size; tiles are static}}
    %ct = tensor.extract_slice %cp[0, 0] [%r, 8] [1, 1] : tensor<8x8xf32> to tensor<?x8xf32>
    %e = tensor.empty() : tensor<2x8xf32>
    %m = tensor.empty() : tensor<8xf32>
    %s = linalg.reduce { arith.addf } ins(%ct : tensor<?x8xf32>) outs(%m : tensor<8xf32>) dimensions = [0]
    %d = linalg.broadcast ins(%s : tensor<8xf32>) outs(%e : tensor<2x8xf32>) dimensions = [0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// The last rank reads beyond the end.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @tile_out_of_bounds(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %at = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%r)
    // expected-error @+1 {{touches elements 7 to 9 of dimension 0 of size 8}}
    %ct = tensor.extract_slice %cp[%at, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%ct : tensor<2x8xf32>) outs(%ct : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// A slice of a distributed tensor inside of a region.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @tile_sliced_inside_a_region(%c: tensor<8x8xf32>, %cond: i1) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = scf.if %cond -> (tensor<2x8xf32>) {
    // expected-error @+1 {{slices a distributed tensor inside a region of the rank loop's body}}
    %ct = tensor.extract_slice %cp[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    scf.yield %ct : tensor<2x8xf32>
    } else {
    scf.yield %ot : tensor<2x8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

// Two ranks write one tile.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @output_race(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> ((d0 floordiv 2) * 2)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      // expected-error @+1 {{race: at step 0 ranks 0 and 1 write overlapping tiles of output 0}}
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// A rank reads its neighbour's tile of the output.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @output_read_elsewhere(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %other = affine.apply affine_map<(d0) -> (((d0 + 1) mod 4) * 2)>(%r)
    // expected-error @+1 {{reads of output 0 another tile than the rank writes at that step}}
    %ot = tensor.extract_slice %o[%other, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// Every rank writes a part of what every rank holds.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @output_is_a_replica(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      // expected-error @+1 {{ranks of axis 'gpu' write different tiles of an output that is placed [{}, {}], which holds replicas on it}}
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// Ranks of `node` would have to write the blocks of others.
commir.topology @grid levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @output_sharded_over_an_axis_without_loop(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu, node}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (2) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 4)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      // expected-error @+1 {{output 0 is sharded over axis 'node', which the rank loop does not map}}
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// Tiles of three rows lie in two blocks.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @output_across_blocks(%c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<16x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 3)>(%r)
    // expected-error @+1 {{touches output 0 across blocks of its placement [{gpu}, {}]}}
    %ot = tensor.extract_slice %o[%row, 0] [3, 8] [1, 1] : tensor<16x8xf32> to tensor<3x8xf32>
    %d = linalg.exp ins(%ot : tensor<3x8xf32>) outs(%ot : tensor<3x8xf32>) -> tensor<3x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [3, 8] [1, 1] : tensor<3x8xf32> into tensor<16x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<16x8xf32>
}

// -----

// Written nowhere.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @output_not_written(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{does not write its output 0}}
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %unused = arith.constant 0 : index
    scf.forall.in_parallel {
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// Two tiles per step.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @output_written_twice(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %next = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%r)
    %d = tensor.empty() : tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<8x8xf32>
      // expected-error @+1 {{writes output 0 a second time}}
      tensor.parallel_insert_slice %d into %o[%next, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// Tiles go to and fro.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @output_moves_without_rotation(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %square = arith.muli %t, %t : index
      %row = affine.apply affine_map<(d0, d1) -> (((d0 + d1) mod 4) * 2)>(%square, %r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        // expected-error @+1 {{tiles of the output are written by ranks other than their owners over {gpu} in an order that is no rotation}}
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Accumulators that move
//===----------------------------------------------------------------------===//

// What arrives is scaled before a step adds to it.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @accumulator_scaled(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %two = arith.constant dense<2.0> : tensor<2x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %a1 = commir.shard %a to [{}, {gpu}] : tensor<8x16xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %row = affine.apply affine_map<(d0, d1) -> (((d0 + d1 + 1) mod 4) * 2)>(%t, %r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %k = affine.apply affine_map<(d0) -> (d0 * 4)>(%r)
      %at = tensor.extract_slice %a1[%row, %k] [2, 4] [1, 1] : tensor<8x16xf32> to tensor<2x4xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %s = linalg.mul ins(%ot, %two : tensor<2x8xf32>, tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<2x4xf32>, tensor<4x8xf32>) outs(%s : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        // expected-error @+1 {{output 0 moves over {gpu}, but its tiles are not what arrived with something added}}
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// What arrives is filled over.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @accumulator_filled(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %a1 = commir.shard %a to [{}, {gpu}] : tensor<8x16xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %row = affine.apply affine_map<(d0, d1) -> (((d0 + d1 + 1) mod 4) * 2)>(%t, %r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %k = affine.apply affine_map<(d0) -> (d0 * 4)>(%r)
      %at = tensor.extract_slice %a1[%row, %k] [2, 4] [1, 1] : tensor<8x16xf32> to tensor<2x4xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %z = linalg.fill ins(%zero : f32) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<2x4xf32>, tensor<4x8xf32>) outs(%z : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        // expected-error @+1 {{output 0 moves over {gpu}, but its tiles are not what arrived with something added}}
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// What arrives is not read.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @accumulator_overwritten(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %a1 = commir.shard %a to [{}, {gpu}] : tensor<8x16xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %row = affine.apply affine_map<(d0, d1) -> (((d0 + d1 + 1) mod 4) * 2)>(%t, %r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %k = affine.apply affine_map<(d0) -> (d0 * 4)>(%r)
      %at = tensor.extract_slice %a1[%row, %k] [2, 4] [1, 1] : tensor<8x16xf32> to tensor<2x4xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %e = tensor.empty() : tensor<2x8xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
      %d = linalg.matmul ins(%at, %bt : tensor<2x4xf32>, tensor<4x8xf32>) outs(%z : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        // expected-error @+1 {{output 0 moves over {gpu}, but its tiles are not what arrived with something added}}
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// What arrives is an operand, too.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @accumulator_read_twice(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %w = arith.constant dense<1.0> : tensor<8x8xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %a1 = commir.shard %a to [{}, {gpu}] : tensor<8x16xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %row = affine.apply affine_map<(d0, d1) -> (((d0 + d1 + 1) mod 4) * 2)>(%t, %r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %k = affine.apply affine_map<(d0) -> (d0 * 4)>(%r)
      %at = tensor.extract_slice %a1[%row, %k] [2, 4] [1, 1] : tensor<8x16xf32> to tensor<2x4xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %e = tensor.empty() : tensor<2x8xf32>
      %s = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
      %m = linalg.matmul ins(%at, %bt : tensor<2x4xf32>, tensor<4x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
      %d = linalg.matmul ins(%s, %w : tensor<2x8xf32>, tensor<8x8xf32>) outs(%m : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        // expected-error @+1 {{output 0 moves over {gpu}, but its tiles are read 2 times}}
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// Nothing is reduced.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @accumulator_without_combiner(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %a1 = commir.shard %a to [{}, {gpu}] : tensor<8x16xf32>
  %b1 = commir.shard %b to [{gpu}, {}] : tensor<16x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %row = affine.apply affine_map<(d0, d1) -> (((d0 + d1 + 1) mod 4) * 2)>(%t, %r)
      %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
      %k = affine.apply affine_map<(d0) -> (d0 * 4)>(%r)
      %at = tensor.extract_slice %a1[%row, %k] [2, 4] [1, 1] : tensor<8x16xf32> to tensor<2x4xf32>
      %bt = tensor.extract_slice %b1[%k, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
      %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
      scf.forall.in_parallel {
        // expected-error @+1 {{output 0 moves over {gpu}, but the operator that computes its tiles has no combiner}}
        tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Reductions over ranks
//===----------------------------------------------------------------------===//

// A sum of squares is no sum of what ranks hold.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @reduction_of_squares(%c: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %cp = commir.shard %c to [{gpu}, {}] : tensor<4x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<4x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 1)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %d = linalg.exp ins(%ot : tensor<1x8xf32>) outs(%ot : tensor<1x8xf32>) -> tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %init = commir.replicate %z : tensor<8xf32>
  // expected-error @+1 {{reduces over axes {gpu} of a partial value, but does more than that; what ranks reduce is a plain reduction of dimension 0}}
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%y : tensor<4x8xf32>) outs(%init : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %square = arith.mulf %in, %in : f32
      %sum = arith.addf %square, %out : f32
      linalg.yield %sum : f32
  } -> tensor<8xf32>
  %w = commir.replicate %m : tensor<8xf32>
  return %w : tensor<8xf32>
}

// -----

// The number of the rank is a factor.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @reduction_reads_its_index(%c: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %cp = commir.shard %c to [{gpu}, {}] : tensor<4x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<4x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 1)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %d = linalg.exp ins(%ot : tensor<1x8xf32>) outs(%ot : tensor<1x8xf32>) -> tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %init = commir.replicate %z : tensor<8xf32>
  // expected-error @+1 {{reduces over axes {gpu} of a partial value, but does more than that; what ranks reduce is a plain reduction of dimension 0}}
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%y : tensor<4x8xf32>) outs(%init : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %i = linalg.index 0 : index
      %i32 = arith.index_cast %i : index to i32
      %factor = arith.sitofp %i32 : i32 to f32
      %term = arith.mulf %in, %factor : f32
      %sum = arith.addf %term, %out : f32
      linalg.yield %sum : f32
  } -> tensor<8xf32>
  %w = commir.replicate %m : tensor<8xf32>
  return %w : tensor<8xf32>
}

// -----

// A contraction over ranks, with weights.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @reduction_is_a_contraction(%c: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %weights = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %wr = commir.replicate %weights : tensor<4xf32>
  %cp = commir.shard %c to [{gpu}, {}] : tensor<4x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<4x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 1)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %d = linalg.exp ins(%ot : tensor<1x8xf32>) outs(%ot : tensor<1x8xf32>) -> tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %init = commir.replicate %z : tensor<8xf32>
  // expected-error @+1 {{reduces over axes {gpu} of a partial value, but does more than that; what ranks reduce is a plain reduction of dimension 0}}
  %m = linalg.vecmat ins(%wr, %y : tensor<4xf32>, tensor<4x8xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
  %w = commir.replicate %m : tensor<8xf32>
  return %w : tensor<8xf32>
}

// -----

// Each rank holds two rows.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @reduction_of_several_rows_per_rank(%c: tensor<8x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %init = commir.replicate %z : tensor<8xf32>
  // expected-error @+1 {{reduces over dimension 0 of size 8, of which axes {gpu} hold more than one element each; reduce inside the rank loop first}}
  %m = linalg.reduce { arith.addf } ins(%y : tensor<8x8xf32>) outs(%init : tensor<8xf32>) dimensions = [0]
  %w = commir.replicate %m : tensor<8xf32>
  return %w : tensor<8xf32>
}

// -----

// The sum is used before anybody says where it is.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @reduction_not_placed(%c: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %cp = commir.shard %c to [{gpu}, {}] : tensor<4x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<4x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 1)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %d = linalg.exp ins(%ot : tensor<1x8xf32>) outs(%ot : tensor<1x8xf32>) -> tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %init = commir.replicate %z : tensor<8xf32>
  %m = linalg.reduce { arith.addf } ins(%y : tensor<4x8xf32>) outs(%init : tensor<8xf32>) dimensions = [0]
  // expected-error @+1 {{uses a reduction over ranks that is not placed by commir.shard or commir.replicate}}
  %w = linalg.exp ins(%m : tensor<8xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
  return %w : tensor<8xf32>
}

// -----

// No collective compares without signs.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @reduction_without_collective(%c: tensor<4x8xi32>) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %cp = commir.shard %c to [{gpu}, {}] : tensor<4x8xi32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<4x8xi32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 1)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [1, 8] [1, 1] : tensor<4x8xi32> to tensor<1x8xi32>
    %d = linalg.add ins(%ot, %ot : tensor<1x8xi32>, tensor<1x8xi32>) outs(%ot : tensor<1x8xi32>) -> tensor<1x8xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [1, 8] [1, 1] : tensor<1x8xi32> into tensor<4x8xi32>
    }
  } {mapping = [#commir.axis<gpu>]}
  %e = tensor.empty() : tensor<8xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %init = commir.replicate %z : tensor<8xi32>
  // expected-error @+1 {{reduces over ranks with a combiner that no collective has}}
  %m = linalg.reduce { arith.maxui } ins(%y : tensor<4x8xi32>) outs(%init : tensor<8xi32>) dimensions = [0]
  %w = commir.replicate %m : tensor<8xi32>
  return %w : tensor<8xi32>
}

// -----

//===----------------------------------------------------------------------===//
// What stands outside of rank loops
//===----------------------------------------------------------------------===//

// An operator on a sharded tensor.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @outside_operand_is_sharded(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  // expected-error @+1 {{'linalg.exp' stands outside of a rank loop, but an operand is placed [{gpu}, {}]}}
  %z = linalg.exp ins(%y : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = commir.replicate %z : tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}

// -----

// Padding at the front would move every block.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @outside_padded_at_the_front(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{pads a distributed tensor other than at its end with a constant}}
  %z = tensor.pad %y low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x8xf32> to tensor<9x8xf32>
  %s = tensor.extract_slice %z[1, 0] [8, 8] [1, 1] : tensor<9x8xf32> to tensor<8x8xf32>
  %p = commir.replicate %s : tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}

// -----

// No topology.
// expected-error @+1 {{no topology resolves: the module has none, or several and 'commir.topology' names none of them}}
func.func @outside_no_topology(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// Two topologies, and no word which.
commir.topology @ring levels [#commir.level<gpu, 4>]
commir.topology @grid levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// expected-error @+1 {{no topology resolves: the module has none, or several and 'commir.topology' names none of them}}
func.func @outside_two_topologies(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %cp) -> (tensor<8x8xf32>) {
    %row = affine.apply affine_map<(d0) -> (d0 * 2)>(%r)
    %ot = tensor.extract_slice %o[%row, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%ot : tensor<2x8xf32>) outs(%ot : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%row, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// Several blocks.
commir.topology @ring levels [#commir.level<gpu, 4>]

// expected-error @+1 {{has control flow between blocks}}
func.func @outside_control_flow(%c: tensor<8x8xf32>, %cond: i1) -> tensor<8x8xf32> {
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  cf.cond_br %cond, ^bb1, ^bb2
^bb1:
  return %cp : tensor<8x8xf32>
^bb2:
  return %cp : tensor<8x8xf32>
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]

// expected-note @+1 {{this function}}
func.func private @called(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = commir.shard %a to [{gpu}] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @call_of_a_distributed_function(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{uses @called, which runs on ranks with arguments of another shape; inline the call first}}
  %0 = call @called(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
