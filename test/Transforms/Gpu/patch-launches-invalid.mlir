// RUN: mercury-opt %s --mercury-patch-launches=local=library -split-input-file -verify-diagnostics

func.func private @other_kernel(%a: memref<8x4xf32>, %b: memref<4x6xf32>, %c: memref<8x6xf32>)
    attributes {commir.kernel} {
  // expected-error @+1 {{kernel 'blas' does not take this op: the kernels of devices are 'cublaslt'}}
  linalg.matmul {commir.patch = "blas"}
      ins(%a, %b : memref<8x4xf32>, memref<4x6xf32>) outs(%c : memref<8x6xf32>)
  return
}

// -----

func.func private @strides(%a: memref<8x4xf32, strided<[8, 2]>>, %b: memref<4x6xf32>,
                           %c: memref<8x6xf32>) attributes {commir.kernel} {
  // expected-error @+1 {{kernel 'cublaslt' does not take this op: matrix A has neither rows nor columns of stride 1}}
  linalg.matmul {commir.patch = "cublaslt"}
      ins(%a, %b : memref<8x4xf32, strided<[8, 2]>>, memref<4x6xf32>) outs(%c : memref<8x6xf32>)
  return
}

// -----

func.func private @rows_overlap(%a: memref<8x4xf32, strided<[2, 1]>>, %b: memref<4x6xf32>,
                                %c: memref<8x6xf32>) attributes {commir.kernel} {
  // expected-error @+1 {{kernel 'cublaslt' does not take this op: matrix A has rows or columns that overlap}}
  linalg.matmul {commir.patch = "cublaslt"}
      ins(%a, %b : memref<8x4xf32, strided<[2, 1]>>, memref<4x6xf32>) outs(%c : memref<8x6xf32>)
  return
}

// -----

func.func private @types(%a: memref<8x4xf64>, %b: memref<4x6xf64>, %c: memref<8x6xf64>)
    attributes {commir.kernel} {
  // expected-error @+1 {{does not take this op: it takes inputs of one type of f32, f16 and bf16 and an output of f32, the op has f64, f64 -> f64}}
  linalg.matmul {commir.patch = "cublaslt"}
      ins(%a, %b : memref<8x4xf64>, memref<4x6xf64>) outs(%c : memref<8x6xf64>)
  return
}

// -----

func.func private @no_contraction(%a: memref<8xf32>) attributes {commir.kernel} {
  // expected-error @+1 {{kernel 'cublaslt' does not take this op: }}
  linalg.exp {commir.patch = "cublaslt"} ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// -----

memref.global "private" constant @weights : memref<4x6xf32> = dense<1.0>
func.func private @constant(%a: memref<8x4xf32>, %c: memref<8x6xf32>) attributes {commir.kernel} {
  %b = memref.get_global @weights : memref<4x6xf32>
  // expected-error @+1 {{kernel 'cublaslt' does not take this op: a matrix is a constant of the kernel}}
  linalg.matmul {commir.patch = "cublaslt"} ins(%a, %b : memref<8x4xf32>, memref<4x6xf32>) outs(%c : memref<8x6xf32>)
  return
}

// -----

// One that another library has stays as it is.
func.func private @declared(memref<8xf32>) attributes {commir.kernel}
