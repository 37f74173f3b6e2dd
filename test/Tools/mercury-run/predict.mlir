// The simulated time of programs for devices. All times are from hand: links of
// 1e6 bytes/s without latency to speak of; kernels take their bytes over 2e6
// bytes/s (0.8 of the device's bandwidth where it does not say), since products
// cost next to nothing.

// A rank has rows of A and columns of B. The gather of A takes 3/4 of its
// 2097152 bytes: 1.572864 s. The kernel reads A and 512x64 of B, reads and
// writes 1024x64 of C: 2752512 bytes, 1.376256 s.
// RUN: mercury-run %s --entry=gemm --schedule=all_gather_gemm --predict \
// RUN:   | FileCheck %s --check-prefix=GATHERED
// GATHERED: all_gather_gemm {{ *}}4 {{ *}}2.95 s
// GATHERED: rank end computes communicates exposed waits
// GATHERED-NEXT: 0 2.95 s 1.51 s 1.57 s 1.44 s 0.0 us
// GATHERED: gpu 6,291,456

// In steps: after C, 262144 bytes, is filled, a hop of A's 524288 bytes hides
// the kernel of 256 rows, 786432 bytes, but for the last one:
// 0.131072 + 3 * 0.524288 + 0.393216 s.
// RUN: mercury-run %s --entry=gemm --schedule=all_gather_gemm_shifted --predict \
// RUN:   --json --timeline=%t.json | FileCheck %s --check-prefix=SHIFTED
// SHIFTED: "predicted_seconds": 2.097154
// SHIFTED: "gpu": 6291456
// RUN: FileCheck %s --check-prefix=TIMELINE --input-file=%t.json
// TIMELINE: "name":"rank 0"
// TIMELINE-COUNT-4: "name":"gemm_contraction_0","pid":0,"tid":0
// TIMELINE-COUNT-3: "name":"hop {gpu}","pid":0,"tid":1
// TIMELINE: "name":"rank 1"

// A rank has 131072 bytes of each of Q, K and V. A kernel reads these, and reads
// and writes 135168 bytes of state: 0.331776 s, which hides the hop of K and V,
// 0.262144 s. The state is filled before, 0.067584 s, and divided by its sums at
// the end, 264192 bytes: 0.067584 + 4 * 0.331776 + 0.132096 s.
// RUN: mercury-run %s --entry=attention --schedule=ring --predict --json \
// RUN:   | FileCheck %s --check-prefix=RING
// RING: "predicted_seconds": 1.526784
// RING: "compute_seconds": 1.526784
// RING: "communication_seconds": 0.786433
// RING: "exposed_seconds": 0
// RING: "wait_seconds": 0

// Under a causal mask what a row does not see takes no time. A tile of 16 rows
// and keys, 4 heads of 16 features, is 65536 operations at 1e5 a second (a tenth
// of the peak, where the device does not say): 0.65536 s. Of that on the
// diagonal 136 / 256 remain, at 0.94 of the rate: 0.37038 s. Rank 3 has one and
// all tiles before it; in zigzag order all ranks have the same.
// RUN: mercury-run %s --entry=causal --schedule=ring --balance=none --predict \
// RUN:   | FileCheck %s --check-prefix=CAUSAL
// CAUSAL: rank end computes
// CAUSAL-NEXT: 0 1.03 s 370.38 ms
// CAUSAL-NEXT: 1 1.03 s 1.03 s
// CAUSAL-NEXT: 2 1.68 s 1.68 s
// CAUSAL-NEXT: 3 2.34 s 2.34 s
// RUN: mercury-run %s --entry=causal --schedule=ring --balance=zigzag --predict \
// RUN:   | FileCheck %s --check-prefix=ZIGZAG
// ZIGZAG: 0 1.42 s 1.42 s
// ZIGZAG-NEXT: 1 1.42 s 1.42 s
// ZIGZAG-NEXT: 2 1.42 s 1.42 s
// ZIGZAG-NEXT: 3 1.42 s 1.42 s

// RUN: not mercury-run %s --entry=gemm --timeline=%t.json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALONE
// ALONE: error: --timeline needs --predict
// RUN: not mercury-run %s --entry=gemm --predict --timeline=%t.no/t.json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: cannot write '{{.*}}t.json': No such file

commir.topology @machine
    levels [#commir.level<gpu, 4, bandwidth 1.0e+06, latency 1.0e-12>]
    device <bandwidth 2.5e+06, peak {f32 = 1.0e+18}>

func.func @gemm(%a: tensor<1024x512xf32>, %b: tensor<512x256xf32>)
    -> tensor<1024x256xf32> attributes {commir.topology = @machine} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x256xf32>)
      -> tensor<1024x256xf32>
  %c = linalg.matmul
      ins(%a, %b : tensor<1024x512xf32>, tensor<512x256xf32>)
      outs(%init : tensor<1024x256xf32>) -> tensor<1024x256xf32>
  return %c : tensor<1024x256xf32>
}

// Heads of 64 features, 1024 tokens: a rank has 256 of them.
func.func @attention(%q: tensor<2x1024x64xf32>, %k: tensor<2x1024x64xf32>,
                     %v: tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
    attributes {commir.topology = @machine} {
  %init = tensor.empty() : tensor<2x1024x64xf32>
  %o = commir.attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>,
      affine_map<(h, m, n, d, e) -> (h, m, e)>]
      ins(%q, %k, %v : tensor<2x1024x64xf32>, tensor<2x1024x64xf32>,
          tensor<2x1024x64xf32>)
      outs(%init : tensor<2x1024x64xf32>) -> tensor<2x1024x64xf32>
  return %o : tensor<2x1024x64xf32>
}

commir.topology @slow
    levels [#commir.level<gpu, 4, bandwidth 1.0e+12, latency 1.0e-12>]
    device <bandwidth 1.0e+12, peak {f32 = 1.0e+06}>

func.func @causal(%q: tensor<4x64x16xf32>, %k: tensor<4x64x16xf32>,
                  %v: tensor<4x64x16xf32>) -> tensor<4x64x16xf32>
    attributes {commir.topology = @slow} {
  %init = tensor.empty() : tensor<4x64x16xf32>
  %o = commir.attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>,
      affine_map<(h, m, n, d, e) -> (h, m, e)>]
      ins(%q, %k, %v : tensor<4x64x16xf32>, tensor<4x64x16xf32>,
          tensor<4x64x16xf32>)
      visible <right 0>
      outs(%init : tensor<4x64x16xf32>) -> tensor<4x64x16xf32>
  return %o : tensor<4x64x16xf32>
}
