// A sum of 4096 products that f16 accumulates is further off than 2e-3 allows:
// exit code 1, and the report says where. f32 accumulation is verified.
// RUN: sh -c 'mercury-run --verify --topology=gpu=2 --schedule=data_parallel --no-promote %s 2>&1; echo "exit $?"' | FileCheck %s
// CHECK: WRONG
// CHECK: mercury-run: wrong result: result 0: relative error {{.+}} exceeds 0.002 (f16); the worst element [{{[0-9]+}}, {{[0-9]+}}] is {{.+}}, the reference {{.+}}
// CHECK: exit 1

// RUN: sh -c 'mercury-run --verify --topology=gpu=2 --schedule=data_parallel %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=PROMOTED
// PROMOTED: verified
// PROMOTED: exit 0

func.func @gemm(%a: tensor<8x4096xf16>, %b: tensor<4096x8xf16>)
    -> tensor<8x8xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<8x8xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<8x8xf16>)
    -> tensor<8x8xf16>
  %r = linalg.matmul ins(%a, %b : tensor<8x4096xf16>, tensor<4096x8xf16>)
                     outs(%init : tensor<8x8xf16>) -> tensor<8x8xf16>
  return %r : tensor<8x8xf16>
}
