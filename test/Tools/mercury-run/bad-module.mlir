// Input that does not parse is shown with its line: exit code 2.
// RUN: sh -c 'mercury-run %s 2>&1; echo "exit $?"' | FileCheck %s

// CHECK: bad-module.mlir:[[# @LINE + 5]]:3: error: custom op 'linalg.mathmul' is unknown
// CHECK: linalg.mathmul
// CHECK: mercury-run: error: cannot parse
// CHECK: exit 2
func.func @f(%x: tensor<4xf32>) {
  linalg.mathmul ins(%x)
  return
}
