// RUN: mercury-opt %s --convert-gpu-to-runtime | FileCheck %s
// The whole way to LLVM IR: nothing runs before the program does.
// RUN: mercury-opt %s --convert-gpu-to-runtime --mercury-lower-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVM

// Text ends with a zero. Equal names and images are there once.
// CHECK-NOT: gpu.container_module
// CHECK-DAG: llvm.mlir.global internal constant @kernels_image(".version 8.0\00") {{{.*}}alignment = 16
// CHECK-DAG: llvm.mlir.global internal constant @kernels_name_scale("scale\00")
// CHECK-DAG: llvm.mlir.global internal constant @kernels_name_copy("copy\00")
// CHECK-DAG: llvm.mlir.global internal constant @machine_image("\7FELF")
// CHECK-DAG: func.func private @mercury_kernel(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> !llvm.ptr
// CHECK-DAG: func.func private @mgpuLaunchKernel(!llvm.ptr, i64, i64, i64, i64, i64, i64, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64)
// CHECK-NOT: gpu.binary
// LLVM-NOT: llvm.global_ctors
// LLVM: define void @f
// LLVM-NOT: llvm.global_ctors
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version 8.0">]
  gpu.binary @machine [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "\7FELF">]

  // CHECK-LABEL: func.func @f(
  // CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[STREAM:.*]]: !llvm.ptr, %[[A:.*]]: memref<64xf32>, %[[P:.*]]: !llvm.ptr, %[[X:.*]]: bf16, %[[N:.*]]: index
  func.func @f(%ctx: !llvm.ptr, %stream: !llvm.ptr, %a: memref<64xf32>,
               %p: !llvm.ptr, %x: bf16, %n: index) {
    // One place for each parameter of the launch that has most.
    // CHECK: %[[MOST:.*]] = arith.constant 4 : i64
    // CHECK: %[[SLOTS:.*]] = llvm.alloca %[[MOST]] x i64
    // CHECK: %[[PARAMETERS:.*]] = llvm.alloca %[[MOST]] x !llvm.ptr
    // CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} : !llvm.ptr, !llvm.ptr
    // CHECK-NOT: llvm.alloca
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %bytes = arith.constant 128 : i32
    // CHECK: scf.for
    scf.for %i = %c1 to %c64 step %c1 {
      // CHECK: %[[IMAGE:.*]] = llvm.mlir.addressof @kernels_image
      // CHECK: %[[NAME:.*]] = llvm.mlir.addressof @kernels_name_scale
      // CHECK: %[[BYTES:.*]] = arith.constant 13 : i64
      // CHECK: %[[KERNEL:.*]] = func.call @mercury_kernel(%[[CTX]], %[[IMAGE]], %[[BYTES]], %[[NAME]])
      // CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
      // CHECK: %[[WORD:.*]] = arith.index_cast %[[ADDRESS]] : index to i64
      // CHECK: llvm.store %[[WORD]], %{{.*}} : i64
      // CHECK: llvm.store %[[P]], %{{.*}} : !llvm.ptr
      // CHECK: llvm.store %[[X]], %{{.*}} : bf16
      // CHECK: %[[NUMBER:.*]] = arith.index_cast %[[N]] : index to i64
      // CHECK: llvm.store %[[NUMBER]], %{{.*}} : i64
      // CHECK: %[[SHARED:.*]] = arith.constant 0 : i32
      // CHECK: %[[NULL:.*]] = llvm.mlir.zero
      // CHECK: %[[COUNT:.*]] = arith.constant 4 : i64
      // CHECK: func.call @mgpuLaunchKernel(%[[KERNEL]], {{.*}}, %[[SHARED]], %[[STREAM]], %[[PARAMETERS]], %[[NULL]], %[[COUNT]])
      gpu.launch_func <%stream : !llvm.ptr> @kernels::@scale
          blocks in (%c3, %c1, %c1) threads in (%c64, %c1, %c1)
          args(%a : memref<64xf32>, %p : !llvm.ptr, %x : bf16, %n : index)
    }
    // CHECK: llvm.mlir.addressof @kernels_name_copy
    // CHECK: arith.constant 1 : i64
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@copy
        blocks in (%c3, %c1, %c1) threads in (%c64, %c1, %c1)
        dynamic_shared_memory_size %bytes args(%a : memref<64xf32>)
    // CHECK: llvm.mlir.addressof @machine_image
    // CHECK: arith.constant 4 : i64
    gpu.launch_func <%stream : !llvm.ptr> @machine::@copy
        blocks in (%c3, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<64xf32>)
    return
  }
}
