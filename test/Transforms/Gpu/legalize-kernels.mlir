// RUN: mercury-opt %s --pass-pipeline='builtin.module(gpu.module(mercury-legalize-kernels))' | FileCheck %s

gpu.module @kernels {
  // By the op's definition: the maximum of the second bound and the minimum of
  // the number and the first.
  // CHECK-LABEL: func.func @clamp(
  // CHECK-SAME: %[[X:.*]]: f32, %[[FIRST:.*]]: f32, %[[SECOND:.*]]: f32
  func.func @clamp(%x: f32, %first: f32, %second: f32) -> f32 {
    // CHECK: %[[LESS:.*]] = arith.minimumf %[[X]], %[[FIRST]]
    // CHECK: %[[R:.*]] = arith.maximumf %[[LESS]], %[[SECOND]]
    // CHECK: return %[[R]]
    %r = math.clampf %x to [%first, %second] : f32
    return %r : f32
  }

  // The smallest normal number of bf16 is 2^-126.
  // CHECK-LABEL: func.func @is_normal(
  // CHECK-SAME: %[[X:.*]]: vector<2xbf16>
  func.func @is_normal(%x: vector<2xbf16>) -> vector<2xi1> {
    // CHECK-DAG: %[[LEAST:.*]] = arith.constant dense<1.175490e-38> : vector<2xbf16>
    // CHECK-DAG: %[[INF:.*]] = arith.constant dense<0x7F80> : vector<2xbf16>
    // CHECK: %[[ABS:.*]] = math.absf %[[X]]
    // CHECK: %[[GE:.*]] = arith.cmpf oge, %[[ABS]], %[[LEAST]]
    // CHECK: %[[LT:.*]] = arith.cmpf olt, %[[ABS]], %[[INF]]
    // CHECK: %[[R:.*]] = arith.andi %[[GE]], %[[LT]]
    // CHECK: return %[[R]]
    %r = math.isnormal %x : vector<2xbf16>
    return %r : vector<2xi1>
  }
}
