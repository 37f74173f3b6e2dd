// RUN: mercury-opt %s --mercury-verify-communication --verify-diagnostics
//
// Each function is a legal SPMD program but for one fault, of the kind that it
// is named by. Comments name public faults of the kind.

commir.topology @two levels [#commir.level<gpu, 2>]
commir.topology @four levels [#commir.level<gpu, 4>]
commir.topology @mesh levels [#commir.level<node, 2>, #commir.level<gpu, 2>]
commir.topology @wide levels [#commir.level<node, 2>, #commir.level<gpu, 4>]
commir.topology @cube levels [#commir.level<pp, 2>, #commir.level<cp, 2>, #commir.level<tp, 2>]

//===----------------------------------------------------------------------===//
// Cyclic waits and order
//===----------------------------------------------------------------------===//

// Every rank sends before it receives, outside of a group (NCCL#479, #584, #783,
// #2057); finishes only while messages are small enough to be sent eagerly
// (pytorch/torchrec#4472).
func.func @every_rank_sends_first(%t: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32>
    attributes {commir.topology = @four} {
  %nobody = arith.constant -1 : index
  %r = commir.rank_coord {gpu}
  %next = affine.apply affine_map<(d0) -> ((d0 + 1) mod 4)>(%r)
  %previous = affine.apply affine_map<(d0) -> ((d0 + 3) mod 4)>(%r)
  // expected-error @+1 {{cyclic wait: rank 0 waits in permute over {gpu} for rank 1, which waits in permute over {gpu} for rank 2, which waits in permute over {gpu} for rank 3, which waits in permute over {gpu} for rank 0}}
  %0 = commir.permute %t into %e to %next from %nobody over {gpu} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  %1 = commir.permute %t into %0 to %nobody from %previous over {gpu} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Blocking collectives over two communicators, in opposite order.
func.func @collectives_wait_for_each_other(%a: memref<8xf32>, %b: memref<8xf32>)
    attributes {commir.topology = @mesh} {
  %c0 = arith.constant 0 : index
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  scf.if %first {
    // expected-error @+1 {{cyclic wait: rank 0 waits in all_reduce sum of 8 x f32 over {gpu} for rank 1, which waits in all_reduce sum of 8 x f32 over {node, gpu} for rank 0}}
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
    commir.all_reduce sum %b over {node, gpu} : memref<8xf32>
  } else {
    // expected-note @+1 {{rank 1 waits here}}
    commir.all_reduce sum %b over {node, gpu} : memref<8xf32>
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  }
  return
}

// A collective on one stream and sends and receives on another, at once, in an
// order that ranks do not share (NCCL#1192).
func.func @order_on_communicators_differs(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>)
    attributes {commir.topology = @mesh} {
  %c0 = arith.constant 0 : index
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  scf.if %first {
    // expected-error @+1 {{communicators that share ranks are used in different order: rank 0 waits in hop over {gpu} for rank 1, which waits in all_reduce sum of 8 x f32 over {node, gpu} for rank 0}}
    commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
    commir.all_reduce sum %c over {node, gpu} request 1 : memref<8xf32>
  } else {
    // expected-note @+1 {{rank 1 waits here}}
    commir.all_reduce sum %c over {node, gpu} request 1 : memref<8xf32>
    commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
  }
  commir.wait 0 for %a, %b : memref<8xf32>, memref<8xf32>
  commir.wait 1 for %c : memref<8xf32>
  return
}

// Two tiles on one pair, in opposite order on both ends (NCCL#389).
func.func @order_inside_group(%a: memref<8xf32>, %b: memref<8xf32>, %x: memref<8xf32>, %y: memref<8xf32>)
    attributes {commir.topology = @two} {
  %c0 = arith.constant 0 : index
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  scf.if %first {
    // expected-error @+1 {{rank 0 sends 8 x f32 to rank 1, which expects a part of another buffer there; the order inside the group differs}}
    commir.hop %a, %b into %x, %y by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by 1>]
      : memref<8xf32>, memref<8xf32> into memref<8xf32>, memref<8xf32>
  } else {
    // expected-note @+1 {{it receives here}}
    commir.hop %b, %a into %y, %x by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by 1>]
      : memref<8xf32>, memref<8xf32> into memref<8xf32>, memref<8xf32>
  }
  return
}

// The same where sizes tell.
func.func @sizes_disagree_on_pair(%a: memref<8xf32>, %b: memref<4xf32>, %x: memref<8xf32>, %y: memref<4xf32>)
    attributes {commir.topology = @two} {
  %c0 = arith.constant 0 : index
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  scf.if %first {
    // expected-error @+1 {{rank 0 sends 8 x f32 to rank 1, which expects 4 x f32}}
    commir.hop %a, %b into %x, %y by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by 1>]
      : memref<8xf32>, memref<4xf32> into memref<8xf32>, memref<4xf32>
  } else {
    // expected-note @+1 {{it receives here}}
    commir.hop %b, %a into %y, %x by [#commir.hop<{gpu} by 1>, #commir.hop<{gpu} by 1>]
      : memref<4xf32>, memref<8xf32> into memref<4xf32>, memref<8xf32>
  }
  return
}

// Overlapping groups: two in flight run, three are refused (openxla/xla#40656).
func.func @three_communicators_in_flight(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>)
    attributes {commir.topology = @cube} {
  commir.all_reduce sum %a over {pp} request 0 : memref<8xf32>
  // expected-note @+1 {{is in flight, too}}
  commir.all_reduce sum %b over {cp} request 1 : memref<8xf32>
  // expected-error @+1 {{has 3 communicators that share a rank in flight together, at most 2 may be: {pp}, {cp}, {tp}, on every rank}}
  commir.all_reduce sum %c over {tp} request 2 : memref<8xf32>
  commir.wait 0 for %a : memref<8xf32>
  commir.wait 1 for %b : memref<8xf32>
  commir.wait 2 for %c : memref<8xf32>
  return
}

//===----------------------------------------------------------------------===//
// Peers
//===----------------------------------------------------------------------===//

// The rank in the world where the group's is meant (ms-swift#9509,
// lm-engine#456, vllm-ascend#16197, torchrec#4601, Paddle#44276): right on ranks
// 0 to 3, wrong on the group {4, 5, 6, 7}.
func.func @global_rank_as_group_rank(%t: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32>
    attributes {commir.topology = @wide} {
  %r = commir.rank_coord {node, gpu}
  %next = affine.apply affine_map<(d0) -> ((d0 floordiv 4) * 4 + (d0 + 1) mod 4)>(%r)
  %previous = affine.apply affine_map<(d0) -> ((d0 + 3) mod 4)>(%r)
  // expected-error @+4 {{its destination is coordinate 5 of 4 on {gpu}; coordinates count inside the group, on rank 4}}
  // expected-error @+3 {{its destination is coordinate 6 of 4 on {gpu}; coordinates count inside the group, on rank 5}}
  // expected-error @+2 {{its destination is coordinate 7 of 4 on {gpu}; coordinates count inside the group, on rank 6}}
  // expected-error @+1 {{its destination is coordinate 4 of 4 on {gpu}; coordinates count inside the group, on rank 7}}
  %0 = commir.permute %t into %e to %next from %previous over {gpu} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The offset to the next pipeline stage forgets an axis (sglang#29571): stages
// are 4 ranks apart, not 2.
func.func @offset_forgets_axis(%t: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32>
    attributes {commir.topology = @cube} {
  %r = commir.rank_coord {pp, cp, tp}
  %next = affine.apply affine_map<(d0) -> ((d0 + 2) mod 8)>(%r)
  %previous = affine.apply affine_map<(d0) -> ((d0 + 4) mod 8)>(%r)
  // expected-error @+1 {{source and destination do not match over the group: rank 0 sends 8 x f32 to rank 2, which receives from rank 6}}
  %0 = commir.permute %t into %e to %next from %previous over {pp, cp, tp} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// An off-by-one in one of two tables.
func.func @source_table_off_by_one(%t: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32>
    attributes {commir.topology = @four} {
  %to = arith.constant dense<[1, 2, 3, 0]> : tensor<4xindex>
  %from = arith.constant dense<[3, 0, 1, 1]> : tensor<4xindex>
  %r = commir.rank_coord {gpu}
  %next = tensor.extract %to[%r] : tensor<4xindex>
  %previous = tensor.extract %from[%r] : tensor<4xindex>
  // expected-error @+1 {{source and destination do not match over the group: rank 2 sends 8 x f32 to rank 3, which receives from rank 1}}
  %0 = commir.permute %t into %e to %next from %previous over {gpu} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Two ranks send to one.
func.func @two_senders_one_receiver(%t: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32>
    attributes {commir.topology = @four} {
  %to = arith.constant dense<[2, 2, -1, -1]> : tensor<4xindex>
  %from = arith.constant dense<[-1, -1, 0, -1]> : tensor<4xindex>
  %r = commir.rank_coord {gpu}
  %next = tensor.extract %to[%r] : tensor<4xindex>
  %previous = tensor.extract %from[%r] : tensor<4xindex>
  // expected-error @+1 {{rank 1 sends 8 x f32 to rank 2, which never receives it}}
  %0 = commir.permute %t into %e to %next from %previous over {gpu} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A receive that nobody serves.
func.func @receive_without_send(%t: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32>
    attributes {commir.topology = @four} {
  %nobody = arith.constant -1 : index
  %from = arith.constant dense<[-1, 0, -1, -1]> : tensor<4xindex>
  %r = commir.rank_coord {gpu}
  %previous = tensor.extract %from[%r] : tensor<4xindex>
  // expected-error @+1 {{rank 1 expects 8 x f32 from rank 0, which never sends it}}
  %0 = commir.permute %t into %e to %nobody from %previous over {gpu} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// One op sends what another receives: their tables match only together.
func.func @received_in_another_op(%t: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32>
    attributes {commir.topology = @two} {
  %nobody = arith.constant -1 : index
  %to = arith.constant dense<[1, -1]> : tensor<2xindex>
  %from = arith.constant dense<[-1, 0]> : tensor<2xindex>
  %r = commir.rank_coord {gpu}
  %next = tensor.extract %to[%r] : tensor<2xindex>
  %previous = tensor.extract %from[%r] : tensor<2xindex>
  // expected-error @+1 {{rank 0 sends 8 x f32 to rank 1, which receives it in another op}}
  %0 = commir.permute %t into %e to %next from %nobody over {gpu} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  // expected-note @+1 {{it receives here}}
  %1 = commir.permute %0 into %e to %nobody from %previous over {gpu} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Ranks turn the ring in different directions.
func.func @directions_differ(%a: memref<8xf32>, %b: memref<8xf32>)
    attributes {commir.topology = @four} {
  %c0 = arith.constant 0 : index
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  scf.if %first {
    // expected-error @+1 {{rank 0 sends 8 x f32 to rank 1, which never receives it}}
    commir.hop %a into %b by [#commir.hop<{gpu} by -1>] : memref<8xf32> into memref<8xf32>
  } else {
    commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  }
  return
}

// Ranks disagree on the number of steps (ring-flash-attention#39).
func.func @trip_counts_differ(%a: memref<8xf32>, %b: memref<8xf32>)
    attributes {commir.topology = @four} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %counts = arith.constant dense<[4, 4, 4, 3]> : tensor<4xindex>
  %r = commir.rank_coord {gpu}
  %count = tensor.extract %counts[%r] : tensor<4xindex>
  scf.for %i = %c0 to %count step %c1 {
    // expected-error @+1 {{rank 0 sends 8 x f32 to rank 3, which never receives it}}
    commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  }
  return
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

// Only a part of a group takes part: what control-flow sinking makes of a
// collective that is pure (pytorch PR#74701, tt-mlir#3649).
func.func @part_of_group(%a: memref<8xf32>) attributes {commir.topology = @four} {
  %c3 = arith.constant 3 : index
  %r = commir.rank_coord {gpu}
  %some = arith.cmpi ult, %r, %c3 : index
  scf.if %some {
    // expected-error @+1 {{only a part of the group reaches all_reduce sum of 8 x f32 over {gpu}: ranks 0, 1 and 2 do, rank 3 does not}}
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  }
  return
}

func.func @reductions_differ(%a: memref<8xf32>) attributes {commir.topology = @two} {
  %c0 = arith.constant 0 : index
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  scf.if %first {
    // expected-error @+1 {{the group disagrees: rank 0 issues all_reduce sum of 8 x f32 over {gpu}, rank 1 issues all_reduce max of 8 x f32 over {gpu}}}
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  } else {
    // expected-note @+1 {{the other stands here}}
    commir.all_reduce max %a over {gpu} : memref<8xf32>
  }
  return
}

func.func @collective_sizes_differ(%a: memref<8xf32>, %b: memref<4xf32>) attributes {commir.topology = @two} {
  %c0 = arith.constant 0 : index
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  scf.if %first {
    // expected-error @+1 {{the group disagrees: rank 0 issues all_reduce sum of 8 x f32 over {gpu}, rank 1 issues all_reduce sum of 4 x f32 over {gpu}}}
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  } else {
    // expected-note @+1 {{the other stands here}}
    commir.all_reduce sum %b over {gpu} : memref<4xf32>
  }
  return
}

func.func @collectives_swapped(%a: memref<8xf32>, %b: memref<2x8xf32>) attributes {commir.topology = @two} {
  %c0 = arith.constant 0 : index
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  scf.if %first {
    // expected-error @+1 {{the group disagrees: rank 0 issues all_reduce sum of 8 x f32 over {gpu}, rank 1 issues all_gather of 8 x f32 over {gpu}}}
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
    commir.all_gather %a into %b over {gpu} : memref<8xf32> into memref<2x8xf32>
  } else {
    // expected-note @+1 {{the other stands here}}
    commir.all_gather %a into %b over {gpu} : memref<8xf32> into memref<2x8xf32>
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  }
  return
}

func.func @collective_meets_hop(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @two} {
  %c0 = arith.constant 0 : index
  %r = commir.rank_coord {gpu}
  %first = arith.cmpi eq, %r, %c0 : index
  scf.if %first {
    // expected-error @+1 {{the group disagrees: rank 0 issues all_reduce sum of 8 x f32 over {gpu}, rank 1 issues hop over {gpu}}}
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  } else {
    // expected-note @+1 {{the other stands here}}
    commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  }
  return
}

// A coordinate of another level (MagiAttention PR#71): every rank takes itself
// for the root.
func.func @roots_differ(%t: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32>
    attributes {commir.topology = @wide} {
  %root = commir.rank_coord {node}
  // expected-error @+1 {{the group disagrees: rank 0 issues broadcast of 8 x f32 from coordinate 0 over {node}, rank 4 issues broadcast of 8 x f32 from coordinate 1 over {node}}}
  %0 = commir.broadcast %t into %e from %root over {node} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @root_outside_group(%t: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32>
    attributes {commir.topology = @wide} {
  %root = arith.constant 2 : index
  // expected-error @+1 {{its root is coordinate 2 of 2 on {node}; coordinates count inside the group, on every rank}}
  %0 = commir.broadcast %t into %e from %root over {node} : tensor<8xf32> into tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
