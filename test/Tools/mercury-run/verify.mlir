// The table of a verified run: exit code 0. Each of 4 ranks multiplies a
// quarter of the columns; its 16 of the 64 rows of A travel 3 hops.
// RUN: sh -c 'mercury-run --verify --topology=gpu=4 --schedule=all_gather_gemm_shifted %s; echo "exit $?"' | FileCheck %s

// CHECK:      schedule                 ranks         error  time{{ +}}result
// CHECK-NEXT: all_gather_gemm_shifted  4 (gpu=4)  {{[0-9.]+e-[0-9]+}}  {{[0-9.]+ [mu]s}}  verified
// CHECK-EMPTY:
// CHECK-NEXT: rank  multiply-adds  bytes sent  peak bytes
// CHECK-NEXT: 0            65,536      12,288      {{[0-9,]+}}
// CHECK-NEXT: 1            65,536      12,288
// CHECK-NEXT: 2            65,536      12,288
// CHECK-NEXT: 3            65,536      12,288
// CHECK-NEXT: exit 0

// Without --verify nothing is compared.
// RUN: mercury-run --topology=gpu=2 --schedule=all_gather_gemm %s | FileCheck %s --check-prefix=PLAIN
// PLAIN:    all_gather_gemm  2 (gpu=2)      -  {{[0-9.]+ [mu]s}}  not verified (--verify)

// Without --schedule the plain rule chooses.
// RUN: mercury-run --verify --topology=node=2,gpu=2 %s | FileCheck %s --check-prefix=DEFAULT
// DEFAULT: default {{ *}}4 (node=2,gpu=2){{.*}} verified

// RUN: mercury-run --verify --topology=gpu=2 --repeat=3 --stats %s | FileCheck %s --check-prefix=STATS
// STATS: (median of 3)  verified
// STATS: rank  multiply-adds  bytes sent  peak bytes  bytes received  messages  waited  own_shard  travelling  staging  workspace  held_for_others
// STATS: phase
// STATS-NEXT: distribute
// STATS-NEXT: lower
// STATS-NEXT: machine code

// Every way to compute and to communicate.
// RUN: mercury-run --verify --topology=gpu=3 --schedule=gemm_reduce_scatter_shifted --local=loops -O0 --strict %s | FileCheck %s --check-prefix=VERIFIED
// RUN: mercury-run --verify --topology=gpu=3 --schedule=gemm_reduce_scatter_shifted --eager --chunks=2 %s | FileCheck %s --check-prefix=VERIFIED
// RUN: mercury-run --verify --topology=gpu=3 --schedule=gemm_reduce_scatter_shifted --link-bandwidth=1e9 --link-latency=1e-5 --seed=5 %s | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: {{ verified$}}

func.func @gemm(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>)
    -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
                     outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
