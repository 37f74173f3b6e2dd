// RUN: mercury-opt %s --mercury-patch-kernels="kernel=mine,nn,f32,my_sgemm,mine,nt,f32,my_sgemm_nt" | FileCheck %s

// A user's kernel beside the shipped ones.
// CHECK-LABEL: func @form_chooses_the_symbol
// CHECK: call @my_sgemm(
// CHECK: call @my_sgemm_nt(
// CHECK: call @mercury_blas_sgemm_nn(
func.func @form_chooses_the_symbol(%a: memref<8x4xf32>, %b: memref<4x8xf32>, %c: memref<8x8xf32>) {
  linalg.matmul {commir.patch = "mine"} ins(%a, %b : memref<8x4xf32>, memref<4x8xf32>) outs(%c : memref<8x8xf32>)
  linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      {commir.patch = "mine"} ins(%a, %a : memref<8x4xf32>, memref<8x4xf32>) outs(%c : memref<8x8xf32>)
  linalg.matmul {commir.patch = "blas"} ins(%a, %b : memref<8x4xf32>, memref<4x8xf32>) outs(%c : memref<8x8xf32>)
  return
}
