// The best ones run on threads, in turns; what was run before counts.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mercury-tune %s --topology=gpu=2 --measure=2 --local=loops --resume=%t/runs.json | FileCheck %s
// CHECK: schedule time ratio measured bound memory sent by a rank
// CHECK-NEXT: 1 {{.*}} 1.00 {{[0-9.]+ [mu]s \+-[0-9.]+%}}
// CHECK: remark: measured: 1 {{is the fastest of the 2 that ran|and 2 are not told apart \(20 runs each\); the model's choice is first}}
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t/runs.json
// FILE: "ranks": "threads of
// FILE-COUNT-2: "schedule": "loops
// FILE-NOT: "schedule"
// RUN: mercury-tune %s --topology=gpu=2 --measure=3 --local=loops --resume=%t/runs.json | FileCheck %s --check-prefix=AGAIN
// AGAIN: remark: 40 of 60 runs are those of '{{.*}}runs.json'

// Runs of something else are kept aside.
// RUN: mercury-tune %s --topology=gpu=4 --measure=1 --local=loops --resume=%t/runs.json | FileCheck %s --check-prefix=OTHER
// OTHER: remark: the file of runs '{{.*}}' is refused: it is of topology '{{.*}}', not '{{.*}}'; it is now '{{.*}}runs.json.refused'
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t/runs.json.refused
// KEPT-COUNT-3: "schedule": "loops
// KEPT-NOT: "schedule"

// A database gets the fastest, with its time, and the runs stand beside it.
// RUN: mercury-tune %s --topology=gpu=2 --measure=2 --local=loops --database=%t/db.json --emit=schedule -o %t/best.txt
// RUN: FileCheck %s --check-prefix=DATABASE --input-file=%t/db.json
// DATABASE: "measured_seconds": {{[0-9.e-]+}}
// RUN: mercury-tune %s --topology=gpu=2 --local=loops --database=%t/db.json --emit=schedule -o %t/known.txt
// RUN: diff %t/best.txt %t/known.txt
// RUN: mercury-tune %s --topology=gpu=2 --measure=2 --local=loops --database=%t/db.json --emit=json | FileCheck %s --check-prefix=JSON
// JSON: "measured_interval": {{[0-9.]+}}
// JSON: "measured_seconds": {{[0-9.e-]+}}
// JSON: 40 of 40 runs are those of '{{.*}}db.json.runs'

// The topology's figures, corrected, are a topology.
// RUN: mercury-tune %s --topology=@host --measure=3 --local=loops --correct=%t/corrected.mlir | FileCheck %s --check-prefix=CORRECT
// CORRECT: remark: corrected by runs of 3 schedules: the root mean square of errors was {{[0-9]+}}% and is {{[0-9]+}}%
// CORRECT: remark: kernels: {{[0-9.]+}} of the time
// CORRECT: remark: level gpu: {{[0-9.]+}} of the time
// RUN: FileCheck %s --check-prefix=TOPOLOGY --input-file=%t/corrected.mlir
// TOPOLOGY: // @host, for linalg.matmul: rows 64
// TOPOLOGY: // corrected by runs of 3 schedules
// TOPOLOGY: commir.topology @host levels [#commir.level<gpu, 2, bandwidth
// TOPOLOGY: achieved [gemm f32 fraction [
// RUN: mercury-tune %s --topology=%t/corrected.mlir | FileCheck %s --check-prefix=LATER --implicit-check-not=assumed
// LATER: 1 {{.*}} 1.00

// RUN: not mercury-tune %s --topology=gpu=2 --measure=1 --local=loops --correct=%t/none.mlir 2>&1 | FileCheck %s --check-prefix=FIGURES
// FIGURES: error: --correct: the topology has no peak rate for 'f32' to correct; begin with mercury-tune --calibrate, or with a machine by name
// RUN: env MERCURY_CUDA_LIBRARY=%t.absent sh -c 'mercury-tune %s --topology=gpu=2 --measure=1 --ranks-as=cuda; echo "exit $?"' 2>&1 | FileCheck %s --check-prefix=CUDA
// CUDA: mercury-tune: error: no CUDA driver can be used here
// CUDA: exit 77
// RUN: not mercury-tune %s --topology=gpu=2 --measure=1 --ranks-as=cuda --local=blas 2>&1 | FileCheck %s --check-prefix=LOCAL
// LOCAL: error: --local=blas is of ranks on CPUs, not of --ranks-as=cuda
// RUN: not mercury-tune %s --topology=gpu=2 --measure=1 --chip=sm_80 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: --chip needs --ranks-as=cuda
// RUN: not mercury-tune %s --topology=gpu=2 --resume=%t/runs.json 2>&1 | FileCheck %s --check-prefix=NEEDS
// NEEDS: error: --resume needs --measure
// RUN: not mercury-tune %s --topology=gpu=2 --measure=1 --mpi=mpich 2>&1 | FileCheck %s --check-prefix=MPI
// MPI: error: --mpi=mpich needs --ranks-as=mpi
// RUN: not mercury-tune %s --topology=gpu=2 --measure=1 --ranks-as=emulated --correct=%t/none.mlir 2>&1 | FileCheck %s --check-prefix=CLOCK
// CLOCK: error: --correct needs ranks that are measured
// RUN: not mercury-tune %s --topology=gpu=2 --measure=1 --local=loops --resume=%t/no/folder 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: cannot write the file of runs '{{.*}}/no/folder'

commir.topology @host levels [#commir.level<gpu, 2, bandwidth 2.0e+09, latency 1.0e-05>]
    device <memory 1000000000, bandwidth 1.0e+10, launch 1.0e-05, peak {f32 = 1.0e+09}>

!m = tensor<64x64xf32>
func.func @f(%a: !m, %b: !m, %c: !m) -> !m {
  %0 = linalg.matmul ins(%a, %b : !m, !m) outs(%c : !m) -> !m
  return %0 : !m
}
