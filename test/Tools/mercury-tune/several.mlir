// Two matmuls of which one follows the other, and one by itself: a line each.
// RUN: mercury-tune %s --topology=gpu=2 --emit=schedule -o %t.txt
// RUN: FileCheck %s --check-prefix=LINES --input-file=%t.txt
// RUN: mercury-run %s --topology=gpu=2 --schedule=%t.txt --verify | FileCheck %s
// RUN: mercury-tune %s --topology=gpu=2 --emit=transform -o %t.mlir
// RUN: mercury-run %s --topology=gpu=2 --schedule=%t.mlir --verify | FileCheck %s
// RUN: mercury-tune %s --topology=gpu=2 --emit=json | FileCheck %s --check-prefix=JSON

// LINES-COUNT-3: loops [
// LINES-NOT: loops
// CHECK: verified
// JSON-COUNT-3: "operator": "linalg.matmul: rows 8,
// JSON-NOT: "operator"

!m = tensor<8x8xf32>
func.func @f(%a: !m, %b: !m, %c: !m, %zero: !m) -> (!m, !m) {
  %0 = linalg.matmul ins(%a, %b : !m, !m) outs(%zero : !m) -> !m
  %1 = linalg.matmul ins(%0, %c : !m, !m) outs(%zero : !m) -> !m
  %2 = linalg.matmul ins(%b, %c : !m, !m) outs(%zero : !m) -> !m
  return %1, %2 : !m, !m
}
