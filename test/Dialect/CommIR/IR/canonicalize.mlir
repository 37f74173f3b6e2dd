// Folds and rewrites. Each keeps the value that ranks hold.
// RUN: mercury-opt %s -split-input-file -canonicalize -cse | FileCheck %s

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]

// CHECK-LABEL: func.func @shard_of_shard
// CHECK-NEXT: %[[S:.*]] = commir.shard %{{.*}} to [{gpu}, {}]
// CHECK-NEXT: return %[[S]]
func.func @shard_of_shard(%0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = commir.shard %0 to [{gpu}, {}] : tensor<16x8xf32>
  %2 = commir.shard %1 to [{gpu}, {}] : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @shard_of_other_shard
// CHECK: commir.shard %{{.*}} to [{gpu}, {}]
// CHECK: commir.shard %{{.*}} to [{}, {gpu}]
func.func @shard_of_other_shard(%0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = commir.shard %0 to [{gpu}, {}] : tensor<16x8xf32>
  %2 = commir.shard %1 to [{}, {gpu}] : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// A request to fetch is kept: readers look for it.
// CHECK-LABEL: func.func @shard_that_fetches
// CHECK: commir.shard %{{.*}} to [{gpu}, {}] :
// CHECK: commir.shard %{{.*}} to [{gpu}, {}] fetch {gpu}
func.func @shard_that_fetches(%0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = commir.shard %0 to [{gpu}, {}] : tensor<16x8xf32>
  %2 = commir.shard %1 to [{gpu}, {}] fetch {gpu} : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// And is not put where there was none.
// CHECK-LABEL: func.func @shard_of_shard_that_fetches
// CHECK: commir.shard %{{.*}} to [{gpu}, {}] fetch {gpu}
// CHECK: commir.shard %{{.*}} to [{gpu}, {}] :
func.func @shard_of_shard_that_fetches(%0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = commir.shard %0 to [{gpu}, {}] fetch {gpu} : tensor<16x8xf32>
  %2 = commir.shard %1 to [{gpu}, {}] : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @replicate_of_replicate
// CHECK-NEXT: %[[R:.*]] = commir.replicate
// CHECK-NEXT: return %[[R]]
func.func @replicate_of_replicate(%0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = commir.replicate %0 : tensor<16x8xf32>
  %2 = commir.replicate %1 : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @replicated_twice
// CHECK-NEXT: %[[R:.*]] = commir.replicate
// CHECK-NEXT: return %[[R]], %[[R]]
func.func @replicated_twice(%0: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %1 = commir.replicate %0 : tensor<16x8xf32>
  %2 = commir.replicate %0 : tensor<16x8xf32>
  return %1, %2 : tensor<16x8xf32>, tensor<16x8xf32>
}

// CHECK-LABEL: func.func @replicate_of_shard
// CHECK: commir.shard
// CHECK: commir.replicate
func.func @replicate_of_shard(%0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = commir.shard %0 to [{gpu}, {}] : tensor<16x8xf32>
  %2 = commir.replicate %1 : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @replicate_of_empty_shard
// CHECK-NEXT: %[[S:.*]] = commir.shard %{{.*}} to [{}, {}]
// CHECK-NEXT: return %[[S]]
func.func @replicate_of_empty_shard(%0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = commir.shard %0 to [{}, {}] : tensor<16x8xf32>
  %2 = commir.replicate %1 : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @reshard_to_same
// CHECK-NEXT: %[[S:.*]] = commir.shard
// CHECK-NEXT: return %[[S]]
func.func @reshard_to_same(%0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = commir.shard %0 to [{gpu}, {}] : tensor<16x8xf32>
  %2 = commir.reshard %1 to [{gpu}, {}] : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @reshard_of_replicate_to_replica
// CHECK-NEXT: %[[S:.*]] = commir.replicate
// CHECK-NEXT: return %[[S]]
func.func @reshard_of_replicate_to_replica(%0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = commir.replicate %0 : tensor<16x8xf32>
  %2 = commir.reshard %1 to [{}, {}] : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @reshard_of_reshard
// CHECK: %[[S:.*]] = commir.shard
// CHECK-NEXT: %[[R:.*]] = commir.reshard %[[S]] to [{}, {gpu}]
// CHECK-NEXT: return %[[R]]
func.func @reshard_of_reshard(%0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = commir.shard %0 to [{gpu}, {}] : tensor<16x8xf32>
  %2 = commir.reshard %1 to [{}, {}] : tensor<16x8xf32>
  %3 = commir.reshard %2 to [{}, {gpu}] : tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}

// There and back again.
// CHECK-LABEL: func.func @reshard_and_back
// CHECK-NEXT: %[[S:.*]] = commir.shard
// CHECK-NEXT: return %[[S]]
func.func @reshard_and_back(%0: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %1 = commir.shard %0 to [{gpu}, {}] : tensor<16x8xf32>
  %2 = commir.reshard %1 to [{}, {gpu}] : tensor<16x8xf32>
  %3 = commir.reshard %2 to [{gpu}, {}] : tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}

// What is communicated for others anyway stays between.
// CHECK-LABEL: func.func @reshard_of_reshard_with_uses
// CHECK: %[[S:.*]] = commir.shard
// CHECK-NEXT: %[[A:.*]] = commir.reshard %[[S]] to [{}, {}]
// CHECK-NEXT: %[[B:.*]] = commir.reshard %[[A]] to [{}, {gpu}]
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @reshard_of_reshard_with_uses(%0: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %1 = commir.shard %0 to [{gpu}, {}] : tensor<16x8xf32>
  %2 = commir.reshard %1 to [{}, {}] : tensor<16x8xf32>
  %3 = commir.reshard %2 to [{}, {gpu}] : tensor<16x8xf32>
  return %2, %3 : tensor<16x8xf32>, tensor<16x8xf32>
}

// CHECK-LABEL: func.func @shift_of_constants
// CHECK-DAG: %[[A:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[B:.*]] = arith.constant 3 : index
// CHECK: return %[[A]], %[[B]]
func.func @shift_of_constants() -> (index, index) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %0 = commir.shift %c2 by %c3 mod 4
  %1 = commir.shift %c2 by %c3 stride -1 mod 4
  return %0, %1 : index, index
}

// (2^62 + 3 * (2^62 + 1)) mod (2^63 - 1) = (4 * 2^62 + 3) mod (2^63 - 1) = 5
// CHECK-LABEL: func.func @shift_of_large_constants
// CHECK: %[[A:.*]] = arith.constant 5 : index
// CHECK: return %[[A]]
func.func @shift_of_large_constants() -> index {
  %a = arith.constant 4611686018427387904 : index
  %b = arith.constant 4611686018427387905 : index
  %0 = commir.shift %a by %b stride 3 mod 9223372036854775807
  return %0 : index
}

// CHECK-LABEL: func.func @shift_of_one_step
// CHECK-NEXT: %[[C:.*]] = arith.constant 0 : index
// CHECK-NEXT: return %[[C]]
func.func @shift_of_one_step(%t: index, %r: index) -> index {
  %0 = commir.shift %t by %r mod 1
  return %0 : index
}

// CHECK-LABEL: func.func @shift_stays
// CHECK: commir.shift
func.func @shift_stays(%t: index) -> index {
  %c0 = arith.constant 0 : index
  %0 = commir.shift %t by %c0 mod 4
  return %0 : index
}

// Communication stays, used or not, and is not merged.
// CHECK-LABEL: func.func @communication_stays
// CHECK: commir.all_reduce
// CHECK: commir.all_reduce
// CHECK: commir.rotate
func.func @communication_stays(%0: tensor<2x8xf32>) {
  %1 = commir.all_reduce sum %0 over {gpu} : tensor<2x8xf32> -> tensor<2x8xf32>
  %2 = commir.all_reduce sum %0 over {gpu} : tensor<2x8xf32> -> tensor<2x8xf32>
  %3 = commir.rotate steps 4 travel(%0 : tensor<2x8xf32>) state(%1 : tensor<2x8xf32>)
         by [#commir.hop<{gpu} by 1>] -> (tensor<2x8xf32>) {
  ^bb0(%s: index, %a: tensor<2x8xf32>, %b: tensor<2x8xf32>):
    commir.rotate_yield %b : tensor<2x8xf32>
  }
  return
}

// -----

// all_gather of each rank's block of what all ranks hold.

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]

// CHECK-LABEL: func.func @gather_of_own_block
// CHECK-SAME: (%[[X:[a-z0-9]*]]: tensor<8x6xf32>
// CHECK-NEXT: %[[E:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1], [2]] output_shape [4, 2, 6]
// CHECK-NEXT: return %[[E]]
func.func @gather_of_own_block(%x: tensor<8x6xf32> {commir.placement = #commir.placement<[{}, {}]>},
                               %init: tensor<4x2x6xf32>) -> tensor<4x2x6xf32> {
  %c = commir.rank_coord {gpu}
  %o = affine.apply affine_map<(d0) -> (d0 * 2)>(%c)
  %s = tensor.extract_slice %x[%o, 0] [2, 6] [1, 1] : tensor<8x6xf32> to tensor<2x6xf32>
  %g = commir.all_gather %s into %init over {gpu} : tensor<2x6xf32> into tensor<4x2x6xf32> -> tensor<4x2x6xf32>
  return %g : tensor<4x2x6xf32>
}

// CHECK-LABEL: func.func @gather_of_own_slice
// CHECK-SAME: (%[[X:[a-z0-9]*]]: tensor<4x6xf32>
// CHECK-NEXT: return %[[X]]
func.func @gather_of_own_slice(%x: tensor<4x6xf32> {commir.placement = #commir.placement<[{}, {node}]>},
                               %init: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = commir.rank_coord {gpu}
  %s = tensor.extract_slice %x[%c, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
  %g = commir.all_gather %s into %init over {gpu} : tensor<6xf32> into tensor<4x6xf32> -> tensor<4x6xf32>
  return %g : tensor<4x6xf32>
}

// The sum over all ranks is the same on all.
// CHECK-LABEL: func.func @gather_of_block_of_sum
// CHECK: %[[X:.*]] = commir.all_reduce
// CHECK-NOT: commir.all_gather
// CHECK: return
func.func @gather_of_block_of_sum(%0: tensor<4x6xf32>, %init: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %c = commir.rank_coord {gpu}
  %x = commir.all_reduce sum %0 over {node, gpu} : tensor<4x6xf32> -> tensor<4x6xf32>
  %s = tensor.extract_slice %x[%c, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
  %g = commir.all_gather %s into %init over {gpu} : tensor<6xf32> into tensor<4x6xf32> -> tensor<4x6xf32>
  return %x, %g : tensor<4x6xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: func.func @gather_of_block_of_constant
// CHECK-NOT: commir.all_gather
// CHECK: return
func.func @gather_of_block_of_constant(%init: tensor<4xf32>) -> tensor<4xf32> {
  %x = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %c = commir.rank_coord {gpu}
  %s = tensor.extract_slice %x[%c] [1] [1] : tensor<4xf32> to tensor<f32>
  %g = commir.all_gather %s into %init over {gpu} : tensor<f32> into tensor<4xf32> -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// Nothing is known of what the ranks hold.
// CHECK-LABEL: func.func @gather_of_block_of_argument
// CHECK: commir.all_gather
func.func @gather_of_block_of_argument(%x: tensor<4x6xf32>, %init: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = commir.rank_coord {gpu}
  %s = tensor.extract_slice %x[%c, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
  %g = commir.all_gather %s into %init over {gpu} : tensor<6xf32> into tensor<4x6xf32> -> tensor<4x6xf32>
  return %g : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @gather_of_block_of_shard
// CHECK: commir.all_gather
func.func @gather_of_block_of_shard(%x: tensor<4x6xf32> {commir.placement = #commir.placement<[{gpu:(1)2}, {}]>},
                                    %init: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = commir.rank_coord {gpu}
  %s = tensor.extract_slice %x[%c, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
  %g = commir.all_gather %s into %init over {gpu} : tensor<6xf32> into tensor<4x6xf32> -> tensor<4x6xf32>
  return %g : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @gather_of_block_by_coordinate
// CHECK: commir.all_gather
func.func @gather_of_block_by_coordinate(%init: tensor<4xindex>) -> tensor<4xindex> {
  %c = commir.rank_coord {gpu}
  %x = tensor.from_elements %c, %c, %c, %c : tensor<4xindex>
  %s = tensor.extract_slice %x[%c] [1] [1] : tensor<4xindex> to tensor<index>
  %g = commir.all_gather %s into %init over {gpu} : tensor<index> into tensor<4xindex> -> tensor<4xindex>
  return %g : tensor<4xindex>
}

// CHECK-LABEL: func.func @gather_of_other_block
// CHECK: commir.all_gather
func.func @gather_of_other_block(%x: tensor<4x6xf32> {commir.placement = #commir.placement<[{}, {}]>},
                                 %init: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = commir.rank_coord {gpu}
  %o = affine.apply affine_map<(d0) -> ((d0 + 1) mod 4)>(%c)
  %s = tensor.extract_slice %x[%o, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
  %g = commir.all_gather %s into %init over {gpu} : tensor<6xf32> into tensor<4x6xf32> -> tensor<4x6xf32>
  return %g : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @gather_over_other_axes
// CHECK: commir.all_gather
func.func @gather_over_other_axes(%x: tensor<8x6xf32> {commir.placement = #commir.placement<[{}, {}]>},
                                  %init: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %c = commir.rank_coord {node, gpu}
  %s = tensor.extract_slice %x[%c, 0] [1, 6] [1, 1] : tensor<8x6xf32> to tensor<6xf32>
  %g = commir.all_gather %s into %init over {gpu, node} : tensor<6xf32> into tensor<8x6xf32> -> tensor<8x6xf32>
  return %g : tensor<8x6xf32>
}

// -----

// This rank's block of an all_reduce.

commir.topology @t levels [#commir.level<node, 2, primitives [all_reduce]>, #commir.level<gpu, 4>]

// CHECK-LABEL: func.func @block_of_all_reduce
// CHECK-SAME: (%[[X:.*]]: tensor<8x6xf32>)
// CHECK-DAG: %[[P:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1], [2]] output_shape [4, 2, 6]
// CHECK-DAG: %[[I:.*]] = tensor.empty() : tensor<2x6xf32>
// CHECK: %[[R:.*]] = commir.reduce_scatter max %[[P]] into %[[I]] over {gpu}
// CHECK-NEXT: return %[[R]]
func.func @block_of_all_reduce(%x: tensor<8x6xf32>) -> tensor<2x6xf32> {
  %c = commir.rank_coord {gpu}
  %o = affine.apply affine_map<(d0) -> (d0 * 2)>(%c)
  %r = commir.all_reduce max %x over {gpu} : tensor<8x6xf32> -> tensor<8x6xf32>
  %s = tensor.extract_slice %r[%o, 0] [2, 6] [1, 1] : tensor<8x6xf32> to tensor<2x6xf32>
  return %s : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @slice_of_all_reduce
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>)
// CHECK: commir.reduce_scatter sum %[[X]] into %{{.*}} over {gpu} : tensor<4x6xf32> into tensor<6xf32>
func.func @slice_of_all_reduce(%x: tensor<4x6xf32>) -> tensor<6xf32> {
  %c = commir.rank_coord {gpu}
  %r = commir.all_reduce sum %x over {gpu} : tensor<4x6xf32> -> tensor<4x6xf32>
  %s = tensor.extract_slice %r[%c, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
  return %s : tensor<6xf32>
}

// CHECK-LABEL: func.func @all_reduce_with_other_use
// CHECK: commir.all_reduce
// CHECK-NOT: commir.reduce_scatter
// CHECK: return
func.func @all_reduce_with_other_use(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>) {
  %c = commir.rank_coord {gpu}
  %r = commir.all_reduce sum %x over {gpu} : tensor<4x6xf32> -> tensor<4x6xf32>
  %s = tensor.extract_slice %r[%c, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
  return %r, %s : tensor<4x6xf32>, tensor<6xf32>
}

// CHECK-LABEL: func.func @first_rows_of_all_reduce
// CHECK: commir.all_reduce
// CHECK-NOT: commir.reduce_scatter
// CHECK: return
func.func @first_rows_of_all_reduce(%x: tensor<8x6xf32>) -> tensor<1x6xf32> {
  %c = commir.rank_coord {gpu}
  %r = commir.all_reduce sum %x over {gpu} : tensor<8x6xf32> -> tensor<8x6xf32>
  %s = tensor.extract_slice %r[%c, 0] [1, 6] [1, 1] : tensor<8x6xf32> to tensor<1x6xf32>
  return %s : tensor<1x6xf32>
}

// The level between nodes has no reduce_scatter.
// CHECK-LABEL: func.func @level_without_reduce_scatter
// CHECK: commir.all_reduce
// CHECK-NOT: commir.reduce_scatter
// CHECK: return
func.func @level_without_reduce_scatter(%x: tensor<2x6xf32>) -> tensor<6xf32> {
  %c = commir.rank_coord {node}
  %r = commir.all_reduce sum %x over {node} : tensor<2x6xf32> -> tensor<2x6xf32>
  %s = tensor.extract_slice %r[%c, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32>
  return %s : tensor<6xf32>
}
