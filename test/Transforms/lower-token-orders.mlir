// Token orders as arithmetic and copies. unittests/Dialect/TokenOrderOpsTest.cpp
// and unittests/Run/TokensTest.cpp compare with the orders themselves.
// RUN: mercury-opt %s --mercury-lower-token-orders | FileCheck %s --implicit-check-not=commir.
// Placement takes them off as well.
// RUN: mercury-opt %s --mercury-erase-placement | FileCheck %s --implicit-check-not=commir.

// Of 64 in 8 chunks part r holds chunks r and 7 - r.
// CHECK-LABEL: func.func @zigzag(
// CHECK-SAME: %[[X:.*]]: index)
// CHECK: %[[SLOT:.*]] = arith.divui %[[X]], %{{.*}} : index
// CHECK: %[[PART:.*]] = arith.divui %[[SLOT]], %{{.*}} : index
// CHECK: %[[MIRRORED:.*]] = arith.subi %{{.*}}, %[[PART]] : index
// CHECK: %[[ODD:.*]] = arith.remui %[[SLOT]], %{{.*}} : index
// CHECK: %[[EVEN:.*]] = arith.cmpi eq, %[[ODD]], %{{.*}} : index
// CHECK: %[[CHUNK:.*]] = arith.select %[[EVEN]], %[[PART]], %[[MIRRORED]] : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[CHUNK]], %{{.*}} : index
// CHECK: %[[IN:.*]] = arith.remui %[[X]], %{{.*}} : index
// CHECK: %[[P:.*]] = arith.addi %[[FIRST]], %[[IN]] : index
// CHECK: return %[[P]]
func.func @zigzag(%x: index) -> index {
  %p = commir.position %x in <zigzag 4 of 64>
  return %p : index
}

// Chunks in a row need no look-up of their own: two runs, one select.
// CHECK-LABEL: func.func @table(
// CHECK: arith.cmpi uge
// CHECK: arith.select
// CHECK-NOT: arith.select
// CHECK: return
func.func @table(%x: index) -> index {
  %p = commir.position %x in <table [2, 3, 0, 1] of 64>
  return %p : index
}

// CHECK-LABEL: func.func @in_a_body(
// CHECK: linalg.generic
// CHECK: %[[M:.*]] = linalg.index 0
// CHECK: arith.divui %[[M]]
// CHECK: linalg.yield
func.func @in_a_body(%o: tensor<32xindex>) -> tensor<32xindex> {
  %r = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>], iterator_types = ["parallel"]} outs(%o : tensor<32xindex>) {
  ^bb0(%x: index):
    %m = linalg.index 0 : index
    %p = commir.position %m in <striped 4 by 2 of 32>
    linalg.yield %p : index
  } -> tensor<32xindex>
  return %r : tensor<32xindex>
}

// CHECK-LABEL: func.func @arrange(
// CHECK-SAME: %[[X:.*]]: tensor<4x32x?xf32>)
// CHECK: %[[OUT:.*]] = tensor.empty(%[[D:.*]]) : tensor<4x32x?xf32>
// CHECK: %[[R:.*]] = scf.for %[[I:[^ ]+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[NOW:.*]] = %[[OUT]])
// CHECK: %[[P:.*]] = arith.addi
// CHECK: %[[CHUNK:.*]] = tensor.extract_slice %[[X]][0, %[[P]], 0] [4, 8, %[[D]]] [1, 1, 1]
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %[[CHUNK]] into %[[NOW]][0, %[[I]], 0] [4, 8, %[[D]]] [1, 1, 1]
// CHECK: scf.yield %[[NEXT]]
// CHECK: return %[[R]]
func.func @arrange(%x: tensor<4x32x?xf32>) -> tensor<4x32x?xf32> {
  %r = commir.arrange %x dim 1 as <zigzag 2 of 32> : tensor<4x32x?xf32>
  return %r : tensor<4x32x?xf32>
}

// CHECK-LABEL: func.func @arrange_back(
// CHECK-SAME: %[[X:.*]]: tensor<32xf32>)
// CHECK: scf.for %[[I:[^ ]+]] =
// CHECK: %[[P:.*]] = arith.addi
// CHECK: tensor.extract_slice %[[X]][%[[I]]] [8] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[P]]] [8] [1]
func.func @arrange_back(%x: tensor<32xf32>) -> tensor<32xf32> {
  %r = commir.arrange %x dim 0 as <zigzag 2 of 32> back : tensor<32xf32>
  return %r : tensor<32xf32>
}
