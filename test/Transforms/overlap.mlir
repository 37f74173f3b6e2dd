// Communication starts as early and is waited for as late as its buffers allow.
// RUN: mercury-opt %s --mercury-overlap | FileCheck %s
// RUN: mercury-opt %s --mercury-overlap --mercury-verify-communication | FileCheck %s --check-prefix=PLAYED
// PLAYED: func.func @starts_early_and_waits_late(

commir.topology @ring levels [#commir.level<gpu, 4>]

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
