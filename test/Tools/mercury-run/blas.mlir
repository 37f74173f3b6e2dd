// Local tiles by a BLAS library, on each operand order that its kernels take.
// REQUIRES: openblas
// RUN: mercury-run --verify --topology=gpu=2 --schedule=gemm_reduce_scatter --local=blas %s | FileCheck %s
// RUN: mercury-run --verify --topology=gpu=4 --schedule=all_gather_gemm_shifted --local=blas %s | FileCheck %s
// A schedule that names the kernel needs no option.
// RUN: mercury-run --verify --topology=gpu=2 "--schedule=loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]] patch blas" %s | FileCheck %s
// CHECK: {{ verified$}}

func.func @gemm(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
                     outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
