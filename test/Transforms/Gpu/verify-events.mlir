// What events leave open is an error.
// RUN: mercury-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(mercury-verify-events))'

commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @use(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.kernel} { return }
func.func @read_before_arrival(%a: memref<8xf32>, %r: memref<8xf32>) attributes {commir.topology = @t} {
  // expected-note @below {{the buffer}}
  %x = memref.alloc() : memref<8xf32>
  commir.record_event 0 on compute
  commir.wait_event 0 on {gpu}
  // expected-note @below {{writes it on {gpu}}}
  commir.hop %a into %x by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  commir.record_event 1 on {gpu}
  // expected-error @below {{reads a buffer on compute that is still in use on {gpu}: no event orders the two, on every rank}}
  commir.launch @use ins(%x : memref<8xf32>) outs(%r : memref<8xf32>)
  commir.wait_event 1 on compute
  memref.dealloc %x : memref<8xf32>
  return
}

// -----

// The event of step t - 1 has been recorded again: the second step waits for
// its own hop, which is right, but the wait stands behind the kernel.
commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @use(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.kernel} { return }
func.func @receives_into_what_is_read(%k: memref<8xf32>, %r: memref<8xf32>) attributes {commir.topology = @t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // expected-note @below {{the buffer}}
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  commir.record_event 0 on compute
  commir.wait_event 0 on {gpu}
  scf.for %t = %c0 to %c3 step %c1 iter_args(%now = %k, %next = %x, %spare = %y) -> (memref<8xf32>, memref<8xf32>, memref<8xf32>) {
    // expected-error @below {{writes a buffer on {gpu} (execution 3) that is still in use on compute: no event orders the two, on every rank}}
    commir.hop %now into %next by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
    commir.record_event 1 on {gpu}
    // expected-note @below {{reads it on compute (execution 2)}}
    commir.launch @use ins(%now : memref<8xf32>) outs(%r : memref<8xf32>)
    commir.wait_event 1 on compute
    scf.yield %next, %spare, %next : memref<8xf32>, memref<8xf32>, memref<8xf32>
  }
  memref.dealloc %x : memref<8xf32>
  memref.dealloc %y : memref<8xf32>
  return
}

// -----

// A wait is for the last record before it: here, for the first of two hops.
commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @use(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.kernel} { return }
func.func @waits_too_early(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %r: memref<8xf32>) attributes {commir.topology = @t} {
  commir.record_event 0 on compute
  commir.wait_event 0 on {gpu}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  commir.record_event 1 on {gpu}
  commir.wait_event 1 on compute
  // expected-note @below {{writes it on {gpu}}}
  commir.hop %b into %c by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  commir.launch @use ins(%b : memref<8xf32>) outs(%r : memref<8xf32>)
  // expected-error @below {{reads a buffer on compute that is still in use on {gpu}}}
  commir.launch @use ins(%c : memref<8xf32>) outs(%r : memref<8xf32>)
  commir.record_event 2 on {gpu}
  commir.wait_event 2 on compute
  return
}

// -----

// Only ranks that take the branch are at fault.
commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @fill(%a: memref<8xf32>) attributes {commir.kernel} { return }
func.func @some_ranks(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  %c2 = arith.constant 2 : index
  %rank = commir.rank_coord {gpu}
  %low = arith.cmpi ult, %rank, %c2 : index
  commir.record_event 0 on compute
  commir.wait_event 0 on {gpu}
  // expected-note @below {{reads it on {gpu}}}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  commir.record_event 1 on {gpu}
  scf.if %low {
    // expected-error @below {{writes a buffer on compute that is still in use on {gpu}: no event orders the two, on ranks 0 and 1}}
    commir.launch @fill outs(%a : memref<8xf32>)
  }
  commir.wait_event 1 on compute
  return
}

// -----

// The caller's work, the end and releases are work of the compute stream.
commir.topology @t levels [#commir.level<gpu, 4>]
// expected-note @below {{receives it on compute}}
func.func @ends(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  // expected-error @below {{writes a buffer on {gpu} that is still in use on compute}}
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  // expected-note @below {{allocates it on compute}}
  // expected-note @below {{the buffer}}
  %x = memref.alloc() : memref<8xf32>
  // expected-error @below {{writes a buffer on {gpu} that is still in use on compute}}
  // expected-note @below {{writes it on {gpu}}}
  commir.hop %b into %x by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  // expected-error @below {{frees a buffer on compute that is still in use on {gpu}}}
  memref.dealloc %x : memref<8xf32>
  commir.record_event 0 on compute
  commir.wait_event 0 on {gpu}
  // expected-note @below {{reads it on {gpu}}}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  // expected-error @below {{returns a buffer on compute that is still in use on {gpu}}}
  return
}

// -----

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]
func.func @together(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  commir.record_event 0 on compute
  commir.wait_event 0 on {gpu}
  commir.wait_event 0 on {node}
  // expected-note @below {{communicates over {gpu}}}
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  commir.record_event 1 on {gpu}
  // expected-error @below {{communicates over {node} while communication over {gpu} may be in flight: no event orders the two, on every rank}}
  commir.all_reduce sum %b over {node} : memref<8xf32>
  commir.record_event 2 on {node}
  commir.wait_event 1 on compute
  commir.wait_event 2 on compute
  return
}

// -----

// The same where the later one allows it: no fault.
commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]
func.func @allowed(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  commir.record_event 0 on compute
  commir.wait_event 0 on {gpu}
  commir.wait_event 0 on {node}
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  commir.record_event 1 on {gpu}
  commir.all_reduce sum %b over {node} {commir.concurrent = [[#commir.axis<gpu>]]} : memref<8xf32>
  commir.record_event 2 on {node}
  commir.wait_event 1 on compute
  commir.wait_event 2 on compute
  return
}

// -----

// Sets of axes of one rank are nobody's concern.
commir.topology @t levels [#commir.level<node, 1>, #commir.level<gpu, 2>]
func.func @alone(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  commir.record_event 0 on compute
  commir.wait_event 0 on {gpu}
  commir.wait_event 0 on {node}
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  commir.record_event 1 on {gpu}
  commir.all_reduce sum %b over {node} : memref<8xf32>
  commir.record_event 2 on {node}
  commir.wait_event 1 on compute
  commir.wait_event 2 on compute
  return
}

// -----

commir.topology @t levels [#commir.level<rack, 2>, #commir.level<node, 2>, #commir.level<gpu, 2>]
func.func @too_many(%a: memref<8xf32>) attributes {commir.topology = @t} {
  commir.record_event 0 on compute
  commir.wait_event 0 on {gpu}
  // expected-error @below {{may be in flight together with communication of others over more than 2 sets of axes, on every rank}}
  commir.all_reduce sum %a over {gpu} {commir.concurrent = [[#commir.axis<node>], [#commir.axis<rack>]]} : memref<8xf32>
  commir.record_event 1 on {gpu}
  commir.wait_event 1 on compute
  return
}

// -----

// Ranks that communicate in different orders hang.
commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 2>]
func.func @orders(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  %c0 = arith.constant 0 : index
  %node = commir.rank_coord {node}
  %gpu = commir.rank_coord {gpu}
  %sum = arith.addi %node, %gpu : index
  %c1 = arith.constant 1 : index
  %swaps = arith.cmpi eq, %sum, %c1 : index
  commir.record_event 0 on compute
  commir.wait_event 0 on {gpu}
  commir.wait_event 0 on {node}
  scf.if %swaps {
    // expected-note @below {{rank 1 waits here}}
    // expected-note @below {{rank 2 waits here}}
    commir.all_reduce sum %a over {gpu} {commir.concurrent = [[#commir.axis<node>]]} : memref<8xf32>
    commir.all_reduce sum %b over {node} {commir.concurrent = [[#commir.axis<gpu>]]} : memref<8xf32>
  } else {
    // expected-error @below {{waits}}
    commir.all_reduce sum %b over {node} {commir.concurrent = [[#commir.axis<gpu>]]} : memref<8xf32>
    commir.all_reduce sum %a over {gpu} {commir.concurrent = [[#commir.axis<node>]]} : memref<8xf32>
  }
  commir.record_event 1 on {gpu}
  commir.wait_event 1 on compute
  commir.record_event 2 on {node}
  commir.wait_event 2 on compute
  return
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @k(%a: memref<8xf32>) attributes {commir.kernel} { return }
func.func @never_recorded(%a: memref<8xf32>) attributes {commir.topology = @t} {
  commir.launch @k outs(%a : memref<8xf32>)
  // expected-error @below {{waits for event 3, which is never recorded}}
  commir.wait_event 3 on compute
  return
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @k(%a: memref<8xf32>) attributes {commir.kernel} { return }
func.func @recorded_twice(%a: memref<8xf32>) attributes {commir.topology = @t} {
  // expected-note @below {{the other op}}
  commir.record_event 0 on compute
  commir.launch @k outs(%a : memref<8xf32>)
  // expected-error @below {{records event 0, which another op records, too}}
  commir.record_event 0 on compute
  return
}

// -----

// Also without any communication, the host uses no buffers.
func.func private @k(%a: memref<8xf32>) attributes {commir.kernel} { return }
func.func @host_writes(%a: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  commir.launch @k outs(%a : memref<8xf32>)
  // expected-error @below {{uses a buffer on the host, which does not wait for streams}}
  memref.store %v, %a[%c0] : memref<8xf32>
  return
}

// -----

// Tables of constants are the host's own.
memref.global "private" constant @table : memref<4xindex> = dense<[0, 1, 2, 3]>
commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @k(%a: memref<1xf32>) attributes {commir.kernel} { return }
func.func @table_of_constants(%a: memref<8xf32>) attributes {commir.topology = @t} {
  %t = memref.get_global @table : memref<4xindex>
  %rank = commir.rank_coord {gpu}
  %at = memref.load %t[%rank] : memref<4xindex>
  %part = memref.subview %a[%at] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: ?>>
  commir.launch @k outs(%part : memref<1xf32, strided<[1], offset: ?>>)
  return
}

// -----

func.func private @k(%a: memref<8xf32>) attributes {commir.kernel} { return }
// expected-error @below {{names axes, but no topology resolves}}
func.func @no_topology(%a: memref<8xf32>) {
  commir.record_event 0 on {gpu}
  commir.wait_event 0 on compute
  commir.launch @k outs(%a : memref<8xf32>)
  return
}
