// A sharded dimension survives a reshape as the outermost of its group; where it
// does not, the tensor is gathered, with a remark.
// RUN: mercury-opt %s --mercury-resolve-communication -verify-diagnostics | FileCheck %s
// RUN: mercury-run %s --entry=survives --verify --strict | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=does_not_survive --verify --strict 2>/dev/null | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=does_not_divide --verify --strict 2>/dev/null | FileCheck %s --check-prefix=EXEC

// EXEC: verified

commir.topology @t levels [#commir.level<gpu, 4>]

// CHECK-LABEL: func.func @survives
// CHECK-NOT: commir.all_gather
// CHECK: tensor.collapse_shape {{.*}} : tensor<1x8xf32> into tensor<8xf32>
func.func @survives(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<4x8xf32>
  %c = tensor.collapse_shape %s [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  return %c : tensor<32xf32>
}

// CHECK-LABEL: func.func @does_not_survive
// CHECK: commir.all_gather
func.func @does_not_survive(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %s = commir.shard %x to [{}, {gpu}] : tensor<4x8xf32>
  // expected-remark @+1 {{sharded dimension of placement [{}, {gpu}] does not survive the reshape; the tensor is gathered}}
  %c = tensor.collapse_shape %s [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  return %c : tensor<32xf32>
}

// CHECK-LABEL: func.func @does_not_divide
// CHECK: commir.all_gather
func.func @does_not_divide(%x: tensor<12xf32>) -> tensor<6x2xf32> {
  %s = commir.shard %x to [{gpu}] : tensor<12xf32>
  // expected-remark @+1 {{sharded dimension of placement [{gpu}] does not survive the reshape; the tensor is gathered}}
  %c = tensor.expand_shape %s [[0, 1]] output_shape [6, 2] : tensor<12xf32> into tensor<6x2xf32>
  return %c : tensor<6x2xf32>
}
