// RUN: mercury-opt %s -o /dev/null \
// RUN:   --pass-pipeline="builtin.module(mercury-set-schedule{topology=gpu=4 schedule=all_gather_gemm_shifted},mercury-distribute,canonicalize,cse,mercury-print-communication)" \
// RUN:   | FileCheck %s --check-prefix=ROTATE
// RUN: mercury-opt %s -o /dev/null \
// RUN:   --pass-pipeline="builtin.module(mercury-set-schedule{topology=gpu=4 schedule=gemm_reduce_scatter_shifted},mercury-distribute,canonicalize,cse,mercury-print-communication)" \
// RUN:   | FileCheck %s --check-prefix=MOVE
// RUN: mercury-opt %s -o /dev/null \
// RUN:   --pass-pipeline="builtin.module(mercury-set-schedule{topology=node=2,gpu=2 schedule=all_gather_gemm_shifted},mercury-distribute,canonicalize,cse,mercury-print-communication)" \
// RUN:   | FileCheck %s --check-prefix=DOUBLE
// RUN: mercury-opt %s -o /dev/null \
// RUN:   --pass-pipeline="builtin.module(mercury-set-schedule{topology=gpu=4 schedule=all_gather_gemm},mercury-distribute,canonicalize,cse,mercury-print-communication)" \
// RUN:   | FileCheck %s --check-prefix=BEFORE

func.func @gemm(%a: tensor<16x24xf32>, %b: tensor<24x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x8xf32>) -> tensor<16x8xf32>
  %c = linalg.matmul ins(%a, %b : tensor<16x24xf32>, tensor<24x8xf32>) outs(%init : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}

// A tile travels the ring: every rank has it from the rank above.
//
// ROTATE-LABEL: nest in @gemm: ranks {gpu}, 4 steps
// ROTATE-NEXT: reads argument 0, tensor<16x24xf32> placed [{gpu}, {}]: rotates over {gpu} by 1 each step
// ROTATE-NEXT: step  rank 0        rank 1        rank 2        rank 3
// ROTATE-NEXT: 0  [0:4, :]      [4:8, :]      [8:12, :]     [12:16, :]
// ROTATE-NEXT: 1  [4:8, :]<1    [8:12, :]<2   [12:16, :]<3  [0:4, :]<0
// ROTATE-NEXT: 2  [8:12, :]<1   [12:16, :]<2  [0:4, :]<3    [4:8, :]<0
// ROTATE-NEXT: 3  [12:16, :]<1  [0:4, :]<2    [4:8, :]<3    [8:12, :]<0
// ROTATE-NEXT: reads argument 1, tensor<24x8xf32> placed [{}, {gpu}]: local
// ROTATE-NEXT: step  rank 0    rank 1    rank 2    rank 3
// ROTATE-NEXT: all  [:, 0:2]  [:, 2:4]  [:, 4:6]  [:, 6:8]
// ROTATE-NEXT: writes output 0, tensor<16x8xf32> placed [{}, {gpu}]: local
// ROTATE-NEXT: step  rank 0        rank 1        rank 2        rank 3
// ROTATE-NEXT: 0  [0:4, 0:2]    [4:8, 2:4]    [8:12, 4:6]   [12:16, 6:8]
// ROTATE-NEXT: 1  [4:8, 0:2]    [8:12, 2:4]   [12:16, 4:6]  [0:4, 6:8]
// ROTATE-NEXT: 2  [8:12, 0:2]   [12:16, 2:4]  [0:4, 4:6]    [4:8, 6:8]
// ROTATE-NEXT: 3  [12:16, 0:2]  [0:4, 2:4]    [4:8, 4:6]    [8:12, 6:8]

// A moving accumulator: partial sums come from the rank above and end with
// their owner.
//
// MOVE-LABEL: nest in @gemm: ranks {gpu}, 4 steps
// MOVE-NEXT: reads argument 0, tensor<16x24xf32> placed [{}, {gpu}]: local
// MOVE-NEXT: step  rank 0          rank 1          rank 2          rank 3
// MOVE-NEXT: 0  [4:8, 0:6]      [8:12, 6:12]    [12:16, 12:18]  [0:4, 18:24]
// MOVE-NEXT: 1  [8:12, 0:6]     [12:16, 6:12]   [0:4, 12:18]    [4:8, 18:24]
// MOVE-NEXT: 2  [12:16, 0:6]    [0:4, 6:12]     [4:8, 12:18]    [8:12, 18:24]
// MOVE-NEXT: 3  [0:4, 0:6]      [4:8, 6:12]     [8:12, 12:18]   [12:16, 18:24]
// MOVE-NEXT: reads argument 1, tensor<24x8xf32> placed [{gpu}, {}]: local
// MOVE-NEXT: step  rank 0      rank 1      rank 2      rank 3
// MOVE-NEXT: all  [0:6, :]    [6:12, :]   [12:18, :]  [18:24, :]
// MOVE-NEXT: writes output 0, tensor<16x8xf32> placed [{gpu}, {}]: partial results rotate over {gpu} by 1 each step
// MOVE-NEXT: step  rank 0        rank 1        rank 2        rank 3
// MOVE-NEXT: 0  [4:8, :]      [8:12, :]     [12:16, :]    [0:4, :]
// MOVE-NEXT: 1  [8:12, :]<1   [12:16, :]<2  [0:4, :]<3    [4:8, :]<0
// MOVE-NEXT: 2  [12:16, :]<1  [0:4, :]<2    [4:8, :]<3    [8:12, :]<0
// MOVE-NEXT: 3  [0:4, :]<1    [4:8, :]<2    [8:12, :]<3   [12:16, :]<0

// A double ring: gpu is the inner ring, node the outer one.
//
// DOUBLE-LABEL: nest in @gemm: ranks {node, gpu}, 2 x 2 steps
// DOUBLE-NEXT: reads argument 0, tensor<16x24xf32> placed [{node, gpu}, {}]: rotates over {node} by 1 each step of loop 0, over {gpu} by 1 each step of loop 1
// DOUBLE-NEXT: step  rank 0        rank 1        rank 2        rank 3
// DOUBLE-NEXT: 0,0  [0:4, :]      [4:8, :]      [8:12, :]     [12:16, :]
// DOUBLE-NEXT: 0,1  [4:8, :]<1    [0:4, :]<0    [12:16, :]<3  [8:12, :]<2
// DOUBLE-NEXT: 1,0  [8:12, :]<2   [12:16, :]<3  [0:4, :]<0    [4:8, :]<1
// DOUBLE-NEXT: 1,1  [12:16, :]<1  [8:12, :]<0   [4:8, :]<3    [0:4, :]<2
// DOUBLE-NEXT: reads argument 1, tensor<24x8xf32> placed [{}, {node, gpu}]: local
// DOUBLE-NEXT: step  rank 0    rank 1    rank 2    rank 3
// DOUBLE-NEXT: all  [:, 0:2]  [:, 2:4]  [:, 4:6]  [:, 6:8]
// DOUBLE-NEXT: writes output 0, tensor<16x8xf32> placed [{}, {node, gpu}]: local
// DOUBLE-NEXT: step  rank 0        rank 1        rank 2        rank 3
// DOUBLE-NEXT: 0,0  [0:4, 0:2]    [4:8, 2:4]    [8:12, 4:6]   [12:16, 6:8]
// DOUBLE-NEXT: 0,1  [4:8, 0:2]    [0:4, 2:4]    [12:16, 4:6]  [8:12, 6:8]
// DOUBLE-NEXT: 1,0  [8:12, 0:2]   [12:16, 2:4]  [0:4, 4:6]    [4:8, 6:8]
// DOUBLE-NEXT: 1,1  [12:16, 0:2]  [8:12, 2:4]   [4:8, 4:6]    [0:4, 6:8]

// Gathered before the nest.
//
// BEFORE-LABEL: nest in @gemm: ranks {gpu}, 1 step
// BEFORE-NEXT: reads argument 1, tensor<24x8xf32> placed [{}, {gpu}]: local
// BEFORE-NEXT: step  rank 0    rank 1    rank 2    rank 3
// BEFORE-NEXT: all  [:, 0:2]  [:, 2:4]  [:, 4:6]  [:, 6:8]
// BEFORE-NEXT: reads argument 0, tensor<16x24xf32> placed [{gpu}, {}], before the nest [{}, {}]: local
// BEFORE-NEXT: step  rank 0  rank 1  rank 2  rank 3
// BEFORE-NEXT: all  [:, :]  [:, :]  [:, :]  [:, :]
// BEFORE-NEXT: writes output 0, tensor<16x8xf32> placed [{}, {gpu}]: local
// BEFORE-NEXT: step  rank 0    rank 1    rank 2    rank 3
// BEFORE-NEXT: all  [:, 0:2]  [:, 2:4]  [:, 4:6]  [:, 6:8]
