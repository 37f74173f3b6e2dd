// A schedule file *.mlir is a transform script.
// RUN: mercury-run --verify --topology=gpu=2 --schedule=%S/Inputs/rows.mlir %s | FileCheck %s
// CHECK: rows.mlir  2 (gpu=2) {{.*}} verified
// CHECK: 0 {{ *}}256 {{ *}}0

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=%s %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=ENTRY
// ENTRY: could not find a nested named sequence with name: __transform_main
// ENTRY: mercury-run: error: cannot apply the transform script '{{.*}}transform-script.mlir'
// ENTRY: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=%S/Inputs/absent.mlir %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=ABSENT
// ABSENT: mercury-run: error: cannot read the schedule file '{{.*}}absent.mlir'
// ABSENT: exit 2

// RUN: sh -c 'echo "module {" > %t.broken.mlir; mercury-run --topology=gpu=2 --schedule=%t.broken.mlir %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=BROKEN
// BROKEN: mercury-run: error: cannot parse the transform script '{{.*}}broken.mlir'
// BROKEN: exit 2

// A script beside the function is applied when it is asked for, and else ignored.
// RUN: mercury-run --verify --schedule=%S/Inputs/own-script.mlir %S/Inputs/own-script.mlir | FileCheck %s --check-prefix=OWN
// OWN: own-script.mlir  2 (gpu=2) {{.*}} verified
// RUN: mercury-run --verify --schedule=default %S/Inputs/own-script.mlir | FileCheck %s --check-prefix=IGNORED
// IGNORED: default  2 (gpu=2) {{.*}} verified

func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
