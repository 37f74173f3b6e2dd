// The figures of this machine, of one rank: links take longer. A budget that is
// too short still gives all, each a few times.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mercury-tune --calibrate --ranks=1 --budget=1s -o %t/host.mlir
// RUN: FileCheck %s --input-file=%t/host.mlir
// CHECK: // This machine, measured by mercury-tune --calibrate.
// CHECK: commir.topology @host levels [#commir.level<gpu, 1>] device <memory {{[1-9][0-9]*}}, bandwidth {{[0-9.e+]+}}, bandwidth_fraction 1, launch {{[0-9.e-]+}}, interval {{[0-9.e-]+}}, peak {f32 = {{[0-9.e+]+}}}
// CHECK-SAME: achieved [gemm f32 fraction [(64, {{[0-9.]+}}), {{.*}}(1024, {{[0-9.]+}})]
// CHECK-SAME: attention f32 head_dim 64 fraction [(32,
// RUN: mercury-tune %s --topology=%t/host.mlir | FileCheck %s --check-prefix=USED --implicit-check-not=assumed
// USED: 1 {{.*}} 1.00

// Interrupted, it leaves no file.
// RUN: python3 %S/Inputs/interrupt.py "round 1, " mercury-tune --calibrate --ranks=1 -o %t/none.mlir | FileCheck %s --check-prefix=INTERRUPT
// INTERRUPT: terminal: [....................]   0%  {{[0-9:]+}} of 1:00  compiling codegen, 64 cubed
// INTERRUPT: terminal: mercury-tune: error: interrupted before all was measured
// INTERRUPT: interrupted exit code 130
// RUN: not ls %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: none.mlir

func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
