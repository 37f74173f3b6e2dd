// RUN: mercury-opt %s --mercury-legalize-arith | FileCheck %s

// CHECK-LABEL: func @bf16_arithmetic_is_done_in_f32
// CHECK: arith.shli
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @bf16_arithmetic_is_done_in_f32(%a: bf16, %b: bf16) -> bf16 {
  %0 = arith.addf %a, %b : bf16
  return %0 : bf16
}

// CHECK-LABEL: func @f16_math_is_done_in_f32
// CHECK: math.exp %{{.*}} : f32
func.func @f16_math_is_done_in_f32(%a: f16) -> f16 {
  %0 = math.exp %a : f16
  return %0 : f16
}

// CHECK-LABEL: func @f64_math_stays
// CHECK: math.exp %{{.*}} : f64
func.func @f64_math_stays(%a: f64) -> f64 {
  %0 = math.exp %a : f64
  return %0 : f64
}

// CHECK-LABEL: func @f32_to_f16_stays
// CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
func.func @f32_to_f16_stays(%a: vector<4xf32>) -> vector<4xf16> {
  %0 = arith.truncf %a : vector<4xf32> to vector<4xf16>
  return %0 : vector<4xf16>
}
