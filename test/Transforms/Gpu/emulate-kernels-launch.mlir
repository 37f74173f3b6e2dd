// RUN: mercury-opt --mercury-emulate-kernels %s | FileCheck %s

// Launches name the function, and constants keep apart.
// CHECK-LABEL: module {
// CHECK:         memref.global "private" constant @table_0 : memref<2xf32> = dense<[3.0
// CHECK:         memref.global "private" constant @table : memref<2xf32> = dense<[1.0
// CHECK:         func.func @f(%[[A:.+]]: memref<2xf32>) {
// CHECK-NEXT:      commir.launch @k outs(%[[A]] : memref<2xf32>)
// CHECK:         func.func private @k_thread(
// CHECK:           memref.get_global @table_0 : memref<2xf32>
module attributes {gpu.container_module} {
  memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>
  gpu.module @kernels {
    memref.global "private" constant @table : memref<2xf32> = dense<[3.0, 4.0]>
    gpu.func @k(%a: memref<2xf32>) kernel attributes {
        commir.kernel, known_block_size = array<i32: 2, 1, 1>,
        known_grid_size = array<i32: 1, 1, 1>} {
      %t = gpu.thread_id x
      %table = memref.get_global @table : memref<2xf32>
      %x = memref.load %table[%t] : memref<2xf32>
      memref.store %x, %a[%t] : memref<2xf32>
      gpu.return
    }
  }
  func.func @f(%a: memref<2xf32>) {
    commir.launch @kernels::@k outs(%a : memref<2xf32>)
    return
  }
}
