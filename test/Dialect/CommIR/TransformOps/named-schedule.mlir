// The shifted all-gather GEMM, out of primitives, by its name, and written out: one
// schedule.
// RUN: mercury-opt %s -transform-interpreter | FileCheck %s

commir.topology @t levels [#commir.level<gpu, 4>]

// CHECK-LABEL: func.func @all_gather_gemm_shifted
// CHECK: linalg.matmul {by_name, commir.schedule = [[S:#commir.schedule<"loops .*">]]}
// CHECK: linalg.matmul {by_primitives, commir.schedule = [[S]]}
// CHECK: linalg.matmul {commir.schedule = [[S]], written_out}
func.func @all_gather_gemm_shifted(%a: tensor<16x8xf32>, %b: tensor<8x32xf32>, %c: tensor<16x32xf32>)
    -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) {
  %0 = linalg.matmul {by_name} ins(%a, %b : tensor<16x8xf32>, tensor<8x32xf32>)
                     outs(%c : tensor<16x32xf32>) -> tensor<16x32xf32>
  %1 = linalg.matmul {by_primitives} ins(%a, %b : tensor<16x8xf32>, tensor<8x32xf32>)
                     outs(%c : tensor<16x32xf32>) -> tensor<16x32xf32>
  %2 = linalg.matmul {written_out} ins(%a, %b : tensor<16x8xf32>, tensor<8x32xf32>)
                     outs(%c : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0, %1, %2 : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %0 = transform.structured.match ops{["linalg.matmul"]} attributes{by_name} in %root
           : (!transform.any_op) -> !transform.any_op
    transform.commir.named_schedule %0 "all_gather_gemm_shifted" : !transform.any_op

    %1 = transform.structured.match ops{["linalg.matmul"]} attributes{by_primitives} in %root
           : (!transform.any_op) -> !transform.any_op
    transform.commir.parallelize %1 loop 1 over {gpu} : !transform.any_op
    transform.commir.tile %1 loop 0 over {gpu} : !transform.any_op
    transform.commir.shard %1 input 0 dim 0 over {gpu} : !transform.any_op
    transform.commir.shift %1 loop 0 factor 0 over {gpu} : !transform.any_op

    %2 = transform.structured.match ops{["linalg.matmul"]} attributes{written_out} in %root
           : (!transform.any_op) -> !transform.any_op
    transform.commir.set_schedule %2 "loops [time {gpu} shift {gpu}, rank gpu, -] inputs [[{gpu}, {}], [{}, {gpu}]] results [[{}, {gpu}]]" : !transform.any_op
    transform.yield
  }
}
