// Contractions get the schedule that is asked for, the others follow.
//
// By name:
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=all_gather_gemm" | FileCheck %s --check-prefixes=CHECK,NAMED
// By text:
// RUN: mercury-opt %s "--mercury-set-schedule=schedule='loops [-, -, rank gpu] inputs [[{}, {gpu}], [{gpu}, {}]] results [[{}, {}]]'" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,TEXT
// The default is a rule: rows.
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=default" | FileCheck %s --check-prefixes=CHECK,DEFAULT
// Nothing is asked for: only functions in which an operator has a schedule.
// RUN: mercury-opt %s "--mercury-set-schedule" | FileCheck %s --check-prefixes=CHECK,NOTHING
//
// Another topology, by its levels or as one of the module's:
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=default topology=node=2,gpu=2" | FileCheck %s --check-prefix=LEVELS
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=default topology=@ring" | FileCheck %s --check-prefix=SYMBOL
// LEVELS: module attributes {commir.topology = @[[NAME:.+]]} {
// LEVELS: commir.topology @[[NAME]] levels [#commir.level<node, 2>, #commir.level<gpu, 2>]
// LEVELS-LABEL: func.func @gemm_and_epilogue(
// LEVELS: linalg.matmul {commir.schedule = #commir.schedule<"loops [rank {node, gpu}, -, -]
// SYMBOL: module attributes {commir.topology = @ring} {
//
// What cannot be given is refused, with a guess for names:
// RUN: not mercury-opt %s "--mercury-set-schedule=schedule=all_gather_gem" 2>&1 | FileCheck %s --check-prefix=MISSPELT
// MISSPELT: error: no schedule is called 'all_gather_gem'; did you mean 'all_gather_gemm'?
// RUN: not mercury-opt %s "--mercury-set-schedule=schedule='loops [oops]'" 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: error: schedule: expected 'rank', 'time' or '-', got 'oops'
// RUN: not mercury-opt %s "--mercury-set-schedule=schedule=default topology=@none" 2>&1 | FileCheck %s --check-prefix=NOSYMBOL
// NOSYMBOL: error: no topology is called '@none'
// RUN: not mercury-opt %s "--mercury-set-schedule=schedule=default topology=node=x" 2>&1 | FileCheck %s --check-prefix=NOLEVELS
// NOLEVELS: error: topology 'node=x': expected the size of level 'node', got 'x'
// RUN: not mercury-opt %S/Inputs/set-schedule-no-topology.mlir "--mercury-set-schedule=schedule=default" 2>&1 | FileCheck %s --check-prefix=NOTOPOLOGY
// NOTOPOLOGY: no-topology.mlir:2:1: error: no topology resolves: the module has none, or several and 'commir.topology' names none of them
// RUN: not mercury-opt %S/Inputs/set-schedule-dynamic.mlir "--mercury-set-schedule=schedule=default" 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: dynamic.mlir:5:8: error: has a dynamic extent in a value of type 'tensor<?x8xf32>'; only static shapes are distributed

commir.topology @ring levels [#commir.level<gpu, 4>]

// CHECK-LABEL: func.func @gemm_and_epilogue(
// NAMED: linalg.fill {commir.schedule = #commir.schedule<"loops [-, -] inputs [] results {{\[}}[{}, {}]]">}
// NAMED: linalg.matmul {commir.schedule = #commir.schedule<"loops [-, rank gpu, -] inputs {{\[}}[{gpu}, {}] -> [{}, {}], [{}, {gpu}]] results {{\[}}[{}, {gpu}]]">}
// NAMED: linalg.exp {commir.schedule = #commir.schedule<"loops [-, rank gpu] inputs {{\[}}[{}, {gpu}]] results {{\[}}[{}, {gpu}]]">}
// TEXT: linalg.matmul {commir.schedule = #commir.schedule<"loops [-, -, rank gpu] inputs {{\[}}[{}, {gpu}], [{gpu}, {}]] results {{\[}}[{}, {}]]">}
// TEXT: linalg.exp {commir.schedule = #commir.schedule<"loops [-, -] inputs {{\[}}[{}, {}]] results {{\[}}[{}, {}]]">}
// DEFAULT: linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs {{\[}}[{gpu}, {}], [{}, {}]] results {{\[}}[{gpu}, {}]]">}
// DEFAULT: linalg.exp {commir.schedule = #commir.schedule<"loops [rank gpu, -] inputs {{\[}}[{gpu}, {}]] results {{\[}}[{gpu}, {}]]">}
// NOTHING-NOT: commir.schedule
func.func @gemm_and_epilogue(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.exp ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// A schedule that is there stays, and what reads its result follows it.
//
// CHECK-LABEL: func.func @given_schedule_stays(
// CHECK: linalg.matmul {commir.schedule = #commir.schedule<"loops [-, rank gpu, -] inputs {{\[}}[{}, {}], [{}, {gpu}]] results {{\[}}[{}, {gpu}]]">}
// CHECK: linalg.exp {commir.schedule = #commir.schedule<"loops [-, rank gpu] inputs {{\[}}[{}, {gpu}]] results {{\[}}[{}, {gpu}]]">}
func.func @given_schedule_stays(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [-, rank gpu, -] inputs [[{}, {}], [{}, {gpu}]] results [[{}, {gpu}]]">}
         ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.exp ins(%0 : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// A placement of an argument is followed by the default.
//
// CHECK-LABEL: func.func @argument_is_placed(
// DEFAULT: linalg.matmul {commir.schedule = #commir.schedule<"loops [-, rank gpu, -] inputs {{\[}}[{}, {}], [{}, {gpu}]] results {{\[}}[{}, {gpu}]]">}
func.func @argument_is_placed(%a: tensor<8x8xf32>, %b: tensor<8x8xf32> {commir.placement = #commir.placement<[{}, {gpu}]>}, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Functions at stage 2 are left alone.
//
// CHECK-LABEL: func.func @at_stage_two(
// CHECK-NOT: commir.schedule
// CHECK: return
func.func @at_stage_two(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.exp ins(%a : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = commir.shard %0 to [{gpu}, {}] : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
