// RUN: mercury-opt %s --mercury-patch-kernels --split-input-file --allow-unregistered-dialect | FileCheck %s
// RUN: mercury-opt %s --mercury-patch-kernels=local=blas --split-input-file | FileCheck %s --check-prefix=LOCAL

// CHECK: func private @mercury_blas_sgemm_nn(i64, i64, i64, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64)
// CHECK-LABEL: func @attribute_asks
// CHECK-SAME: %[[A:.*]]: memref<64x32xf32>, %[[B:.*]]: memref<32x16xf32>, %[[C:.*]]: memref<64x16xf32>
// CHECK-NOT: linalg
// CHECK-DAG: %[[M:.*]] = arith.constant 64 : i64
// CHECK-DAG: %[[N:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[K:.*]] = arith.constant 32 : i64
// CHECK: memref.extract_aligned_pointer_as_index %[[A]]
// CHECK: llvm.getelementptr %{{.*}} -> !llvm.ptr, f32
// CHECK: call @mercury_blas_sgemm_nn(%[[M]], %[[N]], %[[K]],
func.func @attribute_asks(%a: memref<64x32xf32>, %b: memref<32x16xf32>, %c: memref<64x16xf32>) {
  linalg.matmul {commir.patch = "blas"} ins(%a, %b : memref<64x32xf32>, memref<32x16xf32>) outs(%c : memref<64x16xf32>)
  return
}

// -----

// Only the option asks: what the kernel does not take is left to codegen.
// CHECK-LABEL: func @option_asks
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// LOCAL-LABEL: func @option_asks
// LOCAL: linalg.matmul
// LOCAL-NOT: linalg.matmul
// LOCAL: call @mercury_blas_dgemm_nn
func.func @option_asks(%a: memref<8x8xf16>, %c: memref<8x8xf32>, %d: memref<8x8xf64>) {
  linalg.matmul ins(%a, %a : memref<8x8xf16>, memref<8x8xf16>) outs(%c : memref<8x8xf32>)
  linalg.matmul ins(%d, %d : memref<8x8xf64>, memref<8x8xf64>) outs(%d : memref<8x8xf64>)
  return
}

// -----

// Form by strides: B is n x k; batch is a loop around the call.
// LOCAL-LABEL: func @batch_of_turned
// LOCAL: scf.for
// LOCAL: call @mercury_blas_sgemm_nt
func.func @batch_of_turned(%a: memref<3x8x4xf32>, %b: memref<3x6x4xf32>, %c: memref<3x8x6xf32>) {
  linalg.batch_matmul
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : memref<3x8x4xf32>, memref<3x6x4xf32>) outs(%c : memref<3x8x6xf32>)
  return
}

// -----

// The output is stored n x m: the inputs change places.
// LOCAL-LABEL: func @output_turned
// LOCAL: call @mercury_blas_sgemm_tt
func.func @output_turned(%a: memref<8x4xf32>, %b: memref<4x6xf32>, %c: memref<6x8xf32>) {
  linalg.contract
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>]
      ins(%a, %b : memref<8x4xf32>, memref<4x6xf32>) outs(%c : memref<6x8xf32>)
  return
}

// -----

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#a = affine_map<(m, n, d, e) -> (m, e)>
#r = affine_map<(m, n, d, e) -> (m)>

// No shipped kernel takes attention.
// LOCAL-LABEL: func @attention
// LOCAL: commir.online_attention
func.func @attention(%q: memref<8x4xf32>, %a: memref<8x4xf32>, %m: memref<8xf32>) {
  commir.online_attention maps [#q, #k, #v, #a, #r, #r]
    ins(%q, %q, %q : memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>)
    outs(%a, %m, %m : memref<8x4xf32>, memref<8xf32>, memref<8xf32>)
  return
}
