// The contract of stage 2: what a distributed loop nest may look like, and which
// tiles its ranks may touch. A race cannot be seen on one device, where ranks run
// in sequence.
// RUN: mercury-opt %s -mercury-verify-distributed -split-input-file -verify-diagnostics

// Each rank writes its own tile.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @accepted_tiles_of_ranks(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// Two axes, the second one in a sub-axis of a level; ranks that differ only on axes
// that the loop does not map do the same, which is no race.
commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]

func.func @accepted_sub_axes(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{node, gpu:(1)2}, {}] : tensor<8x8xf32>
  %y = scf.forall (%n, %h) in (2, 2) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %n2 = arith.muli %n, %c2 : index
    %nh = arith.addi %n2, %h : index
    %r2 = arith.muli %nh, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<node>, #commir.axis<gpu:(1)2>]}
  return %y : tensor<8x8xf32>
}

// -----

// Ranks write the same tile at different steps, never at one.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @accepted_moving_tiles(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %s = commir.shift %t by %r mod 4
      %row = arith.muli %s, %c2 : index
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

// An op outside of rank loops runs on all ranks; its result is placed.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @accepted_placed_op(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = linalg.exp ins(%a : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %placed = commir.shard %y to [{gpu}, {}] : tensor<8x8xf32>
  return %placed : tensor<8x8xf32>
}

// -----

// Functions without placement and rank loops are not at stage 2.

func.func @accepted_not_distributed(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = linalg.exp ins(%a : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// Four ranks add into one tile. In sequence this gives the right sum.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @race_four_ranks_add_into_one_tile(%w: tensor<4xf32>, %x: tensor<4x8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %w1 = commir.shard %w to [{gpu}] : tensor<4xf32>
  %x1 = commir.shard %x to [{gpu}, {}] : tensor<4x8xf32>
  %c1 = commir.replicate %c : tensor<8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8xf32>) {
    %wt = tensor.extract_slice %w1[%r] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %xt = tensor.extract_slice %x1[%r, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %ot = tensor.extract_slice %o[0] [8] [1] : tensor<8xf32> to tensor<8xf32>
    %d = linalg.vecmat ins(%wt, %xt : tensor<1xf32>, tensor<1x8xf32>) outs(%ot : tensor<8xf32>) -> tensor<8xf32>
    scf.forall.in_parallel {
      // expected-error @+1 {{race: at step 0 ranks 0 and 1 write overlapping tiles of output 0}}
      tensor.parallel_insert_slice %d into %o[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8xf32>
}

// -----

// Tiles overlap by a row.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @race_tiles_overlap(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = affine.apply affine_map<(d0) -> (d0 + d0 floordiv 2)>(%r)
    %t = tensor.extract_slice %o[%r2, 0] [3, 8] [1, 1] : tensor<8x8xf32> to tensor<3x8xf32>
    %d = linalg.exp ins(%t : tensor<3x8xf32>) outs(%t : tensor<3x8xf32>) -> tensor<3x8xf32>
    scf.forall.in_parallel {
      // expected-error @+1 {{race: at step 0 ranks 0 and 1 write overlapping tiles of output 0}}
      tensor.parallel_insert_slice %d into %o[%r2, 0] [3, 8] [1, 1] : tensor<3x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// Ranks meet at the second step only.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @race_at_a_later_step(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %cp = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.for %t = %c0 to %c2 step %c1 iter_args(%x = %cp) -> (tensor<8x8xf32>) {
    %n = scf.forall (%r) in (4) shared_outs(%o = %x) -> (tensor<8x8xf32>) {
      %n1 = arith.addi %t, %c1 : index
      %product = arith.muli %r, %n1 : index
      %row = arith.remui %product, %c4 : index
      %ot = tensor.extract_slice %o[%row, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<1x8xf32>
      %d = linalg.exp ins(%ot : tensor<1x8xf32>) outs(%ot : tensor<1x8xf32>) -> tensor<1x8xf32>
      scf.forall.in_parallel {
        // expected-error @+1 {{race: at step 1 ranks 0 and 2 write overlapping tiles of output 0}}
        tensor.parallel_insert_slice %d into %o[%row, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<8x8xf32>
      }
    } {mapping = [#commir.axis<gpu>]}
    scf.yield %n : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// A rank reads what its neighbour writes.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @output_read_elsewhere(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %s = affine.apply affine_map<(d0) -> (((d0 + 1) mod 4) * 2)>(%r)
    // expected-error @+1 {{reads of output 0 another tile than the rank writes at that step}}
    %t = tensor.extract_slice %o[%s, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// The whole output is read.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @output_read_whole(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %e = tensor.empty() : tensor<8xf32>
    // expected-error @+1 {{reads of output 0 another tile than the rank writes at that step}}
    %s = linalg.reduce { arith.maximumf } ins(%o : tensor<8x8xf32>) outs(%e : tensor<8xf32>) dimensions = [0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%r2, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// An axis is mapped twice.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @axis_mapped_twice(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{maps axis 'gpu' twice}}
  %y = scf.forall (%r, %q) in (4, 4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>, #commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// So is a part of one.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @axis_mapped_twice_in_part(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{maps axis 'gpu:(2)2' twice}}
  %y = scf.forall (%r, %q) in (4, 2) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>, #commir.axis<gpu:(2)2>]}
  return %y : tensor<8x8xf32>
}

// -----

// A mapping of another dialect.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @foreign_mapping(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{maps dimension 0 to #gpu.block<x>, which is no #commir.axis}}
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %y : tensor<8x8xf32>
}

// -----

// No mapping at all.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @no_mapping(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{is a rank loop, which maps every dimension to a #commir.axis}}
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  }
  return %y : tensor<8x8xf32>
}

// -----

// An axis that the topology does not have.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @unknown_axis(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{axis 'node' is not in the topology, which has 'gpu'}}
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<node>]}
  return %y : tensor<8x8xf32>
}

// -----

// Fewer iterations than the axis has ranks.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @wrong_extent(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{runs dimension 0 to 2, but axis 'gpu' has size 4}}
  %y = scf.forall (%r) in (2) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// A bound that is not constant.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @variable_extent(%c: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{runs dimension 0 to a variable, but axis 'gpu' has size 4}}
  %y = scf.forall (%r) in (%n) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// A computation outside of rank loops, whose result nobody places.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @op_outside_not_placed(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  // expected-error @+1 {{'linalg.exp' stands outside of a rank loop and its result is not placed by commir.shard or commir.replicate}}
  %z = linalg.exp ins(%y : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// -----

// A schedule that has not been applied.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @schedule_left(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  // expected-error @+1 {{still carries a schedule; run mercury-distribute}}
  %z = linalg.exp {commir.schedule = #commir.schedule<"loops [-, -] inputs [[{}, {}]] results [[{}, {}]]">}
         ins(%y : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// -----

// An output sharded over an axis that the rank loop does not map: its ranks would
// have to write each other's blocks.
commir.topology @grid levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func @output_sharded_over_unmapped_axis(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{node, gpu}, {}] : tensor<8x8xf32>
  // expected-error @+1 {{output 0 is sharded over axis 'gpu', which the rank loop does not map}}
  %y = scf.forall (%n) in (2) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = affine.apply affine_map<(d0) -> (d0 * 4)>(%n)
    %t = tensor.extract_slice %o[%r2, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
    %d = linalg.exp ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<node>]}
  return %y : tensor<8x8xf32>
}

// -----

// An output that starts nowhere.
commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @output_without_placement(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<8x8xf32>
  // expected-error @+1 {{starts output 0 from a tensor that has no placement; place it by commir.shard or commir.replicate}}
  %y = scf.forall (%r) in (4) shared_outs(%o = %e) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  %p = commir.replicate %y : tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}

// -----

// Whose machine is this?

// expected-error @+1 {{no topology resolves}}
func.func @no_topology(%c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c1 = commir.shard %c to [{gpu}, {}] : tensor<8x8xf32>
  %y = scf.forall (%r) in (4) shared_outs(%o = %c1) -> (tensor<8x8xf32>) {
    %r2 = arith.muli %r, %c2 : index
    %t = tensor.extract_slice %o[%r2, 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
    %d = linalg.exp ins(%t : tensor<2x8xf32>) outs(%t : tensor<2x8xf32>) -> tensor<2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%r2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y : tensor<8x8xf32>
}

// -----

// Disjoint tiles of a replica: on ranks each would hold only its own.
commir.topology @t levels [#commir.level<gpu, 4>]

func.func @replicated_output(%x: tensor<8xf32>) -> tensor<8xf32> {
  %xs = commir.shard %x to [{gpu}] : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %init = commir.replicate %e : tensor<8xf32>
  // expected-error @+1 {{ranks of axis 'gpu' write different tiles of output 0, which is placed [{}] and holds replicas on it}}
  %r = scf.forall (%p) in (4) shared_outs(%o = %init) -> (tensor<8xf32>) {
    %i = affine.apply affine_map<(d0) -> (d0 * 2)>(%p)
    %s = tensor.extract_slice %xs[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %r : tensor<8xf32>
}
