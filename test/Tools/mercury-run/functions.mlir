// Functions of forms that are rare and right.

// Two results whose inits are one fill: bufferization must not keep the second
// in the buffer of the first.
// RUN: mercury-run --verify --topology=gpu=2 --entry=two_results --local=loops -O0 %s | FileCheck %s
// CHECK: default 2 (gpu=2) {{.*}} verified
// CHECK-NOT: verified
func.func @two_results(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// One value twice, and an argument.
// RUN: mercury-run --verify --topology=gpu=2 --entry=returns_twice --local=loops -O0 %s | FileCheck %s
func.func @returns_twice(%a: tensor<8x8xf32>, %unused: tensor<3xi8>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%a : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %0, %a : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// A call becomes part of its caller.
// RUN: mercury-run --verify --topology=gpu=2 --entry=calls --local=loops -O0 %s | FileCheck %s
// RUN: mercury-run --topology=gpu=2 --entry=calls --emit=stage3 %s | FileCheck %s --check-prefix=INLINED --implicit-check-not=call
// INLINED: func.func @calls(%{{.+}}: tensor<4x8xf32>
// INLINED: linalg.matmul
func.func @product(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @calls(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @product(%a, %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @product(%0, %b) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// arith and math on tensors are operators like linalg's.
// RUN: mercury-run --verify --topology=gpu=2 --entry=elementwise --local=loops -O0 %s | FileCheck %s
// RUN: mercury-run --topology=gpu=2 --entry=elementwise --emit=stage3 %s | FileCheck %s --check-prefix=ELEMENTWISE
// ELEMENTWISE: func.func @elementwise(%{{.+}}: tensor<4x7xf32>
// ELEMENTWISE: math.exp
func.func @elementwise(%a: tensor<8x7xf32>, %b: tensor<8x7xf32>) -> tensor<8x7xf32> {
  %0 = arith.addf %a, %b : tensor<8x7xf32>
  %1 = math.exp %0 : tensor<8x7xf32>
  return %1 : tensor<8x7xf32>
}

// More ranks than columns: some hold nothing but padding, which a maximum must
// not see.
// RUN: mercury-run --verify --topology=gpu=24 --entry=softmax --local=loops -O0 %s | FileCheck %s --check-prefix=PADDED
// PADDED: default 24 (gpu=24) {{.*}} verified
func.func @softmax(%a: tensor<9x16xf32>) -> tensor<9x16xf32> {
  %e = tensor.empty() : tensor<9x16xf32>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<9x16xf32>) outs(%e : tensor<9x16xf32>) -> tensor<9x16xf32>
  return %0 : tensor<9x16xf32>
}

// i1 is added as a logical or: a byte of 2 is no truth value.
// RUN: mercury-run --verify --topology=gpu=2 --schedule=k_split --entry=logical --local=loops -O0 %s | FileCheck %s --check-prefix=LOGICAL
// RUN: mercury-run --topology=gpu=2 --schedule=k_split --entry=logical --emit=stage3 %s | FileCheck %s --check-prefix=MAXIMUM
// Rows are padded as those of a sum of products are.
// RUN: mercury-run --verify --topology=gpu=2 --schedule=data_parallel --entry=logical --local=loops -O0 %s | FileCheck %s --check-prefix=LOGICAL
// LOGICAL: 2 (gpu=2) {{.*}} verified
// MAXIMUM: commir.all_reduce max
func.func @logical(%a: tensor<5x8xi1>, %b: tensor<8x5xi1>) -> tensor<5x5xi1> {
  %false = arith.constant false
  %e = tensor.empty() : tensor<5x5xi1>
  %init = linalg.fill ins(%false : i1) outs(%e : tensor<5x5xi1>) -> tensor<5x5xi1>
  %0 = linalg.matmul ins(%a, %b : tensor<5x8xi1>, tensor<8x5xi1>) outs(%init : tensor<5x5xi1>) -> tensor<5x5xi1>
  return %0 : tensor<5x5xi1>
}

// A sum modulo 2: no collective has it, so that the rule parallelizes rows.
// RUN: mercury-run --verify --topology=gpu=4 --entry=parity --local=loops -O0 %s | FileCheck %s --check-prefix=PARITY
// PARITY: default 4 (gpu=4) {{.*}} verified
func.func @parity(%a: tensor<9x16xi1>) -> tensor<9xi1> {
  %false = arith.constant false
  %e = tensor.empty() : tensor<9xi1>
  %init = linalg.fill ins(%false : i1) outs(%e : tensor<9xi1>) -> tensor<9xi1>
  %0 = linalg.reduce ins(%a : tensor<9x16xi1>) outs(%init : tensor<9xi1>) dimensions = [1] (%x: i1, %sum: i1) {
    %s = arith.addi %x, %sum : i1
    linalg.yield %s : i1
  }
  return %0 : tensor<9xi1>
}

// One rank: an argument is the tile that the rank loop inserts, no slice of it.
// RUN: mercury-run --verify --topology=gpu=1 --entry=identity --local=loops -O0 %s | FileCheck %s --check-prefix=IDENTITY
// RUN: mercury-run --verify --topology=gpu=1 --entry=identity --local=loops -O0 --target=emulated %s | FileCheck %s --check-prefix=IDENTITY
// RUN: mercury-run --verify --topology=gpu=2 --entry=identity --local=loops -O0 %s | FileCheck %s --check-prefix=IDENTITY
// IDENTITY: default {{.*}} verified
func.func @identity(%a: tensor<16x4xf64>) -> tensor<16x4xf64> {
  %e = tensor.empty() : tensor<16x4xf64>
  %0 = linalg.transpose ins(%a : tensor<16x4xf64>) outs(%e : tensor<16x4xf64>) permutation = [0, 1]
  return %0 : tensor<16x4xf64>
}
