// What was found once is taken again; a file that is none of ours is kept aside.
// RUN: rm -rf %t && mkdir -p %t
// RUN: mercury-tune %s --topology=gpu=2 --database=%t/db.json --emit=schedule > %t/first.txt
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t/db.json
// FILE: "goal": "time, limit 0, local 1"
// FILE: "operator": "linalg.matmul 8 x 8 x +8
// FILE: "schedule": "loops
// RUN: mercury-tune %s --topology=gpu=2 --database=%t/db.json | FileCheck %s --check-prefix=AGAIN
// AGAIN: remark: the schedule is that of the database
// RUN: mercury-tune %s --topology=gpu=2 --database=%t/db.json --emit=schedule > %t/second.txt
// RUN: diff %t/first.txt %t/second.txt
// RUN: mercury-tune %s --topology=node=2,gpu=2 --database=%t/db.json 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: remark: the database's entry for this operator is for another machine: 'gpu=2'
// Another kind of local code holds other memory.
// RUN: mercury-tune %s --topology=gpu=2 --local=loops --database=%t/db.json | FileCheck %s --check-prefix=LOCAL --implicit-check-not=remark:{{.*}}database
// LOCAL: schedules looked at
// So is what is best.
// RUN: mercury-tune %s --topology=gpu=2 --objective=both:0.3 --database=%t/db.json | FileCheck %s --check-prefix=LOCAL
// RUN: mercury-tune %s --topology=gpu=2 --objective=both:0.7 --database=%t/db.json | FileCheck %s --check-prefix=LOCAL --implicit-check-not=remark:{{.*}}database
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t/db.json
// BOTH: "goal": "both:0.3
// BOTH: "goal": "both:0.7
// RUN: echo notes > %t/other.json
// RUN: mercury-tune %s --topology=gpu=2 --database=%t/other.json 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: remark: the database '{{.*}}other.json' is refused: {{.*}}; it is now '{{.*}}other.json.refused'
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t/other.json.refused
// KEPT: notes

func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
