// Ranges of keys count from `key_start`, so that keys take no order, and none is
// chosen for them. A start of 0 is none.
//
// RUN: mercury-run --verify --topology=gpu=4 --schedule=ring --entry=later %s | FileCheck %s
// RUN: mercury-run --verify --topology=gpu=4 --schedule=ring --balance=zigzag --entry=at_zero %s | FileCheck %s
// CHECK: ring {{.*}} verified
// RUN: sh -c 'mercury-run --topology=gpu=4 --schedule=ring --balance=zigzag --entry=later %s 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=ASKED
// ASKED: error: {{.*}}takes no token order: 'key_range' counts from 'key_start'
// ASKED: exit 2

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#r = affine_map<(m, n, d, e) -> (m)>
#o = affine_map<(m, n, d, e) -> (m, e)>

func.func @later(%q: tensor<16x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %begin = arith.constant dense<0> : tensor<16xi32>
  %end = arith.constant dense<12> : tensor<16xi32>
  %start = arith.constant 2 : index
  %init = tensor.empty() : tensor<16x4xf32>
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o]
    ins(%q, %k, %v : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>)
    visible <right 0> key_start(%start) key_range(%begin, %end : tensor<16xi32>, tensor<16xi32>)
    outs(%init : tensor<16x4xf32>) -> tensor<16x4xf32>
  return %o : tensor<16x4xf32>
}

func.func @at_zero(%q: tensor<16x4xf32>, %k: tensor<16x4xf32>, %v: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %begin = arith.constant dense<0> : tensor<16xi32>
  %end = arith.constant dense<12> : tensor<16xi32>
  %start = arith.constant 0 : index
  %init = tensor.empty() : tensor<16x4xf32>
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o]
    ins(%q, %k, %v : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>)
    visible <right 0> key_start(%start) key_range(%begin, %end : tensor<16xi32>, tensor<16xi32>)
    outs(%init : tensor<16x4xf32>) -> tensor<16x4xf32>
  return %o : tensor<16x4xf32>
}
