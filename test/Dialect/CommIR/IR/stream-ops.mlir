// RUN: mercury-opt %s | mercury-opt | FileCheck %s
// RUN: mercury-opt %s -emit-bytecode | mercury-opt | FileCheck %s
// What a launch does to its buffers is known: the second fill is dead to nobody.
// RUN: mercury-opt %s --canonicalize --cse | FileCheck %s

commir.topology @t levels [#commir.level<node, 2>, #commir.level<gpu, 4>]

func.func private @add(%a: memref<8x4xf32, strided<[8, 1]>>, %n: index, %c: memref<8x4xf32>)
    attributes {commir.kernel} {
  return
}

// CHECK-LABEL: func.func @launch
func.func @launch(%a: memref<16x8xf32>, %n: index, %at: index, %c: memref<16x4xf32>) {
  // CHECK-DAG: %[[A:.+]] = memref.subview
  // CHECK-DAG: %[[C:.+]] = memref.subview
  %0 = memref.subview %a[8, 0] [8, 4] [1, 1] : memref<16x8xf32> to memref<8x4xf32, strided<[8, 1], offset: 64>>
  %1 = memref.subview %c[%at, 0] [8, 4] [1, 1] : memref<16x4xf32> to memref<8x4xf32, strided<[4, 1], offset: ?>>
  // CHECK: commir.launch @add ins(%[[A]], %{{.+}} : memref<8x4xf32, strided<[8, 1], offset: 64>>, index) outs(%[[C]] : memref<8x4xf32, strided<[4, 1], offset: ?>>)
  commir.launch @add ins(%0, %n : memref<8x4xf32, strided<[8, 1], offset: 64>>, index)
                     outs(%1 : memref<8x4xf32, strided<[4, 1], offset: ?>>)
  return
}

// CHECK-LABEL: func.func @events
func.func @events() {
  // CHECK: commir.record_event 0 on compute
  commir.record_event 0 on compute
  // CHECK: commir.wait_event 0 on {node, gpu}
  commir.wait_event 0 on {node, gpu}
  // CHECK: commir.record_event 1 on {gpu:(1)2}
  commir.record_event 1 on {gpu:(1)2}
  // CHECK: commir.wait_event 1 on compute
  commir.wait_event 1 on compute
  return
}
