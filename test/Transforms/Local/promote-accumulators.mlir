// RUN: mercury-opt %s --mercury-promote-accumulators=type=f32 --split-input-file --allow-unregistered-dialect | FileCheck %s
// RUN: mercury-opt %s --mercury-promote-accumulators=type=f64 --split-input-file --allow-unregistered-dialect | FileCheck %s --check-prefix=F64

// A fill becomes a fill of the wide type; operands, maps and discardable
// attributes stay; the result is rounded once.
// CHECK-LABEL: func @matmul_of_bf16
// CHECK-SAME: %[[A:.*]]: tensor<4x8xbf16>, %[[B:.*]]: tensor<4x8xbf16>
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.*}} : tensor<4x4xf32>)
// CHECK: %[[WIDE:.*]] = linalg.matmul
// CHECK-SAME: indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}]
// CHECK-SAME: my.attr = "kept"
// CHECK-SAME: ins(%[[A]], %[[B]] : tensor<4x8xbf16>, tensor<4x8xbf16>) outs(%[[INIT]] : tensor<4x4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[WIDE]] : tensor<4x4xf32>)
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK-NOT: arith.truncf
// CHECK: return
// F64-LABEL: func @matmul_of_bf16
// F64: linalg.matmul {{.*}} outs(%{{.*}} : tensor<4x4xf64>)
// F64: arith.truncf %{{.*}} : f64 to bf16
// F64-NOT: arith.truncf
// F64: return
#row = affine_map<(m, n, k) -> (m, k)>
#turned = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @matmul_of_bf16(%a: tensor<4x8xbf16>, %b: tensor<4x8xbf16>) -> tensor<4x4xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<4x4xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %0 = linalg.matmul indexing_maps = [#row, #turned, #out] {my.attr = "kept"}
      ins(%a, %b : tensor<4x8xbf16>, tensor<4x8xbf16>) outs(%f : tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %0 : tensor<4x4xbf16>
}

// -----

// An init that is a value of the program enters once, extended.
// CHECK-LABEL: func @accumulated_input_is_extended
// CHECK-SAME: %[[C:.*]]: tensor<2x4x4xf16>
// CHECK: %[[INIT:.*]] = linalg.generic {{.*}} ins(%[[C]] : tensor<2x4x4xf16>) outs(%{{.*}} : tensor<2x4x4xf32>)
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: linalg.batch_matmul {{.*}} outs(%[[INIT]] : tensor<2x4x4xf32>)
func.func @accumulated_input_is_extended(%c: tensor<2x4x4xf16>, %a: tensor<2x4x8xf16>, %b: tensor<2x8x4xf16>) -> tensor<2x4x4xf16> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x4x8xf16>, tensor<2x8x4xf16>) outs(%c : tensor<2x4x4xf16>) -> tensor<2x4x4xf16>
  return %0 : tensor<2x4x4xf16>
}

// -----

// f32 is wide enough for type=f32 and not for type=f64.
// CHECK-LABEL: func @reduce_of_f32
// CHECK-NOT: f64
// CHECK: linalg.reduce { arith.addf } ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf32>)
// F64-LABEL: func @reduce_of_f32
// F64: %[[INIT:.*]] = arith.constant dense<1.500000e+00> : tensor<4xf64>
// F64: linalg.reduce ins(%{{.*}} : tensor<4x8xf32>) outs(%[[INIT]] : tensor<4xf64>) dimensions = [1]
// F64: arith.extf %{{.*}} : f32 to f64
// F64: arith.addf %{{.*}} : f64
// F64: arith.truncf %{{.*}} : f64 to f32
func.func @reduce_of_f32(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<1.5> : tensor<4xf32>
  %0 = linalg.reduce {arith.addf} ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// -----

// Conversions inside the body become the identity; comparisons, selections,
// constants, captured values and functions follow the type; integers stay.
// CHECK-LABEL: func @generic_body_follows_the_type
// CHECK-SAME: %[[S:.*]]: bf16
// CHECK: linalg.generic
// CHECK: ^bb0(%[[X:.*]]: bf16, %[[I:.*]]: i32, %[[O:.*]]: f32):
// CHECK: %[[XW:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK: %[[CST:.*]] = arith.constant 2.500000e-01 : f32
// CHECK: %[[M:.*]] = arith.mulf %[[XW]], %[[CST]] : f32
// CHECK: %[[E:.*]] = math.exp %[[M]] : f32
// CHECK: %[[SW:.*]] = arith.extf %[[S]] : bf16 to f32
// CHECK: %[[P:.*]] = arith.cmpf ogt, %[[E]], %[[SW]] : f32
// CHECK: %[[N:.*]] = arith.addi %[[I]], %{{.*}} : i32
// CHECK: %[[F:.*]] = arith.sitofp %[[N]] : i32 to f32
// CHECK: %[[SEL:.*]] = arith.select %[[P]], %[[E]], %[[F]] : f32
// CHECK: %[[SUM:.*]] = arith.addf %[[O]], %[[SEL]] : f32
// CHECK: linalg.yield %[[SUM]] : f32
func.func @generic_body_follows_the_type(%s: bf16, %a: tensor<4x8xbf16>, %n: tensor<4x8xi32>, %c: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %n : tensor<4x8xbf16>, tensor<4x8xi32>) outs(%c : tensor<4xbf16>) {
  ^bb0(%x: bf16, %i: i32, %o: bf16):
    %q = arith.constant 0.25 : bf16
    %w = arith.extf %x : bf16 to f32
    %b = arith.truncf %w : f32 to bf16
    %m = arith.mulf %b, %q : bf16
    %e = math.exp %m : bf16
    %p = arith.cmpf ogt, %e, %s : bf16
    %one = arith.constant 1 : i32
    %j = arith.addi %i, %one : i32
    %f = arith.sitofp %j : i32 to bf16
    %sel = arith.select %p, %e, %f : bf16
    %sum = arith.addf %o, %sel : bf16
    linalg.yield %sum : bf16
  } -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// CHECK-LABEL: func @integers_and_elementwise_stay
// CHECK: linalg.matmul ins(%{{.*}} : tensor<4x4xi8>, tensor<4x4xi8>) outs(%{{.*}} : tensor<4x4xi32>)
// CHECK: linalg.add ins(%{{.*}} : tensor<4x4xbf16>, tensor<4x4xbf16>)
// CHECK-NOT: extf
func.func @integers_and_elementwise_stay(%a: tensor<4x4xi8>, %c: tensor<4x4xi32>, %x: tensor<4x4xbf16>) -> (tensor<4x4xi32>, tensor<4x4xbf16>) {
  %0 = linalg.matmul ins(%a, %a : tensor<4x4xi8>, tensor<4x4xi8>) outs(%c : tensor<4x4xi32>) -> tensor<4x4xi32>
  %e = tensor.empty() : tensor<4x4xbf16>
  %1 = linalg.add ins(%x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>) outs(%e : tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %0, %1 : tensor<4x4xi32>, tensor<4x4xbf16>
}

// -----

// Extended once, decomposed wide, rounded once.
// CHECK-LABEL: func @softmax_of_f16
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK-NOT: arith.truncf
// CHECK: arith.divf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NOT: linalg.softmax
// CHECK: return
func.func @softmax_of_f16(%a: tensor<?x8xf16>, %e: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %0 = linalg.softmax dimension(1) ins(%a : tensor<?x8xf16>) outs(%e : tensor<?x8xf16>) -> tensor<?x8xf16>
  return %0 : tensor<?x8xf16>
}

// -----

// Ops inside regions of any op are found.
// CHECK-LABEL: func @inside_an_unknown_region
// CHECK: "my.region"
// CHECK: linalg.contract {{.*}} outs(%{{.*}} : tensor<4xf32>)
func.func @inside_an_unknown_region(%a: tensor<4x8xf16>, %b: tensor<8xf16>, %c: tensor<4xf16>) {
  "my.region"() ({
    %0 = linalg.contract indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>]
        ins(%a, %b : tensor<4x8xf16>, tensor<8xf16>) outs(%c : tensor<4xf16>) -> tensor<4xf16>
    "my.yield"(%0) : (tensor<4xf16>) -> ()
  }) : () -> ()
  return
}
