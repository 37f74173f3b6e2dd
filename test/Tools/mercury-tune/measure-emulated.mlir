// A rehearsal on the clock of a machine that is not here: nothing is faster than
// what it waits for.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mercury-tune %s --topology=@machine --measure=2 --top=4 --ranks-as=emulated --budget=5s --emit=json --resume=%t/runs.json > %t/found.json
// RUN: python3 -c "import json, sys; op = json.load(open(sys.argv[1]))['operators'][0]; rows = [r for r in op['found'] if 'measured_seconds' in r]; print(len(rows), [r['measured_seconds'] > 0.8 * r['seconds'] for r in rows])" %t/found.json | FileCheck %s
// CHECK: 2 [True, True]
// RUN: FileCheck %s --check-prefix=RANKS --input-file=%t/runs.json
// RANKS: "ranks": "emulated"

// A terminal shows how far it is. What is interrupted there ends with the best so
// far, and goes on later.
// RUN: python3 %S/Inputs/interrupt.py "run 4 of 60, schedule 1 of 3" mercury-tune %s --topology=@machine --measure=3 --ranks-as=emulated --budget=2min --resume=%t/more.json | FileCheck %s --check-prefix=INTERRUPT
// INTERRUPT: terminal: [....................]   0%  0:00 of 2:00  compiling schedule 1 of 3
// INTERRUPT: terminal: [#...................]   5%  {{[0-9:]+}} of 2:00  run 4 of 60, schedule 1 of 3
// INTERRUPT: remark: measured: {{.*}} are not told apart ({{1 run|2 runs}} each)
// INTERRUPT: remark: interrupted: this is the best so far; the same command goes on with the runs in '{{.*}}more.json'
// INTERRUPT: interrupted exit code 130
// RUN: mercury-tune %s --topology=@machine --measure=3 --ranks-as=emulated --budget=1s --resume=%t/more.json | FileCheck %s --check-prefix=ON
// ON: remark: {{[4-6]}} of {{[0-9]+}} runs are those of '{{.*}}more.json'
// ON-NOT: interrupted

commir.topology @machine
    levels [#commir.level<node, 2, bandwidth 1.0e+08, latency 1.0e-05>,
            #commir.level<gpu, 2, bandwidth 4.0e+08, latency 1.0e-06>]
    device <memory 1000000000, bandwidth 1.0e+10, peak {f32 = 1.0e+10}>

!m = tensor<128x128xf32>
func.func @f(%a: !m, %b: !m, %c: !m) -> !m {
  %0 = linalg.matmul ins(%a, %b : !m, !m) outs(%c : !m) -> !m
  return %0 : !m
}
