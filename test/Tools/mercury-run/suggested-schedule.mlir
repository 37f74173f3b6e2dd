// A schedule that the function suggests, unless another is asked for.
// RUN: mercury-run --verify --topology=gpu=2 --entry=f %s | FileCheck %s
// CHECK: all_gather_gemm  2 (gpu=2) {{.*}} verified
// RUN: mercury-run --verify --topology=gpu=2 --entry=f --schedule=data_parallel %s | FileCheck %s --check-prefix=ASKED
// ASKED: data_parallel  2 (gpu=2) {{.*}} verified

func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32>
    attributes {commir.suggested_schedule = "all_gather_gemm"} {
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Operators of the dialect alone are no schedule: the rule picks one.
// RUN: mercury-run --verify --topology=gpu=2 --entry=attention %s | FileCheck %s --check-prefix=DEFAULT
// DEFAULT: default  2 (gpu=2) {{.*}} verified
// DEFAULT: 0 {{ *}}512 {{ *}}0
func.func @attention(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>)
    -> tensor<2x8x4xf32> {
  %init = tensor.empty() : tensor<2x8x4xf32>
  %o = commir.attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
    ins(%q, %k, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
    outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}
