// The order of tokens under masks.
//
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=ring topology=gpu=4" 2>&1 | FileCheck %s --check-prefixes=CHECK,AUTO --implicit-check-not=remark
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=ring topology=gpu=4 balance=none" 2>&1 | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=ring topology=gpu=4 balance=zigzag" 2>&1 | FileCheck %s --check-prefixes=REMARK,CHECK,ZIGZAG
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=ring topology=gpu=4 balance=striped:2" 2>&1 | FileCheck %s --check-prefixes=CHECK,STRIPED
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=ring topology=gpu=4 balance=table:1,0,2,3" 2>&1 | FileCheck %s --check-prefixes=CHECK,TABLE

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#a = affine_map<(m, n, d, e) -> (m, e)>
#r = affine_map<(m, n, d, e) -> (m)>

// REMARK: remark: balance 'zigzag' gains nothing: the rank with the most work has 40 iterations, and 40 without it
// REMARK: remark: balance 'zigzag' is not applied: the operator has a schedule
// REMARK: remark: balance 'zigzag' changes nothing: no operator of @plain has a mask

// CHECK-LABEL: func.func @causal(
// AUTO: tokens [zigzag 4, zigzag 4]
// NONE-NOT: tokens
// ZIGZAG: tokens [zigzag 4, zigzag 4] inputs {{\[}}[{gpu} zigzag 4, {}], [{gpu} zigzag 4, {}], [{gpu} zigzag 4, {}]]
// STRIPED: tokens [striped 4 by 2, striped 4 by 2]
// TABLE: tokens [table [1, 0, 2, 3], table [1, 0, 2, 3]]
func.func @causal(%q: tensor<32x4xf32>, %k: tensor<32x4xf32>, %v: tensor<32x4xf32>, %a: tensor<32x4xf32>, %m: tensor<32xf32>, %l: tensor<32xf32>) -> tensor<32x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, #a, #r, #r] ins(%q, %k, %v : tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>) visible <right 0> outs(%a, %m, %l : tensor<32x4xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32x4xf32>, tensor<32xf32>, tensor<32xf32>
  return %0#0 : tensor<32x4xf32>
}

// A window to both sides: ranks in the middle have the most either way.
// CHECK-LABEL: func.func @window(
// AUTO-NOT: tokens
// NONE-NOT: tokens
// ZIGZAG: tokens [zigzag 4, zigzag 4]
func.func @window(%q: tensor<32x4xf32>, %k: tensor<32x4xf32>, %v: tensor<32x4xf32>, %a: tensor<32x4xf32>, %m: tensor<32xf32>, %l: tensor<32xf32>) -> tensor<32x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, #a, #r, #r] ins(%q, %k, %v : tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>) visible <left 2 right 2> outs(%a, %m, %l : tensor<32x4xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32x4xf32>, tensor<32xf32>, tensor<32xf32>
  return %0#0 : tensor<32x4xf32>
}

// CHECK-LABEL: func.func @scheduled(
// CHECK: tokens [striped 4 by 1, striped 4 by 1]
func.func @scheduled(%q: tensor<32x4xf32>, %k: tensor<32x4xf32>, %v: tensor<32x4xf32>, %a: tensor<32x4xf32>, %m: tensor<32xf32>, %l: tensor<32xf32>) -> tensor<32x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, #a, #r, #r] ins(%q, %k, %v : tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>) visible <right 0> outs(%a, %m, %l : tensor<32x4xf32>, tensor<32xf32>, tensor<32xf32>) {commir.schedule = #commir.schedule<"loops [rank gpu, time {gpu} shift {gpu}] tokens [striped 4 by 1, striped 4 by 1] inputs [[{gpu} striped 4 by 1, {}], [{gpu} striped 4 by 1, {}], [{gpu} striped 4 by 1, {}]] results [[{gpu} striped 4 by 1, {}], [{gpu} striped 4 by 1], [{gpu} striped 4 by 1]]">} -> tensor<32x4xf32>, tensor<32xf32>, tensor<32xf32>
  return %0#0 : tensor<32x4xf32>
}

// CHECK-LABEL: func.func @plain(
// CHECK-NOT: tokens
func.func @plain(%q: tensor<32x4xf32>, %k: tensor<32x4xf32>, %v: tensor<32x4xf32>, %a: tensor<32x4xf32>, %m: tensor<32xf32>, %l: tensor<32xf32>) -> tensor<32x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, #a, #r, #r] ins(%q, %k, %v : tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>) outs(%a, %m, %l : tensor<32x4xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<32x4xf32>, tensor<32xf32>, tensor<32xf32>
  return %0#0 : tensor<32x4xf32>
}
// CHECK: }
