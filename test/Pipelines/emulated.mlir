// A program for devices with its kernels on CPUs: the host enqueues and returns.
// RUN: mercury-opt %s "--mercury-distribute-pipeline=schedule=all_gather_gemm_shifted topology=gpu=4" --mercury-emulated-pipeline \
// RUN:   | FileCheck %s --implicit-check-not=mgpuStreamSynchronize --implicit-check-not=mgpuEventSynchronize --implicit-check-not=mercury_progress
// RUN: mercury-opt %s "--mercury-distribute-pipeline=schedule=all_gather_gemm_shifted topology=gpu=4" "--mercury-emulated-pipeline=kernels=simt chip=sm_80 chunks=2" \
// RUN:   | FileCheck %s --check-prefix=SIMT
//
// RUN: not mercury-opt %s --mercury-emulated-pipeline=kernels=gpu 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: Cannot find option named 'gpu'

// CHECK: llvm.func @gemm(
// CHECK: llvm.mlir.addressof @[[KERNEL:[a-z_0-9]+]]_params
// CHECK: llvm.call @mercury_alloc(
// CHECK: llvm.call @ncclGroupStart(
// CHECK: llvm.call @mgpuEventRecord(
// CHECK: llvm.call @mgpuLaunchKernel(
// CHECK: llvm.call @mgpuStreamWaitEvent(
// CHECK: llvm.call @mercury_free(
// CHECK: %[[STATUS:.+]] = llvm.call @mercury_status(
// CHECK: llvm.return %[[STATUS]]
// CHECK: llvm.func @gemm_packed(
// CHECK: llvm.func @[[KERNEL]](
// CHECK: llvm.func @[[KERNEL]]_params(

// SIMT-DAG: llvm.call @mercury_simt_run(
// SIMT-DAG: llvm.call @mgpuLaunchKernel(
// SIMT-DAG: llvm.func @gemm_packed(
// SIMT-NOT: {{^ *(%.+ = )?gpu\.}}

func.func @gemm(%a: tensor<24x40xf32>, %b: tensor<40x16xf32>, %c: tensor<24x16xf32>)
    -> tensor<24x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<24x40xf32>, tensor<40x16xf32>)
                     outs(%c : tensor<24x16xf32>) -> tensor<24x16xf32>
  return %r : tensor<24x16xf32>
}
