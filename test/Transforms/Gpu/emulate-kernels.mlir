// RUN: mercury-opt --mercury-emulate-kernels %s | FileCheck %s
// RUN: mercury-opt --mercury-emulate-kernels=checks=false %s | FileCheck %s --check-prefix=BARE
// RUN: mercury-opt --mercury-emulate-kernels --mercury-lower-to-llvm %s | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func private @sum(
// CHECK-SAME:      %[[A:.+]]: memref<4x64xf32, strided<[80, 1]>> {llvm.align = 16 : i64}, %[[N:.+]]: index) attributes {commir.kernel} {
// CHECK:         %[[TWO:.+]] = arith.constant 2 : i64
// CHECK:         %[[PARAMETERS:.+]] = llvm.alloca %[[TWO]] x i64
// CHECK:         memref.extract_aligned_pointer_as_index %[[A]]
// CHECK:         arith.index_cast %[[N]] : index to i64
// CHECK:         %[[CODE:.+]] = constant @sum_thread
// CHECK:         %[[POINTER:.+]] = builtin.unrealized_conversion_cast %[[CODE]]
// CHECK:         %[[GX:.+]] = arith.constant 4 : i64
// CHECK:         %[[GY:.+]] = arith.constant 1 : i64
// CHECK:         %[[GZ:.+]] = arith.constant 1 : i64
// CHECK:         %[[BX:.+]] = arith.constant 64 : i64
// CHECK:         %[[BY:.+]] = arith.constant 1 : i64
// CHECK:         %[[BZ:.+]] = arith.constant 1 : i64
// CHECK:         %[[BYTES:.+]] = arith.constant 262 : i64
// CHECK:         call @mercury_simt_run(%{{.+}}, %[[POINTER]], %[[PARAMETERS]], %[[GX]], %[[GY]], %[[GZ]], %[[BX]], %[[BY]], %[[BZ]], %[[BYTES]])

// CHECK-LABEL: func.func private @sum_thread(
// CHECK-SAME:      %[[THREAD:arg0]]: !llvm.ptr, %[[PARAMETERS:arg1]]: !llvm.ptr, %[[SHARED:arg2]]: !llvm.ptr,
// CHECK-SAME:      %[[TX:arg3]]: index, %arg4: index, %arg5: index, %[[BX:arg6]]: index, %arg7: index, %arg8: index) {
// CHECK:         llvm.getelementptr %[[PARAMETERS]][0] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:         %[[A:.+]] = builtin.unrealized_conversion_cast {{.*}} to memref<4x64xf32, strided<[80, 1]>>
// CHECK:         llvm.getelementptr %[[PARAMETERS]][1] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:         %[[BITS:.+]] = llvm.load {{.*}} : !llvm.ptr -> i64
// CHECK:         arith.index_cast %[[BITS]] : i64 to index
// CHECK:         llvm.getelementptr %[[SHARED]][0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK:         %[[W:.+]] = builtin.unrealized_conversion_cast {{.*}} to memref<64xf32>
// 256 bytes, and to the next multiple of 128.
// CHECK:         llvm.getelementptr %[[SHARED]][256] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK:         %[[V:.+]] = builtin.unrealized_conversion_cast {{.*}} to memref<3xf16>

// CHECK:         arith.cmpi slt, %[[BX]], %{{.+}} : index
// CHECK:         func.call @mercury_simt_out_of_range(%[[THREAD]], %[[BX]],
// CHECK:         %[[KIND:.+]] = arith.constant 0 : i32
// CHECK:         call @mercury_simt_access(%[[THREAD]], %{{.+}}, %[[KIND]], %{{.+}})
// CHECK:         %[[X:.+]] = memref.load %[[A]][%[[BX]], %[[TX]]]
// A write, to shared memory.
// CHECK:         %[[KIND:.+]] = arith.constant 3 : i32
// CHECK:         call @mercury_simt_access(%[[THREAD]], %{{.+}}, %[[KIND]], %{{.+}})
// CHECK:         memref.store %[[X]], %[[W]][%[[TX]]] : memref<64xf32>
// CHECK:         call @mercury_simt_barrier(%[[THREAD]], %{{.+}}) : (!llvm.ptr, !llvm.ptr) -> ()
// CHECK:         %[[SIZE:.+]] = arith.constant 64 : index
// CHECK:         %[[ONE:.+]] = arith.constant 1 : index
// CHECK:         arith.subi %[[SIZE]], %[[ONE]]
// CHECK:         %[[Y:.+]] = memref.load %[[W]]
// CHECK:         %[[OFFSET:.+]] = arith.constant 16 : i32
// Mode 0 is xor.
// CHECK:         %[[MODE:.+]] = arith.constant 0 : i32
// CHECK:         %[[IN:.+]] = arith.bitcast %[[Y]] : f32 to i32
// CHECK:         %[[BOTH:.+]] = call @mercury_simt_shuffle(%[[THREAD]], %[[IN]], %[[OFFSET]], %[[MODE]], %{{.+}})
// CHECK:         %[[HIGH:.+]] = arith.shrui %[[BOTH]]
// CHECK:         arith.trunci %[[HIGH]] : i64 to i1
// CHECK:         %[[LOW:.+]] = arith.trunci %[[BOTH]] : i64 to i32
// CHECK:         %[[Z:.+]] = arith.bitcast %[[LOW]] : i32 to f32
// CHECK:         memref.extract_aligned_pointer_as_index %[[A]]
// CHECK:         %[[BYTES:.+]] = arith.constant 4 : index
// CHECK-NEXT:    %[[ALIGNMENT:.+]] = arith.constant 4 : index
// CHECK-NEXT:    call @mercury_simt_access(%[[THREAD]], %{{.+}}, %[[BYTES]], %[[ALIGNMENT]], %{{.+}}, %{{.+}})
// CHECK:         memref.store %[[Z]], %[[A]]
// CHECK-NOT:     gpu.
// CHECK:         return

// The text of an op is that of the kernel.
// CHECK: llvm.mlir.global internal constant @sum_text_{{[0-9]+}}("memref.store %0, %arg2[%thread_id_x] : memref<64xf32, #gpu.address_space<workgroup>>\00")
// CHECK: llvm.mlir.global internal constant @sum_text_{{[0-9]+}}("gpu.barrier\00")

// BARE-LABEL: func.func private @sum_thread(
// BARE-NOT:     mercury_simt_access
// BARE-NOT:     mercury_simt_out_of_range
// BARE:         call @mercury_simt_barrier
// BARE-NOT:     mercury_simt_access
// BARE-NOT:     mercury_simt_out_of_range
// BARE:         llvm.mlir.global

// LLVM-LABEL: llvm.func @sum(
// LLVM-NOT:     unrealized_conversion_cast
// LLVM:         %[[CODE:.+]] = llvm.mlir.addressof @sum_thread : !llvm.ptr
// LLVM:         llvm.call @mercury_simt_run(%{{.+}}, %[[CODE]],
// LLVM-LABEL: llvm.func @sum_thread(
// LLVM-NOT:     unrealized_conversion_cast
// LLVM:         llvm.call @mercury_simt_barrier
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sum(%a: memref<4x64xf32, strided<[80, 1]>> {llvm.align = 16 : i64}, %n: index)
        workgroup(%w: memref<64xf32, #gpu.address_space<workgroup>>,
                  %v: memref<3xf16, #gpu.address_space<workgroup>> {llvm.align = 128 : i64})
        kernel attributes {commir.kernel,
                           known_block_size = array<i32: 64, 1, 1>,
                           known_grid_size = array<i32: 4, 1, 1>} {
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %x = memref.load %a[%b, %t] : memref<4x64xf32, strided<[80, 1]>>
      memref.store %x, %w[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %size = gpu.block_dim x
      %one = arith.constant 1 : index
      %last = arith.subi %size, %one : index
      %at = arith.subi %last, %t : index
      %y = memref.load %w[%at] : memref<64xf32, #gpu.address_space<workgroup>>
      %width = arith.constant 32 : i32
      %offset = arith.constant 16 : i32
      %z, %valid = gpu.shuffle xor %y, %offset, %width : f32
      memref.store %z, %a[%b, %t] {alignment = 4} : memref<4x64xf32, strided<[80, 1]>>
      gpu.return
    }
  }
}
