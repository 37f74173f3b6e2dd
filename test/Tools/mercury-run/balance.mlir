// The order of tokens, and what each rank has to do with it: of 16 tokens row p
// sees p + 1 keys, of 8 multiply-adds each; an equal share of all is 272.
//
// RUN: mercury-run --verify --topology=gpu=4 --schedule=ring --balance=none %s 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=remark
// NONE: ring{{ .*}} verified
// NONE: rank  multiply-adds
// NONE-NEXT: 0 {{ *}}80
// NONE-NEXT: 1 {{ *}}208
// NONE-NEXT: 2 {{ *}}336
// NONE-NEXT: 3 {{ *}}464
// NONE-EMPTY:
// NONE-NEXT: work {{ *}}of an equal share
// NONE-NEXT: most of a rank {{ *}}1.706
// NONE-NEXT: all ranks {{ *}}1.000

// RUN: mercury-run --verify --topology=gpu=4 --schedule=ring %s | FileCheck %s --check-prefix=ZIGZAG
// RUN: mercury-run --verify --topology=gpu=4 --schedule=ring --balance=zigzag %s | FileCheck %s --check-prefix=ZIGZAG
// ZIGZAG: rank  multiply-adds
// ZIGZAG-NEXT: 0 {{ *}}272
// ZIGZAG-NEXT: 1 {{ *}}272
// ZIGZAG: most of a rank {{ *}}1.000
// ZIGZAG-NEXT: all ranks {{ *}}1.000

// RUN: mercury-run --json --topology=gpu=4 --schedule=ring --balance=striped %s | FileCheck %s --check-prefix=STRIPED
// STRIPED: "multiply_adds_of_input": 1088,
// STRIPED: "multiply_adds": 224,
// STRIPED: "multiply_adds": 256,
// STRIPED: "multiply_adds": 288,
// STRIPED: "multiply_adds": 320,

// RUN: sh -c 'mercury-run --topology=gpu=4 --balance=zigzack %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=NAME
// NAME: error: {{.*}}'zigzack'
// NAME: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=4 --balance=striped:0 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=STRIPE
// STRIPE: error: {{.*}}0
// STRIPE: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=4 --balance=table:0,1,1,3 %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=TABLE
// TABLE: error: {{.*}}1
// TABLE: exit 2

func.func @causal(%q: tensor<16x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>)
    -> tensor<16x4xf32> {
  %init = tensor.empty() : tensor<16x4xf32>
  %o = commir.attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>]
    ins(%q, %k, %v : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>)
    visible <right 0>
    outs(%init : tensor<16x4xf32>) -> tensor<16x4xf32>
  return %o : tensor<16x4xf32>
}
