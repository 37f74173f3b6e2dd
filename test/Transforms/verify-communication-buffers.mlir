// RUN: mercury-opt %s --mercury-verify-communication=budget=100000 --verify-diagnostics
//
// Each function is a legal program on buffers but for one fault, of the kind
// that it is named by.

commir.topology @four levels [#commir.level<gpu, 4>]

//===----------------------------------------------------------------------===//
// Buffers in flight
//===----------------------------------------------------------------------===//

func.func @writes_source_in_flight(%a: memref<8xf32>, %b: memref<8xf32>, %v: f32) {
  // expected-note @+1 {{starts request 0}}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
  // expected-error @+1 {{writes a buffer in flight: request 0 sends it until it is waited for, on every rank}}
  linalg.fill ins(%v : f32) outs(%a : memref<8xf32>)
  commir.wait 0 for %a, %b : memref<8xf32>, memref<8xf32>
  return
}

// The tile of this step is read before it has arrived (the kind of
// huggingface/diffusers#14265: K and V of another iteration are used): the body
// of a shifted all-gather GEMM reads the buffer that it receives into.
func.func @reads_target_in_flight(%a: memref<4x8xf32>, %b: memref<8x2xf32>, %c: memref<16x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<4x8xf32>
  %y = memref.alloc() : memref<4x8xf32>
  %0:3 = scf.for %t = %c0 to %c4 step %c1 iter_args(%now = %a, %coming = %x, %spare = %y) -> (memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>) {
    %notLast = arith.cmpi ult, %t, %c3 : index
    scf.if %notLast {
      // expected-note @+1 {{starts request 0}}
      commir.hop %now into %coming by [#commir.hop<{gpu} by 1>] request 0 : memref<4x8xf32> into memref<4x8xf32>
    }
    %r = commir.rank_coord {gpu}
    %row = affine.apply affine_map<(d0, d1) -> (((d0 + d1) mod 4) * 4)>(%t, %r)
    %tile = memref.subview %c[%row, 0] [4, 2] [1, 1] : memref<16x2xf32> to memref<4x2xf32, strided<[2, 1], offset: ?>>
    // expected-error @+1 {{reads a buffer in flight: request 0 receives into it until it is waited for, on every rank}}
    linalg.matmul ins(%coming, %b : memref<4x8xf32>, memref<8x2xf32>) outs(%tile : memref<4x2xf32, strided<[2, 1], offset: ?>>)
    scf.if %notLast {
      commir.wait 0 for %now, %coming : memref<4x8xf32>, memref<4x8xf32>
    }
    scf.yield %coming, %spare, %coming : memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>
  }
  memref.dealloc %x : memref<4x8xf32>
  memref.dealloc %y : memref<4x8xf32>
  return
}

func.func @writes_target_in_flight(%a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-note @+1 {{starts request 0}}
  commir.all_reduce sum %a over {gpu} request 0 : memref<8xf32>
  // expected-error @+1 {{writes a buffer in flight: request 0 receives into it until it is waited for, on every rank}}
  memref.copy %b, %a : memref<8xf32> to memref<8xf32>
  commir.wait 0 for %a : memref<8xf32>
  return
}

// A view of what is in flight: one column of it.
func.func @writes_part_in_flight(%a: memref<8x4xf32>, %b: memref<8x4xf32>, %v: f32) {
  %column = memref.subview %a[0, 3] [8, 1] [1, 1] : memref<8x4xf32> to memref<8x1xf32, strided<[4, 1], offset: 3>>
  %rows = memref.collapse_shape %a [[0, 1]] : memref<8x4xf32> into memref<32xf32>
  %target = memref.collapse_shape %b [[0, 1]] : memref<8x4xf32> into memref<32xf32>
  // expected-note @+1 {{starts request 0}}
  commir.hop %rows into %target by [#commir.hop<{gpu} by 1>] request 0 : memref<32xf32> into memref<32xf32>
  // expected-error @+1 {{writes a buffer in flight: request 0 sends it until it is waited for, on every rank}}
  linalg.fill ins(%v : f32) outs(%column : memref<8x1xf32, strided<[4, 1], offset: 3>>)
  commir.wait 0 for %a, %b : memref<8x4xf32>, memref<8x4xf32>
  return
}

// The write stands in a loop that nothing else is known of.
func.func @writes_in_local_loop_in_flight(%a: memref<8xf32>, %b: memref<8xf32>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{starts request 0}}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
  // expected-error @+1 {{writes a buffer in flight: request 0 sends it until it is waited for, on every rank}}
  scf.for %i = %c0 to %n step %c1 {
    %view = memref.subview %a[%i] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: ?>>
    memref.store %v, %view[%c0] : memref<1xf32, strided<[1], offset: ?>>
  }
  commir.wait 0 for %a, %b : memref<8xf32>, memref<8xf32>
  return
}

func.func @passes_on_what_has_not_arrived(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) {
  // expected-note @+1 {{starts request 0}}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
  // expected-error @+1 {{reads a buffer in flight: request 0 receives into it until it is waited for, on every rank}}
  commir.hop %b into %c by [#commir.hop<{gpu} by 1>] request 1 : memref<8xf32> into memref<8xf32>
  commir.wait 0 for %a, %b : memref<8xf32>, memref<8xf32>
  commir.wait 1 for %b, %c : memref<8xf32>, memref<8xf32>
  return
}

func.func @no_second_buffer(%a: memref<8xf32>) {
  // expected-error @+1 {{receives into a buffer that it sends or receives into elsewhere, too, on every rank}}
  commir.hop %a into %a by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  return
}

func.func @frees_in_flight(%a: memref<8xf32>) {
  %b = memref.alloc() : memref<8xf32>
  // expected-note @+1 {{starts request 0}}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
  // expected-error @+1 {{frees a buffer in flight: request 0 is not waited for, on every rank}}
  memref.dealloc %b : memref<8xf32>
  commir.wait 0 for %a, %b : memref<8xf32>, memref<8xf32>
  return
}

func.func @sends_freed_buffer(%a: memref<8xf32>) {
  %b = memref.alloc() : memref<8xf32>
  memref.copy %a, %b : memref<8xf32> to memref<8xf32>
  // expected-note @+1 {{is freed here}}
  memref.dealloc %b : memref<8xf32>
  // expected-error @+1 {{reads a buffer that has been freed, on every rank}}
  commir.hop %b into %a by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  return
}

func.func @frees_twice(%a: memref<8xf32>) {
  %b = memref.alloc() : memref<8xf32>
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  // expected-note @+1 {{is freed here}}
  memref.dealloc %b : memref<8xf32>
  // expected-error @+1 {{frees a buffer that has been freed, on every rank}}
  memref.dealloc %b : memref<8xf32>
  return
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

func.func @wait_without_start(%a: memref<8xf32>, %b: memref<8xf32>) {
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
  commir.wait 0 for %a, %b : memref<8xf32>, memref<8xf32>
  // expected-error @+1 {{waits for request 1, which is not started, on every rank}}
  commir.wait 1 for %a, %b : memref<8xf32>, memref<8xf32>
  return
}

// On one rank of four.
func.func @wait_without_start_on_one_rank(%a: memref<8xf32>) {
  %c2 = arith.constant 2 : index
  %r = commir.rank_coord {gpu}
  commir.all_reduce sum %a over {gpu} request 0 : memref<8xf32>
  commir.wait 0 for %a : memref<8xf32>
  %third = arith.cmpi eq, %r, %c2 : index
  scf.if %third {
    // expected-error @+1 {{waits for request 0, which is not started, on rank 2}}
    commir.wait 0 for %a : memref<8xf32>
  }
  return
}

// The wait of a step stands behind the loop.
func.func @started_again_without_wait(%a: memref<8xf32>, %x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0:2 = scf.for %t = %c0 to %c2 step %c1 iter_args(%p = %x, %q = %y) -> (memref<8xf32>, memref<8xf32>) {
    // expected-error @+2 {{starts request 0 again before it is waited for, on every rank}}
    // expected-note @+1 {{starts request 0 before}}
    commir.hop %a into %p by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
    scf.yield %q, %p : memref<8xf32>, memref<8xf32>
  }
  commir.wait 0 for %a, %y : memref<8xf32>, memref<8xf32>
  return
}

func.func @never_waited(%a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-error @+1 {{starts request 0, which is never waited for, on every rank}}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
  // expected-note @+1 {{the function ends here}}
  return
}

// Nothing keeps uses of %b behind the wait.
func.func @wait_names_other_buffer(%a: memref<8xf32>, %b: memref<8xf32>) {
  // expected-note @+1 {{starts request 0}}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
  // expected-error @+1 {{does not name a buffer that request 0 has in flight; passes may move its uses across, on every rank}}
  commir.wait 0 for %a : memref<8xf32>
  return
}

//===----------------------------------------------------------------------===//
// What cannot be played
//===----------------------------------------------------------------------===//

func.func @root_depends_on_data(%a: memref<8xf32>, %b: memref<8xf32>, %table: memref<4xindex>) {
  %c0 = arith.constant 0 : index
  %root = memref.load %table[%c0] : memref<4xindex>
  // expected-error @+1 {{cannot be played: its root depends on data, on every rank}}
  commir.broadcast %a into %b from %root over {gpu} : memref<8xf32> into memref<8xf32>
  return
}

func.func @trip_count_depends_on_data(%a: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{cannot be played: its bounds depend on data, and there is communication inside, on every rank}}
  scf.for %i = %c0 to %n step %c1 {
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  }
  return
}

func.func @condition_depends_on_data(%a: memref<8xf32>, %go: i1) {
  // expected-error @+1 {{cannot be played: its condition depends on data, and there is communication inside, on every rank}}
  scf.if %go {
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  }
  return
}

func.func @buffer_depends_on_data(%a: memref<8xf32>, %b: memref<8xf32>, %which: i1) {
  %0 = arith.select %which, %a, %b : memref<8xf32>
  // expected-error @+1 {{cannot be played: which buffer travels depends on data, on every rank}}
  commir.all_reduce sum %0 over {gpu} : memref<8xf32>
  return
}

func.func @destination_depends_on_data(%a: memref<8xf32>, %b: memref<8xf32>, %to: index) {
  %nobody = arith.constant -1 : index
  // expected-error @+1 {{cannot be played: its destination depends on data, on every rank}}
  commir.permute %a into %b to %to from %nobody over {gpu} : memref<8xf32> into memref<8xf32>
  return
}

func.func @source_depends_on_data(%a: memref<8xf32>, %b: memref<8xf32>, %from: index) {
  %nobody = arith.constant -1 : index
  // expected-error @+1 {{cannot be played: its source depends on data, on every rank}}
  commir.permute %a into %b to %nobody from %from over {gpu} : memref<8xf32> into memref<8xf32>
  return
}

func.func @loop_condition_depends_on_data(%a: memref<8xf32>, %go: i1) {
  // expected-error @+1 {{cannot be played: its condition depends on data, on every rank}}
  scf.while : () -> () {
    scf.condition(%go)
  } do {
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
    scf.yield
  }
  return
}

func.func @branch_depends_on_data(%a: memref<8xf32>, %go: i1) {
  // expected-error @+1 {{cannot be played: where it branches to depends on data, on every rank}}
  cf.cond_br %go, ^bb1, ^bb2
^bb1:
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  cf.br ^bb2
^bb2:
  return
}

func.func @use_depends_on_data(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %which: i1, %v: f32) {
  %0 = arith.select %which, %a, %c : memref<8xf32>
  // Nothing is in flight: it does not matter which.
  linalg.fill ins(%v : f32) outs(%0 : memref<8xf32>)
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
  // expected-error @+1 {{cannot be played: which buffer it uses depends on data, while communication is in flight, on every rank}}
  linalg.fill ins(%v : f32) outs(%0 : memref<8xf32>)
  commir.wait 0 for %a, %b : memref<8xf32>, memref<8xf32>
  return
}

func.func @calls_itself(%a: memref<8xf32>) {
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  // expected-error @+1 {{cannot be played: functions that communicate call each other too deep, on every rank}}
  func.call @calls_itself(%a) : (memref<8xf32>) -> ()
  return
}

func.func @endless(%a: memref<8xf32>) {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    // expected-error @+1 {{cannot be played: it takes more steps than the budget allows, on rank 0}}
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
    scf.yield
  }
  return
}

func.func @communication_in_parallel_loop(%a: memref<8xf32>) {
  // expected-error @+1 {{cannot be played: there is communication inside 'scf.forall', on every rank}}
  scf.forall (%i) in (4) {
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  }
  return
}

func.func @rotation_on_buffers(%a: memref<8xf32>, %x: memref<8xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{cannot be played: a rotation on buffers; lower rotations first, on every rank}}
  commir.rotate steps 4 travel(%a : memref<8xf32>) scratch(%x, %y : memref<8xf32>, memref<8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%step: index):
    %tile = commir.rotate_tile 0 : memref<8xf32>
    commir.rotate_yield
  }
  return
}

func.func @placement_op_left(%t: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot be played: 'commir.shard' places a tensor; resolve communication first, on every rank}}
  %0 = commir.shard %t to [{gpu}] : tensor<8xf32>
  %1 = commir.all_reduce sum %0 over {gpu} : tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
