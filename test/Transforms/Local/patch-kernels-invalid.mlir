// RUN: mercury-opt %s --mercury-patch-kernels --split-input-file --verify-diagnostics
// RUN: not mercury-opt %s --mercury-patch-kernels=local=bals 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not mercury-opt %s --mercury-patch-kernels=kernel=a,nn,f32 2>&1 | FileCheck %s --check-prefix=WORDS
// RUN: not mercury-opt %s --mercury-patch-kernels=kernel=a,nx,f32,s 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not mercury-opt %s --mercury-patch-kernels=kernel=blas,nn,f32,s 2>&1 | FileCheck %s --check-prefix=TWICE
// LOCAL: error: option 'local': no kernel 'bals' is registered
// WORDS: error: option 'kernel' has 3 words, expected four for each kernel: name,form,type,symbol
// FORM: error: option 'kernel': form 'nx' of kernel 'a' is not one of nn, nt, tn, tt
// TWICE: error: option 'kernel': kernel 'blas' is registered twice for f32 nn

func.func @unknown_kernel(%a: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'bals' does not take this op: no kernel of this name is registered}}
  linalg.matmul {commir.patch = "bals"} ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}

// -----

func.func @types(%a: memref<8x8xbf16>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: it takes f32, f32 -> f32, the op has bf16, bf16 -> f32}}
  linalg.matmul {commir.patch = "blas"} ins(%a, %a : memref<8x8xbf16>, memref<8x8xbf16>) outs(%c : memref<8x8xf32>)
  return
}

// -----

func.func @strides(%a: memref<8x8xf32, strided<[16, 2]>>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: the first input is contiguous along neither its rows nor the reduction}}
  linalg.matmul {commir.patch = "blas"} ins(%a, %c : memref<8x8xf32, strided<[16, 2]>>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

func.func @form(%a: memref<8xf32>, %c: memref<8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: it has not two inputs and one output}}
  linalg.exp {commir.patch = "blas"} ins(%a : memref<8xf32>) outs(%c : memref<8xf32>)
  return
}

// -----

func.func @not_on_memrefs(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{kernel 'blas' does not take this op: the op does not work on memrefs}}
  %0 = linalg.matmul {commir.patch = "blas"} ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%a : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func private @mercury_blas_sgemm_nn(i64)
func.func @symbol_taken(%a: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: symbol 'mercury_blas_sgemm_nn' is not a function of the kernel ABI}}
  linalg.matmul {commir.patch = "blas"} ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  return
}
