// Events tie the streams where the order matters, and nowhere else.
// RUN: mercury-opt %s --pass-pipeline='builtin.module(mercury-verify-communication,func.func(mercury-insert-events,mercury-verify-events))' | FileCheck %s --implicit-check-not='commir.wait {{[0-9]}}' --implicit-check-not=request
// The host waits for nothing, so that without events there are races.
// RUN: not mercury-opt %s --pass-pipeline='builtin.module(func.func(mercury-verify-events))' 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: error: {{.*}} a buffer on {{.*}} that is still in use on {{.*}}: no event orders the two

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

func.func private @fill(%a: memref<8xf32>) attributes {commir.kernel} { return }
func.func private @use(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.kernel} { return }
func.func private @half(%a: memref<4xf32>, %b: memref<4xf32>) attributes {commir.kernel} { return }

// The wait for a hop comes at the end of its step, before the next hop is
// recorded; the hop waits for the compute that read what it receives into.
//
// CHECK-LABEL: func.func @ring(
// CHECK: memref.alloc
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: commir.record_event [[ALLOCATED:[0-9]+]] on compute
// CHECK-NEXT: commir.wait_event [[ALLOCATED]] on {gpu}
// CHECK-NEXT: scf.for
// CHECK: scf.if
// CHECK-NEXT: commir.wait_event [[USED:[0-9]+]] on {gpu}
// CHECK-NEXT: commir.hop
// CHECK-NEXT: commir.record_event [[ARRIVED:[0-9]+]] on {gpu}
// CHECK: commir.launch @use
// CHECK-NEXT: commir.record_event [[USED]] on compute
// CHECK-NEXT: scf.if
// CHECK-NEXT: commir.wait_event [[ARRIVED]] on compute
// CHECK: memref.dealloc
func.func @ring(%k: memref<8xf32>, %r: memref<8xf32>) attributes {commir.topology = @t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  commir.launch @fill outs(%r : memref<8xf32>)
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %c4 step %c1 iter_args(%now = %k, %next = %x, %spare = %y) -> (memref<8xf32>, memref<8xf32>, memref<8xf32>) {
    %goes = arith.cmpi ult, %t, %c3 : index
    scf.if %goes {
      commir.hop %now into %next by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
    }
    commir.launch @use ins(%now : memref<8xf32>) outs(%r : memref<8xf32>)
    scf.if %goes {
      commir.wait 0 for %now, %next : memref<8xf32>, memref<8xf32>
    }
    scf.yield %next, %spare, %next : memref<8xf32>, memref<8xf32>, memref<8xf32>
  }
  memref.dealloc %x : memref<8xf32>
  memref.dealloc %y : memref<8xf32>
  return
}

// A ring of rings: the outer hop stays in flight beside the inner ones, which
// say so. When it has ended, the inner ring's next hop may send what arrived.
//
// CHECK-LABEL: func.func @double_ring(
// CHECK: memref.alloc
// CHECK-NEXT: commir.record_event [[X:[0-9]+]] on compute
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: commir.record_event [[Y:[0-9]+]] on compute
// CHECK-DAG: commir.wait_event [[X]] on {node}
// CHECK-DAG: commir.wait_event [[Y]] on {gpu}
// CHECK: scf.for
// CHECK: commir.hop %{{.+}} by [#commir.hop<{node} by 1>] :
// CHECK-NEXT: commir.record_event [[OUTER:[0-9]+]] on {node}
// CHECK: scf.for
// CHECK: commir.wait_event [[USED:[0-9]+]] on {gpu}
// CHECK-NEXT: commir.hop %{{.+}} by [#commir.hop<{gpu} by 1>] {commir.concurrent = {{\[\[}}#commir.axis<node>]]} :
// CHECK-NEXT: commir.record_event [[INNER:[0-9]+]] on {gpu}
// CHECK: commir.launch @use
// CHECK-NEXT: commir.record_event [[USED]] on compute
// CHECK-NEXT: scf.if
// CHECK-NEXT: commir.wait_event [[INNER]] on compute
// CHECK: scf.yield
// CHECK: scf.if
// CHECK-DAG: commir.wait_event [[OUTER]] on compute
// CHECK-DAG: commir.wait_event [[OUTER]] on {gpu}
// CHECK: scf.yield
func.func @double_ring(%k: memref<8xf32>, %r: memref<8xf32>) attributes {commir.topology = @t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  scf.for %s = %c0 to %c2 step %c1 iter_args(%outer = %k) -> (memref<8xf32>) {
    %goes = arith.cmpi ult, %s, %c1 : index
    scf.if %goes {
      commir.hop %outer into %x by [#commir.hop<{node} by 1>] request 1 : memref<8xf32> into memref<8xf32>
    }
    scf.for %t = %c0 to %c2 step %c1 iter_args(%now = %outer) -> (memref<8xf32>) {
      %on = arith.cmpi ult, %t, %c1 : index
      scf.if %on {
        commir.hop %now into %y by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
      }
      commir.launch @use ins(%now : memref<8xf32>) outs(%r : memref<8xf32>)
      scf.if %on {
        commir.wait 0 for %now, %y : memref<8xf32>, memref<8xf32>
      }
      scf.yield %y : memref<8xf32>
    }
    scf.if %goes {
      commir.wait 1 for %outer, %x : memref<8xf32>, memref<8xf32>
    }
    scf.yield %x : memref<8xf32>
  }
  memref.dealloc %x : memref<8xf32>
  memref.dealloc %y : memref<8xf32>
  return
}

// Partial results move on while the next part is made, then both are added.
//
// CHECK-LABEL: func.func @moving_accumulator(
// CHECK: scf.if
// CHECK-NEXT: commir.wait_event [[ADDED:[0-9]+]] on {gpu}
// CHECK-NEXT: commir.hop
// CHECK-NEXT: commir.record_event [[ARRIVED:[0-9]+]] on {gpu}
// CHECK: commir.launch @use
// CHECK-NEXT: scf.if
// CHECK-NEXT: commir.wait_event [[ARRIVED]] on compute
// CHECK-NEXT: commir.launch @use
// CHECK-NEXT: }
// CHECK-NEXT: commir.launch @fill
// CHECK-NEXT: commir.record_event [[ADDED]] on compute
func.func @moving_accumulator(%a: memref<8xf32>, %r: memref<8xf32>) attributes {commir.topology = @t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.alloc() : memref<8xf32>
  %part = memref.alloc() : memref<8xf32>
  commir.launch @fill outs(%x : memref<8xf32>)
  scf.for %t = %c0 to %c2 step %c1 iter_args(%now = %x, %next = %r) -> (memref<8xf32>, memref<8xf32>) {
    %moves = arith.cmpi ne, %t, %c0 : index
    scf.if %moves {
      commir.hop %now into %next by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
    }
    commir.launch @use ins(%a : memref<8xf32>) outs(%part : memref<8xf32>)
    scf.if %moves {
      commir.wait 0 for %now, %next : memref<8xf32>, memref<8xf32>
      commir.launch @use ins(%part : memref<8xf32>) outs(%next : memref<8xf32>)
    }
    commir.launch @fill outs(%now : memref<8xf32>)
    scf.yield %next, %now : memref<8xf32>, memref<8xf32>
  }
  memref.dealloc %x : memref<8xf32>
  memref.dealloc %part : memref<8xf32>
  return
}

// The tile of the next step comes ahead into the buffer that the last step's
// kernel has read.
//
// CHECK-LABEL: func.func @prefetch(
// CHECK: commir.hop %arg0 into
// CHECK-NEXT: commir.record_event [[FIRST:[0-9]+]] on {gpu}
// CHECK: commir.wait_event [[FIRST]] on compute
// CHECK-NEXT: scf.for
// CHECK: scf.if
// CHECK-NEXT: commir.wait_event [[USED:[0-9]+]] on {gpu}
// CHECK-NEXT: commir.hop
// CHECK-NEXT: commir.record_event [[ARRIVED:[0-9]+]] on {gpu}
// CHECK: commir.launch @use
// CHECK-NEXT: commir.record_event [[USED]] on compute
// CHECK-NEXT: scf.if
// CHECK-NEXT: commir.wait_event [[ARRIVED]] on compute
func.func @prefetch(%a: memref<8xf32>, %r: memref<8xf32>) attributes {commir.topology = @t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  commir.hop %a into %x by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  scf.for %t = %c0 to %c4 step %c1 iter_args(%now = %x, %next = %y) -> (memref<8xf32>, memref<8xf32>) {
    %goes = arith.cmpi ne, %t, %c3 : index
    scf.if %goes {
      commir.hop %a into %next by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
    }
    commir.launch @use ins(%now : memref<8xf32>) outs(%r : memref<8xf32>)
    scf.if %goes {
      commir.wait 0 for %a, %next : memref<8xf32>, memref<8xf32>
    }
    scf.yield %next, %now : memref<8xf32>, memref<8xf32>
  }
  memref.dealloc %x : memref<8xf32>
  memref.dealloc %y : memref<8xf32>
  return
}

// The caller's work is before the start, so that what is sent from an argument
// follows it; compute that does not read the result overlaps.
//
// CHECK-LABEL: func.func @collective_before_compute(
// CHECK-NEXT: commir.record_event 0 on compute
// CHECK-NEXT: commir.wait_event 0 on {gpu}
// CHECK-NEXT: commir.all_gather
// CHECK-NEXT: commir.record_event 1 on {gpu}
// CHECK-NEXT: commir.launch @use ins(%arg2
// CHECK-NEXT: memref.subview
// CHECK-NEXT: commir.wait_event 1 on compute
// CHECK-NEXT: commir.launch @use
// CHECK-NEXT: return
func.func @collective_before_compute(%a: memref<8xf32>, %all: memref<2x8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @t} {
  commir.all_gather %a into %all over {gpu} : memref<8xf32> into memref<2x8xf32>
  commir.launch @use ins(%b : memref<8xf32>) outs(%c : memref<8xf32>)
  %row = memref.subview %all[1, 0] [1, 8] [1, 1] : memref<2x8xf32> to memref<8xf32, strided<[1], offset: 8>>
  commir.launch @use ins(%row : memref<8xf32, strided<[1], offset: 8>>) outs(%c : memref<8xf32>)
  return
}

// What the function returns is there when its compute stream is at the end,
// whoever wrote it.
//
// CHECK-LABEL: func.func @collective_after_compute(
// CHECK-NEXT: commir.launch @fill
// CHECK-NEXT: commir.record_event 0 on compute
// CHECK-NEXT: commir.wait_event 0 on {node, gpu}
// CHECK-NEXT: commir.all_reduce
// CHECK-NEXT: commir.record_event 1 on {node, gpu}
// CHECK-NEXT: commir.wait_event 1 on compute
// CHECK-NEXT: return
func.func @collective_after_compute(%r: memref<8xf32>) attributes {commir.topology = @t} {
  commir.launch @fill outs(%r : memref<8xf32>)
  commir.all_reduce sum %r over {node, gpu} : memref<8xf32>
  return
}

// Two sets of axes share ranks: they are not in flight together where the first
// blocks, although no buffer ties them.
//
// CHECK-LABEL: func.func @two_communicators(
// CHECK: commir.all_reduce sum %arg0 over {gpu} :
// CHECK-NEXT: commir.record_event [[FIRST:[0-9]+]] on {gpu}
// CHECK-NEXT: commir.wait_event [[FIRST]] on {node}
// CHECK-NEXT: commir.all_reduce sum %arg1 over {node} :
// CHECK-NEXT: commir.record_event [[SECOND:[0-9]+]] on {node}
// CHECK-NEXT: commir.wait_event [[SECOND]] on compute
// CHECK-NEXT: return
func.func @two_communicators(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  commir.all_reduce sum %b over {node} : memref<8xf32>
  return
}

// Here the schedule lets both be in flight.
//
// CHECK-LABEL: func.func @two_communicators_together(
// CHECK-NEXT: commir.record_event [[START:[0-9]+]] on compute
// CHECK-NEXT: commir.wait_event [[START]] on {gpu}
// CHECK-NEXT: commir.all_reduce sum %arg0 over {gpu} :
// CHECK-NEXT: commir.record_event [[FIRST:[0-9]+]] on {gpu}
// CHECK-NEXT: commir.wait_event [[START]] on {node}
// CHECK-NEXT: commir.all_reduce sum %arg1 over {node} {commir.concurrent = {{\[\[}}#commir.axis<gpu>]]} :
// CHECK-NEXT: commir.record_event [[SECOND:[0-9]+]] on {node}
// CHECK-DAG: commir.wait_event [[FIRST]] on compute
// CHECK-DAG: commir.wait_event [[SECOND]] on compute
// CHECK: return
func.func @two_communicators_together(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  commir.all_reduce sum %a over {gpu} request 0 : memref<8xf32>
  commir.all_reduce sum %b over {node} request 1 : memref<8xf32>
  commir.wait 0 for %a : memref<8xf32>
  commir.wait 1 for %b : memref<8xf32>
  return
}

// Tiles that travel over two sets of axes in one hop: each stream has its tile.
//
// CHECK-LABEL: func.func @hop_over_two(
// CHECK: commir.record_event [[FOR_GPU:[0-9]+]] on compute
// CHECK: commir.record_event [[FOR_NODE:[0-9]+]] on compute
// CHECK-DAG: commir.wait_event [[FOR_GPU]] on {gpu}
// CHECK-DAG: commir.wait_event [[FOR_NODE]] on {node}
// CHECK: commir.hop
// CHECK-NEXT: commir.record_event [[ON_GPU:[0-9]+]] on {gpu}
// CHECK-NEXT: commir.record_event [[ON_NODE:[0-9]+]] on {node}
// CHECK-NEXT: commir.wait_event [[ON_GPU]] on compute
// CHECK-NEXT: commir.launch @use ins(%arg2
// CHECK-NEXT: commir.wait_event [[ON_NODE]] on compute
// CHECK-NEXT: commir.launch @use ins(%arg3
// CHECK-NEXT: return
func.func @hop_over_two(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %d: memref<8xf32>, %r: memref<8xf32>) attributes {commir.topology = @t} {
  commir.launch @fill outs(%a : memref<8xf32>)
  commir.launch @fill outs(%b : memref<8xf32>)
  commir.hop %a, %b into %c, %d by [#commir.hop<{gpu} by 1>, #commir.hop<{node} by 1>] : memref<8xf32>, memref<8xf32> into memref<8xf32>, memref<8xf32>
  commir.launch @use ins(%c : memref<8xf32>) outs(%r : memref<8xf32>)
  commir.launch @use ins(%d : memref<8xf32>) outs(%r : memref<8xf32>)
  return
}

// A source under conditions is recorded where it stands; another step's kernel
// that never ran with it is not tied.
//
// CHECK-LABEL: func.func @nested_conditions(
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: scf.if
// CHECK-NEXT: commir.all_reduce
// CHECK-NEXT: commir.record_event [[REDUCED:[0-9]+]] on {gpu}
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: commir.wait_event [[REDUCED]] on compute
// CHECK-NEXT: commir.launch @use
func.func @nested_conditions(%a: memref<8xf32>, %r: memref<8xf32>) attributes {commir.topology = @t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %t = %c0 to %c4 step %c1 {
    %first = arith.cmpi ult, %t, %c1 : index
    %even = arith.cmpi ne, %t, %c4 : index
    scf.if %first {
      scf.if %even {
        commir.all_reduce sum %a over {gpu} : memref<8xf32>
      }
    }
    commir.launch @use ins(%a : memref<8xf32>) outs(%r : memref<8xf32>)
  }
  return
}

// Halves of a buffer are buffers of their own.
//
// CHECK-LABEL: func.func @parts(
// CHECK: commir.launch @half
// CHECK-NEXT: commir.record_event [[MADE:[0-9]+]] on compute
// CHECK-NEXT: commir.wait_event [[MADE]] on {gpu}
// CHECK-NEXT: commir.hop
// CHECK-NEXT: commir.record_event [[ARRIVED:[0-9]+]] on {gpu}
// CHECK-NEXT: commir.launch @half
// CHECK-NEXT: commir.wait_event [[ARRIVED]] on compute
// CHECK-NEXT: commir.launch @fill
func.func @parts(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  %a0 = memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %a1 = memref.subview %a[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %b0 = memref.subview %b[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %b1 = memref.subview %b[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  commir.launch @half ins(%b0 : memref<4xf32, strided<[1]>>) outs(%a0 : memref<4xf32, strided<[1]>>)
  commir.hop %a0 into %b0 by [#commir.hop<{gpu} by 1>] request 0 : memref<4xf32, strided<[1]>> into memref<4xf32, strided<[1]>>
  commir.launch @half ins(%a1 : memref<4xf32, strided<[1], offset: 4>>) outs(%b1 : memref<4xf32, strided<[1], offset: 4>>)
  commir.wait 0 for %a0, %b0 : memref<4xf32, strided<[1]>>, memref<4xf32, strided<[1]>>
  commir.launch @fill outs(%b : memref<8xf32>)
  return
}

// A buffer is given back after communication that nothing else waits for, and
// its memory may be the next buffer's.
//
// CHECK-LABEL: func.func @release(
// CHECK: commir.launch @use
// CHECK-NEXT: commir.record_event [[MADE:[0-9]+]] on compute
// CHECK-NEXT: commir.wait_event [[MADE]] on {gpu}
// CHECK-NEXT: commir.hop
// CHECK-NEXT: commir.record_event [[SENT:[0-9]+]] on {gpu}
// CHECK-NEXT: commir.wait_event [[SENT]] on compute
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: commir.record_event [[AGAIN:[0-9]+]] on compute
// CHECK-NEXT: commir.wait_event [[AGAIN]] on {gpu}
// CHECK-NEXT: commir.hop
// CHECK-NEXT: commir.record_event [[LAST:[0-9]+]] on {gpu}
// CHECK-NEXT: commir.wait_event [[LAST]] on compute
// CHECK-NEXT: memref.dealloc
func.func @release(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  %x = memref.alloc() : memref<8xf32>
  commir.launch @use ins(%a : memref<8xf32>) outs(%x : memref<8xf32>)
  commir.hop %x into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  memref.dealloc %x : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  commir.hop %a into %y by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  memref.dealloc %y : memref<8xf32>
  return
}

// Nothing communicates: one stream, nothing to tie.
//
// CHECK-LABEL: func.func @compute_alone(
// CHECK-NEXT: commir.launch @fill
// CHECK-NEXT: return
func.func @compute_alone(%a: memref<8xf32>) attributes {commir.topology = @t} {
  commir.launch @fill outs(%a : memref<8xf32>)
  return
}

// A check reads on the compute stream: what came, and before it is written again.
//
// CHECK-LABEL: func.func @checks(
// CHECK: commir.all_gather
// CHECK-NEXT: commir.record_event [[CAME:[0-9]+]] on {gpu}
// CHECK-NEXT: commir.wait_event [[CAME]] on compute
// CHECK-NEXT: commir.check_documents
// CHECK-NEXT: commir.record_event [[READ:[0-9]+]] on compute
// CHECK-NEXT: commir.wait_event [[READ]] on {gpu}
// CHECK-NEXT: commir.all_gather
func.func @checks(%ids: memref<8xi32>, %others: memref<8xi32>, %all: memref<2x8xi32>) attributes {commir.topology = @t} {
  commir.all_gather %ids into %all over {gpu} : memref<8xi32> into memref<2x8xi32>
  commir.check_documents segments(%all : memref<2x8xi32>)
  commir.all_gather %others into %all over {gpu} : memref<8xi32> into memref<2x8xi32>
  return
}
