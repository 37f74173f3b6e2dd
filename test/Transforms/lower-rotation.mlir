// Rotations on buffers become loops with hops.
// RUN: mercury-opt %s --mercury-lower-rotation --canonicalize --cse | FileCheck %s
//
// Ranks can play what becomes of them.
// RUN: mercury-opt %s --mercury-lower-rotation --mercury-verify-communication | FileCheck %s --check-prefix=PLAYED --implicit-check-not=commir.rotate
// PLAYED: func.func @travel(

commir.topology @ring levels [#commir.level<gpu, 4>]
commir.topology @pair levels [#commir.level<gpu, 2>]
commir.topology @single levels [#commir.level<gpu, 1>]
commir.topology @grid levels [#commir.level<node, 2>, #commir.level<gpu, 2>]
commir.topology @cube levels [#commir.level<rack, 2>, #commir.level<node, 2>, #commir.level<gpu, 2>]

// The hop of a step starts before its body and is waited for after it, except at
// the last step. Two buffers take turns.
//
// CHECK-LABEL: func.func @travel(
// CHECK-SAME: %[[A:[^ ]+]]: memref<8xf32>, %[[C:[^ ]+]]: memref<8xf32>, %[[X:[^ ]+]]: memref<8xf32>, %[[Y:[^ ]+]]: memref<8xf32>)
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:.+]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK: scf.for %[[T:.+]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[NOW:.+]] = %[[A]], %[[NEXT:.+]] = %[[X]], %[[SPARE:.+]] = %[[Y]])
// CHECK: %[[NOTLAST:.+]] = arith.cmpi ult, %[[T]], %[[C3]]
// CHECK: scf.if %[[NOTLAST]] {
// CHECK-NEXT: commir.hop %[[NOW]] into %[[NEXT]] by [#commir.hop<{gpu} by 1>] request [[Q:[0-9]+]] :
// CHECK: linalg.add ins(%[[NOW]], %[[C]] : {{.*}}) outs(%[[C]] :
// CHECK: scf.if %[[NOTLAST]] {
// CHECK-NEXT: commir.wait [[Q]] for %[[NOW]], %[[NEXT]] :
// CHECK: scf.yield %[[NEXT]], %[[SPARE]], %[[NEXT]]
// CHECK-NOT: memref.copy
// CHECK: return
func.func @travel(%a: memref<8xf32>, %c: memref<8xf32>, %x: memref<8xf32>, %y: memref<8xf32>) attributes {commir.topology = @ring} {
  commir.rotate steps 4 travel(%a : memref<8xf32>) state(%c : memref<8xf32>)
      scratch(%x, %y : memref<8xf32>, memref<8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%t: index):
    %tile = commir.rotate_tile 0 : memref<8xf32>
    linalg.add ins(%tile, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
    commir.rotate_yield
  }
  return
}

// One step: nothing hops, there is no loop.
//
// CHECK-LABEL: func.func @one_step(
// CHECK-SAME: %[[A:[^ ]+]]: memref<8xf32>, %[[C:[^ ]+]]: memref<8xf32>)
// CHECK-NEXT: linalg.add ins(%[[A]], %[[C]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT: return
func.func @one_step(%a: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @single} {
  commir.rotate steps 1 travel(%a : memref<8xf32>) state(%c : memref<8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%t: index):
    %tile = commir.rotate_tile 0 : memref<8xf32>
    linalg.add ins(%tile, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
    commir.rotate_yield
  }
  return
}

// Two steps: one hop, one buffer.
//
// CHECK-LABEL: func.func @two_steps(
// CHECK-SAME: %[[A:[^ ]+]]: memref<8xf32>, %[[C:[^ ]+]]: memref<8xf32>, %[[X:[^ ]+]]: memref<8xf32>)
// CHECK: scf.for {{.*}} iter_args(%[[NOW:.+]] = %[[A]])
// CHECK: commir.hop %[[NOW]] into %[[X]]
// CHECK: linalg.add ins(%[[NOW]],
// CHECK: commir.wait
// CHECK: scf.yield %[[X]]
// CHECK: return
func.func @two_steps(%a: memref<8xf32>, %c: memref<8xf32>, %x: memref<8xf32>) attributes {commir.topology = @pair} {
  commir.rotate steps 2 travel(%a : memref<8xf32>) state(%c : memref<8xf32>)
      scratch(%x : memref<8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%t: index):
    %tile = commir.rotate_tile 0 : memref<8xf32>
    linalg.add ins(%tile, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
    commir.rotate_yield
  }
  return
}

// Partial results: the hop of the step before overlaps the body that computes this
// step's contribution, which is merged after the arrival. The first contribution is
// the first partial result; after an odd number of hops the last one lies in the
// carry's own buffer.
//
// CHECK-LABEL: func.func @combine(
// CHECK-SAME: %[[A:[^ ]+]]: memref<8xf32>, %[[C:[^ ]+]]: memref<8xf32>, %[[X:[^ ]+]]: memref<8xf32>, %[[Y:[^ ]+]]: memref<8xf32>)
// CHECK: %[[C0:.+]] = arith.constant 0 : index
// CHECK: scf.for %[[T:.+]] = {{.*}} iter_args(%[[HERE:.+]] = %[[X]], %[[THERE:.+]] = %[[C]])
// CHECK: %[[NOTFIRST:.+]] = arith.cmpi ne, %[[T]], %[[C0]]
// CHECK: scf.if %[[NOTFIRST]] {
// CHECK-NEXT: commir.hop %[[HERE]] into %[[THERE]] by [#commir.hop<{gpu} by 1>] request [[Q:[0-9]+]]
// CHECK: %[[PART:.+]] = arith.select %[[NOTFIRST]], %[[Y]], %[[HERE]]
// CHECK: linalg.exp ins(%[[A]] : {{.*}}) outs(%[[PART]] :
// CHECK: scf.if %[[NOTFIRST]] {
// CHECK-NEXT: commir.wait [[Q]] for %[[HERE]], %[[THERE]]
// CHECK-NEXT: linalg.add ins(%[[THERE]], %[[PART]] : {{.*}}) outs(%[[THERE]] :
// CHECK: %[[NHERE:.+]] = arith.select %[[NOTFIRST]], %[[THERE]], %[[HERE]]
// CHECK: %[[NTHERE:.+]] = arith.select %[[NOTFIRST]], %[[HERE]], %[[THERE]]
// CHECK: scf.yield %[[NHERE]], %[[NTHERE]]
// CHECK-NOT: memref.copy
// CHECK: return
func.func @combine(%a: memref<8xf32>, %c: memref<8xf32>, %x: memref<8xf32>, %y: memref<8xf32>) attributes {commir.topology = @ring} {
  commir.rotate steps 4 carry(%c : memref<8xf32>) scratch(%x, %y : memref<8xf32>, memref<8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%t: index):
    %part = commir.rotate_tile 0 : memref<8xf32>
    linalg.exp ins(%a : memref<8xf32>) outs(%part : memref<8xf32>)
    commir.rotate_arrive
    %sum = commir.rotate_tile 0 arrived : memref<8xf32>
    linalg.add ins(%sum, %part : memref<8xf32>, memref<8xf32>) outs(%sum : memref<8xf32>)
    commir.rotate_yield
  }
  return
}

// A carry that each step rewrites: its hop comes after the body, and nothing hides
// it. After an odd number of hops it is copied home.
//
// CHECK-LABEL: func.func @carry_without_combine(
// CHECK-SAME: %[[C:[^ ]+]]: memref<8xf32>, %[[X:[^ ]+]]: memref<8xf32>)
// CHECK: %[[L:.+]]:2 = scf.for %{{.+}} = {{.*}} iter_args(%[[HERE:.+]] = %[[C]], %[[THERE:.+]] = %[[X]])
// CHECK: linalg.exp ins(%[[HERE]] : {{.*}}) outs(%[[HERE]] :
// CHECK: scf.if
// CHECK-NEXT: commir.hop %[[HERE]] into %[[THERE]] by [#commir.hop<{gpu} by 1>] request [[Q:[0-9]+]]
// CHECK-NEXT: commir.wait [[Q]] for %[[HERE]], %[[THERE]]
// CHECK: }
// CHECK: }
// CHECK: memref.copy %[[L]]#0, %[[C]]
// CHECK: return
func.func @carry_without_combine(%c: memref<8xf32>, %x: memref<8xf32>) attributes {commir.topology = @ring} {
  commir.rotate steps 4 carry(%c : memref<8xf32>) scratch(%x : memref<8xf32>) by [#commir.hop<{gpu} by 1>] {
  ^bb0(%t: index):
    %tile = commir.rotate_tile 0 : memref<8xf32>
    linalg.exp ins(%tile : memref<8xf32>) outs(%tile : memref<8xf32>)
    commir.rotate_yield
  }
  return
}

// A ring in a ring: both hops are in flight while the body runs, the inner one
// under a request of its own.
//
// CHECK-LABEL: func.func @nested(
// CHECK: scf.for
// CHECK: commir.hop %[[OUTER:.+]] into %{{.+}} by [#commir.hop<{node} by 1>] request [[Q:[0-9]+]]
// CHECK: scf.for {{.*}} iter_args(%[[INNER:.+]] = %[[OUTER]])
// CHECK: commir.hop %[[INNER]] into %{{.+}} by [#commir.hop<{gpu} by 1>] request [[I:[0-9]+]]
// CHECK: linalg.add ins(%[[INNER]],
// CHECK: commir.wait [[I]] for %[[INNER]]
// CHECK: commir.wait [[Q]] for %[[OUTER]]
// CHECK: return
func.func @nested(%a: memref<8xf32>, %c: memref<8xf32>, %x: memref<8xf32>, %y: memref<8xf32>) attributes {commir.topology = @grid} {
  commir.rotate steps 2 travel(%a : memref<8xf32>) state(%c : memref<8xf32>) scratch(%x : memref<8xf32>) by [#commir.hop<{node} by 1>] {
  ^bb0(%t: index):
    %outer = commir.rotate_tile 0 : memref<8xf32>
    commir.rotate steps 2 travel(%outer : memref<8xf32>) state(%c : memref<8xf32>) scratch(%y : memref<8xf32>) by [#commir.hop<{gpu} by 1>] {
    ^bb0(%u: index):
      %inner = commir.rotate_tile 0 : memref<8xf32>
      linalg.add ins(%inner, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
      commir.rotate_yield
    }
    commir.rotate_yield
  }
  return
}

// What the body sends over a third communicator counts as well.
//
// CHECK-LABEL: func.func @nested_around_fetch(
// CHECK: scf.for
// CHECK-NOT: commir.hop {{.*}}{node}
// CHECK: scf.for
// CHECK: commir.hop {{.*}} by [#commir.hop<{gpu} by 1>] request [[I:[0-9]+]]
// CHECK: commir.permute
// CHECK: linalg.add
// CHECK: commir.wait [[I]]
// CHECK: commir.hop {{.*}} by [#commir.hop<{node} by 1>] request [[Q:[0-9]+]]
// CHECK-NEXT: commir.wait [[Q]]
// CHECK: return
func.func @nested_around_fetch(%a: memref<8xf32>, %c: memref<8xf32>, %x: memref<8xf32>, %y: memref<8xf32>, %f: memref<8xf32>) attributes {commir.topology = @grid} {
  %self = commir.rank_coord {node, gpu}
  commir.rotate steps 2 travel(%a : memref<8xf32>) state(%c : memref<8xf32>) scratch(%x : memref<8xf32>) by [#commir.hop<{node} by 1>] {
  ^bb0(%t: index):
    %outer = commir.rotate_tile 0 : memref<8xf32>
    commir.rotate steps 2 travel(%outer : memref<8xf32>) state(%c : memref<8xf32>) scratch(%y : memref<8xf32>) by [#commir.hop<{gpu} by 1>] {
    ^bb0(%u: index):
      %inner = commir.rotate_tile 0 : memref<8xf32>
      commir.permute %inner into %f to %self from %self over {node, gpu} : memref<8xf32> into memref<8xf32>
      linalg.add ins(%f, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
      commir.rotate_yield
    }
    commir.rotate_yield
  }
  return
}

// Three levels: two communicators that share ranks may be in flight, not three. The
// outermost hop starts when it is waited for.
//
// CHECK-LABEL: func.func @three_levels(
// CHECK: scf.for
// CHECK-NOT: commir.hop {{.*}}{rack}
// CHECK: scf.for
// CHECK: commir.hop {{.*}} by [#commir.hop<{node} by 1>]
// CHECK: scf.for
// CHECK: commir.hop {{.*}} by [#commir.hop<{gpu} by 1>]
// CHECK: linalg.add
// CHECK: commir.wait
// CHECK: commir.wait
// CHECK: commir.hop {{.*}} by [#commir.hop<{rack} by 1>] request [[Q:[0-9]+]]
// CHECK-NEXT: commir.wait [[Q]]
// CHECK: return
func.func @three_levels(%a: memref<8xf32>, %c: memref<8xf32>, %x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {commir.topology = @cube} {
  commir.rotate steps 2 travel(%a : memref<8xf32>) state(%c : memref<8xf32>) scratch(%x : memref<8xf32>) by [#commir.hop<{rack} by 1>] {
  ^bb0(%t: index):
    %outer = commir.rotate_tile 0 : memref<8xf32>
    commir.rotate steps 2 travel(%outer : memref<8xf32>) state(%c : memref<8xf32>) scratch(%y : memref<8xf32>) by [#commir.hop<{node} by 1>] {
    ^bb0(%u: index):
      %middle = commir.rotate_tile 0 : memref<8xf32>
      commir.rotate steps 2 travel(%middle : memref<8xf32>) state(%c : memref<8xf32>) scratch(%z : memref<8xf32>) by [#commir.hop<{gpu} by 1>] {
      ^bb0(%v: index):
        %inner = commir.rotate_tile 0 : memref<8xf32>
        linalg.add ins(%inner, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
        commir.rotate_yield
      }
      commir.rotate_yield
    }
    commir.rotate_yield
  }
  return
}
