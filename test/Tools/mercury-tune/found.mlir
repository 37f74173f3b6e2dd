// What the tuner finds is what runs: its schedule and its script give the same
// program, which equals the function.
// RUN: mercury-tune %s --topology=gpu=4 | FileCheck %s --check-prefix=TABLE
// RUN: mercury-tune %s --topology=gpu=4 --emit=schedule -o %t.txt
// RUN: mercury-run %s --topology=gpu=4 --schedule=%t.txt --verify | FileCheck %s --check-prefix=RANKS
// RUN: mercury-tune %s --topology=gpu=4 --emit=transform -o %t.mlir
// RUN: mercury-run %s --topology=gpu=4 --schedule=%t.mlir --verify | FileCheck %s --check-prefix=RANKS
// RUN: mercury-run %s --topology=gpu=4 --schedule=auto --verify 2>&1 | FileCheck %s --check-prefix=AUTO

// The three ways give one program.
// RUN: mercury-run %s --topology=gpu=4 --schedule=%t.txt --emit=stage3 > %t.schedule
// RUN: mercury-run %s --topology=gpu=4 --schedule=%t.mlir --emit=stage3 > %t.script
// RUN: mercury-run %s --topology=gpu=4 --schedule=auto --emit=stage3 > %t.auto 2>%t.log
// RUN: diff %t.schedule %t.script
// RUN: diff %t.schedule %t.auto

// TABLE: gpu=4: 4 ranks
// TABLE: commir.online_attention: heads 4, queries 64, keys 64, head dimension 16, f32
// TABLE: schedule{{ +}}time{{ +}}ratio{{ +}}bound{{ +}}memory
// TABLE: 1 {{.*}} 1.00
// TABLE-NEXT: heads over gpu
// TABLE: schedules looked at
// RANKS: gpu=4{{.*}} verified
// AUTO: remark: commir.online_attention: heads 4, {{.*}}; predicted {{.*}}, bound by
// AUTO: gpu=4{{.*}} verified

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
