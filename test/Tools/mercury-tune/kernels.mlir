// Kernels that may be patched in are compared with generated code by their
// achieved rates; none is taken that was not asked for.
// RUN: mercury-tune %s --entry=large --emit=schedule | FileCheck %s --check-prefix=GENERATED
// GENERATED: loops [
// GENERATED-NOT: patch
// GENERATED: results
// RUN: mercury-tune %s --entry=large --kernels=blas --emit=schedule -o %t.large
// RUN: FileCheck %s --check-prefix=PATCHED --input-file=%t.large
// PATCHED: patch blas

// At its size generated code is faster.
// RUN: mercury-tune %s --entry=small --kernels=blas --emit=schedule | FileCheck %s --check-prefix=GENERATED

// The table says so, and that of designs, which are compared with the kernel
// that suits each; BLAS needs no workspace.
// RUN: mercury-tune %s --entry=large --kernels=blas --against=all_gather_gemm --top=1 | FileCheck %s --check-prefix=TABLE
// TABLE: linalg.matmul:
// TABLE: 1 * {{.*}} MiB
// TABLE-NEXT: kernel blas
// TABLE: all_gather_gemm
// TABLE-NEXT: kernel blas

// What a kernel does not take, and what cannot be compared, is said.
// RUN: mercury-tune %s --entry=bf16 --kernels=blas | FileCheck %s --check-prefix=TYPES
// TYPES: kernel 'blas' does not take this operator: it takes f32, f32 -> f32, the op has bf16, bf16 -> f32
// RUN: mercury-tune %s --entry=large --topology=gpu=2 --kernels=blas | FileCheck %s --check-prefix=CURVE
// CURVE: kernel 'blas' is not compared: the device has no achieved rate of it for this kind of work in 'f32'
// RUN: not mercury-tune %s --entry=large --kernels=blas,mkl 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: --kernels: no kernel 'mkl' is registered

// The pass takes the same option.
// RUN: mercury-opt %s --pass-pipeline='builtin.module(mercury-autotune{kernels=blas})' 2>/dev/null | FileCheck %s --check-prefix=PASS
// PASS-LABEL: func.func @large
// PASS: patch blas
// PASS-LABEL: func.func @small
// PASS-NOT: patch
// PASS-LABEL: func.func @bf16
// RUN: not mercury-opt %s --pass-pipeline='builtin.module(mercury-autotune{kernels=mkl})' 2>&1 | FileCheck %s --check-prefix=PASSUNKNOWN
// PASSUNKNOWN: error: kernels: no kernel 'mkl' is registered

commir.topology @host
    levels [#commir.level<gpu, 2, bandwidth 4.0e9, latency 1.0e-6>]
    device <memory 4000000000, bandwidth 2.0e10, bandwidth_fraction 1, launch 1.0e-6,
            peak {f32 = 1.0e11},
            achieved [gemm f32 fraction [(64, 0.5), (1024, 0.5)],
                      gemm f32 library "blas" fraction [(64, 0.1), (256, 0.4), (1024, 0.9)]]>

func.func @large(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>, %c: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%c : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

func.func @small(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<128x128xf32>, tensor<128x128xf32>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

func.func @bf16(%a: tensor<128x128xbf16>, %b: tensor<128x128xbf16>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<128x128xbf16>, tensor<128x128xbf16>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}
