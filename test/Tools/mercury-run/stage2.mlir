// A distributed loop nest is input, too: its reference is the nest with the
// placement erased.
// RUN: mercury-run --emit=stage2 --topology=gpu=4 --schedule=gemm_reduce_scatter_shifted %s > %t.mlir
// RUN: mercury-run --verify %t.mlir | FileCheck %s
// CHECK: of the input  4 (gpu=4) {{.*}} verified

// One rank's program has local shapes and no reference.
// RUN: mercury-run --emit=stage3 --topology=gpu=4 --schedule=gemm_reduce_scatter_shifted %s > %t.3.mlir
// RUN: mercury-run %t.3.mlir | FileCheck %s --check-prefix=STAGE3
// STAGE3: of the input  4 (gpu=4)
// RUN: sh -c 'mercury-run --verify %t.3.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=LOCAL
// LOCAL: mercury-run: error: --verify: @gemm has local shapes; the reference needs the function before distribution
// LOCAL: exit 2

func.func @gemm(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
