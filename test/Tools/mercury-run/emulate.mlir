// The program for devices runs on the clock of a machine: nothing is computed,
// and nothing is faster than what it waits for.

// Kernels take 4 * 0.2048 ms, hops less: links of 1e8 bytes/s take 0.08192 ms.
// RUN: mercury-run %s --emulate=@machine --schedule=all_gather_gemm_shifted \
// RUN:   --time-scale=100 --json | FileCheck %s --check-prefix=JSON
// JSON: "schedule": "all_gather_gemm_shifted"
// JSON: "ranks": 4
// JSON: "predicted_seconds": 0.000[[PREDICTED:[0-9]+]]
// JSON: "seconds": {{[0-9.e+-]+}}
// JSON: "time_scale": 100

// By itself the scale makes it take a second.
// RUN: mercury-run %s --emulate=@machine --schedule=all_gather_gemm --repeat=2 \
// RUN:   | FileCheck %s --check-prefix=TABLE
// TABLE: schedule ranks predicted measured ratio time scale
// TABLE-NEXT: all_gather_gemm 4 {{[0-9.]+}} us {{.*}} (median of 2) {{[0-9.]+}}

// RUN: not mercury-run %s --emulate=@machine --verify 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VERIFY
// VERIFY: error: --verify does not go with --emulate, where kernels compute nothing
// RUN: not mercury-run %s --emulate=@machine --time-scale=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SCALE
// SCALE: error: --time-scale must be positive with --emulate
// RUN: not mercury-run %s --emulate=@other 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OTHER
// OTHER: other

commir.topology @machine
    levels [#commir.level<gpu, 4, bandwidth 1.0e+08, latency 1.0e-06>]
    device <bandwidth 2.5e+08, peak {f32 = 1.0e+18}>

func.func @gemm(%a: tensor<64x128xf32>, %b: tensor<128x64xf32>)
    -> tensor<64x64xf32> attributes {commir.topology = @machine} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>)
      -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x128xf32>, tensor<128x64xf32>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
