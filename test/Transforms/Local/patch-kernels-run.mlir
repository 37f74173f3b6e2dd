// A user's kernel, defined here, and OpenBLAS where it was found.
//
// DEFINE: %{bufferize} = --canonicalize --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize --cse --buffer-deallocation-pipeline
// DEFINE: %{run} = mlir-runner -O1 -e main --entry-point-result=void
// RUN: mercury-opt %s %{bufferize} --mercury-lower-to-llvm | %{run} --shared-libs=%mlir_c_runner_utils | FileCheck %s
// RUN: mercury-opt %s %{bufferize} --mercury-patch-kernels="local=mine kernel=mine,nt,f32,my_sgemm_nt" --mercury-lower-to-llvm | %{run} --shared-libs=%mlir_c_runner_utils | FileCheck %s --check-prefix=MINE

// C is the middle of a larger matrix: pointers have an offset, rows a stride.
// CHECK: 140.5
// CHECK-NEXT: 49.5
// CHECK-NEXT: {{^-1$}}
// The kernel below writes n * 1000 + lda * 100 + ldb * 10 + ldc to the first
// element of C.
// MINE: 3779
// MINE-NEXT: 0.5
// MINE-NEXT: {{^-1$}}

func.func private @printF32(f32)
func.func private @printNewline()
func.func @print(%value: f32) {
  call @printF32(%value) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @my_sgemm_nt(%m: i64, %n: i64, %k: i64, %a: !llvm.ptr, %lda: i64, %b: !llvm.ptr, %ldb: i64, %c: !llvm.ptr, %ldc: i64) {
  %ten = arith.constant 10 : i64
  %0 = arith.muli %n, %ten : i64
  %1 = arith.addi %0, %lda : i64
  %2 = arith.muli %1, %ten : i64
  %3 = arith.addi %2, %ldb : i64
  %4 = arith.muli %3, %ten : i64
  %5 = arith.addi %4, %ldc : i64
  %6 = arith.sitofp %5 : i64 to f32
  llvm.store %6, %c : f32, !llvm.ptr
  return
}

func.func @main() {
  %a = arith.constant dense<[[1., 2., 3., 4., 5., 6., 7.], [1., 1., 1., 1., 1., 1., 1.]]> : tensor<2x7xf32>
  %b = arith.constant dense<[[1., 2., 3., 4., 5., 6., 7.], [7., 7., 7., 7., 7., 7., 7.], [0., 0., 0., 0., 0., 0., 0.]]> : tensor<3x7xf32>
  %big = tensor.generate {
  ^bb0(%i: index, %j: index):
    %v = arith.constant -1.0 : f32
    tensor.yield %v : f32
  } : tensor<4x9xf32>
  %half = arith.constant 0.5 : f32
  %slice = tensor.extract_slice %big[1, 2][2, 3][1, 1] : tensor<4x9xf32> to tensor<2x3xf32>
  %c = linalg.fill ins(%half : f32) outs(%slice : tensor<2x3xf32>) -> tensor<2x3xf32>
  %r = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x7xf32>, tensor<3x7xf32>) outs(%c : tensor<2x3xf32>) -> tensor<2x3xf32>
  %whole = tensor.insert_slice %r into %big[1, 2][2, 3][1, 1] : tensor<2x3xf32> into tensor<4x9xf32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x = tensor.extract %whole[%c1, %c2] : tensor<4x9xf32>
  call @print(%x) : (f32) -> ()
  %y = tensor.extract %whole[%c2, %c3] : tensor<4x9xf32>
  call @print(%y) : (f32) -> ()
  %z = tensor.extract %whole[%c3, %c2] : tensor<4x9xf32>
  call @print(%z) : (f32) -> ()
  return
}
