// Launches of device code stay launches, on the compute stream.
// RUN: mercury-opt %s --convert-commir-to-nccl=target=device --canonicalize --cse | FileCheck %s --implicit-check-not=commir.

module attributes {gpu.container_module} {
commir.topology @ring levels [#commir.level<gpu, 4>]

// CHECK: gpu.func @k(%{{.*}}: memref<4xf32, strided<[2]>>, %{{.*}}: index, %{{.*}}: memref<4xf32>) kernel
gpu.module @kernels {
  gpu.func @k(%x: memref<4xf32, strided<[2]>>, %n: index, %y: memref<4xf32>) kernel attributes {commir.kernel, known_block_size = array<i32: 32, 2, 1>, known_grid_size = array<i32: 3, 1, 1>} {
    gpu.return
  }
}

// An operand is made of the pointer to the first element of its view: here the
// third.
//
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:[^ ]+]]: !llvm.ptr, %[[A:[^ ]+]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[N:[^ ]+]]: index)
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.+]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:.+]] = arith.constant 3 : index
// CHECK-DAG: %[[C8:.+]] = arith.constant 8 : index
// CHECK-DAG: %[[C32:.+]] = arith.constant 32 : index
// CHECK: %[[BASE:.+]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[AT:.+]] = arith.addi %[[BASE]], %[[C8]]
// CHECK: %[[INTEGER:.+]] = arith.index_cast %[[AT]] : index to i64
// CHECK: %[[FIRST:.+]] = llvm.inttoptr %[[INTEGER]]
// CHECK: llvm.insertvalue %[[FIRST]],
// CHECK: %[[VIEW:.+]] = builtin.unrealized_conversion_cast %{{.*}} to memref<4xf32, strided<[2]>>
// CHECK: %[[COMPUTE:.+]] = call @mercury_compute_stream(%[[X]])
// CHECK: gpu.launch_func <%[[COMPUTE]] : !llvm.ptr> @kernels::@k blocks in (%[[C3]], %[[C1]], %[[C1]]) threads in (%[[C32]], %[[C2]], %[[C1]]) args(%[[VIEW]] : memref<4xf32, strided<[2]>>, %[[N]] : index, %{{.*}} : memref<4xf32>)
func.func @f(%a: memref<9xf32>, %b: memref<4xf32>, %n: index) attributes {commir.topology = @ring} {
  %odd = memref.subview %a[2] [4] [2] : memref<9xf32> to memref<4xf32, strided<[2], offset: 2>>
  commir.launch @kernels::@k ins(%odd, %n : memref<4xf32, strided<[2], offset: 2>>, index) outs(%b : memref<4xf32>)
  return
}
}
