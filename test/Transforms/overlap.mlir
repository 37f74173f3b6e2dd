// Communication starts as early and is waited for as late as its buffers allow.
// RUN: mercury-opt %s --mercury-overlap | FileCheck %s
// RUN: mercury-opt %s --mercury-overlap --mercury-verify-communication | FileCheck %s --check-prefix=PLAYED
// PLAYED: func.func @starts_early_and_waits_late(

commir.topology @ring levels [#commir.level<gpu, 4>]
commir.topology @cube levels [#commir.level<rack, 2>, #commir.level<node, 2>, #commir.level<gpu, 2>]

// Neither op touches the buffers of the all-reduce.
//
// CHECK-LABEL: func.func @starts_early_and_waits_late(
// CHECK-SAME: %[[A:[^ ]+]]: memref<8xf32>, %[[B:[^ ]+]]: memref<8xf32>)
// CHECK-NEXT: commir.all_reduce sum %[[A]] over {gpu} request [[Q:[0-9]+]] :
// CHECK-NEXT: linalg.exp ins(%[[B]]
// CHECK-NEXT: linalg.sqrt ins(%[[B]]
// CHECK-NEXT: commir.wait [[Q]] for %[[A]]
// CHECK-NEXT: linalg.exp ins(%[[A]]
// CHECK-NEXT: return
func.func @starts_early_and_waits_late(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @ring} {
  linalg.exp ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  linalg.sqrt ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)
  linalg.exp ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// What writes the buffer comes before, what reads it after: nothing to overlap.
//
// CHECK-LABEL: func.func @nothing_to_overlap(
// CHECK: linalg.exp
// CHECK-NEXT: commir.all_reduce sum %{{.+}} over {gpu} : memref<8xf32>
// CHECK-NEXT: linalg.sqrt
// CHECK-NOT: commir.wait
// CHECK: return
func.func @nothing_to_overlap(%a: memref<8xf32>) attributes {commir.topology = @ring} {
  linalg.exp ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  linalg.sqrt ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// What is sent may be read, not written; what is received may not be read.
//
// CHECK-LABEL: func.func @source_may_be_read(
// CHECK-SAME: %[[A:[^ ]+]]: memref<8xf32>, %[[B:[^ ]+]]: memref<4x8xf32>, %[[C:[^ ]+]]: memref<8xf32>)
// CHECK-NEXT: commir.all_gather %[[A]] into %[[B]] over {gpu} request [[Q:[0-9]+]] :
// CHECK-NEXT: linalg.exp ins(%[[A]] {{.*}} outs(%[[C]]
// CHECK-NEXT: commir.wait [[Q]] for %[[A]], %[[B]]
// CHECK-NEXT: linalg.exp ins(%[[C]] {{.*}} outs(%[[A]]
// CHECK-NEXT: return
func.func @source_may_be_read(%a: memref<8xf32>, %b: memref<4x8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  commir.all_gather %a into %b over {gpu} : memref<8xf32> into memref<4x8xf32>
  linalg.exp ins(%a : memref<8xf32>) outs(%c : memref<8xf32>)
  linalg.exp ins(%c : memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// A view of what is received counts as what is received.
//
// CHECK-LABEL: func.func @views_are_their_buffer(
// CHECK: memref.subview
// CHECK: commir.wait
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: return
func.func @views_are_their_buffer(%a: memref<8xf32>, %b: memref<4x8xf32>) attributes {commir.topology = @ring} {
  commir.all_gather %a into %b over {gpu} : memref<8xf32> into memref<4x8xf32>
  %row = memref.subview %b[1, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: 8>>
  linalg.exp ins(%row : memref<8xf32, strided<[1], offset: 8>>) outs(%row : memref<8xf32, strided<[1], offset: 8>>)
  return
}

// The order of communication is kept.
//
// CHECK-LABEL: func.func @order_is_kept(
// CHECK-SAME: %[[A:[^ ]+]]: memref<8xf32>, %[[B:[^ ]+]]: memref<8xf32>, %[[C:[^ ]+]]: memref<8xf32>)
// CHECK: commir.all_reduce sum %[[A]]
// CHECK: commir.wait {{[0-9]+}} for %[[A]]
// CHECK: commir.all_reduce sum %[[B]]
// CHECK: return
func.func @order_is_kept(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  linalg.exp ins(%c : memref<8xf32>) outs(%c : memref<8xf32>)
  commir.all_reduce sum %a over {gpu} : memref<8xf32>
  linalg.sqrt ins(%c : memref<8xf32>) outs(%c : memref<8xf32>)
  commir.all_reduce sum %b over {gpu} : memref<8xf32>
  return
}

// Buffers that may be the same are the same.
//
// CHECK-LABEL: func.func @unknown_buffers_may_be_the_same(
// CHECK: scf.for
// CHECK: linalg.exp
// CHECK-NEXT: commir.all_reduce sum %{{.+}} over {gpu} : memref<8xf32>
// CHECK-NEXT: linalg.sqrt
// CHECK: return
func.func @unknown_buffers_may_be_the_same(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %t = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %b) -> (memref<8xf32>, memref<8xf32>) {
    linalg.exp ins(%y : memref<8xf32>) outs(%y : memref<8xf32>)
    commir.all_reduce sum %x over {gpu} : memref<8xf32>
    linalg.sqrt ins(%y : memref<8xf32>) outs(%y : memref<8xf32>)
    scf.yield %y, %x : memref<8xf32>, memref<8xf32>
  }
  return
}

// Communication of a step stays in its step, and requests that are there already
// keep their numbers.
//
// CHECK-LABEL: func.func @stays_in_its_block(
// CHECK: commir.all_reduce sum %{{.+}} over {gpu} request 7
// CHECK: commir.wait 7
// CHECK: scf.for
// CHECK-NEXT: commir.all_reduce sum %[[A:.+]] over {gpu} request 8
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: commir.wait 8 for %[[A]]
// CHECK-NEXT: }
// CHECK: return
func.func @stays_in_its_block(%a: memref<8xf32>, %b: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  commir.all_reduce sum %a over {gpu} request 7 : memref<8xf32>
  linalg.exp ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)
  commir.wait 7 for %a : memref<8xf32>
  scf.for %t = %c0 to %c4 step %c1 {
    linalg.exp ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)
    commir.all_reduce sum %a over {gpu} : memref<8xf32>
  }
  return
}

// Index arithmetic that a start needs moves up with it.
//
// CHECK-LABEL: func.func @index_arithmetic_moves_along(
// CHECK: commir.rank_coord
// CHECK-NEXT: affine.apply
// CHECK-NEXT: commir.broadcast {{.*}} request [[Q:[0-9]+]]
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: commir.wait [[Q]]
// CHECK: return
func.func @index_arithmetic_moves_along(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  linalg.exp ins(%c : memref<8xf32>) outs(%c : memref<8xf32>)
  %r = commir.rank_coord {gpu}
  %root = affine.apply affine_map<(r) -> (r floordiv 4)>(%r)
  commir.broadcast %a into %b from %root over {gpu} : memref<8xf32> into memref<8xf32>
  linalg.exp ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)
  return
}

//===----------------------------------------------------------------------===//
// A step ahead
//===----------------------------------------------------------------------===//

// The tile of the first step arrives before the loop, that of step t + 1 while
// step t computes: its start comes before, its wait after. Two buffers that
// travel take turns; the loop has one body and neither allocates nor copies.
//
// CHECK-LABEL: func.func @broadcast_a_step_ahead(
// CHECK-SAME: %[[A:[^ ]+]]: memref<8xf32>, %[[C:[^ ]+]]: memref<8xf32>)
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK: %[[Y:.+]] = memref.alloc() {commir.memory_class = "travelling"} : memref<8xf32>
// CHECK: %[[X:.+]] = memref.alloc() {commir.memory_class = "travelling"} : memref<8xf32>
// CHECK: commir.broadcast %[[A]] into %[[X]] from %[[C0]] over {gpu}
// CHECK: %[[C3:.+]] = arith.constant 3 : index
// CHECK: scf.for %[[T:.+]] = {{.*}} iter_args(%[[NOW:.+]] = %[[X]], %[[TO:.+]] = %[[Y]])
// CHECK-NEXT: %[[MORE:.+]] = arith.cmpi ne, %[[T]], %[[C3]]
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK-NEXT: %[[NEXT:.+]] = arith.addi %[[T]], %[[C1]]
// CHECK-NEXT: commir.broadcast %[[A]] into %[[TO]] from %[[NEXT]] over {gpu} request [[Q:[0-9]+]] :
// CHECK-NEXT: }
// CHECK-NEXT: linalg.add ins(%[[NOW]], %[[C]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK-NEXT: commir.wait [[Q]] for %[[A]], %[[TO]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[TO]], %[[NOW]]
// CHECK-NEXT: }
// CHECK-DAG: memref.dealloc %[[X]]
// CHECK-DAG: memref.dealloc %[[Y]]
// CHECK: return
func.func @broadcast_a_step_ahead(%a: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %c4 step %c1 {
    commir.broadcast %a into %x from %t over {gpu} : memref<8xf32> into memref<8xf32>
    linalg.add ins(%x, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  }
  memref.dealloc %x : memref<8xf32>
  return
}

// What computes the ranks is computed for the next step; the arrival of the
// first tile overlaps what comes before the loop.
//
// CHECK-LABEL: func.func @fetch_a_step_ahead(
// CHECK-SAME: %[[A:[^ ]+]]: memref<8xf32>, %[[C:[^ ]+]]: memref<8xf32>)
// CHECK: commir.permute %[[A]] into %{{.+}} to %{{.+}} from %{{.+}} over {gpu} request [[P:[0-9]+]] :
// CHECK-NEXT: linalg.exp
// CHECK: commir.wait [[P]]
// CHECK: scf.for %[[T:.+]] = {{.*}} iter_args(%[[NOW:.+]] = %{{.+}}, %[[TO:.+]] = %{{.+}})
// CHECK: scf.if
// CHECK-NEXT: %[[NEXT:.+]] = arith.addi %[[T]]
// CHECK: commir.rank_coord
// CHECK: affine.apply #{{.+}}(%[[NEXT]])
// CHECK: commir.permute %[[A]] into %[[TO]] to %{{.+}} from %{{.+}} over {gpu} request [[Q:[0-9]+]] :
// CHECK-NEXT: }
// CHECK-NEXT: linalg.add ins(%[[NOW]],
// CHECK: commir.wait [[Q]] for %[[A]], %[[TO]]
// CHECK: return
func.func @fetch_a_step_ahead(%a: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<8xf32>
  linalg.exp ins(%c : memref<8xf32>) outs(%c : memref<8xf32>)
  scf.for %t = %c0 to %c4 step %c1 {
    %r = commir.rank_coord {gpu}
    %to = affine.apply affine_map<(t)[r] -> ((3 * t + r) mod 4)>(%t)[%r]
    %from = affine.apply affine_map<(t)[r] -> ((t + r) mod 4)>(%t)[%r]
    commir.permute %a into %x to %to from %from over {gpu} : memref<8xf32> into memref<8xf32>
    linalg.add ins(%x, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  }
  memref.dealloc %x : memref<8xf32>
  return
}

// Ranks from constant tables: reading them writes nothing.
//
// CHECK-LABEL: func.func @ranks_from_tables(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: memref.load
// CHECK: commir.permute {{.*}} request [[Q:[0-9]+]]
// CHECK: linalg.add
// CHECK: commir.wait [[Q]]
// CHECK: return
memref.global "private" constant @table : memref<2x4xindex> = dense<[[0, 1, 2, 3], [1, 0, 3, 2]]>
func.func @ranks_from_tables(%a: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.alloc() : memref<8xf32>
  %r = commir.rank_coord {gpu}
  %table = memref.get_global @table : memref<2x4xindex>
  scf.for %t = %c0 to %c2 step %c1 {
    %peer = memref.load %table[%t, %r] : memref<2x4xindex>
    commir.permute %a into %x to %peer from %peer over {gpu} : memref<8xf32> into memref<8xf32>
    linalg.add ins(%x, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  }
  memref.dealloc %x : memref<8xf32>
  return
}

// A different part of the source at each step: the wait names the source.
//
// CHECK-LABEL: func.func @parts_of_the_source(
// CHECK-SAME: %[[A:[^ ]+]]: memref<4x8xf32>
// CHECK: scf.for %[[T:.+]] = {{.*}} iter_args(%{{.+}} = %{{.+}}, %[[TO:.+]] = %{{.+}})
// CHECK: %[[NEXT:.+]] = arith.addi %[[T]]
// CHECK: %[[PART:.+]] = memref.subview %[[A]][%[[NEXT]], 0]
// CHECK: commir.broadcast %[[PART]] into %[[TO]] {{.*}} request [[Q:[0-9]+]]
// CHECK: linalg.add
// CHECK: commir.wait [[Q]] for %[[A]], %[[TO]]
// CHECK: return
func.func @parts_of_the_source(%a: memref<4x8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %c4 step %c1 {
    %part = memref.subview %a[%t, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    commir.broadcast %part into %x from %c0 over {gpu} : memref<8xf32, strided<[1], offset: ?>> into memref<8xf32>
    linalg.add ins(%x, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  }
  memref.dealloc %x : memref<8xf32>
  return
}

// Two tiles, two communicators: both come ahead, in their order.
//
// CHECK-LABEL: func.func @two_tiles(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: commir.broadcast {{.*}} over {gpu} request [[P:[0-9]+]]
// CHECK-NEXT: commir.broadcast {{.*}} over {node} request [[Q:[0-9]+]]
// CHECK-NEXT: }
// CHECK-NEXT: linalg.add
// CHECK: commir.wait [[P]]
// CHECK-NEXT: commir.wait [[Q]]
// CHECK: return
func.func @two_tiles(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @cube} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %c2 step %c1 {
    commir.broadcast %a into %x from %t over {gpu} : memref<8xf32> into memref<8xf32>
    commir.broadcast %b into %y from %t over {node} : memref<8xf32> into memref<8xf32>
    linalg.add ins(%x, %y : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  }
  memref.dealloc %x : memref<8xf32>
  memref.dealloc %y : memref<8xf32>
  return
}

// Of three communicators two may be in flight together: one comes ahead, the
// others overlap within their step.
//
// CHECK-LABEL: func.func @three_communicators(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: commir.broadcast {{.*}} over {gpu} request [[P:[0-9]+]]
// CHECK-NEXT: }
// CHECK: commir.broadcast {{.*}} over {node}
// CHECK: commir.broadcast {{.*}} over {rack}
// CHECK: commir.wait [[P]]
// CHECK: return
func.func @three_communicators(%a: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @cube} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  %z = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %c2 step %c1 {
    commir.broadcast %a into %x from %t over {gpu} : memref<8xf32> into memref<8xf32>
    commir.broadcast %a into %y from %t over {node} : memref<8xf32> into memref<8xf32>
    commir.broadcast %a into %z from %t over {rack} : memref<8xf32> into memref<8xf32>
    linalg.add ins(%x, %y : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
    linalg.add ins(%z, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  }
  memref.dealloc %x : memref<8xf32>
  memref.dealloc %y : memref<8xf32>
  memref.dealloc %z : memref<8xf32>
  return
}

// A loop in a loop: both tiles come ahead; the one that comes before the inner
// loop is not sent ahead a second time, which would need a third buffer.
//
// CHECK-LABEL: func.func @loop_in_a_loop(
// CHECK-COUNT-4: memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: commir.broadcast {{.*}} over {node} request [[P:[0-9]+]]
// CHECK: commir.broadcast {{.*}} over {gpu}
// CHECK: scf.for
// CHECK: commir.broadcast {{.*}} over {gpu} request [[Q:[0-9]+]]
// CHECK: linalg.add
// CHECK: commir.wait [[Q]]
// CHECK: commir.wait [[P]]
// CHECK: return
func.func @loop_in_a_loop(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @cube} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %c2 step %c1 {
    commir.broadcast %a into %x from %t over {node} : memref<8xf32> into memref<8xf32>
    scf.for %u = %c0 to %c2 step %c1 {
      commir.broadcast %b into %y from %u over {gpu} : memref<8xf32> into memref<8xf32>
      linalg.add ins(%x, %y : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
    }
  }
  memref.dealloc %x : memref<8xf32>
  memref.dealloc %y : memref<8xf32>
  return
}

// Inside a rotation's loop, whose buffers are others.
//
// CHECK-LABEL: func.func @inside_a_rotation(
// CHECK: scf.for
// CHECK: commir.broadcast {{.*}} over {gpu} request [[P:[0-9]+]]
// CHECK: commir.hop {{.*}} request 0
// CHECK: linalg.add
// CHECK: commir.wait 0
// CHECK: commir.wait [[P]]
// CHECK: return
func.func @inside_a_rotation(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<8xf32>
  %k0 = memref.alloc() : memref<8xf32>
  %k1 = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %c4 step %c1 iter_args(%k = %b, %to = %k0, %spare = %k1) -> (memref<8xf32>, memref<8xf32>, memref<8xf32>) {
    %more = arith.cmpi ult, %t, %c3 : index
    scf.if %more {
      commir.hop %k into %to by [#commir.hop<{gpu} by 1>] request 0 : memref<8xf32> into memref<8xf32>
    }
    commir.broadcast %a into %x from %t over {gpu} : memref<8xf32> into memref<8xf32>
    linalg.add ins(%x, %k : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
    scf.if %more {
      commir.wait 0 for %k, %to : memref<8xf32>, memref<8xf32>
    }
    scf.yield %to, %spare, %to : memref<8xf32>, memref<8xf32>, memref<8xf32>
  }
  memref.dealloc %x : memref<8xf32>
  memref.dealloc %k0 : memref<8xf32>
  memref.dealloc %k1 : memref<8xf32>
  return
}

// What is sent changes in the loop.
//
// CHECK-LABEL: func.func @source_is_written(
// CHECK-NOT: iter_args
// CHECK: return
func.func @source_is_written(%a: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %c4 step %c1 {
    commir.broadcast %a into %x from %t over {gpu} : memref<8xf32> into memref<8xf32>
    linalg.add ins(%x, %c : memref<8xf32>, memref<8xf32>) outs(%a : memref<8xf32>)
  }
  memref.dealloc %x : memref<8xf32>
  return
}

// Who sends depends on what the loop computes.
//
// CHECK-LABEL: func.func @root_is_carried(
// CHECK: scf.for
// CHECK-NEXT: commir.broadcast {{.*}} over {gpu} :
// CHECK: return
func.func @root_is_carried(%a: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %c4 step %c1 iter_args(%root = %c0) -> index {
    commir.broadcast %a into %x from %root over {gpu} : memref<8xf32> into memref<8xf32>
    linalg.add ins(%x, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
    %other = arith.xori %root, %c1 : index
    scf.yield %other : index
  }
  memref.dealloc %x : memref<8xf32>
  return
}

// A rank that receives nothing keeps the tile of the step before.
//
// CHECK-LABEL: func.func @buffer_keeps_its_tile(
// CHECK-NOT: iter_args
// CHECK: return
func.func @buffer_keeps_its_tile(%a: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %nobody = arith.constant -1 : index
  %x = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %c2 step %c1 {
    %isFirst = arith.cmpi eq, %t, %c0 : index
    %peer = arith.select %isFirst, %c0, %nobody : index
    %r = commir.rank_coord {gpu}
    %isRoot = arith.cmpi eq, %r, %c0 : index
    %to = arith.select %isRoot, %peer, %nobody : index
    %from = arith.select %isRoot, %peer, %nobody : index
    commir.permute %a into %x to %to from %from over {gpu} : memref<8xf32> into memref<8xf32>
    linalg.add ins(%x, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  }
  memref.dealloc %x : memref<8xf32>
  return
}

// What the loop leaves in the buffer is read after it; what the step before has
// received is read once more.
//
// CHECK-LABEL: func.func @buffer_is_read_elsewhere(
// CHECK-NOT: iter_args
// CHECK: return
func.func @buffer_is_read_elsewhere(%a: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  linalg.exp ins(%c : memref<8xf32>) outs(%y : memref<8xf32>)
  scf.for %t = %c0 to %c4 step %c1 {
    linalg.add ins(%y, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
    commir.broadcast %a into %x from %t over {gpu} : memref<8xf32> into memref<8xf32>
    commir.broadcast %a into %y from %t over {gpu} : memref<8xf32> into memref<8xf32>
  }
  linalg.add ins(%x, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  memref.dealloc %x : memref<8xf32>
  memref.dealloc %y : memref<8xf32>
  return
}

// A second step is needed, and numbers of steps that are known.
//
// CHECK-LABEL: func.func @steps_are_not_known(
// CHECK-NOT: iter_args
// CHECK: return
func.func @steps_are_not_known(%a: memref<8xf32>, %c: memref<8xf32>) attributes {commir.topology = @ring} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %node = commir.rank_coord {gpu}
  %some = arith.muli %node, %c0 : index
  %end = arith.addi %some, %c2 : index
  %x = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %c1 step %c1 {
    commir.broadcast %a into %x from %t over {gpu} : memref<8xf32> into memref<8xf32>
    linalg.add ins(%x, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  }
  memref.dealloc %x : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  scf.for %t = %c0 to %end step %c1 {
    commir.broadcast %a into %y from %t over {gpu} : memref<8xf32> into memref<8xf32>
    linalg.add ins(%y, %c : memref<8xf32>, memref<8xf32>) outs(%c : memref<8xf32>)
  }
  memref.dealloc %y : memref<8xf32>
  return
}

// A check reads, and what else it may do is no buffer.
//
// CHECK-LABEL: func.func @checks_are_passed(
// CHECK-NEXT: commir.all_gather %{{.*}} request [[Q:[0-9]+]] :
// CHECK-NEXT: commir.check_documents segments(%[[IDS:[^ ]+]] :
// CHECK-NEXT: commir.wait [[Q]] for
// CHECK-NEXT: commir.check_documents lengths(
func.func @checks_are_passed(%ids: memref<8xi32>, %all: memref<4x8xi32>) attributes {commir.topology = @ring} {
  commir.check_documents segments(%ids : memref<8xi32>)
  commir.all_gather %ids into %all over {gpu} : memref<8xi32> into memref<4x8xi32>
  commir.check_documents lengths(%all : memref<4x8xi32>)
  return
}
