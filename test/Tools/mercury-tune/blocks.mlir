// Generated code in blocks that the device has a curve of: the schedule asks for
// those that are fastest at a tile's size, and the program has them.
// RUN: mercury-tune %s --entry=large --emit=schedule -o %t.large
// RUN: FileCheck %s --check-prefix=LARGE --input-file=%t.large
// LARGE: tile [96, 512, 256]

// They do not fit in the tile of a rank, or another kernel is faster.
// RUN: mercury-tune %s --entry=small --emit=schedule | FileCheck %s --check-prefix=SMALL
// SMALL: loops [
// SMALL-NOT: tile
// SMALL: results
// RUN: mercury-tune %s --entry=large --kernels=blas --emit=schedule | FileCheck %s --check-prefix=BLAS
// BLAS-NOT: tile
// BLAS: patch blas

// The script gives the same, and runs.
// RUN: mercury-tune %s --entry=large --emit=transform -o %t.mlir
// RUN: FileCheck %s --check-prefix=SCRIPT --input-file=%t.mlir
// SCRIPT: commir.set_schedule
// SCRIPT-NEXT: tile [96, 512, 256]
// RUN: mercury-run %s --entry=large --schedule=%t.mlir --verify | FileCheck %s --check-prefix=RAN
// RUN: mercury-run %s --entry=large --schedule=auto --verify | FileCheck %s --check-prefix=RAN
// RAN: verified

// Loops without blocks have none to choose from.
// RUN: mercury-tune %s --entry=large --local=loops --emit=schedule | FileCheck %s --check-prefix=SMALL

commir.topology @host
    levels [#commir.level<gpu, 2, bandwidth 4.0e9, latency 1.0e-6>]
    device <memory 4000000000, bandwidth 2.0e10, bandwidth_fraction 1, launch 1.0e-6,
            peak {f32 = 1.0e11},
            achieved [gemm f32 fraction [(64, 0.5), (1024, 0.5)],
                      gemm f32 library "blas" fraction [(64, 0.9), (1024, 0.9)],
                      gemm f32 library "generated[96,512,256]" fraction [(64, 0.7)],
                      gemm f32 library "generated[48,512,256]" fraction [(64, 0.6)]]>

func.func @large(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>, %c: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

func.func @small(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<128x128xf32>, tensor<128x128xf32>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}
