// Every operator has a schedule, and a remark at each contraction says which.
// RUN: mercury-opt %s --pass-pipeline='builtin.module(mercury-autotune{topology=gpu=4 entry=chain})' 2>%t.log | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.log
// The options are those of mercury-tune, and so is what they write.
// RUN: mercury-opt %s --pass-pipeline='builtin.module(mercury-autotune{topology=gpu=4 entry=placed inputs="[{}, {gpu}]" results="[{gpu}, {}]" memory-limit=4MiB budget=10s top=2 against=all emit=table o=%t.txt})' -o /dev/null && FileCheck %s --check-prefix=TABLE --input-file=%t.txt
// RUN: mercury-tune %s --entry=placed --topology=gpu=4 "--inputs=[{}, {gpu}]" "--results=[{gpu}, {}]" --memory-limit=4MiB --budget=10s --top=2 --against=all > %t.tool.txt && grep -v looked %t.txt > %t.of-pass && grep -v looked %t.tool.txt | diff %t.of-pass -

// CHECK-LABEL: func.func @chain
// CHECK: linalg.matmul {commir.schedule = #commir.schedule<"loops [
// CHECK: linalg.generic {{.*}} attrs = {commir.schedule = #commir.schedule<"loops [
// CHECK: linalg.matmul {commir.schedule = #commir.schedule<"loops [
// CHECK-LABEL: func.func @placed
// CHECK-NOT: commir.schedule

// REMARK: autotune.mlir:[[# @LINE + 8]]:{{.*}}: remark: linalg.matmul: rows 64, columns 32, reduction 16, f32: {{.*}}; predicted {{.*}}, bound by {{.*}} a rank
// REMARK: autotune.mlir:[[# @LINE + 13]]:{{.*}}: remark: linalg.matmul: rows 64, columns 16, reduction 32, f32: {{.*}} a rank

// TABLE: linalg.matmul: rows 8, columns 8, reduction 8
// TABLE: known designs
// TABLE-NEXT: default

func.func @chain(%x: tensor<64x16xf32>, %w: tensor<16x32xf32>, %v: tensor<32x16xf32>, %h: tensor<64x32xf32>, %y: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<64x16xf32>, tensor<16x32xf32>) outs(%h : tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<64x32xf32>) outs(%h : tensor<64x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %2 = math.tanh %a : f32
    linalg.yield %2 : f32
  } -> tensor<64x32xf32>
  %3 = linalg.matmul ins(%1, %v : tensor<64x32xf32>, tensor<32x16xf32>) outs(%y : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %3 : tensor<64x16xf32>
}

func.func @placed(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
