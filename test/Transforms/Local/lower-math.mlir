// RUN: mercury-opt %s --mercury-lower-math | FileCheck %s

// CHECK-DAG: func private @expf(f32) -> f32
// CHECK-DAG: func private @exp(f64) -> f64

// CHECK-LABEL: func @scalar_calls_libm
// CHECK: call @expf
func.func @scalar_calls_libm(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  return %0 : f32
}

// CHECK-LABEL: func @vector_becomes_a_polynomial
// CHECK-NOT: call
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.*}} : vector<16xf32>
// CHECK: return
func.func @vector_becomes_a_polynomial(%a: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %a : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func @vector_of_f64_calls_libm_for_each_element
// CHECK-COUNT-2: call @exp(
func.func @vector_of_f64_calls_libm_for_each_element(%a: vector<2xf64>) -> vector<2xf64> {
  %0 = math.exp %a : vector<2xf64>
  return %0 : vector<2xf64>
}

// CHECK-LABEL: func @instructions_stay
// CHECK: math.sqrt
// CHECK: math.floor
func.func @instructions_stay(%a: f32) -> f32 {
  %0 = math.sqrt %a : f32
  %1 = math.floor %0 : f32
  return %1 : f32
}
