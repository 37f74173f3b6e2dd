// What figures do not tell apart is run: blocks of generated code, and a kernel
// without achieved rates. Which of them is fastest is the machine's to say.
// REQUIRES: openblas
// RUN: mercury-tune %s --topology=gpu=2 --measure=1 --variants=3 --kernels=blas --budget=5s --resume=%t.runs --emit=schedule -o %t.best
// RUN: FileCheck %s --check-prefix=RUNS --input-file=%t.runs
// RUNS-DAG: "schedule": "loops [{{.*}}]]"
// RUNS-DAG: "schedule": "loops [{{.*}}]] patch blas"
// RUNS-DAG: "schedule": "loops [{{.*}}]] tile [48, 0, 0]"
// RUN: grep -c "schedule.:" %t.runs | FileCheck %s --check-prefix=COUNT
// COUNT: {{^4$}}

// The fastest is what is left, and runs.
// RUN: mercury-run %s --topology=gpu=2 --schedule=%t.best --verify | FileCheck %s --check-prefix=RANKS
// RANKS: gpu=2{{.*}} verified
// RUN: mercury-tune %s --topology=gpu=2 --measure=1 --variants=3 --kernels=blas --budget=5s --resume=%t.runs --top=2 | FileCheck %s --check-prefix=TABLE
// TABLE-DAG: {{^}}      {{.*}}, kernel blas
// TABLE-DAG: {{^}}      {{.*}}, blocks of 48 rows
// TABLE: remark: kernel 'blas' is not compared
// TABLE: remark: measured: {{.*}}

// RUN: not mercury-tune %s --topology=gpu=2 --variants=3 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: --variants needs --measure
// RUN: not mercury-tune %s --topology=gpu=2 --measure=1 --variants=3 --ranks-as=emulated 2>&1 | FileCheck %s --check-prefix=EMULATED
// EMULATED: error: --variants are of code for CPUs that is run, not of --ranks-as=emulated

func.func @f(%a: tensor<256x128xf32>, %b: tensor<128x64xf32>, %c: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<256x128xf32>, tensor<128x64xf32>) outs(%c : tensor<256x64xf32>) -> tensor<256x64xf32>
  return %0 : tensor<256x64xf32>
}
