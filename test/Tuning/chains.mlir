// Operators that follow each other are tuned together: projections leave heads
// where attention needs them, and nothing is sent before the last one.
// RUN: mercury-tune %s --entry=block --topology=h100-sxm:node=2,gpu=2 --top=1 | FileCheck %s --check-prefix=BLOCK
// BLOCK-COUNT-3: columns 2 over node and gpu
// BLOCK: commir.online_attention
// BLOCK: nothing
// BLOCK-NEXT: heads over node and gpu
// BLOCK: all operators of the function: {{.*}}; under the default rule {{.*}}
// RUN: mercury-run %s --entry=block --topology=node=2,gpu=2 --schedule=auto --verify | FileCheck %s
// RUN: mercury-run %s --entry=mlp --topology=gpu=4 --schedule=auto --verify | FileCheck %s
// CHECK: verified

// The simulator says so, too.
// RUN: mercury-run %s --entry=block --topology=h100-sxm:node=2,gpu=2 --schedule=auto --predict --json > %t.tuned && mercury-run %s --entry=block --topology=h100-sxm:node=2,gpu=2 --schedule=default --predict --json > %t.default && python3 %S/Inputs/compare-predicted.py %t.tuned %t.default | FileCheck %s --check-prefix=FASTER
// FASTER: tuned is faster than the default rule
// RUN: mercury-run %s --entry=mlp --topology=h100-sxm:node=2,gpu=2 --schedule=auto --predict --json > %t.tuned && mercury-run %s --entry=mlp --topology=h100-sxm:node=2,gpu=2 --schedule=default --predict --json > %t.default && python3 %S/Inputs/compare-predicted.py %t.tuned %t.default | FileCheck %s --check-prefix=NOTSLOWER
// NOTSLOWER: tuned is {{faster than|as fast as}} the default rule

// The schedules as lines, and as a script, give the program that the pass gives.
// RUN: mercury-tune %s --entry=block --topology=gpu=4 --emit=schedule -o %t.txt
// RUN: mercury-run %s --entry=block --topology=gpu=4 --schedule=%t.txt --emit=stage3 > %t.lines
// RUN: mercury-tune %s --entry=block --topology=gpu=4 --emit=transform -o %t.mlir
// RUN: mercury-run %s --entry=block --topology=gpu=4 --schedule=%t.mlir --emit=stage3 > %t.script
// RUN: mercury-run %s --entry=block --topology=gpu=4 --schedule=auto --emit=stage3 > %t.auto 2>%t.log
// RUN: diff %t.lines %t.auto
// RUN: diff %t.script %t.auto

// Inputs enter where they are asked to.
// RUN: mercury-tune %s --entry=block --topology=node=2,gpu=2 "--inputs=[{node, gpu}, {}]" "--results=[{node, gpu}, {}]" --emit=schedule -o %t.placed
// RUN: FileCheck %s --check-prefix=PLACED --input-file=%t.placed
// PLACED: inputs {{\[\[}}{node, gpu}, {}]
// RUN: mercury-run %s --entry=block --topology=node=2,gpu=2 --schedule=%t.placed --verify --local=loops | FileCheck %s

// A timeline is of all of them; so is the page.
// RUN: mercury-tune %s --entry=block --topology=gpu=2 --emit=timeline | FileCheck %s --check-prefix=TIMELINE
// TIMELINE: "name":"rank 1"
// RUN: mercury-tune %s --entry=block --topology=gpu=2 --emit=html | FileCheck %s --check-prefix=PAGE
// PAGE: all operators of the function
// PAGE: Timeline of the schedules that were chosen

// What a database has of all of them is taken; of another function with one of
// them it has nothing.
// RUN: rm -f %t.json && mercury-tune %s --entry=block --topology=gpu=4 --database=%t.json --emit=schedule > %t.first && mercury-tune %s --entry=block --topology=gpu=4 --database=%t.json --emit=schedule | diff %t.first -
// RUN: mercury-tune %s --entry=block --topology=gpu=4 --database=%t.json | FileCheck %s --check-prefix=KNOWN --implicit-check-not="looked at"
// KNOWN-COUNT-5: remark: the schedule is that of the database

func.func @mlp(%x: tensor<64x32xf32>, %w1: tensor<32x128xf32>, %w2: tensor<128x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64x128xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x128xf32>) outs(%f1 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %c = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = arith.maximumf %h, %c : tensor<64x128xf32>
  %e2 = tensor.empty() : tensor<64x32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %y = linalg.matmul ins(%r, %w2 : tensor<64x128xf32>, tensor<128x32xf32>) outs(%f2 : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}

// x -> Q, K, V by heads -> attention -> output projection.
!x = tensor<64x128xf32>
!w = tensor<128x4x32xf32>
!h = tensor<4x64x32xf32>
#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#px = affine_map<(h, m, d, c) -> (m, c)>
#pw = affine_map<(h, m, d, c) -> (c, h, d)>
#ph = affine_map<(h, m, d, c) -> (h, m, d)>
#rh = affine_map<(m, c, h, d) -> (h, m, d)>
#rw = affine_map<(m, c, h, d) -> (c, h, d)>
#ro = affine_map<(m, c, h, d) -> (m, c)>
func.func @block(%x: !x, %wq: !w, %wk: !w, %wv: !w, %wo: !w) -> !x {
  %zero = arith.constant 0.0 : f32
  %eh = tensor.empty() : !h
  %fh = linalg.fill ins(%zero : f32) outs(%eh : !h) -> !h
  %qs = linalg.generic {indexing_maps = [#px, #pw, #ph], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %wq : !x, !w) outs(%fh : !h) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> !h
  %ks = linalg.generic {indexing_maps = [#px, #pw, #ph], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %wk : !x, !w) outs(%fh : !h) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> !h
  %vs = linalg.generic {indexing_maps = [#px, #pw, #ph], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %wv : !x, !w) outs(%fh : !h) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> !h
  %at = commir.attention maps [#q, #k, #v, #o] scale 0.17
         ins(%qs, %ks, %vs : !h, !h, !h)
         outs(%eh : !h) -> !h
  %ex = tensor.empty() : !x
  %fx = linalg.fill ins(%zero : f32) outs(%ex : !x) -> !x
  %y = linalg.generic {indexing_maps = [#rh, #rw, #ro], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%at, %wo : !h, !w) outs(%fx : !x) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> !x
  return %y : !x
}
