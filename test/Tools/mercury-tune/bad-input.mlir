// What is wrong is named, with the values.
// RUN: not mercury-tune %s 2>&1 | FileCheck %s --check-prefix=NOTOPOLOGY
// NOTOPOLOGY: mercury-tune: error: no topology: give one with --topology=
// RUN: not mercury-tune %s --topology=gpu=0 2>&1 | FileCheck %s --check-prefix=TOPOLOGY
// TOPOLOGY: error: topology 'gpu=0': {{.*}}size 0
// RUN: not mercury-tune 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: no input file
// RUN: not mercury-tune %s --topology=gpu=2 --objective=speed 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// OBJECTIVE: error: --objective: objective 'speed' is none of 'time', 'memory', 'both'
// RUN: not mercury-tune %s --topology=gpu=2 --objective=both:2 2>&1 | FileCheck %s --check-prefix=WEIGHT
// WEIGHT: error: --objective: objective 'both:2' is none of
// RUN: not mercury-tune %s --topology=gpu=2 --memory-limit=lots 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: --memory-limit expects bytes, such as 8GiB, got 'lots'
// RUN: not mercury-tune %s --topology=gpu=2 --budget=-1 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: --budget expects a time above zero, such as 30s, got '-1'
// RUN: not mercury-tune %s --topology=gpu=2 --against=rings 2>&1 | FileCheck %s --check-prefix=AGAINST
// AGAINST: error: --against: no schedule is called 'rings'; did you mean 'ring'?
// RUN: not mercury-tune %s --topology=gpu=2 --against=fastest 2>&1 | FileCheck %s --check-prefix=KNOWN
// KNOWN: error: --against: no schedule is called 'fastest'; known are default, {{.*}}, ring, {{.*}}, ulysses
// RUN: not mercury-tune %s --topology=gpu=2 --top=0 2>&1 | FileCheck %s --check-prefix=TOP
// TOP: error: --top must be at least 1
// RUN: not mercury-tune %s --topology=gpu=2 --local=gpu 2>&1 | FileCheck %s --check-prefix=LOCAL
// LOCAL: error: --local: local compute 'gpu' is none of 'codegen', 'blas' and 'loops'
// RUN: not mercury-tune %s --topology=gpu=2 --entry=g 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: {{.*}}g
// RUN: not mercury-tune %s --topology=gpu=2 -o %t/no/folder 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: cannot write '{{.*}}/no/folder'
// RUN: not mercury-tune %s --topology=gpu=2 "--inputs=[{}, gpu]" 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: error: --inputs: expected
// RUN: not mercury-tune %s --topology=gpu=2 "--inputs=[{}, {rack}]" 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: error: placement [{}, {rack}]: {{.*}}axis 'rack' is not in the topology
// RUN: not mercury-tune --calibrate %s 2>&1 | FileCheck %s --check-prefix=CALIBRATE
// CALIBRATE: error: --calibrate takes no input file
// RUN: not mercury-tune --calibrate --ranks-as=mpi 2>&1 | FileCheck %s --check-prefix=CALIBRATEMPI
// CALIBRATEMPI: error: --ranks-as needs --measure
// RUN: not mercury-tune --calibrate --top=3 2>&1 | FileCheck %s --check-prefix=CALIBRATETOP
// CALIBRATETOP: error: --calibrate takes no --top
// RUN: not mercury-tune --calibrate --ranks=0 2>&1 | FileCheck %s --check-prefix=NORANKS
// NORANKS: error: --ranks must be at least 1
// RUN: not mercury-tune %s --topology=gpu=2 --ranks=3 2>&1 | FileCheck %s --check-prefix=RANKS
// RANKS: error: --ranks needs --calibrate
// RUN: not mercury-tune --calibrate --budget=soon 2>&1 | FileCheck %s --check-prefix=SOON
// SOON: error: --budget expects a time above zero, such as 30s, got 'soon'
// RUN: not mercury-tune %S/Inputs/too-large.mlir --topology=gpu=2 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: has a value of type 'tensor<4000000000x4000000000xbf16>', which no machine holds

// Nothing fits: the smallest one, and what it costs.
// RUN: not mercury-tune %s --topology=gpu=2 --memory-limit=100 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: error: no schedule fits: each rank may hold 100 B; the smallest needs {{.*}} and takes {{.*}} ({{.*}}over gpu

func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
