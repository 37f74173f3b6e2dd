// From operators to SPMD by a script and the pass that resolves communication.
// RUN: mercury-opt %s -transform-interpreter | FileCheck %s --check-prefix=NEST
// RUN: mercury-opt %s -transform-interpreter -canonicalize -cse -mercury-resolve-communication -canonicalize -cse \
// RUN:   | FileCheck %s --check-prefix=SPMD

commir.topology @t levels [#commir.level<gpu, 4>]

// NEST-LABEL: func.func @rotates
// NEST: commir.shard %{{.*}} to [{gpu}, {}]
// NEST: scf.for {{.*}} {
// NEST: scf.forall
// NEST: commir.shift
// NEST: {mapping = [#commir.axis<gpu>], ranks}
// NEST: } {steps}

// SPMD-LABEL: func.func @rotates
// SPMD: commir.rotate steps 4 travel({{.*}} : tensor<4x8xf32>)
// SPMD-SAME: by [#commir.hop<{gpu} by 1>]
// SPMD: linalg.matmul ins({{.*}} : tensor<4x8xf32>, tensor<8x8xf32>)
func.func @rotates(%a: tensor<16x8xf32>, %b: tensor<8x32xf32>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<16x8xf32>, tensor<8x32xf32>)
                     outs(%c : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// Several operators at once; one that has no loops over ranks has no handles.
// NEST-LABEL: func.func @rows_and_replica
// NEST: scf.forall
// NEST: {mapping = [#commir.axis<gpu>], ranks_of_two}
// NEST-NOT: scf.forall
// NEST: commir.replicate

// SPMD-LABEL: func.func @rows_and_replica
// SPMD: linalg.matmul ins({{.*}} : tensor<4x8xf32>, tensor<8x32xf32>)
// SPMD: linalg.matmul ins({{.*}} : tensor<16x8xf32>, tensor<8x32xf32>)
func.func @rows_and_replica(%a: tensor<16x8xf32>, %b: tensor<8x32xf32>, %c: tensor<16x32xf32>,
                            %d: tensor<16x8xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]">}
         ins(%a, %b : tensor<16x8xf32>, tensor<8x32xf32>) outs(%c : tensor<16x32xf32>) -> tensor<16x32xf32>
  %1 = linalg.matmul {commir.schedule = #commir.schedule<"loops [-, -, -] inputs [[{}, {}], [{}, {}]] results [[{}, {}]]">}
         ins(%d, %b : tensor<16x8xf32>, tensor<8x32xf32>) outs(%c : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0, %1 : tensor<16x32xf32>, tensor<16x32xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} attributes{sym_name = "rotates"} in %root
           : (!transform.any_op) -> !transform.any_op
    %0 = transform.structured.match ops{["linalg.matmul"]} in %f : (!transform.any_op) -> !transform.any_op
    transform.commir.named_schedule %0 "all_gather_gemm_shifted" : !transform.any_op
    %time, %ranks = transform.commir.distribute %0
        : (!transform.any_op) -> (!transform.op<"scf.for">, !transform.op<"scf.forall">)
    transform.annotate %time "steps" : !transform.op<"scf.for">
    transform.annotate %ranks "ranks" : !transform.op<"scf.forall">

    %g = transform.structured.match ops{["func.func"]} attributes{sym_name = "rows_and_replica"} in %root
           : (!transform.any_op) -> !transform.any_op
    %1 = transform.structured.match ops{["linalg.matmul"]} in %g : (!transform.any_op) -> !transform.any_op
    %time2, %ranks2 = transform.commir.distribute %1
        : (!transform.any_op) -> (!transform.op<"scf.for">, !transform.op<"scf.forall">)
    transform.annotate %ranks2 "ranks_of_two" : !transform.op<"scf.forall">
    transform.yield
  }
}
