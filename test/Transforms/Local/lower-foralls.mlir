// RUN: mercury-opt %s --split-input-file --verify-diagnostics --mercury-lower-foralls | FileCheck %s

// CHECK-LABEL: func.func @nested(
// CHECK: scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step
// CHECK: scf.for %[[J:.+]] = %{{.+}} to %{{.+}} step
// CHECK: memref.store %{{.+}}, %{{.+}}[%[[I]], %[[J]]]
// CHECK-NOT: scf.forall
func.func @nested(%m: memref<4x8xf32>, %x: f32) {
  scf.forall (%i) in (4) {
    scf.forall (%j) in (8) {
      memref.store %x, %m[%i, %j] : memref<4x8xf32>
    }
  }
  return
}

// -----

func.func @on_tensors(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'scf.forall' op is on tensors; only loops on buffers are lowered}}
  %0 = scf.forall (%i) in (8) shared_outs(%o = %a) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
    }
  }
  return %0 : tensor<8xf32>
}
