// Attention on buffers writes its outputs in place: nothing is copied, and
// nothing allocated but for what something else still reads.
// RUN: mercury-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" -canonicalize -cse | FileCheck %s --implicit-check-not=memref.alloc --implicit-check-not=memref.copy

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#s = affine_map<(m, n, d, e) -> (n)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %[[Q:.*]]: memref<8x16xbf16>, %[[K:.*]]: memref<32x16xbf16>, %[[V:.*]]: memref<32x12xbf16>, %[[B:.*]]: memref<32xf32>, %[[N:.*]]: index, %[[O:.*]]: memref<8x12xbf16>, %[[L:.*]]: memref<8xf32>)
// CHECK-NEXT: commir.attention maps [{{.*}}] scale 5.000000e-01 ins(%[[Q]], %[[K]], %[[V]] : {{.*}}) mask(%[[B]] : memref<32xf32>) valid(%[[N]]) outs(%[[O]], %[[L]] : memref<8x12xbf16>, memref<8xf32>) {commir.patch = "mine"}
// CHECK-NEXT: return %[[O]], %[[L]]
func.func @attention(%q: tensor<8x16xbf16>, %k: tensor<32x16xbf16>, %v: tensor<32x12xbf16>, %b: tensor<32xf32>, %n: index,
                     %o: tensor<8x12xbf16> {bufferization.writable = true}, %l: tensor<8xf32>) -> (tensor<8x12xbf16>, tensor<8xf32>) {
  %r:2 = commir.attention maps [#q, #k, #v, #s, #o, #row] scale 0.5
      ins(%q, %k, %v : tensor<8x16xbf16>, tensor<32x16xbf16>, tensor<32x12xbf16>) mask(%b : tensor<32xf32>) valid(%n)
      outs(%o, %l : tensor<8x12xbf16>, tensor<8xf32>) {commir.patch = "mine"} -> tensor<8x12xbf16>, tensor<8xf32>
  return %r#0, %r#1 : tensor<8x12xbf16>, tensor<8xf32>
}

// A chain of steps has one state.
// CHECK-LABEL: func.func @steps(
// CHECK-SAME: %[[Q:.*]]: memref<8x16xf32>, %[[K:.*]]: memref<32x16xf32>, %[[V:.*]]: memref<32x12xf32>, %[[A:.*]]: memref<8x12xf32>, %[[M:.*]]: memref<8xf32>, %[[L:.*]]: memref<8xf32>)
// CHECK: scf.for
// CHECK: %[[KT:.*]] = memref.subview %[[K]]
// CHECK: %[[VT:.*]] = memref.subview %[[V]]
// CHECK: commir.online_attention {{.*}} ins(%[[Q]], %[[KT]], %[[VT]] : {{.*}}) outs(%[[A]], %[[M]], %[[L]] : memref<8x12xf32>, memref<8xf32>, memref<8xf32>)
// CHECK: return %[[A]], %[[M]], %[[L]]
func.func @steps(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>,
                 %a: tensor<8x12xf32>, %m: tensor<8xf32>, %l: tensor<8xf32>) -> (tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %r:3 = scf.for %n = %c0 to %c32 step %c8 iter_args(%ai = %a, %mi = %m, %li = %l) -> (tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) {
    %kt = tensor.extract_slice %k[%n, 0] [8, 16] [1, 1] : tensor<32x16xf32> to tensor<8x16xf32>
    %vt = tensor.extract_slice %v[%n, 0] [8, 12] [1, 1] : tensor<32x12xf32> to tensor<8x12xf32>
    %s:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row]
        ins(%q, %kt, %vt : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x12xf32>)
        outs(%ai, %mi, %li : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
    scf.yield %s#0, %s#1, %s#2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
}

// The accumulator is read after it is continued: it is copied. What
// commir.attention overwrites is not.
// CHECK-LABEL: func.func @read_afterwards(
// CHECK-SAME: %[[A:[^ ]*]]: memref<8x12xf32>, %[[M:[^ ]*]]: memref<8xf32>, %[[L:[^ ]*]]: memref<8xf32>)
// CHECK: %[[NEW:.*]] = memref.alloc() {{.*}} : memref<8x12xf32>
// CHECK: memref.copy %[[A]], %[[NEW]]
// CHECK: commir.online_attention {{.*}} outs(%[[NEW]], %[[M]], %[[L]] : {{.*}})
// CHECK: %[[FRESH:.*]] = memref.alloc() {{.*}} : memref<8x12xf32>
// CHECK-NEXT: commir.attention {{.*}} outs(%[[FRESH]] : {{.*}})
// CHECK: return %[[A]], %[[NEW]], %[[FRESH]]
func.func @read_afterwards(%q: tensor<8x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x12xf32>,
                           %a: tensor<8x12xf32>, %m: tensor<8xf32>, %l: tensor<8xf32>) -> (tensor<8x12xf32>, tensor<8x12xf32>, tensor<8x12xf32>) {
  %r:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%a, %m, %l : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  %o = commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<32x16xf32>, tensor<32x12xf32>)
      outs(%a : tensor<8x12xf32>) -> tensor<8x12xf32>
  return %a, %r#0, %o : tensor<8x12xf32>, tensor<8x12xf32>, tensor<8x12xf32>
}
