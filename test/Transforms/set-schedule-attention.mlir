// Schedules of attention are for attention, those of contractions for the
// others; each has what it asks for, the rest follows the default rule.
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=ring" | FileCheck %s --check-prefixes=CHECK,RING
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=ulysses" | FileCheck %s --check-prefixes=CHECK,ULYSSES
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=gemm_all_reduce" | FileCheck %s --check-prefixes=CHECK,GEMM
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=k_split" | FileCheck %s --check-prefixes=CHECK,ANY
//
// A schedule that no operator takes would be dropped silently:
// RUN: not mercury-opt %S/Inputs/set-schedule-attention-only.mlir "--mercury-set-schedule=schedule=gemm_2d" 2>&1 | FileCheck %s --check-prefix=NOGEMM
// NOGEMM: attention-only.mlir:5:1: error: schedule 'gemm_2d' is for contractions other than attention, of which @attention has none
// RUN: not mercury-opt %S/Inputs/set-schedule-gemm-only.mlir "--mercury-set-schedule=schedule=ring" 2>&1 | FileCheck %s --check-prefix=NOATTENTION
// NOATTENTION: gemm-only.mlir:3:1: error: schedule 'ring' is for attention, of which @gemm has none

commir.topology @t levels [#commir.level<gpu, 4>]

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#row = affine_map<(h, m, n, d, e) -> (h, m)>

// A contraction of the output behind it, and the division between. The exchange
// of heads for queries is left to the division: one result moves, not three.
//
// CHECK-LABEL: func.func @attention_and_gemm(
// RING: commir.online_attention {{.*}} {commir.schedule = #commir.schedule<"loops [-, rank gpu, time {gpu} shift {gpu}] inputs {{\[}}[{}, {gpu}, {}], [{}, {gpu}, {}], [{}, {gpu}, {}]] results {{\[}}[{}, {gpu}, {}], [{}, {gpu}], [{}, {gpu}]]">}
// RING: linalg.div {commir.schedule = #commir.schedule<"loops [-, rank gpu, -] inputs {{\[}}[{}, {gpu}, {}], [{}, {gpu}, {}]] results {{\[}}[{}, {gpu}, {}]]">}
// RING: linalg.batch_matmul {commir.schedule = #commir.schedule<"loops [-, rank gpu, -, -]
// ULYSSES: commir.online_attention {{.*}} {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs {{\[}}[{}, {gpu}, {}] -> [{gpu}, {}, {}], [{}, {gpu}, {}] -> [{gpu}, {}, {}], [{}, {gpu}, {}] -> [{gpu}, {}, {}]] results {{\[}}[{gpu}, {}, {}], [{gpu}, {}], [{gpu}, {}]]">}
// ULYSSES: linalg.div {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs {{\[}}[{gpu}, {}, {}], [{gpu}, {}, {}]] results {{\[}}[{gpu}, {}, {}] -> [{}, {gpu}, {}]]">}
// GEMM: commir.online_attention {{.*}} {commir.schedule = #commir.schedule<"loops [rank gpu, -, -]
// GEMM: linalg.batch_matmul {commir.schedule = #commir.schedule<"loops [-, -, -, rank gpu]
// ANY: commir.online_attention {{.*}} {commir.schedule = #commir.schedule<"loops [-, -, rank gpu]
// ANY: linalg.batch_matmul {commir.schedule = #commir.schedule<"loops [-, -, -, rank gpu]
func.func @attention_and_gemm(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %w: tensor<4x16x8xf32>) -> tensor<4x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %ea = tensor.empty() : tensor<4x8x16xf32>
  %er = tensor.empty() : tensor<4x8xf32>
  %ew = tensor.empty() : tensor<4x8x8xf32>
  %a = linalg.fill ins(%zero : f32) outs(%ea : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %m = linalg.fill ins(%least : f32) outs(%er : tensor<4x8xf32>) -> tensor<4x8xf32>
  %l = linalg.fill ins(%zero : f32) outs(%er : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row]
      ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>)
      outs(%a, %m, %l : tensor<4x8x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  %d = linalg.div ins(%s#0, %s#0 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%ea : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %w0 = linalg.fill ins(%zero : f32) outs(%ew : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %r = linalg.batch_matmul ins(%d, %w : tensor<4x8x16xf32>, tensor<4x16x8xf32>) outs(%w0 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  return %r : tensor<4x8x8xf32>
}
