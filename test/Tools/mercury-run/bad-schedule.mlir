// A schedule that cannot be found or parsed: exit code 2.

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=all_gather_gem %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=NAME
// NAME: mercury-run: error: no schedule is called 'all_gather_gem'; did you mean 'all_gather_gemm'?
// NAME: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=no/such/file %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=FILE
// FILE: mercury-run: error: cannot read the schedule file 'no/such/file'
// FILE: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 "--schedule=loops [rank gpu" %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=TEXT
// TEXT: mercury-run: error: --schedule: expected {{.*}}, got the end
// TEXT: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=%S/Inputs/broken.schedule %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=LINE
// LINE: mercury-run: error: {{.*}}broken.schedule:2: expected 'loops', got 'lops'
// LINE: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=%S/Inputs/three.schedule %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=COUNT
// COUNT: mercury-run: error: '{{.*}}three.schedule' has 3 schedules, but @f has 2 contractions, 2 operators with a reduction, 2 operators in all
// COUNT: exit 2

func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
