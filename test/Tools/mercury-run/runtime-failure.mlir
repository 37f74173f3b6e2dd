// What goes wrong while ranks run: exit code 3, with the runtime's words.
// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=all_gather_gemm --memory-limit=300 %s 2>&1; echo "exit $?"' | FileCheck %s
// CHECK: mercury-run: error: {{.*}}asked for {{[0-9]+}} bytes
// CHECK: exit 3

func.func @gemm(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
