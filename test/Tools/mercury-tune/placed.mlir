// The sequence is sharded on entry and exit: heads are divided all the same, and
// the program equals the function.
// RUN: mercury-tune %s --topology=node=2,gpu=2 --against=ulysses,ring "--inputs=[{}, {node, gpu}, {}]" "--results=[{}, {node, gpu}, {}]" | FileCheck %s
// RUN: mercury-tune %s --topology=node=2,gpu=2 "--inputs=[{}, {node, gpu}, {}]" "--results=[{}, {node, gpu}, {}]" --emit=schedule -o %t.txt
// RUN: FileCheck %s --check-prefix=ENTRY --input-file=%t.txt
// RUN: mercury-run %s --topology=node=2,gpu=2 --schedule=%t.txt --verify --local=loops | FileCheck %s --check-prefix=RANKS

// The script gives the same program.
// RUN: mercury-tune %s --topology=node=2,gpu=2 "--inputs=[{}, {node, gpu}, {}]" "--results=[{}, {node, gpu}, {}]" --emit=transform -o %t.mlir
// RUN: mercury-run %s --topology=node=2,gpu=2 --schedule=%t.txt --emit=stage3 > %t.schedule
// RUN: mercury-run %s --topology=node=2,gpu=2 --schedule=%t.mlir --emit=stage3 > %t.script
// RUN: diff %t.schedule %t.script

// CHECK: schedule{{ +}}time
// CHECK: known designs
// CHECK-NEXT: ring {{.*}} node {{.*}} gpu
// CHECK-NEXT: queries over node and gpu, K/V ring over node and gpu
// CHECK-NEXT: ulysses
// ENTRY: inputs {{\[\[}}{}, {{{.*}}node{{.*}}}, {}]
// RANKS: verified

// What times depend on, and what else they cost.
// RUN: mercury-tune %s --topology=h100-sxm:node=2,gpu=2 --against=ring --sensitivity "--inputs=[{}, {node, gpu}, {}]" "--results=[{}, {node, gpu}, {}]" | FileCheck %s --check-prefix=SENSITIVE
// SENSITIVE: known designs
// SENSITIVE: K/V ring over node and gpu
// SENSITIVE-NEXT: node: {{1\.[0-9]+}} times as long at half its bandwidth; gpu: {{1\.[0-9]+}} times as long at half its bandwidth; {{[0-9.]+}} KiB over the slowest level; {{[0-9.]+}} mJ
// RUN: mercury-tune %s --topology=h100-sxm:node=2,gpu=2 --emit=json | FileCheck %s --check-prefix=JSON
// JSON: "energy_joules":
// JSON: "slowest_level_bytes":
// JSON: "tuning_seconds":

// Inputs that no schedule takes so.
// RUN: not mercury-tune %s --topology=node=2,gpu=2 "--inputs=[{}, {}, {gpu}]" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: no schedule has its inputs placed [{}, {}, {gpu}]

!tokens = tensor<4x64x16xf32>
#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
func.func @attention(%q: !tokens, %k: !tokens, %v: !tokens) -> !tokens {
  %init = tensor.empty() : !tokens
  %o = commir.attention maps [#q, #k, #v, #o] scale 0.25
         ins(%q, %k, %v : !tokens, !tokens, !tokens)
         outs(%init : !tokens) -> !tokens
  return %o : !tokens
}
