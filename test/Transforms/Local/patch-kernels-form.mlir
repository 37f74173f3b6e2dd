// A kernel that takes one form refuses the others.
// RUN: mercury-opt %s --mercury-patch-kernels=kernel=mine,nn,f32,my_gemm --verify-diagnostics

func.func @transposed(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'mine' does not take this op: it takes the form nn, the op has nt}}
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      {commir.patch = "mine"} ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  return
}
