// RUN: mercury-opt %s --mercury-patch-kernels --split-input-file --verify-diagnostics
// RUN: not mercury-opt %s --mercury-patch-kernels=local=bals 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not mercury-opt %s --mercury-patch-kernels=kernel=a,nn,f32 2>&1 | FileCheck %s --check-prefix=WORDS
// RUN: not mercury-opt %s --mercury-patch-kernels=kernel=a,nx,f32,s 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not mercury-opt %s --mercury-patch-kernels=kernel=blas,nn,f32,s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not mercury-opt %s --mercury-patch-kernels=kernel=,nn,f32,s 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not mercury-opt %s --mercury-patch-kernels=kernel=a,nn,f32, 2>&1 | FileCheck %s --check-prefix=SYMBOL
// LOCAL: error: option 'local': no kernel 'bals' is registered
// WORDS: error: option 'kernel' has 3 words, expected four for each kernel: name,form,type,symbol
// FORM: error: option 'kernel': form 'nx' of kernel 'a' is not one of nn, nt, tn, tt, attention, masked_attention
// TWICE: error: option 'kernel': kernel 'blas' is registered twice for f32 nn
// NAME: error: option 'kernel': the kernel has no name
// SYMBOL: error: option 'kernel': kernel 'a' has no symbol

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

// -----

func.func @scalar_operand(%a: memref<8x8xf32>, %b: f32, %c: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: operand 1 is neither a ranked tensor nor a memref}}
  linalg.generic {commir.patch = "blas", indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf32>, f32) outs(%c : memref<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @no_product(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: its body is not a multiply and an add}}
  linalg.generic {commir.patch = "blas", indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.subf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @window(%a: memref<15x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: operand 0 has a dimension that is not indexed by one loop of its own}}
  linalg.generic {commir.patch = "blas", indexing_maps = [affine_map<(m, n, k) -> (m + n, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<15x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @diagonal(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: operand 0 has a dimension that is not indexed by one loop of its own}}
  linalg.generic {commir.patch = "blas", indexing_maps = [affine_map<(m, n, k) -> (k, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @dynamic_extent(%a: memref<?x8xf32>, %b: memref<8x8xf32>, %c: memref<?x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: the extent of loop 0 is dynamic}}
  linalg.generic {commir.patch = "blas", indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x8xf32>, memref<8x8xf32>) outs(%c : memref<?x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @sum_of_one_operand(%a: memref<8x8x4xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: loop 3 runs over one operand only}}
  linalg.generic {commir.patch = "blas", indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : memref<8x8x4xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @no_reduction(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: it has no reduction loop}}
  linalg.generic {commir.patch = "blas", indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%c : memref<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @no_strides(%a: memref<8x8xf32, affine_map<(i, j) -> (i * 8 + j mod 4)>>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: type 'memref<8x8xf32, affine_map<(d0, d1) -> (d0 * 8 + d1 mod 4)>>' has no strides}}
  linalg.generic {commir.patch = "blas", indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf32, affine_map<(i, j) -> (i * 8 + j mod 4)>>, memref<8x8xf32>) outs(%c : memref<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @output_strides(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32, strided<[16, 2]>>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: no row or column of the output has stride 1}}
  linalg.generic {commir.patch = "blas", indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32, strided<[16, 2]>>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @second_input_strides(%a: memref<8x8xf32>, %b: memref<8x8xf32, strided<[16, 2]>>, %c: memref<8x8xf32>) {
  // expected-error@+1 {{kernel 'blas' does not take this op: the second input is contiguous along neither its columns nor the reduction}}
  linalg.generic {commir.patch = "blas", indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x8xf32>, memref<8x8xf32, strided<[16, 2]>>) outs(%c : memref<8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @not_linalg(%a: memref<8xf32>) {
  // expected-error@+1 {{'memref.copy' carries 'commir.patch' and is neither a linalg op nor 'commir.online_attention'}}
  memref.copy %a, %a {commir.patch = "blas"} : memref<8xf32> to memref<8xf32>
  return
}
