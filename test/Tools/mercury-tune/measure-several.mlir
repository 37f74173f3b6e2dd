// Of several operators the best plans run, each as a whole; what was run before
// counts.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mercury-tune %s --entry=f --topology=gpu=2 --measure=3 --local=loops --resume=%t/runs.json | FileCheck %s
// CHECK-COUNT-2: linalg.matmul: rows 32
// CHECK: all operators together
// CHECK: schedule {{.*}} measured
// CHECK-NEXT: 1 {{.*[nmu]+s \+-[0-9.]+% .*[nmu]+s \+-[0-9.]+%}}
// CHECK-NEXT: 1: {{.*}}; 2: {{.*}}
// CHECK: remark: measured: 1 {{is the fastest of the 3 that ran|and .* are not told apart}}
// CHECK: all operators of the function: {{.*}}; under the default rule
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t/runs.json
// FILE-COUNT-3: "schedule": "loops {{.*}}\nloops
// FILE-NOT: "schedule"
// RUN: mercury-tune %s --entry=f --topology=gpu=2 --measure=4 --local=loops --resume=%t/runs.json | FileCheck %s --check-prefix=AGAIN
// AGAIN: remark: 60 of 80 runs are those of '{{.*}}runs.json'

// Plans differ, and each verifies.
// RUN: mercury-tune %s --entry=f --topology=gpu=2 --measure=4 --local=loops --resume=%t/runs.json --emit=json > %t/found.json
// RUN: python3 %S/Inputs/plans.py %t/found.json %t/plan | FileCheck %s --check-prefix=PLANS
// PLANS: 4 plans, 4 of them differ, all of 2 schedules, 4 measured
// PLANS: the first is that of the operators
// RUN: sh -c 'for i in 0 1 2 3; do mercury-run %s --entry=f --topology=gpu=2 --local=loops --schedule=%t/plan$i.txt --verify; done' | FileCheck %s --check-prefix=VERIFIED
// VERIFIED-COUNT-4: verified

// The database gets the one that is chosen, and gives it to whoever asks, even
// where the model likes another one.
// RUN: mercury-tune %s --entry=f --topology=gpu=2 --measure=4 --local=loops --resume=%t/runs.json --database=%t/db.json --emit=schedule > %t/best.txt
// RUN: mercury-tune %s --entry=f --topology=gpu=2 --local=loops --database=%t/db.json --emit=schedule | diff %t/best.txt -
// RUN: mercury-opt %s --pass-pipeline='builtin.module(mercury-autotune{topology=gpu=2 entry=f local=loops database=%t/db.json o=%t/pass.txt})' | FileCheck %s --check-prefix=SET
// SET-COUNT-2: commir.schedule = #commir.schedule<"loops
// RUN: FileCheck %s --check-prefix=PASS --input-file=%t/pass.txt --implicit-check-not="looked at"
// PASS-COUNT-2: remark: the schedule is that of the database

// What stands between them follows, and the clock may be another machine's.
// RUN: mercury-tune %s --entry=g --topology=h100-sxm:node=2,gpu=2 --measure=2 --ranks-as=emulated --budget=5s | FileCheck %s --check-prefix=EMULATED
// EMULATED: all operators together
// EMULATED: 1 {{.*[nmu]+s \+-[0-9.]+% .*[nmu]+s \+-[0-9.]+%}}
// RUN: mercury-tune %s --entry=g --topology=gpu=2 --measure=2 --local=loops --emit=timeline | FileCheck %s --check-prefix=TIMELINE
// TIMELINE: "name":"rank 1"

// RUN: not mercury-tune %s --entry=f --topology=gpu=2 --measure=1 --correct=%t/none.mlir 2>&1 | FileCheck %s --check-prefix=CORRECT
// CORRECT: error: --correct is for functions with one operator to tune; @f has 2
// RUN: not mercury-tune %s --entry=f --topology=gpu=2 --measure=1 --variants=2 2>&1 | FileCheck %s --check-prefix=VARIANTS
// VARIANTS: error: --variants is for functions with one operator to tune; @f has 2
// RUN: not mercury-tune %s --entry=nothing --topology=gpu=2 --measure=1 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: --measure: no operator of @nothing was tuned

!m = tensor<32x32xf32>
func.func @f(%a: !m, %b: !m, %c: !m, %zero: !m) -> !m {
  %0 = linalg.matmul ins(%a, %b : !m, !m) outs(%zero : !m) -> !m
  %1 = linalg.matmul ins(%0, %c : !m, !m) outs(%zero : !m) -> !m
  return %1 : !m
}

func.func @g(%a: !m, %b: !m, %c: !m, %zero: !m) -> !m {
  %0 = linalg.matmul ins(%a, %b : !m, !m) outs(%zero : !m) -> !m
  %1 = math.tanh %0 : !m
  %2 = linalg.matmul ins(%1, %c : !m, !m) outs(%zero : !m) -> !m
  return %2 : !m
}

func.func @nothing(%a: !m) -> !m {
  return %a : !m
}
