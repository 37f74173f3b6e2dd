// A function may suggest a schedule, which it gets where none is asked for.
// RUN: mercury-opt %s --mercury-set-schedule --split-input-file --verify-diagnostics | FileCheck %s --implicit-check-not=suggested
// RUN: mercury-opt %s --mercury-set-schedule=schedule=data_parallel --split-input-file | FileCheck %s --check-prefix=ASKED --implicit-check-not=suggested

// CHECK-LABEL: func.func @by_name(
// CHECK: linalg.matmul {commir.schedule = #commir.schedule<"loops [-, rank gpu, -] inputs {{\[\[}}{gpu}, {}] -> [{}, {}], [{}, {gpu}]]
// ASKED-LABEL: func.func @by_name(
// ASKED: linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs {{\[\[}}{gpu}, {}], [{}, {}]]
commir.topology @machine levels [#commir.level<gpu, 4>]
func.func @by_name(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> attributes {commir.suggested_schedule = "all_gather_gemm"} {
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @by_text(
// CHECK: linalg.matmul {commir.schedule = #commir.schedule<"loops [-, -, rank gpu]
commir.topology @machine levels [#commir.level<gpu, 4>]
func.func @by_text(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> attributes {commir.suggested_schedule = "loops [-, -, rank gpu] inputs [[{}, {gpu}], [{gpu}, {}]] results [[{}, {}]]"} {
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

commir.topology @machine levels [#commir.level<gpu, 4>]
func.func @misspelt(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>)
    -> tensor<8x8xf32> attributes {commir.suggested_schedule = "all_gather_gem"} {
  // expected-error @below {{no schedule is called 'all_gather_gem'; did you mean 'all_gather_gemm'?}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
