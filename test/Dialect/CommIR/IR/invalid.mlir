// Ops that break a constraint of their description, by its label.
// RUN: mercury-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expects at least one level}}
commir.topology @topology_c1_no_level levels []

// -----

// expected-error @below {{level 'gpu' is named twice}}
commir.topology @topology_c1_name_used_twice levels [#commir.level<gpu, 2>, #commir.level<gpu, 4>]

// -----

// expected-error @below {{level name '' is not a letter or underscore}}
commir.topology @topology_c1_name_empty levels [#commir.level<"", 2>]

// -----

// expected-error @below {{level name 'a-b' is not a letter or underscore}}
commir.topology @topology_c1_name_no_word levels [#commir.level<"a-b", 2>]

// -----

// expected-error @below {{level 'gpu' has size 0, expected at least 1}}
commir.topology @topology_c2_size_zero levels [#commir.level<gpu, 0>]

// -----

// expected-error @below {{level 'gpu' has size -2, expected at least 1}}
commir.topology @topology_c2_size_negative levels [#commir.level<gpu, -2>]

// -----

// expected-error @below {{level 'gpu' of size 4611686018427387904 makes more than 1048576 ranks}}
commir.topology @topology_c2_too_many_ranks levels [#commir.level<node, 8>, #commir.level<gpu, 4611686018427387904>]

// -----

// expected-error @below {{level 'gpu' has bandwidth -1.000000 and latency 0.000000, expected finite figures that are not negative}}
commir.topology @topology_c3_bandwidth_negative levels [#commir.level<gpu, 4, bandwidth -1>]

// -----

// expected-error @below {{expected finite figures that are not negative}}
commir.topology @topology_c3_latency_negative levels [#commir.level<gpu, 4, latency -1.5>]

// -----

// expected-error @below {{device has reservable 5, more than its memory 4}}
commir.topology @topology_c3_reservable_above_memory levels [#commir.level<gpu, 4>] device <memory 4, reservable 5>

// -----

// expected-error @below {{device has memory -4 and reservable 0, expected figures that are not negative}}
commir.topology @topology_c3_memory_negative levels [#commir.level<gpu, 4>] device <memory -4>

// -----

// expected-error @below {{device has peak rate -1.000000 for 'f32'}}
commir.topology @topology_c3_peak_negative levels [#commir.level<gpu, 4>] device <peak {f32 = -1}>

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shard_c1_rank(%0: tensor<8x8xf32>) {
  // expected-error @below {{placement [{gpu}] has 1 dimensions, 'tensor<8x8xf32>' has 2}}
  %1 = commir.shard %0 to [{gpu}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shard_c1_rank_of_scalar(%0: tensor<f32>) {
  // expected-error @below {{placement [{gpu}] has 1 dimensions, 'tensor<f32>' has 0}}
  %1 = commir.shard %0 to [{gpu}] : tensor<f32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shard_c2_axis_not_in_topology(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'tpu' is not in the topology, which has 'node', 'gpu'}}
  %1 = commir.shard %0 to [{tpu}, {}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shard_c2_factor_does_not_divide(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu:(1)3' is not a factor of its level, level 'gpu' has size 4}}
  %1 = commir.shard %0 to [{gpu:(1)3}, {}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shard_c2_factor_is_the_level(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu:(1)4' is the whole level and is written 'gpu'}}
  %1 = commir.shard %0 to [{gpu:(1)4}, {}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shard_c3_axis_used_twice(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu' is used twice}}
  %1 = commir.shard %0 to [{gpu}, {gpu}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shard_c3_axis_overlaps(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu:(2)2' is used twice (it overlaps 'gpu')}}
  %1 = commir.shard %0 to [{gpu}, {gpu:(2)2}] : tensor<8x8xf32>
  return
}

// -----

func.func @shard_c3_axis_overlaps_in_no_topology(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu:(2)2' is used twice (it overlaps 'gpu')}}
  %1 = commir.shard %0 to [{gpu}, {gpu:(2)2}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shard_c4_fetch_not_in_placement(%0: tensor<8x8xf32>) {
  // expected-error @below {{fetches over axis 'node', which placement [{gpu}, {}] does not use}}
  %1 = commir.shard %0 to [{gpu}, {}] fetch {node} : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shard_c4_fetch_twice(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu' is used twice}}
  %1 = commir.shard %0 to [{gpu}, {}] fetch {gpu, gpu} : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reshard_c1_rank(%0: tensor<8x8xf32>) {
  // expected-error @below {{placement [{gpu}] has 1 dimensions, 'tensor<8x8xf32>' has 2}}
  %1 = commir.reshard %0 to [{gpu}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reshard_c1_rank_of_scalar(%0: tensor<f32>) {
  // expected-error @below {{placement [{gpu}] has 1 dimensions, 'tensor<f32>' has 0}}
  %1 = commir.reshard %0 to [{gpu}] : tensor<f32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reshard_c2_axis_not_in_topology(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'tpu' is not in the topology, which has 'node', 'gpu'}}
  %1 = commir.reshard %0 to [{tpu}, {}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reshard_c2_factor_does_not_divide(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu:(1)3' is not a factor of its level, level 'gpu' has size 4}}
  %1 = commir.reshard %0 to [{gpu:(1)3}, {}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reshard_c2_factor_is_the_level(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu:(1)4' is the whole level and is written 'gpu'}}
  %1 = commir.reshard %0 to [{gpu:(1)4}, {}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reshard_c3_axis_used_twice(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu' is used twice}}
  %1 = commir.reshard %0 to [{gpu}, {gpu}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reshard_c3_axis_overlaps(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu:(2)2' is used twice (it overlaps 'gpu')}}
  %1 = commir.reshard %0 to [{gpu}, {gpu:(2)2}] : tensor<8x8xf32>
  return
}

// -----

func.func @reshard_c3_axis_overlaps_in_no_topology(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu:(2)2' is used twice (it overlaps 'gpu')}}
  %1 = commir.reshard %0 to [{gpu}, {gpu:(2)2}] : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reshard_c4_fetch_not_in_placement(%0: tensor<8x8xf32>) {
  // expected-error @below {{fetches over axis 'node', which placement [{gpu}, {}] does not use}}
  %1 = commir.reshard %0 to [{gpu}, {}] fetch {node} : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reshard_c4_fetch_twice(%0: tensor<8x8xf32>) {
  // expected-error @below {{axis 'gpu' is used twice}}
  %1 = commir.reshard %0 to [{gpu}, {}] fetch {gpu, gpu} : tensor<8x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shard_unranked(%0: tensor<*xf32>) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %1 = commir.shard %0 to [] : tensor<*xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shift_c1_modulus_not_positive(%t: index, %r: index) {
  // expected-error @below {{modulus must be positive, got 0}}
  %0 = commir.shift %t by %r mod 0
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shift_c1_modulus_negative(%t: index, %r: index) {
  // expected-error @below {{modulus must be positive, got -4}}
  %0 = commir.shift %t by %r mod -4
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @shift_c2_stride_zero(%t: index, %r: index) {
  // expected-error @below {{stride must not be zero}}
  %0 = commir.shift %t by %r stride 0 mod 4
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rank_coord_c1_no_axis() {
  // expected-error @below {{expects at least one axis}}
  %0 = commir.rank_coord {}
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rank_coord_c1_axis_not_in_topology() {
  // expected-error @below {{axis 'tpu' is not in the topology}}
  %0 = commir.rank_coord {tpu}
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rank_coord_c2_axis_used_twice() {
  // expected-error @below {{axis 'gpu' is used twice}}
  %0 = commir.rank_coord {gpu, node, gpu}
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rank_coord_c2_axis_overlaps() {
  // expected-error @below {{axis 'gpu' is used twice (it overlaps 'gpu:(1)2')}}
  %0 = commir.rank_coord {gpu:(1)2, gpu}
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c1_no_axis(%0: tensor<2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{expects at least one axis}}
  %2 = commir.all_gather %0 into %1 over {} : tensor<2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c1_axis_not_in_topology(%0: tensor<2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{axis 'tpu' is not in the topology, which has 'node', 'gpu'}}
  %2 = commir.all_gather %0 into %1 over {tpu} : tensor<2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c1_axis_used_twice(%0: tensor<2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{axis 'gpu' is used twice}}
  %2 = commir.all_gather %0 into %1 over {gpu, gpu} : tensor<2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c2_wrong_size(%0: tensor<2x8xf32>, %1: tensor<2x2x8xf32>, %i: index) {
  // expected-error @below {{expects an output of 4 (ranks over {gpu}) pieces of the input's shape, got 'tensor<2x2x8xf32>' for 'tensor<2x8xf32>'}}
  %2 = commir.all_gather %0 into %1 over {gpu} : tensor<2x8xf32> into tensor<2x2x8xf32> -> tensor<2x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c2_wrong_piece(%0: tensor<2x8xf32>, %1: tensor<4x2x4xf32>, %i: index) {
  // expected-error @below {{expects an output of 4 (ranks over {gpu}) pieces of the input's shape, got 'tensor<4x2x4xf32>' for 'tensor<2x8xf32>'}}
  %2 = commir.all_gather %0 into %1 over {gpu} : tensor<2x8xf32> into tensor<4x2x4xf32> -> tensor<4x2x4xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c2_concatenates(%0: tensor<2x8xf32>, %1: tensor<8x8xf32>, %i: index) {
  // expected-error @below {{expects an output of 4 (ranks over {gpu}) pieces of the input's shape, got 'tensor<8x8xf32>' for 'tensor<2x8xf32>'}}
  %2 = commir.all_gather %0 into %1 over {gpu} : tensor<2x8xf32> into tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @all_gather_c2_wrong_piece_in_no_topology(%0: tensor<2x8xf32>, %1: tensor<4x2x4xf32>, %i: index) {
  // expected-error @below {{expects an output of 4 (ranks over {gpu}) pieces of the input's shape}}
  %2 = commir.all_gather %0 into %1 over {gpu} : tensor<2x8xf32> into tensor<4x2x4xf32> -> tensor<4x2x4xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c2_into_scalar(%0: tensor<f32>, %1: tensor<f32>) {
  // expected-error @below {{expects an output of 4 (ranks over {gpu}) pieces of the input's shape, got 'tensor<f32>'}}
  %2 = commir.all_gather %0 into %1 over {gpu} : tensor<f32> into tensor<f32> -> tensor<f32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c3_element_types(%0: tensor<2x8xf32>, %1: tensor<4x2x8xf64>, %i: index) {
  // expected-error @below {{element types disagree: 'f32' and 'f64'}}
  %2 = commir.all_gather %0 into %1 over {gpu} : tensor<2x8xf32> into tensor<4x2x8xf64> -> tensor<4x2x8xf64>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c3_mixes_tensors_and_buffers(%0: memref<2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{mixes tensors and buffers}}
  %2 = commir.all_gather %0 into %1 over {gpu} : memref<2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c4_no_result(%0: tensor<2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  commir.all_gather %0 into %1 over {gpu} : tensor<2x8xf32> into tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c4_wrong_result(%0: tensor<2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{expected type of operand #1 ('tensor<4x2x8xf32>') to match type of corresponding result ('tensor<2x4xf32>')}}
  %2 = commir.all_gather %0 into %1 over {gpu} : tensor<2x8xf32> into tensor<4x2x8xf32> -> tensor<2x4xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c4_request_on_tensors(%0: tensor<2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{has a request, which only buffers allow}}
  %2 = commir.all_gather %0 into %1 over {gpu} request 0 : tensor<2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c4_result_on_buffers(%0: memref<2x8xf32>, %1: memref<4x2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %2 = commir.all_gather %0 into %1 over {gpu} : memref<2x8xf32> into memref<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c4_request_negative(%0: memref<2x8xf32>, %1: memref<4x2x8xf32>, %i: index) {
  // expected-error @below {{request must not be negative, got -1}}
  commir.all_gather %0 into %1 over {gpu} request -1 : memref<2x8xf32> into memref<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c1_no_axis(%0: tensor<4x2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expects at least one axis}}
  %2 = commir.reduce_scatter sum %0 into %1 over {} : tensor<4x2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c1_axis_not_in_topology(%0: tensor<4x2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{axis 'tpu' is not in the topology, which has 'node', 'gpu'}}
  %2 = commir.reduce_scatter sum %0 into %1 over {tpu} : tensor<4x2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c1_axis_used_twice(%0: tensor<4x2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{axis 'gpu' is used twice}}
  %2 = commir.reduce_scatter sum %0 into %1 over {gpu, gpu} : tensor<4x2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c2_wrong_size(%0: tensor<2x2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expects an input of 4 (ranks over {gpu}) pieces of the output's shape, got 'tensor<2x2x8xf32>' for 'tensor<2x8xf32>'}}
  %2 = commir.reduce_scatter sum %0 into %1 over {gpu} : tensor<2x2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c3_element_types(%0: tensor<4x2x8xf32>, %1: tensor<2x8xf64>, %i: index) {
  // expected-error @below {{element types disagree: 'f32' and 'f64'}}
  %2 = commir.reduce_scatter sum %0 into %1 over {gpu} : tensor<4x2x8xf32> into tensor<2x8xf64> -> tensor<2x8xf64>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c3_mixes_tensors_and_buffers(%0: memref<4x2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{mixes tensors and buffers}}
  %2 = commir.reduce_scatter sum %0 into %1 over {gpu} : memref<4x2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c4_no_result(%0: tensor<4x2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  commir.reduce_scatter sum %0 into %1 over {gpu} : tensor<4x2x8xf32> into tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c4_wrong_result(%0: tensor<4x2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expected type of operand #1 ('tensor<2x8xf32>') to match type of corresponding result ('tensor<2x4xf32>')}}
  %2 = commir.reduce_scatter sum %0 into %1 over {gpu} : tensor<4x2x8xf32> into tensor<2x8xf32> -> tensor<2x4xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c4_request_on_tensors(%0: tensor<4x2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{has a request, which only buffers allow}}
  %2 = commir.reduce_scatter sum %0 into %1 over {gpu} request 0 : tensor<4x2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c4_result_on_buffers(%0: memref<4x2x8xf32>, %1: memref<2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %2 = commir.reduce_scatter sum %0 into %1 over {gpu} : memref<4x2x8xf32> into memref<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c4_request_negative(%0: memref<4x2x8xf32>, %1: memref<2x8xf32>, %i: index) {
  // expected-error @below {{request must not be negative, got -1}}
  commir.reduce_scatter sum %0 into %1 over {gpu} request -1 : memref<4x2x8xf32> into memref<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c1_no_axis(%0: tensor<4x2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{expects at least one axis}}
  %2 = commir.all_to_all %0 into %1 over {} : tensor<4x2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c1_axis_not_in_topology(%0: tensor<4x2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{axis 'tpu' is not in the topology, which has 'node', 'gpu'}}
  %2 = commir.all_to_all %0 into %1 over {tpu} : tensor<4x2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c1_axis_used_twice(%0: tensor<4x2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{axis 'gpu' is used twice}}
  %2 = commir.all_to_all %0 into %1 over {gpu, gpu} : tensor<4x2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c2_shapes_differ(%0: tensor<4x2x8xf32>, %1: tensor<4x8x2xf32>, %i: index) {
  // expected-error @below {{input and output have different shapes: 'tensor<4x2x8xf32>' and 'tensor<4x8x2xf32>'}}
  %2 = commir.all_to_all %0 into %1 over {gpu} : tensor<4x2x8xf32> into tensor<4x8x2xf32> -> tensor<4x8x2xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c2_wrong_size(%0: tensor<8x2xf32>, %1: tensor<8x2xf32>, %i: index) {
  // expected-error @below {{expects a first extent of 4 (ranks over {gpu}), got 'tensor<8x2xf32>'}}
  %2 = commir.all_to_all %0 into %1 over {gpu} : tensor<8x2xf32> into tensor<8x2xf32> -> tensor<8x2xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c2_scalar(%0: tensor<f32>, %1: tensor<f32>) {
  // expected-error @below {{expects a first extent of 4 (ranks over {gpu}), got 'tensor<f32>'}}
  %2 = commir.all_to_all %0 into %1 over {gpu} : tensor<f32> into tensor<f32> -> tensor<f32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c3_element_types(%0: tensor<4x2x8xf32>, %1: tensor<4x2x8xf64>, %i: index) {
  // expected-error @below {{element types disagree: 'f32' and 'f64'}}
  %2 = commir.all_to_all %0 into %1 over {gpu} : tensor<4x2x8xf32> into tensor<4x2x8xf64> -> tensor<4x2x8xf64>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c3_mixes_tensors_and_buffers(%0: memref<4x2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{mixes tensors and buffers}}
  %2 = commir.all_to_all %0 into %1 over {gpu} : memref<4x2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c4_no_result(%0: tensor<4x2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  commir.all_to_all %0 into %1 over {gpu} : tensor<4x2x8xf32> into tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c4_wrong_result(%0: tensor<4x2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{expected type of operand #1 ('tensor<4x2x8xf32>') to match type of corresponding result ('tensor<2x4xf32>')}}
  %2 = commir.all_to_all %0 into %1 over {gpu} : tensor<4x2x8xf32> into tensor<4x2x8xf32> -> tensor<2x4xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c4_request_on_tensors(%0: tensor<4x2x8xf32>, %1: tensor<4x2x8xf32>, %i: index) {
  // expected-error @below {{has a request, which only buffers allow}}
  %2 = commir.all_to_all %0 into %1 over {gpu} request 0 : tensor<4x2x8xf32> into tensor<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c4_result_on_buffers(%0: memref<4x2x8xf32>, %1: memref<4x2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %2 = commir.all_to_all %0 into %1 over {gpu} : memref<4x2x8xf32> into memref<4x2x8xf32> -> tensor<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c4_request_negative(%0: memref<4x2x8xf32>, %1: memref<4x2x8xf32>, %i: index) {
  // expected-error @below {{request must not be negative, got -1}}
  commir.all_to_all %0 into %1 over {gpu} request -1 : memref<4x2x8xf32> into memref<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c1_no_axis(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expects at least one axis}}
  %2 = commir.broadcast %0 into %1 from %i over {} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c1_axis_not_in_topology(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{axis 'tpu' is not in the topology, which has 'node', 'gpu'}}
  %2 = commir.broadcast %0 into %1 from %i over {tpu} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c1_axis_used_twice(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{axis 'gpu' is used twice}}
  %2 = commir.broadcast %0 into %1 from %i over {gpu, gpu} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c2_shapes_differ(%0: tensor<2x8xf32>, %1: tensor<8x2xf32>, %i: index) {
  // expected-error @below {{input and output have different shapes: 'tensor<2x8xf32>' and 'tensor<8x2xf32>'}}
  %2 = commir.broadcast %0 into %1 from %i over {gpu} : tensor<2x8xf32> into tensor<8x2xf32> -> tensor<8x2xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c3_element_types(%0: tensor<2x8xf32>, %1: tensor<2x8xf64>, %i: index) {
  // expected-error @below {{element types disagree: 'f32' and 'f64'}}
  %2 = commir.broadcast %0 into %1 from %i over {gpu} : tensor<2x8xf32> into tensor<2x8xf64> -> tensor<2x8xf64>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c3_mixes_tensors_and_buffers(%0: memref<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{mixes tensors and buffers}}
  %2 = commir.broadcast %0 into %1 from %i over {gpu} : memref<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c4_no_result(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  commir.broadcast %0 into %1 from %i over {gpu} : tensor<2x8xf32> into tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c4_wrong_result(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expected type of operand #1 ('tensor<2x8xf32>') to match type of corresponding result ('tensor<2x4xf32>')}}
  %2 = commir.broadcast %0 into %1 from %i over {gpu} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x4xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c4_request_on_tensors(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{has a request, which only buffers allow}}
  %2 = commir.broadcast %0 into %1 from %i over {gpu} request 0 : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c4_result_on_buffers(%0: memref<2x8xf32>, %1: memref<2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %2 = commir.broadcast %0 into %1 from %i over {gpu} : memref<2x8xf32> into memref<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c4_request_negative(%0: memref<2x8xf32>, %1: memref<2x8xf32>, %i: index) {
  // expected-error @below {{request must not be negative, got -1}}
  commir.broadcast %0 into %1 from %i over {gpu} request -1 : memref<2x8xf32> into memref<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c1_no_axis(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expects at least one axis}}
  %2 = commir.permute %0 into %1 to %i from %i over {} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c1_axis_not_in_topology(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{axis 'tpu' is not in the topology, which has 'node', 'gpu'}}
  %2 = commir.permute %0 into %1 to %i from %i over {tpu} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c1_axis_used_twice(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{axis 'gpu' is used twice}}
  %2 = commir.permute %0 into %1 to %i from %i over {gpu, gpu} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c2_shapes_differ(%0: tensor<2x8xf32>, %1: tensor<8x2xf32>, %i: index) {
  // expected-error @below {{input and output have different shapes: 'tensor<2x8xf32>' and 'tensor<8x2xf32>'}}
  %2 = commir.permute %0 into %1 to %i from %i over {gpu} : tensor<2x8xf32> into tensor<8x2xf32> -> tensor<8x2xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c3_element_types(%0: tensor<2x8xf32>, %1: tensor<2x8xf64>, %i: index) {
  // expected-error @below {{element types disagree: 'f32' and 'f64'}}
  %2 = commir.permute %0 into %1 to %i from %i over {gpu} : tensor<2x8xf32> into tensor<2x8xf64> -> tensor<2x8xf64>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c3_mixes_tensors_and_buffers(%0: memref<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{mixes tensors and buffers}}
  %2 = commir.permute %0 into %1 to %i from %i over {gpu} : memref<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c4_no_result(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  commir.permute %0 into %1 to %i from %i over {gpu} : tensor<2x8xf32> into tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c4_wrong_result(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expected type of operand #1 ('tensor<2x8xf32>') to match type of corresponding result ('tensor<2x4xf32>')}}
  %2 = commir.permute %0 into %1 to %i from %i over {gpu} : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x4xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c4_request_on_tensors(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{has a request, which only buffers allow}}
  %2 = commir.permute %0 into %1 to %i from %i over {gpu} request 0 : tensor<2x8xf32> into tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c4_result_on_buffers(%0: memref<2x8xf32>, %1: memref<2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %2 = commir.permute %0 into %1 to %i from %i over {gpu} : memref<2x8xf32> into memref<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c4_request_negative(%0: memref<2x8xf32>, %1: memref<2x8xf32>, %i: index) {
  // expected-error @below {{request must not be negative, got -1}}
  commir.permute %0 into %1 to %i from %i over {gpu} request -1 : memref<2x8xf32> into memref<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_reduce_c1_no_axis(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expects at least one axis}}
  %2 = commir.all_reduce sum %1 over {} : tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_reduce_c1_axis_not_in_topology(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{axis 'tpu' is not in the topology, which has 'node', 'gpu'}}
  %2 = commir.all_reduce sum %1 over {tpu} : tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_reduce_c1_axis_used_twice(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{axis 'gpu' is used twice}}
  %2 = commir.all_reduce sum %1 over {gpu, gpu} : tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_reduce_c4_no_result(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  commir.all_reduce sum %1 over {gpu} : tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_reduce_c4_wrong_result(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{expected type of operand #0 ('tensor<2x8xf32>') to match type of corresponding result ('tensor<2x4xf32>')}}
  %2 = commir.all_reduce sum %1 over {gpu} : tensor<2x8xf32> -> tensor<2x4xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_reduce_c4_request_on_tensors(%0: tensor<2x8xf32>, %1: tensor<2x8xf32>, %i: index) {
  // expected-error @below {{has a request, which only buffers allow}}
  %2 = commir.all_reduce sum %1 over {gpu} request 0 : tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_reduce_c4_result_on_buffers(%0: memref<2x8xf32>, %1: memref<2x8xf32>, %i: index) {
  // expected-error @below {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %2 = commir.all_reduce sum %1 over {gpu} : memref<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_reduce_c4_request_negative(%0: memref<2x8xf32>, %1: memref<2x8xf32>, %i: index) {
  // expected-error @below {{request must not be negative, got -1}}
  commir.all_reduce sum %1 over {gpu} request -1 : memref<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_reduce_dynamic_extent(%1: tensor<?x8xf32>, %i: index) {
  // expected-error @below {{must be ranked tensor or contiguous buffer of static shape}}
  %2 = commir.all_reduce sum %1 over {gpu} : tensor<?x8xf32> -> tensor<?x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @hop_c1_no_tile() {
  // expected-error @below {{expects one hop per source, got 0 for 0}}
  "commir.hop"() {hops = []} : () -> ()
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @hop_c1_hops_per_tile(%0: memref<8xf32>) {
  // expected-error @below {{expects one hop per source, got 1 for 2}}
  commir.hop %0, %0 into %0, %0 by [#commir.hop<{gpu} by 1>] : memref<8xf32>, memref<8xf32> into memref<8xf32>, memref<8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @hop_c2_shapes(%0: memref<8xf32>, %1: memref<4xf32>) {
  // expected-error @below {{source 'memref<8xf32>' and target 'memref<4xf32>' disagree}}
  commir.hop %0 into %1 by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<4xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @hop_c2_element_types(%0: memref<8xf32>, %1: memref<8xf64>) {
  // expected-error @below {{source 'memref<8xf32>' and target 'memref<8xf64>' disagree}}
  commir.hop %0 into %1 by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf64>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @hop_c3_axis_not_in_topology(%0: memref<8xf32>) {
  // expected-error @below {{axis 'tpu' is not in the topology}}
  commir.hop %0 into %0 by [#commir.hop<{tpu} by 1>] : memref<8xf32> into memref<8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @hop_c4_request_negative(%0: memref<8xf32>) {
  // expected-error @below {{request must not be negative, got -2}}
  commir.hop %0 into %0 by [#commir.hop<{gpu} by 1>] request -2 : memref<8xf32> into memref<8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @wait_c1_request_negative() {
  // expected-error @below {{request must not be negative, got -1}}
  commir.wait -1
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c1_hops_per_tile(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{expects one hop per travelling and carried tile, got 2 for 1}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c1_no_hop(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{expects one hop per travelling and carried tile, got 0 for 1}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c1_steps_zero(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{expects a positive number of steps, got 0}}
  %2 = commir.rotate steps 0 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c1_steps_negative(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{expects a positive number of steps, got -1}}
  %2 = commir.rotate steps -1 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c2_no_step(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{body takes ('tensor<4x8xf32>', 'tensor<4x8xf32>'), expected ('index', 'tensor<4x8xf32>', 'tensor<4x8xf32>')}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c2_argument_missing(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{body takes ('index', 'tensor<4x8xf32>'), expected ('index', 'tensor<4x8xf32>', 'tensor<4x8xf32>')}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c2_argument_type(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{body takes ('index', 'tensor<4x4xf32>', 'tensor<4x8xf32>'), expected ('index', 'tensor<4x8xf32>', 'tensor<4x8xf32>')}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x4xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c2_buffers_as_arguments(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{body takes ('index', 'memref<4x8xf32>'), expected ('index')}}
  commir.rotate steps 4 state(%m : memref<4x8xf32>) by [] {
  ^bb0(%s: index, %a: memref<4x8xf32>):
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c3_yields_too_few(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{body yields (), expected ('tensor<4x8xf32>')}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c3_yields_other_type(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{body yields ('index'), expected ('tensor<4x8xf32>')}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %s : index
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c3_buffers_yield(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{body yields ('index'), expected ()}}
  commir.rotate steps 4 state(%m : memref<4x8xf32>) by [] {
  ^bb0(%s: index):
    commir.rotate_yield %s : index
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c3_no_yield(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{body must end in commir.rotate_yield}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    llvm.unreachable
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c3_no_terminator(%0: tensor<4x8xf32>) {
  commir.rotate steps 4 by [] {
  ^bb0(%s: index):
    // expected-error @below {{block with no terminator, has }}
    %c = arith.constant 0 : index
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c3_empty_block(%0: tensor<4x8xf32>) {
  // expected-error @below {{empty block: expect at least a terminator}}
  commir.rotate steps 4 by [] {
  ^bb0(%s: index):
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_empty_region(%0: tensor<4x8xf32>) {
  // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  commir.rotate steps 4 by [] {
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_two_blocks(%0: tensor<4x8xf32>) {
  // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  commir.rotate steps 4 by [] {
  ^bb0(%s: index):
    cf.br ^bb1
  ^bb1:
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c4_combine_without_carry(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{has a combine region but no carry}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  } combine {
  ^bb0(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>):
    commir.rotate_yield %x : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c4_combine_takes(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{combine takes ('tensor<4x8xf32>'), expected ('tensor<4x8xf32>', 'tensor<4x8xf32>')}}
  %2 = commir.rotate steps 4 carry(%0 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  } combine {
  ^bb0(%x: tensor<4x8xf32>):
    commir.rotate_yield %x : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c4_combine_yields(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{combine yields (), expected ('tensor<4x8xf32>')}}
  %2 = commir.rotate steps 4 carry(%0 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  } combine {
  ^bb0(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>):
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c4_two_combine_regions(%0: tensor<4x8xf32>) {
  // expected-error @below {{has more than one combine region}}
  %1 = commir.rotate steps 4 carry(%0 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>):
    commir.rotate_yield %a : tensor<4x8xf32>
  } combine {
  ^bb0(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>):
    commir.rotate_yield %x : tensor<4x8xf32>
  }, {
  ^bb0(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>):
    commir.rotate_yield %x : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c4_combine_on_buffers(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{on buffers has no combine region; what merges stands behind commir.rotate_arrive}}
  commir.rotate steps 4 carry(%m : memref<4x8xf32>) scratch(%m, %m : memref<4x8xf32>, memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    commir.rotate_yield
  } combine {
  ^bb0:
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c4_arrives_twice(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{has more than one commir.rotate_arrive}}
  commir.rotate steps 4 carry(%m : memref<4x8xf32>) scratch(%m, %m : memref<4x8xf32>, memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    commir.rotate_arrive
    commir.rotate_arrive
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c5_result_missing(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{inferred type(s) 'tensor<4x8xf32>' are incompatible with return type(s) of operation }}
  commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c5_result_type(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{inferred type(s) 'tensor<4x8xf32>' are incompatible with return type(s) of operation 'tensor<4x4xf32>'}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x4xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c5_result_on_buffers(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{inferred type(s)  are incompatible with return type(s) of operation 'memref<4x8xf32>'}}
  %2 = commir.rotate steps 4 state(%m : memref<4x8xf32>) by [] -> (memref<4x8xf32>) {
  ^bb0(%s: index):
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c6_axis_not_in_topology(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{axis 'tpu' is not in the topology}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{tpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c6_axis_overlaps(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{axis 'gpu' is used twice (it overlaps 'gpu:(1)2')}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu:(1)2, gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c7_mixes_tensors_and_buffers(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{mixes tensors and buffers: ('tensor<4x8xf32>', 'memref<4x8xf32>')}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%m : memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c7_scratch_on_tensors(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{mixes tensors and buffers: ('tensor<4x8xf32>', 'tensor<4x8xf32>', 'memref<4x8xf32>')}}
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) scratch(%m : memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c8_scratch_missing(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{scratch is ('memref<4x8xf32>'), expected ('memref<4x8xf32>', 'memref<4x8xf32>')}}
  commir.rotate steps 4 travel(%m : memref<4x8xf32>) scratch(%m : memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c8_scratch_of_one_step(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{scratch is ('memref<4x8xf32>'), expected ()}}
  commir.rotate steps 1 travel(%m : memref<4x8xf32>) scratch(%m : memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c8_scratch_type(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{scratch is ('memref<8x8xf32>'), expected ('memref<4x8xf32>')}}
  commir.rotate steps 2 travel(%m : memref<4x8xf32>) scratch(%n : memref<8x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_state_of_scalar(%i: index) {
  // expected-error @below {{must be variadic of ranked tensor or buffer of static shape, but got 'index'}}
  %2 = commir.rotate steps 4 state(%i : index) by [] -> (index) {
  ^bb0(%s: index, %x: index):
    commir.rotate_yield %x : index
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_arrive_c1_on_tensors(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    // expected-error @below {{stands in a rotation on tensors}}
    commir.rotate_arrive
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_arrive_c1_without_carry(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  // expected-error @below {{has a combine region but no carry}}
  commir.rotate steps 4 travel(%m : memref<4x8xf32>) scratch(%m, %m : memref<4x8xf32>, memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    commir.rotate_arrive
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_tile_c1_on_tensors(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  %2 = commir.rotate steps 4 travel(%0 : tensor<4x8xf32>) state(%1 : tensor<4x8xf32>) by [#commir.hop<{gpu} by 1>] -> (tensor<4x8xf32>) {
  ^bb0(%s: index, %a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    // expected-error @below {{stands in a rotation on tensors, whose tiles are arguments of its body}}
    %3 = commir.rotate_tile 0 : memref<4x8xf32>
    commir.rotate_yield %b : tensor<4x8xf32>
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_tile_c2_index_too_large(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  commir.rotate steps 4 travel(%m : memref<4x8xf32>) scratch(%m, %m : memref<4x8xf32>, memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    // expected-error @below {{index 1 is out of range, 1 tiles move}}
    %3 = commir.rotate_tile 1 : memref<4x8xf32>
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_tile_c2_index_negative(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  commir.rotate steps 4 travel(%m : memref<4x8xf32>) scratch(%m, %m : memref<4x8xf32>, memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    // expected-error @below {{index -1 is out of range, 1 tiles move}}
    %3 = commir.rotate_tile -1 : memref<4x8xf32>
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_tile_c3_travelling_tile_arrived(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  commir.rotate steps 4 travel(%m : memref<4x8xf32>) scratch(%m, %m : memref<4x8xf32>, memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    // expected-error @below {{tile 0 travels, only carries have arrived}}
    %3 = commir.rotate_tile 0 arrived : memref<4x8xf32>
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_tile_c3_before_arrival(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  commir.rotate steps 4 carry(%m : memref<4x8xf32>) scratch(%m, %m : memref<4x8xf32>, memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    // expected-error @below {{has arrived, but no commir.rotate_arrive stands before it}}
    %3 = commir.rotate_tile 0 arrived : memref<4x8xf32>
    commir.rotate_arrive
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_tile_c3_without_arrival(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  commir.rotate steps 4 carry(%m : memref<4x8xf32>) scratch(%m : memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    // expected-error @below {{has arrived, but no commir.rotate_arrive stands before it}}
    %3 = commir.rotate_tile 0 arrived : memref<4x8xf32>
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_tile_c4_type(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>, %m: memref<4x8xf32>, %n: memref<8x8xf32>) {
  commir.rotate steps 4 travel(%m : memref<4x8xf32>) scratch(%m, %m : memref<4x8xf32>, memref<4x8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    // expected-error @below {{has type 'memref<8x8xf32>', but tile 0 has type 'memref<4x8xf32>'}}
    %3 = commir.rotate_tile 0 : memref<8x8xf32>
    commir.rotate_yield
  }
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_yield_outside_rotation(%0: memref<4x8xf32>) {
  // expected-error @below {{expects parent op 'commir.rotate'}}
  %1 = commir.rotate_tile 0 : memref<4x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c5_input_strided(%0: memref<2x8xf32, strided<[16, 1]>>, %1: memref<4x2x8xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor or contiguous buffer of static shape, but got 'memref<2x8xf32, strided<[16, 1]>>'}}
  commir.all_gather %0 into %1 over {gpu} : memref<2x8xf32, strided<[16, 1]>> into memref<4x2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_gather_c5_output_strided(%0: memref<2x8xf32>, %1: memref<4x2x8xf32, strided<[32, 8, 1], offset: 64>>) {
  // expected-error @below {{operand #1 must be ranked tensor or contiguous buffer of static shape, but got }}
  commir.all_gather %0 into %1 over {gpu} : memref<2x8xf32> into memref<4x2x8xf32, strided<[32, 8, 1], offset: 64>>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @reduce_scatter_c5_output_strided(%0: memref<2x8xf32, strided<[16, 1]>>, %1: memref<4x2x8xf32>) {
  // expected-error @below {{operand #1 must be ranked tensor or contiguous buffer of static shape, but got }}
  commir.reduce_scatter sum %1 into %0 over {gpu} : memref<4x2x8xf32> into memref<2x8xf32, strided<[16, 1]>>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_to_all_c5_strided(%1: memref<4x2x8xf32, strided<[32, 8, 1], offset: 64>>) {
  // expected-error @below {{operand #0 must be ranked tensor or contiguous buffer of static shape, but got }}
  commir.all_to_all %1 into %1 over {gpu} : memref<4x2x8xf32, strided<[32, 8, 1], offset: 64>> into memref<4x2x8xf32, strided<[32, 8, 1], offset: 64>>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @broadcast_c5_strided(%0: memref<2x8xf32, strided<[16, 1]>>, %i: index) {
  // expected-error @below {{operand #0 must be ranked tensor or contiguous buffer of static shape, but got }}
  commir.broadcast %0 into %0 from %i over {gpu} : memref<2x8xf32, strided<[16, 1]>> into memref<2x8xf32, strided<[16, 1]>>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @permute_c5_strided(%0: memref<2x8xf32, strided<[16, 1]>>, %i: index) {
  // expected-error @below {{operand #0 must be ranked tensor or contiguous buffer of static shape, but got }}
  commir.permute %0 into %0 to %i from %i over {gpu} : memref<2x8xf32, strided<[16, 1]>> into memref<2x8xf32, strided<[16, 1]>>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @all_reduce_c5_strided(%0: memref<2x8xf32, strided<[16, 1]>>) {
  // expected-error @below {{operand #0 must be ranked tensor or contiguous buffer of static shape, but got }}
  commir.all_reduce sum %0 over {gpu} : memref<2x8xf32, strided<[16, 1]>>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @hop_c5_strided(%0: memref<2x8xf32, strided<[16, 1]>>, %1: memref<2x8xf32>) {
  // expected-error @below {{operand #0 must be variadic of contiguous buffer of static shape, but got 'memref<2x8xf32, strided<[16, 1]>>'}}
  commir.hop %0 into %1 by [#commir.hop<{gpu} by 1>] : memref<2x8xf32, strided<[16, 1]>> into memref<2x8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
func.func @rotate_c9_with_offset(%0: memref<2x8xf32, strided<[8, 1], offset: ?>>) {
  // expected-error @below {{operand #0 must be variadic of ranked tensor or buffer of static shape and identity layout}}
  commir.rotate steps 1 travel(%0 : memref<2x8xf32, strided<[8, 1], offset: ?>>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%s: index):
    commir.rotate_yield
  }
  return
}
