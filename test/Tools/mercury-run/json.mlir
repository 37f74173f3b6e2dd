// All of it for programs.
// RUN: mercury-run --verify --json --topology=gpu=2 --schedule=all_gather_gemm --repeat=2 %s | FileCheck %s

// CHECK: {
// CHECK-NEXT: "entry": "gemm",
// CHECK-NEXT: "schedule": "all_gather_gemm",
// CHECK-NEXT: "topology": "gpu=2",
// CHECK-NEXT: "ranks": 2,
// CHECK-NEXT: "verified": true,
// CHECK-NEXT: "error": {{.*}}e-{{.*}},
// CHECK-NEXT: "failures": [],
// CHECK-NEXT: "notes": [],
// CHECK-NEXT: "seconds": {{[0-9.e-]+}},
// CHECK-NEXT: "all_seconds": [
// CHECK-NEXT: {{[0-9.e-]+}},
// CHECK-NEXT: {{[0-9.e-]+$}}
// CHECK-NEXT: ],
// CHECK-NEXT: "compile_seconds": {
// CHECK-NEXT: "distribute": {{[0-9.e-]+}},
// CHECK-NEXT: "lower": {{[0-9.e-]+}},
// CHECK-NEXT: "machine_code": {{[0-9.e-]+$}}
// CHECK-NEXT: },
// CHECK-NEXT: "multiply_adds_of_input": 1536,
// CHECK-NEXT: "per_rank": [
// CHECK-NEXT: {
// CHECK-NEXT: "multiply_adds": 768,
// CHECK-NEXT: "bytes_sent": 192,
// CHECK-NEXT: "bytes_received": 192,
// CHECK-NEXT: "messages": {{[0-9]+}},
// CHECK-NEXT: "wait_seconds": {{[0-9.e-]+}},
// CHECK-NEXT: "peak_bytes": {{[0-9]+}},
// CHECK-NEXT: "peak_bytes_of_class": {
// CHECK-NEXT: "own_shard": 1088,
// CHECK: "held_for_others": {{[0-9]+$}}
// CHECK: "multiply_adds": 768,
// CHECK: ]
// CHECK-NEXT: }

func.func @gemm(%a: tensor<8x12xf32>, %b: tensor<12x16xf32>, %c: tensor<8x16xf32>)
    -> tensor<8x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x12xf32>, tensor<12x16xf32>)
                     outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
