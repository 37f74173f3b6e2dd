// Schedules that mercury-distribute refuses, with what clashes with what.
// RUN: mercury-opt %s -mercury-distribute -split-input-file -verify-diagnostics

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @one_has_a_schedule_and_another_none(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-note @+1 {{this one}}
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]">}
         ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-error @+1 {{'linalg.exp' has no schedule, but another operator of the function has one}}
  %1 = linalg.exp ins(%0 : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @schedule_of_what_cannot_be_distributed(%a: tensor<8x8xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{'tensor.collapse_shape' has a schedule but cannot be distributed}}
  %0 = tensor.collapse_shape %a [[0, 1]] {commir.schedule = #commir.schedule<"loops [-] inputs [[{}]] results [[{}]]">} : tensor<8x8xf32> into tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// expected-error @+1 {{no topology resolves: the module has none, or several and 'commir.topology' names none of them}}
func.func @no_topology(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.exp {commir.schedule = #commir.schedule<"loops [-, -] inputs [[{}, {}]] results [[{}, {}]]">}
         ins(%a : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]
commir.topology @pair levels [#commir.level<gpu, 2>]

// expected-error @+1 {{no topology resolves: the module has none, or several and 'commir.topology' names none of them}}
func.func @several_topologies(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.exp {commir.schedule = #commir.schedule<"loops [-, -] inputs [[{}, {}]] results [[{}, {}]]">}
         ins(%a : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @dynamic_extent(%a: tensor<?x8xf32>, %b: tensor<8x8xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{has a dynamic extent in a value of type 'tensor<?x8xf32>'; only static shapes are distributed}}
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]">}
         ins(%a, %b : tensor<?x8xf32>, tensor<8x8xf32>) outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @empty_extent(%a: tensor<0x8xf32>, %b: tensor<8x8xf32>, %c: tensor<0x8xf32>) -> tensor<0x8xf32> {
  // expected-error @+1 {{has no elements along loop d0; there is nothing to distribute}}
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]">}
         ins(%a, %b : tensor<0x8xf32>, tensor<8x8xf32>) outs(%c : tensor<0x8xf32>) -> tensor<0x8xf32>
  return %0 : tensor<0x8xf32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

// The value and the place of the largest element: two results that are reduced
// together, by no combiner that is known.
func.func @no_combiner_of_argmax(%a: tensor<16xf32>, %v: tensor<f32>, %i: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  // expected-error @+1 {{illegal schedule: axes {gpu} parallelize reduction loop 0 of 'linalg.generic', but result 0 has no known combiner}}
  %0:2 = linalg.generic {
      commir.schedule = #commir.schedule<"loops [rank gpu] inputs [[{gpu}]] results [[], []]">,
      indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> ()>, affine_map<(d) -> ()>],
      iterator_types = ["reduction"]}
      ins(%a : tensor<16xf32>) outs(%v, %i : tensor<f32>, tensor<i32>) {
    ^bb0(%in: f32, %best: f32, %at: i32):
      %d = linalg.index 0 : index
      %here = arith.index_cast %d : index to i32
      %greater = arith.cmpf ogt, %in, %best : f32
      %value = arith.select %greater, %in, %best : f32
      %place = arith.select %greater, %here, %at : i32
      linalg.yield %value, %place : f32, i32
  } -> (tensor<f32>, tensor<i32>)
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @axis_used_twice(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{illegal schedule: axis 'gpu' is used twice: by loop 0 and by loop 1}}
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, rank gpu, -] inputs [[{gpu}, {}], [{}, {gpu}]] results [[{gpu}, {}]]">}
         ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @axis_not_in_topology(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{axis 'node' is not in the topology, which has 'gpu'}}
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank node, -, -] inputs [[{node}, {}], [{}, {}]] results [[{node}, {}]]">}
         ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

// Rows run in four steps that are shifted, but every rank holds all rows.
func.func @shift_that_no_operand_needs(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{illegal schedule: loop 0 of 'linalg.matmul' is shifted by {gpu}, but no operand or result travels over it: none is sharded over these axes along this loop}}
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [time gpu shift gpu, rank gpu, -] inputs [[{}, {}], [{}, {gpu}]] results [[{}, {gpu}]]">}
         ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @stride_with_a_common_factor(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{illegal schedule: loop 0 of 'linalg.matmul' is shifted by {gpu} with stride 2, which has a common factor with its 4 steps}}
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [time gpu shift gpu stride 2, rank gpu, -] inputs [[{gpu}, {}], [{}, {gpu}]] results [[{}, {gpu}]]">}
         ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// The links of this level do not pass anything on in a ring.
commir.topology @ring levels [#commir.level<gpu, 4, primitives [all_gather, all_reduce]>]

func.func @primitive_not_allowed(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{illegal schedule: input 0 of 'linalg.matmul' needs send_recv over axis 'gpu', level 'gpu' allows only all_gather, all_reduce}}
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [time gpu shift gpu, rank gpu, -] inputs [[{gpu}, {}], [{}, {gpu}]] results [[{}, {gpu}]]">}
         ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @loops_of_another_operator(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{illegal schedule: schedule has 3 loops, 'linalg.exp' has 2}}
  %0 = linalg.exp {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}]] results [[{gpu}, {}]]">}
         ins(%a : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

commir.topology @pair levels [#commir.level<gpu, 2>]

// Nine elements on two ranks, reduced by a product of sums: neither a zero nor a
// one leaves the result as it is.
func.func @no_neutral_padding(%a: tensor<9xf32>, %b: tensor<9xf32>, %c: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{operand 0 of type 'tensor<9xf32>' would be padded to 'tensor<10xf32>', but the operator has no neutral padding}}
  %0 = linalg.generic {
      commir.schedule = #commir.schedule<"loops [rank gpu] inputs [[{gpu}], [{gpu}]] results [[]]">,
      indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>, affine_map<(d) -> ()>],
      iterator_types = ["reduction"]}
      ins(%a, %b : tensor<9xf32>, tensor<9xf32>) outs(%c : tensor<f32>) {
    ^bb0(%x: f32, %y: f32, %product: f32):
      %sum = arith.addf %x, %y : f32
      %r = arith.mulf %sum, %product : f32
      linalg.yield %r : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @local_tile_is_too_large(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{illegal schedule: tile size 3 of loop 0 of 'linalg.matmul' is larger than the 2 elements that a rank computes in one step}}
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]] tile [3, 8, 8]">}
         ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

// What works on buffers is no operator to distribute.
func.func @on_buffers(%a: memref<8x8xf32>) {
  linalg.exp ins(%a : memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  // expected-error @+1 {{'linalg.matmul' has a schedule but cannot be distributed}}
  linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]">}
      ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

func.func @nothing_to_distribute_on_buffers(%a: memref<8x8xf32>) {
  linalg.exp ins(%a : memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

commir.topology @ring levels [#commir.level<gpu, 4>]

func.func @order_of_positions_that_begin_anywhere(%q: tensor<16x8xf32>, %k: tensor<16x8xf32>, %o: tensor<16x8xf32>, %at: index) -> tensor<16x8xf32> {
  // expected-error @+1 {{loop d0 takes no token order: its queries begin at 'query_start', which is known at run time only}}
  %r = commir.attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
      ins(%q, %k, %k : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) visible <right 0> query_start(%at)
      outs(%o : tensor<16x8xf32>)
      {commir.schedule = #commir.schedule<"loops [rank gpu] tokens [zigzag 4] inputs [[{gpu} zigzag 4, {}], [{}, {}], [{}, {}]] results [[{gpu} zigzag 4, {}]]">} -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

commir.topology @ring levels [#commir.level<gpu, 2>]

func.func @order_of_keys_that_ranges_count(%q: tensor<16x8xf32>, %k: tensor<16x8xf32>, %b: tensor<16xi32>, %o: tensor<16x8xf32>, %m: tensor<16xf32>) -> tensor<16x8xf32> {
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{loop d1 takes no token order: 'key_range' counts from 'key_start'}}
  %r:3 = commir.online_attention maps [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
      ins(%q, %k, %k : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) key_start(%c8) key_range(%b, %b : tensor<16xi32>, tensor<16xi32>)
      outs(%o, %m, %m : tensor<16x8xf32>, tensor<16xf32>, tensor<16xf32>)
      {commir.schedule = #commir.schedule<"loops [-, time 2] tokens [-, zigzag 2] inputs [[{}, {}], [{} zigzag 2, {}], [{} zigzag 2, {}], [{}], [{}]] results [[{}, {}], [{}], [{}]]">} -> tensor<16x8xf32>, tensor<16xf32>, tensor<16xf32>
  return %r#0 : tensor<16x8xf32>
}
