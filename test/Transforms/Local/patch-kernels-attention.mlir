// RUN: mercury-opt %s --mercury-patch-kernels="kernel=mine,attention,f32,my_attention,mine,attention,bf16,my_attention_bf16,mine,attention,f64,my_attention_f64,mine,masked_attention,f32,my_masked" --split-input-file | FileCheck %s

#q = affine_map<(h, g, m, n, d, e) -> (h, g, m, d)>
#k = affine_map<(h, g, m, n, d, e) -> (n, h, d)>
#v = affine_map<(h, g, m, n, d, e) -> (n, h, e)>
#a = affine_map<(h, g, m, n, d, e) -> (h, g, m, e)>
#r = affine_map<(h, g, m, n, d, e) -> (h, g, m)>

// A call for each query head; those of a group are given the same keys. Rows of
// K and V are one key of all heads apart.
// CHECK: func private @my_attention(i64, i64, i64, i64, f64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: func @heads_in_groups
// CHECK-NOT: commir.online_attention
// CHECK-DAG: %[[M:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[N:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[D:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[E:.*]] = arith.constant 6 : i64
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 5.000000e-01 : f64
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:3, %[[KSTRIDES:.*]]:3 = memref.extract_strided_metadata %arg1
// CHECK: scf.for %[[H:.*]] =
// CHECK: scf.for %[[G:.*]] =
// CHECK: arith.muli %[[H]], %[[KSTRIDES]]#1
// CHECK: %[[LDK:.*]] = arith.index_cast %[[KSTRIDES]]#0
// CHECK: call @my_attention(%[[M]], %[[N]], %[[D]], %[[E]], %[[SCALE]], %{{.*}}, %{{.*}}, %{{.*}}, %[[LDK]],
func.func @heads_in_groups(%q: memref<2x3x8x4xf32>, %k: memref<16x2x4xf32>, %v: memref<16x2x6xf32>,
                           %a: memref<2x3x8x6xf32>, %m: memref<2x3x8xf32>, %l: memref<2x3x8xf32>) {
  commir.online_attention maps [#q, #k, #v, #a, #r, #r] scale 5.000000e-01
    ins(%q, %k, %v : memref<2x3x8x4xf32>, memref<16x2x4xf32>, memref<16x2x6xf32>)
    outs(%a, %m, %l : memref<2x3x8x6xf32>, memref<2x3x8xf32>, memref<2x3x8xf32>) {commir.patch = "mine"}
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#a = affine_map<(m, n, d, e) -> (m, e)>
#r = affine_map<(m, n, d, e) -> (m)>

// The state of bf16 inputs is f32. What lies between 0 and all keys counts.
// CHECK: func private @my_attention_bf16(
// CHECK-LABEL: func @some_keys
// CHECK-SAME: %[[VALID:[a-z0-9]*]]: index
// CHECK-DAG: %[[SOME:.*]] = arith.maxsi %[[VALID]],
// CHECK-DAG: %[[NUMBER:.*]] = arith.index_cast %[[SOME]]
// CHECK: %[[KEYS:.*]] = arith.minsi %{{.*}}, %[[NUMBER]] : i64
// CHECK: call @my_attention_bf16(%{{.*}}, %[[KEYS]],
func.func @some_keys(%q: memref<8x4xbf16>, %k: memref<16x4xbf16>,
                     %a: memref<8x4xf32>, %m: memref<8xf32>, %l: memref<8xf32>, %valid: index) {
  commir.online_attention maps [#q, #k, #v, #a, #r, #r]
    ins(%q, %k, %k : memref<8x4xbf16>, memref<16x4xbf16>, memref<16x4xbf16>) valid(%valid)
    outs(%a, %m, %l : memref<8x4xf32>, memref<8xf32>, memref<8xf32>) {commir.patch = "mine"}
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#a = affine_map<(m, n, d, e) -> (m, e)>
#r = affine_map<(m, n, d, e) -> (m)>

// CHECK-LABEL: func @wide
// CHECK: call @my_attention_f64(
func.func @wide(%q: memref<8x4xf64>, %a: memref<8x4xf64>, %m: memref<8xf64>) {
  commir.online_attention maps [#q, #k, #v, #a, #r, #r]
    ins(%q, %q, %q : memref<8x4xf64>, memref<8x4xf64>, memref<8x4xf64>)
    outs(%a, %m, %m : memref<8x4xf64>, memref<8xf64>, memref<8xf64>) {commir.patch = "mine"}
  return
}

// -----

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#a = affine_map<(h, m, n, d, e) -> (h, m, e)>
#r = affine_map<(h, m, n, d, e) -> (h, m)>
#b = affine_map<(h, m, n, d, e) -> (m)>

// Ranges of keys come last; those of all heads are the same.
// CHECK: func private @my_masked(i64, i64, i64, i64, f64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: func @ranges
// CHECK: scf.for %[[H:.*]] =
// CHECK: %[[BEGIN:.*]] = llvm.getelementptr %{{.*}} : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK: %[[END:.*]] = llvm.getelementptr %{{.*}} : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK: call @my_masked({{.*}}, %[[BEGIN]], %[[END]])
func.func @ranges(%q: memref<2x8x4xf32>, %k: memref<2x16x4xf32>, %m: memref<2x8xf32>, %b: memref<8xi32>) {
  commir.online_attention maps [#q, #k, #v, #b, #b, #a, #r, #r]
    ins(%q, %k, %k : memref<2x8x4xf32>, memref<2x16x4xf32>, memref<2x16x4xf32>)
    key_range(%b, %b : memref<8xi32>, memref<8xi32>)
    outs(%q, %m, %m : memref<2x8x4xf32>, memref<2x8xf32>, memref<2x8xf32>) {commir.patch = "mine"}
  return
}
