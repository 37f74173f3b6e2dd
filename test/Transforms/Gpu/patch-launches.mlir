// RUN: mercury-opt %s --mercury-patch-launches | FileCheck %s --check-prefixes=CHECK,ASKED
// RUN: mercury-opt %s --mercury-patch-launches=local=library | FileCheck %s --check-prefixes=CHECK,ALL
// A patched kernel stays a function, and its launch names it.
// RUN: mercury-opt %s --mercury-patch-launches=local=library --mercury-lower-kernels-to-gpu | FileCheck %s --check-prefix=LOWERED
// RUN: mercury-opt %s --mercury-patch-launches=local=library --mercury-lower-kernels-to-gpu --convert-commir-to-nccl=target=device | FileCheck %s --check-prefix=CALL

commir.topology @ring levels [#commir.level<gpu, 4>]

// batches, m, n, k; strides of rows, columns and batches of A, B and C; A, B, C.
// CHECK: func.func private @asked(
// CHECK-SAME: commir.matmul = array<i64: 1, 8, 6, 4, 4, 1, 0, 6, 1, 0, 6, 1, 0, 0, 1, 2>
// CHECK-NOT: commir.patch
func.func private @asked(%a: memref<8x4xf32>, %b: memref<4x6xf32>, %c: memref<8x6xf32>)
    attributes {commir.kernel} {
  linalg.matmul {commir.patch = "cublaslt"}
      ins(%a, %b : memref<8x4xf32>, memref<4x6xf32>) outs(%c : memref<8x6xf32>)
  return
}

// Transposed B, gaps between rows, a batch, bf16; the last argument is A.
// CHECK: func.func private @batched(
// ASKED-NOT: commir.matmul
// ALL-SAME: commir.matmul = array<i64: 3, 8, 6, 4, 16, 1, 128, 1, 4, 24, 6, 1, 48, 2, 0, 1>
func.func private @batched(%b: memref<3x6x4xbf16>, %c: memref<3x8x6xf32>,
                           %a: memref<3x8x4xbf16, strided<[128, 16, 1]>>)
    attributes {commir.kernel} {
  linalg.batch_matmul
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>,
                       affine_map<(b, m, n, k) -> (b, n, k)>,
                       affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : memref<3x8x4xbf16, strided<[128, 16, 1]>>, memref<3x6x4xbf16>)
      outs(%c : memref<3x8x6xf32>)
  return
}

// One row: its stride may be any, and is that of a matrix.
// CHECK: func.func private @row(
// ALL-SAME: commir.matmul = array<i64: 1, 1, 6, 4, 4, 1, 0, 6, 1, 0, 6, 1, 0, 0, 1, 2>
func.func private @row(%a: memref<1x4xf32>, %b: memref<4x6xf32>, %c: memref<1x6xf32>)
    attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<1x4xf32>, memref<4x6xf32>) outs(%c : memref<1x6xf32>)
  return
}

// What the library does not take stays as it is.
// CHECK: func.func private @strided(
// CHECK-NOT: commir.matmul
func.func private @strided(%a: memref<8x4xf32, strided<[8, 2]>>, %b: memref<4x6xf32>,
                           %c: memref<8x6xf32>) attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<8x4xf32, strided<[8, 2]>>, memref<4x6xf32>)
                outs(%c : memref<8x6xf32>)
  return
}

// CHECK-LABEL: func.func @f
// LOWERED: gpu.module @kernels
// LOWERED-NOT: @asked
// LOWERED: gpu.func @strided
// LOWERED: func.func private @asked
// LOWERED: func.func @f
// LOWERED: commir.launch @asked
// LOWERED: commir.launch @kernels::@strided
//
// The types are ncclDataType_t: f32 is 7.
// CALL: llvm.mlir.global internal constant @asked_problem(dense<[1, 8, 6, 4, 4, 1, 0, 6, 1, 0, 6, 1, 0, 7, 7]> : tensor<15xi64>)
// CALL: func.func @f(%[[CTX:[^:]*]]:
// CALL: %[[PROBLEM:.*]] = llvm.mlir.addressof @asked_problem
// CALL: %[[STATUS:.*]] = call @mercury_matmul(%[[CTX]], %[[PROBLEM]], %{{.*}}, %{{.*}}, %{{.*}})
// CALL: call @mercury_check(%[[CTX]], %[[STATUS]]
// CALL: gpu.launch_func <{{.*}}> @kernels::@strided
func.func @f(%a: memref<8x4xf32>, %b: memref<4x6xf32>, %c: memref<8x6xf32>,
             %s: memref<8x4xf32, strided<[8, 2]>>) attributes {commir.topology = @ring} {
  commir.launch @asked ins(%a, %b : memref<8x4xf32>, memref<4x6xf32>) outs(%c : memref<8x6xf32>)
  commir.launch @strided ins(%s, %b : memref<8x4xf32, strided<[8, 2]>>, memref<4x6xf32>)
      outs(%c : memref<8x6xf32>)
  return
}
