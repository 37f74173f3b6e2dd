// RUN: mercury-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(mercury-shorten-lifetimes))' | FileCheck %s

// CHECK-LABEL: func.func @one_after_the_other
func.func @one_after_the_other(%x: memref<8xf32>, %y: memref<8xf32>) {
  // CHECK-NEXT: %[[A:.+]] = memref.alloc() {commir.memory_class = "staging"}
  // CHECK-NEXT: memref.copy %{{.+}}, %[[A]]
  // CHECK-NEXT: %[[B:.+]] = memref.alloc()
  // CHECK-NEXT: memref.copy %[[A]], %[[B]]
  // CHECK-NEXT: memref.dealloc %[[A]]
  // CHECK-NEXT: memref.copy %[[B]], %{{.+}}
  // CHECK-NEXT: memref.dealloc %[[B]]
  // CHECK-NEXT: return
  %unused = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<8xf32>
  %a = memref.alloc() {commir.memory_class = "staging"} : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  memref.copy %a, %b : memref<8xf32> to memref<8xf32>
  memref.copy %b, %y : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  memref.dealloc %unused : memref<64xf32>
  return
}

// -----

// What is in flight is in use until it has been waited for, also under the name
// of a view.
commir.topology @machine levels [#commir.level<gpu, 4>]

// CHECK-LABEL: func.func @in_flight
func.func @in_flight(%x: memref<2x4xf32>, %y: memref<8xf32>) {
  %a = memref.alloc() : memref<2x4xf32>
  %b = memref.alloc() : memref<4x2x4xf32>
  memref.copy %x, %a : memref<2x4xf32> to memref<2x4xf32>
  %line = memref.collapse_shape %a [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  commir.all_gather %a into %b over {gpu} request 0
    : memref<2x4xf32> into memref<4x2x4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<8xf32>)
  // CHECK: commir.all_gather
  // CHECK-NOT: memref.dealloc
  // CHECK: commir.wait 0
  // CHECK-NEXT: memref.dealloc
  // CHECK-NEXT: memref.dealloc
  // CHECK-NEXT: memref.copy
  commir.wait 0 for %line, %b : memref<8xf32>, memref<4x2x4xf32>
  memref.copy %y, %y : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<2x4xf32>
  memref.dealloc %b : memref<4x2x4xf32>
  return
}

// -----

// Buffers that a loop carries are in use in all of it, those that a loop makes
// stay there.
// CHECK-LABEL: func.func @carried
func.func @carried(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  // CHECK: memref.copy
  // CHECK-NEXT: %[[B:.+]] = memref.alloc() : memref<8xf32>
  // CHECK-NEXT: %[[HELD:.+]]:2 = scf.for
  %held:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%now = %a, %next = %b)
      -> (memref<8xf32>, memref<8xf32>) {
    // CHECK: %[[INNER:.+]] = memref.alloc() : memref<8xf32>
    // CHECK: memref.dealloc %[[INNER]]
    %inner = memref.alloc() : memref<8xf32>
    memref.copy %now, %inner : memref<8xf32> to memref<8xf32>
    memref.copy %inner, %next : memref<8xf32> to memref<8xf32>
    memref.dealloc %inner : memref<8xf32>
    scf.yield %next, %now : memref<8xf32>, memref<8xf32>
  }
  // CHECK: memref.copy %[[HELD]]#0
  // CHECK-NEXT: memref.dealloc %[[B]]
  // CHECK-NEXT: memref.dealloc
  // CHECK-NEXT: memref.copy
  memref.copy %held#0, %y : memref<8xf32> to memref<8xf32>
  memref.copy %y, %x : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}
