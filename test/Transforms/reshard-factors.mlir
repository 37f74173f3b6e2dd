// A level and its factors side by side are the same axis: nothing is sent where
// only the way of writing it differs, and what moves are factors.
// RUN: mercury-opt %s --mercury-resolve-communication --canonicalize | FileCheck %s
// RUN: mercury-run %s --entry=written_otherwise --verify --strict | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=one_factor_moves --verify --strict | FileCheck %s --check-prefix=EXEC
// RUN: mercury-run %s --entry=no_common_factors --verify --strict | FileCheck %s --check-prefix=EXEC

// EXEC: verified

commir.topology @t levels [#commir.level<gpu, 6>]

// CHECK-LABEL: func.func @written_otherwise(
// CHECK-SAME: tensor<2x8xf32>
// CHECK-NEXT: return
func.func @written_otherwise(%x: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<12x8xf32>
  %r = commir.reshard %s to [{gpu:(1)2, gpu:(2)3}, {}] : tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// CHECK-LABEL: func.func @one_factor_moves(
// CHECK-NOT: commir.all_gather
// CHECK: commir.all_to_all {{.*}} over {gpu:(2)3}
// CHECK-NOT: commir.all
// CHECK: return
func.func @one_factor_moves(%x: tensor<12x9xf32>) -> tensor<12x9xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<12x9xf32>
  %r = commir.reshard %s to [{gpu:(1)2}, {gpu:(2)3}] : tensor<12x9xf32>
  return %r : tensor<12x9xf32>
}

// Two by three is not cut where three by two is.
// CHECK-LABEL: func.func @no_common_factors(
// CHECK: commir.all_gather
func.func @no_common_factors(%x: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %s = commir.shard %x to [{gpu:(1)2}, {}] : tensor<12x8xf32>
  %r = commir.reshard %s to [{gpu:(1)3}, {}] : tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}
