// The module at the end of each stage.
// RUN: mercury-run --emit=stage1 --topology=gpu=2 --schedule=all_gather_gemm %s | FileCheck %s --check-prefix=STAGE1
// STAGE1: linalg.matmul {{.*}}commir.schedule = #commir.schedule<
// STAGE1-SAME: tensor<8x8xf32>

// RUN: mercury-run --emit=stage2 --topology=gpu=2 --schedule=all_gather_gemm %s | FileCheck %s --check-prefix=STAGE2
// STAGE2: func.func @gemm
// STAGE2: scf.forall
// STAGE2: mapping = [#commir.axis<gpu>]

// RUN: mercury-run --emit=stage3 --topology=gpu=2 --schedule=all_gather_gemm %s | FileCheck %s --check-prefix=STAGE3
// STAGE3: func.func @gemm(%{{.*}}: tensor<4x8xf32> {{{.*}}commir.placement = #commir.placement<[{gpu}, {}]>
// STAGE3: commir.all_gather

// RUN: mercury-run --emit=llvm --topology=gpu=2 --schedule=all_gather_gemm %s | FileCheck %s --check-prefix=LLVM
// LLVM-DAG: llvm.func @gemm_packed(
// LLVM-DAG: @gemm_requirements
// LLVM-DAG: llvm.call @ncclAllGather(

func.func @gemm(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
