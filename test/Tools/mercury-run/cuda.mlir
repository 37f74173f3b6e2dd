// Without a driver the tool says so at once, and exits as tests that are skipped.
// RUN: env MERCURY_CUDA_LIBRARY=%t.absent sh -c 'mercury-run --target=cuda --verify --topology=gpu=4 --schedule=all_gather_gemm %s; echo "exit $?"' 2>&1 | FileCheck %s
// CHECK: mercury-run: error: no CUDA driver can be used here
// CHECK: exit 77
//
// The program can be looked at.
// RUN: env MERCURY_CUDA_LIBRARY=%t.absent mercury-run --target=cuda --chip=sm_80 --emit=gpu --topology=gpu=4 --schedule=all_gather_gemm_shifted %s | FileCheck %s --check-prefix=GPU
// GPU-DAG: gpu.func @{{.*}}known_block_size
// GPU-DAG: commir.launch @kernels::@
// GPU-DAG: commir.record_event
func.func @gemm(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
