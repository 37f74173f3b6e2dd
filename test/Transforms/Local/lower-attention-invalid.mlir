// RUN: not mercury-opt %s --mercury-lower-attention 2>&1 | FileCheck %s

// CHECK: error: knows positions; they become ranges of keys by mercury-materialize-masks, before bufferization
func.func @positions(%q: memref<64x64xf32>, %m: memref<64xf32>) {
  commir.online_attention maps [
      affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
      affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>,
      affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>]
    ins(%q, %q, %q : memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>) visible <right 0>
    outs(%q, %m, %m : memref<64x64xf32>, memref<64xf32>, memref<64xf32>)
  return
}
