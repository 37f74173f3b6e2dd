// Masks, documents and orders that make no sense are named with their values:
// exit code 2.

// RUN: split-file %s %t

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=ring %t/window.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=WINDOW
// WINDOW: error: {{.*}}window 'left 0 right -1' has extent 0; no query sees a key
// WINDOW: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=ring %t/beyond.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: 'commir.attention' op mask #commir.mask<right 8> of 8 queries from position 0 on and 8 keys from 0 on limits nothing: offset 8 lies beyond the keys
// BEYOND: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=ring %t/start.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=START
// START: error: {{.*}}limits nothing: offset 9 lies beyond the keys
// START: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=ring %t/before.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: {{.*}}mask #commir.mask<right -8> of 8 queries from position 0 on and 8 keys from 0 on leaves no key to any query
// BEFORE: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=ring %t/negative.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: {{.*}}length of document 1 is -1
// NEGATIVE: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=ring %t/sum.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=SUM
// SUM: error: {{.*}}lengths of documents sum to 7 keys, but attention has 8
// SUM: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=ring %t/static.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=STATIC
// STATIC: error: {{.*}}lengths of documents sum to 7 keys, but attention has 8
// STATIC: exit 2

// RUN: sh -c 'mercury-run --topology=gpu=2 --schedule=ring %t/segments.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=SEGMENTS
// SEGMENTS: error: {{.*}}segments decrease: that of key 5 is 0 after 1
// SEGMENTS: exit 2

// RUN: sh -c 'mercury-run --balance=table:0,2,1,1 --topology=gpu=2 --schedule=ring %t/causal.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=TABLE
// TABLE: error: {{.*}}balance 'table:0,2,1,1': 'table [0, 2, 1, 1]' is no permutation: chunk 1 stands there twice
// TABLE: exit 2

// RUN: sh -c 'mercury-run --balance=table:0,2,1,4 --topology=gpu=2 --schedule=ring %t/causal.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=CHUNK
// CHUNK: error: {{.*}}balance 'table:0,2,1,4': 'table [0, 2, 1, 4]' is no permutation: chunk 4 is not one of 0 to 3
// CHUNK: exit 2

// RUN: sh -c 'mercury-run --balance=striped:0 --topology=gpu=2 --schedule=ring %t/causal.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=STRIPE
// STRIPE: error: {{.*}}balance 'striped:0': a stripe has 1 to 1048576 tokens, not 0
// STRIPE: exit 2
// RUN: sh -c 'mercury-run --balance=striped:1048576 --topology=gpu=2 --schedule=ring %t/causal.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=PADDED
// PADDED: error: balance: loop {{[0-9]}} of 'commir.online_attention' cannot run striped 2 by 1048576: its extent of {{[0-9]+}} would be padded to 2097152
// PADDED: exit 2

// RUN: sh -c 'mercury-run --balance=zigzag --topology=gpu=2 --schedule=ring %t/later.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=LATER
// LATER: error: 'commir.online_attention' op loop d0 takes no token order: its queries begin at 'query_start', which is known at run time only
// LATER: exit 2

// RUN: sh -c 'mercury-run --balance=zigzig --topology=gpu=2 --schedule=ring %t/causal.mlir 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=NAME
// NAME: error: {{.*}}balance 'zigzig' is none of 'none', 'zigzag', 'striped', 'striped:EXTENT' and 'table:CHUNK,CHUNK,...'
// NAME: exit 2

// What gains nothing is applied, with a remark, and right.
// RUN: mercury-run --balance=zigzag --topology=gpu=2 --schedule=ring --verify %t/everything.mlir 2>&1 | FileCheck %s --check-prefix=EVERYTHING
// EVERYTHING: remark: balance 'zigzag' changes nothing: no operator of @f has a mask
// EVERYTHING: ring  2 (gpu=2) {{.*}} verified
// RUN: mercury-run --balance=zigzag --topology=gpu=2 --schedule=ring --verify %t/narrow.mlir 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: remark: balance 'zigzag' gains nothing: the rank with the most work has {{[0-9]+}} iterations, and {{[0-9]+}} without it
// NARROW: ring  2 (gpu=2) {{.*}} verified
// The default never takes it.
// RUN: mercury-run --topology=gpu=2 --schedule=ring --emit=stage1 %t/narrow.mlir 2>&1 | FileCheck %s --check-prefix=DEFAULT --implicit-check-not=zigzag --implicit-check-not=remark
// DEFAULT: commir.online_attention {{.*}} visible <left 1 right 1>

// Nothing is cut off: seven tokens on two ranks in chunks of two.
// RUN: mercury-run --balance=zigzag --topology=gpu=2 --schedule=ring --verify %t/seven.mlir 2>&1 | FileCheck %s --check-prefix=SEVEN
// SEVEN: ring  2 (gpu=2) {{.*}} verified

//--- window.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) visible <left 0 right -1>
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- beyond.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) visible <right 8>
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- start.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %start = arith.constant 9 : index
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) visible <right 0> query_start(%start)
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- later.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>, %start: index) -> tensor<8x4xf32> {
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) visible <right 0> query_start(%start)
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- before.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) visible <right -8>
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- negative.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#r = affine_map<(m, n, d, e) -> (m)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %lengths = arith.constant dense<[9, -1]> : tensor<2xi32>
  %begin, %end = commir.document_ranges lengths(%lengths : tensor<2xi32>) -> tensor<8xi32>, tensor<8xi32>
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) key_range(%begin, %end : tensor<8xi32>, tensor<8xi32>)
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- sum.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#r = affine_map<(m, n, d, e) -> (m)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %lengths = arith.constant dense<[4, 3]> : tensor<2xi32>
  %begin, %end = commir.document_ranges lengths(%lengths : tensor<2xi32>) -> tensor<8xi32>, tensor<8xi32>
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) key_range(%begin, %end : tensor<8xi32>, tensor<8xi32>)
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- static.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#r = affine_map<(m, n, d, e) -> (m)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %begin, %end = commir.document_ranges static [4, 3] -> tensor<8xi32>, tensor<8xi32>
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) key_range(%begin, %end : tensor<8xi32>, tensor<8xi32>)
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- segments.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#r = affine_map<(m, n, d, e) -> (m)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %ids = arith.constant dense<[0, 0, 0, 1, 1, 0, 2, 2]> : tensor<8xi32>
  %begin, %end = commir.document_ranges segments(%ids : tensor<8xi32>) -> tensor<8xi32>, tensor<8xi32>
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) key_range(%begin, %end : tensor<8xi32>, tensor<8xi32>)
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- causal.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) visible <right 0>
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- everything.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) 
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- narrow.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %init = tensor.empty() : tensor<8x4xf32>
  %o = commir.attention maps [#q, #k, #v, #o]
    ins(%q, %k, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) visible <left 1 right 1>
    outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

//--- seven.mlir
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#r = affine_map<(m, n, d, e) -> (m)>
func.func @f(%q: tensor<7x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %begin, %end = commir.document_ranges static [4, 3] -> tensor<7xi32>, tensor<7xi32>
  %init = tensor.empty() : tensor<7x4xf32>
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o]
    ins(%q, %k, %v : tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>) visible <right 0> key_range(%begin, %end : tensor<7xi32>, tensor<7xi32>)
    outs(%init : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %o : tensor<7x4xf32>
}
