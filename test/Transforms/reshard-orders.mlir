// From one token order to another: chunks move by permutations, or by one
// all-to-all where every rank owes every other one as much; ranks that hold all
// of a dimension reorder it by themselves. Nothing moves where the order stays.
// RUN: mercury-opt %s --mercury-resolve-communication --canonicalize --mercury-verify-spmd --mercury-verify-communication | FileCheck %s
// DEFINE: %{run} = mercury-run %s --verify --strict
// RUN: %{run} --entry=same | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=to_zigzag | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=from_zigzag_by_columns | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=to_striped | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=whole_blocks | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=whole_to_zigzag | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=zigzag_to_whole | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=to_other_dimension | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=in_a_loop | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=padded | FileCheck %s --check-prefix=EXEC
// RUN: %{run} --entry=padded_anew | FileCheck %s --check-prefix=EXEC

// EXEC: verified

commir.topology @t levels [#commir.level<gpu, 4>]

// CHECK-LABEL: func.func @same(
// CHECK-SAME: tensor<4x8xf32> {commir.global_type = tensor<16x8xf32>, commir.placement = #commir.placement<[{gpu} zigzag 4, {}]>}
// CHECK-NEXT: return
func.func @same(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  %r = commir.reshard %s to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// Two chunks of two rows each, which leave every rank for two others.
// CHECK-LABEL: func.func @to_zigzag(
// CHECK-NOT: commir.all
// CHECK-COUNT-2: commir.permute {{.*}} : tensor<2x8xf32> into tensor<2x8xf32>
// CHECK-NOT: commir.permute
// CHECK: return
func.func @to_zigzag(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<16x8xf32>
  %r = commir.reshard %s to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @from_zigzag_by_columns(
// CHECK-COUNT-2: commir.permute {{.*}} : tensor<8x2xf32> into tensor<8x2xf32>
// CHECK: return
func.func @from_zigzag_by_columns(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s = commir.shard %x to [{}, {gpu} zigzag 4] : tensor<8x16xf32>
  %r = commir.reshard %s to [{}, {gpu}] : tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// Each rank's rows go round all ranks.
// CHECK-LABEL: func.func @to_striped(
// CHECK: linalg.transpose
// CHECK: commir.all_to_all {{.*}} : tensor<4x2x8xf32> into tensor<4x2x8xf32>
// CHECK-NOT: commir.permute
// CHECK: return
func.func @to_striped(%x: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<32x8xf32>
  %r = commir.reshard %s to [{gpu} striped 4 by 1, {}] : tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}

// CHECK-LABEL: func.func @whole_blocks(
// CHECK-COUNT-1: commir.permute {{.*}} : tensor<4x8xf32> into tensor<4x8xf32>
// CHECK-NEXT: return
func.func @whole_blocks(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %s = commir.shard %x to [{gpu}, {}] : tensor<16x8xf32>
  %r = commir.reshard %s to [{gpu} table [2, 0, 3, 1], {}] : tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @whole_to_zigzag(
// CHECK-COUNT-2: tensor.insert_slice {{.*}} : tensor<2x8xf32> into tensor<4x8xf32>
// CHECK-NEXT: return {{.*}} : tensor<4x8xf32>
func.func @whole_to_zigzag(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %s = commir.replicate %x : tensor<16x8xf32>
  %r = commir.reshard %s to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @zigzag_to_whole(
// CHECK: commir.all_gather
// CHECK-NOT: commir.permute
// CHECK: return {{.*}} : tensor<16x8xf32>
func.func @zigzag_to_whole(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  %r = commir.replicate %s : tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @to_other_dimension(
// CHECK: commir.all_to_all
// CHECK-NOT: commir.all
// CHECK-NOT: commir.permute
// CHECK: return {{.*}} : tensor<16x2xf32>
func.func @to_other_dimension(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<16x8xf32>
  %r = commir.reshard %s to [{}, {gpu}] : tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// More than a few copies are a loop.
// CHECK-LABEL: func.func @in_a_loop(
// CHECK: scf.for
// CHECK: return
func.func @in_a_loop(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %s = commir.shard %x to [{gpu} zigzag 16, {}] : tensor<64x8xf32>
  %r = commir.replicate %s : tensor<64x8xf32>
  return %r : tensor<64x8xf32>
}

// Seven rows are padded to eight chunks of one.
// CHECK-LABEL: func.func @padded(
// CHECK-SAME: tensor<2x8xf32>
// CHECK-COUNT-2: commir.permute {{.*}} : tensor<1x8xf32> into tensor<1x8xf32>
// CHECK: return {{.*}} : tensor<2x8xf32>
func.func @padded(%x: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<7x8xf32>
  %r = commir.reshard %s to [{gpu}, {}] : tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}

// Eight rows of one order are twelve of the other.
// CHECK-LABEL: func.func @padded_anew(
// CHECK-SAME: tensor<2x8xf32>
// CHECK: commir.all_gather
// CHECK: return {{.*}} : tensor<3x8xf32>
func.func @padded_anew(%x: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %s = commir.shard %x to [{gpu} zigzag 4, {}] : tensor<7x8xf32>
  %r = commir.reshard %s to [{gpu} striped 3 by 1, {}] : tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}
