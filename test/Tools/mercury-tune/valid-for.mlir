// An entry of the database may be good for other extents.
// RUN: rm -rf %t && mkdir -p %t && split-file %s %t
// RUN: mercury-tune %t/f.mlir --topology=h100-sxm:gpu=4 --database=%t/db.json --valid-for=rows --top=1 | FileCheck %s
// CHECK: rows 4096, columns 4096
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t/db.json
// FILE: "gap": 0.05
// FILE: "operator": "linalg.matmul 4096 x 4096 x +4096
// FILE: "valid_for": "linalg.matmul {{[0-9]+}}..65536 x 4096 x +4096

// It is taken there, with a remark, and says what it costs there.
// RUN: mercury-tune %t/larger.mlir --topology=h100-sxm:gpu=4 --database=%t/db.json | FileCheck %s --check-prefix=LARGER --implicit-check-not="looked at"
// LARGER: rows 20000, columns 4096
// LARGER: 1 {{.*}} 1.00
// LARGER: remark: the schedule is that of the database '{{.*}}db.json' for linalg.matmul {{[0-9]+}}..65536 x 4096 x +4096 {{.*}}, found to be at most 5% from the best there wherever extents were doubled

// Not outside of it, not for another machine, and not where it does not fit.
// RUN: mercury-tune %t/outside.mlir --topology=h100-sxm:gpu=4 --database=%t/db.json | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: columns 8192
// OUTSIDE: looked at
// RUN: mercury-tune %t/larger.mlir --topology=a100-80:gpu=4 --database=%t/db.json 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: remark: the database's entry for this operator is for another machine: 'h100-sxm:gpu=4'
// FOREIGN: looked at

// A loop that there is not.
// RUN: not mercury-tune %t/f.mlir --topology=gpu=4 --database=%t/other.json --valid-for=tokens 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: error: valid-for: no loop is called 'tokens'; there are rows, columns, reduction
// RUN: not mercury-tune %t/f.mlir --topology=gpu=4 --valid-for=rows 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: --valid-for is of a database's entries: give a database

//--- f.mlir
func.func @f(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>, %c: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) outs(%c : tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}
//--- larger.mlir
func.func @f(%a: tensor<20000x4096xbf16>, %b: tensor<4096x4096xbf16>, %c: tensor<20000x4096xbf16>) -> tensor<20000x4096xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<20000x4096xbf16>, tensor<4096x4096xbf16>) outs(%c : tensor<20000x4096xbf16>) -> tensor<20000x4096xbf16>
  return %0 : tensor<20000x4096xbf16>
}
//--- outside.mlir
func.func @f(%a: tensor<4096x4096xbf16>, %b: tensor<4096x8192xbf16>, %c: tensor<4096x8192xbf16>) -> tensor<4096x8192xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<4096x4096xbf16>, tensor<4096x8192xbf16>) outs(%c : tensor<4096x8192xbf16>) -> tensor<4096x8192xbf16>
  return %0 : tensor<4096x8192xbf16>
}
