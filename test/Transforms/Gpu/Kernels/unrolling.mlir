// What emitters say about unrolling a loop is on the branch that it becomes.
// RUN: mercury-opt %s --pass-pipeline='builtin.module(mercury-lower-kernels-to-gpu,gpu.module(convert-scf-to-cf),convert-cf-to-llvm)' | FileCheck %s

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#s = affine_map<(m, n, d, e) -> (m)>

// CHECK: #[[ONCE:.*]] = #llvm.loop_annotation<unroll = #{{.*}}>
// CHECK-NOT: llvm.loop_annotation =
// CHECK-LABEL: gpu.func @contraction(
// CHECK: llvm.br {{.*}} {loop_annotation = #[[ONCE]]}
func.func private @contraction(%a: memref<32x32xf32>, %b: memref<32x32xf32>, %c: memref<32x32xf32>) attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>)
  return
}

// CHECK-LABEL: gpu.func @attention(
// CHECK: llvm.br {{.*}} {loop_annotation = #[[ONCE]]}
// CHECK-NOT: llvm.loop_annotation =
func.func private @attention(%q: memref<64x32xf32>, %k: memref<64x32xf32>, %v: memref<64x32xf32>, %acc: memref<64x32xf32>, %max: memref<64xf32>, %sum: memref<64xf32>) attributes {commir.kernel} {
  commir.online_attention maps [#q, #k, #v, #o, #s, #s]
    ins(%q, %k, %v : memref<64x32xf32>, memref<64x32xf32>, memref<64x32xf32>)
    outs(%acc, %max, %sum : memref<64x32xf32>, memref<64xf32>, memref<64xf32>)
  return
}
