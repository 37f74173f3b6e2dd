// The simulator prices a kernel that is patched in by its own achieved rate. A
// rank multiplies 64 x 128 by 128 x 128: 2097152 operations at 1e9 a second times
// 0.5, 0.25 or 1.
// RUN: mercury-run %s "--schedule=loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]" --predict | FileCheck %s --check-prefix=GENERATED
// GENERATED: 2 {{ *}}4.19 ms
// RUN: mercury-run %s "--schedule=loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]] patch blas" --predict | FileCheck %s --check-prefix=BLAS
// BLAS: 2 {{ *}}8.39 ms
// RUN: mercury-run %s "--schedule=loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]] patch cublaslt" --predict | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: 2 {{ *}}2.10 ms

commir.topology @m levels [#commir.level<gpu, 2, bandwidth 1.0e9>]
    device <bandwidth 1.0e12, bandwidth_fraction 1, peak {f32 = 1.0e9},
            achieved [gemm f32 fraction [(1, 0.5)], gemm f32 library "cublaslt" fraction [(1, 1)],
                      gemm f32 library "blas" fraction [(1, 0.25)]]>

func.func @f(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<128x128xf32>, tensor<128x128xf32>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}
