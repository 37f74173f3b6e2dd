// RUN: mercury-opt %s --mercury-lower-to-llvm | FileCheck %s

// CHECK-NOT: {{(memref|linalg|vector|scf|affine|arith|math|func|cf|index)\.[a-z]}}
// CHECK: llvm.func @mixed
// CHECK: llvm.return
module {
  func.func @mixed(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %v: memref<4x16xf32, strided<[32, 1], offset: ?>>, %n: index) {
    linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %cst = arith.constant 0.0 : f32
    %0 = vector.transfer_read %v[%c0, %c0], %cst {in_bounds = [true, true]} : memref<4x16xf32, strided<[32, 1], offset: ?>>, vector<4x16xf32>
    %1 = math.exp %0 : vector<4x16xf32>
    %2 = vector.transpose %1, [1, 0] : vector<4x16xf32> to vector<16x4xf32>
    %3 = vector.multi_reduction <add>, %2, %cst [0, 1] : vector<16x4xf32> to f32
    %4 = arith.ceildivsi %n, %c3 : index
    %5 = math.erf %3 : f32
    %6 = math.tanh %5 : f32
    memref.store %6, %a[%c0, %c0] : memref<8x8xf32>
    %s = memref.subview %a[0, 0][%4, 4][1, 1] : memref<8x8xf32> to memref<?x4xf32, strided<[8, 1]>>
    %t = memref.subview %b[0, 4][%4, 4][1, 1] : memref<8x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
    memref.copy %s, %t : memref<?x4xf32, strided<[8, 1]>> to memref<?x4xf32, strided<[8, 1], offset: 4>>
    %h = arith.truncf %6 : f32 to bf16
    %i = arith.addf %h, %h : bf16
    %j = math.log %i : bf16
    %k = arith.extf %j : bf16 to f32
    scf.for %x = %c0 to %4 step %c3 {
      memref.store %k, %a[%x, %c0] : memref<8x8xf32>
    }
    return
  }
}
