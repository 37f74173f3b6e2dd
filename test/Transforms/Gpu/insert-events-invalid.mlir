// RUN: mercury-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(mercury-insert-events))'
// RUN: not mercury-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(mercury-insert-events{budget=8}))' 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: cannot be played: it takes more steps than the budget allows

commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @k(%a: memref<8xf32>) attributes {commir.kernel} { return }
func.func @bounds_depend_on_data(%n: index, %a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  // expected-error @below {{cannot be played: its bounds depend on data, and work is enqueued inside, on every rank}}
  scf.for %i = %c0 to %n step %c1 {
    commir.launch @k outs(%a : memref<8xf32>)
  }
  return
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @k(%a: memref<8xf32>) attributes {commir.kernel} { return }
func.func @condition_depends_on_data(%n: i1, %a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  // expected-error @below {{cannot be played: its condition depends on data, and work is enqueued inside, on every rank}}
  scf.if %n {
    commir.launch @k outs(%a : memref<8xf32>)
  }
  return
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @k(%a: memref<8xf32>) attributes {commir.kernel} { return }
func.func @buffer_depends_on_data(%n: i1, %a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  %c = arith.select %n, %a, %b : memref<8xf32>
  // expected-error @below {{cannot be played: which buffer it uses depends on data, on every rank}}
  commir.launch @k outs(%c : memref<8xf32>)
  return
}

// -----

// The host has long gone on when the stream writes what it reads.
commir.topology @t levels [#commir.level<gpu, 4>]
func.func @host_reads(%a: memref<8xf32>, %b: memref<8xf32>) -> f32 attributes {commir.topology = @t} {
  %c0 = arith.constant 0 : index
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  // expected-error @below {{uses a buffer on the host, which does not wait for streams; only kernels and communication may, on every rank}}
  %0 = memref.load %b[%c0] : memref<8xf32>
  return %0 : f32
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]
func.func @computes_on_the_host(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  // expected-error @below {{uses a buffer on the host}}
  linalg.exp ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)
  return
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @inner(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  return
}
func.func @calls(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  // expected-error @below {{cannot be played: calls a function; inline it first, on every rank}}
  call @inner(%a, %b) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]
func.func @has_events(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  // expected-error @below {{stands in a function that is to get its events}}
  commir.record_event 0 on compute
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  return
}

// -----

// expected-error @below {{names axes, but no topology resolves}}
func.func @no_topology(%a: memref<8xf32>, %b: memref<8xf32>) {
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  return
}

// -----

// What mercury-verify-communication would say is said here, too.
commir.topology @t levels [#commir.level<gpu, 4>]
func.func private @k(%a: memref<8xf32>) attributes {commir.kernel} { return }
func.func @in_flight(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @t} {
  // expected-note @below {{starts request 0}}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
  // expected-error @below {{reads a buffer in flight: request 0 receives into it until it is waited for, on every rank}}
  // expected-error @below {{writes a buffer in flight: request 0 receives into it until it is waited for, on every rank}}
  commir.launch @k outs(%b : memref<8xf32>)
  commir.wait 0 for %a, %b : memref<8xf32>, memref<8xf32>
  return
}

// -----

commir.topology @t levels [#commir.level<gpu, 4>]
func.func @freed(%b: memref<8xf32>) attributes {commir.topology = @t} {
  %a = memref.alloc() : memref<8xf32>
  // expected-note @below {{is freed here}}
  memref.dealloc %a : memref<8xf32>
  // expected-error @below {{reads a buffer that has been freed, on every rank}}
  commir.hop %a into %b by [#commir.hop<{gpu} by 1>] : memref<8xf32> into memref<8xf32>
  return
}
