// Back to one device: what placement ops, shifts, rank loops and attributes become.
// RUN: mercury-opt %s --mercury-erase-placement | FileCheck %s --implicit-check-not=commir.
//
// Done twice it is the same as once.
// RUN: mercury-opt %s --mercury-erase-placement --mercury-erase-placement | FileCheck %s --implicit-check-not=commir.
//
// What cannot be erased is named.
// RUN: not mercury-opt %S/Inputs/erase-placement-bounds.mlir --mercury-erase-placement 2>&1 | FileCheck %s --check-prefix=BOUNDS
// BOUNDS: erase-placement-bounds.mlir:5:8: error: is a rank loop, whose bounds must be constant, from 0 by steps of 1

commir.topology @grid levels [#commir.level<node, 2>, #commir.level<gpu, 2>]

// CHECK: #[[BACK:.+]] = affine_map<(d0, d1) -> ((d0 - d1) mod 4)>
// CHECK: #[[BY3:.+]] = affine_map<(d0, d1) -> ((d0 + d1 * 3) mod 5)>
//
// CHECK-LABEL: func.func @placement_ops_are_their_operands(
// CHECK-SAME: %[[A:[^ ]+]]: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT: return %[[A]]
func.func @placement_ops_are_their_operands(%a: tensor<8x8xf32> {commir.placement = #commir.placement<[{gpu}, {}]>})
    -> (tensor<8x8xf32> {commir.placement = #commir.placement<[{}, {}]>})
    attributes {commir.topology = @grid, commir.fingerprint = "00"} {
  %0 = commir.shard %a to [{gpu}, {}] : tensor<8x8xf32>
  %1 = commir.reshard %0 to [{}, {gpu}] : tensor<8x8xf32>
  %2 = commir.replicate %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @schedules_go(
// CHECK: linalg.exp ins(
func.func @schedules_go(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.exp {commir.schedule = #commir.schedule<"loops [rank gpu, -] inputs [[{gpu}, {}]] results [[{gpu}, {}]]">}
         ins(%a : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The result of a shift is never negative, whatever its stride.
//
// CHECK: func.func @shift_is_a_remainder(%[[T:.+]]: index, %[[R:.+]]: index)
// CHECK: affine.apply #[[BACK]](%[[T]], %[[R]])
// CHECK: affine.apply #[[BY3]](%[[T]], %[[R]])
func.func @shift_is_a_remainder(%t: index, %r: index) -> (index, index) {
  %0 = commir.shift %t by %r stride -1 mod 4
  %1 = commir.shift %t by %r stride 3 mod 5
  return %0, %1 : index, index
}

// A loop over two axes is a nest of two loops on tensors.
//
// CHECK-LABEL: func.func @rank_loop_over_two_axes(
// CHECK-SAME: %[[C:[^ ]+]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[END:.+]] = arith.constant 2 : index
// CHECK: %[[Y:.+]] = scf.for %[[N:.+]] = %[[C0]] to %{{.+}} step %[[C1]] iter_args(%[[X:.+]] = %[[C]])
// CHECK: %[[INNER:.+]] = scf.for %[[G:.+]] = %[[C0]] to %{{.+}} step %[[C1]] iter_args(%[[O:.+]] = %[[X]])
// CHECK: %[[TILE:.+]] = tensor.extract_slice %[[O]][%[[N]], %[[G]]] [1, 1]
// CHECK: %[[D:.+]] = linalg.exp ins(%[[TILE]]
// CHECK: %[[NEXT:.+]] = tensor.insert_slice %[[D]] into %[[O]][%[[N]], %[[G]]] [1, 1]
// CHECK: scf.yield %[[NEXT]]
// CHECK: scf.yield %[[INNER]]
// CHECK: return %[[Y]]
func.func @rank_loop_over_two_axes(%c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c1 = commir.shard %c to [{node}, {gpu}] : tensor<4x8xf32>
  %y = scf.forall (%n, %g) in (2, 2) shared_outs(%o = %c1) -> (tensor<4x8xf32>) {
    %t = tensor.extract_slice %o[%n, %g] [1, 1] [1, 1] : tensor<4x8xf32> to tensor<1x1xf32>
    %d = linalg.exp ins(%t : tensor<1x1xf32>) outs(%t : tensor<1x1xf32>) -> tensor<1x1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%n, %g] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<4x8xf32>
    }
  } {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
  return %y : tensor<4x8xf32>
}

// Two outputs are carried side by side.
//
// CHECK-LABEL: func.func @two_outputs(
// CHECK-SAME: %[[C:[^ ]+]]: tensor<2xf32>, %[[D:[^ ]+]]: tensor<2xf32>)
// CHECK: %[[Y:.+]]:2 = scf.for %[[R:.+]] = {{.*}} iter_args(%[[P:.+]] = %[[C]], %[[Q:.+]] = %[[D]])
// CHECK-DAG: %[[NP:.+]] = tensor.insert_slice %{{.+}} into %[[P]][%[[R]]]
// CHECK-DAG: %[[NQ:.+]] = tensor.insert_slice %{{.+}} into %[[Q]][%[[R]]]
// CHECK: scf.yield %[[NP]], %[[NQ]]
// CHECK: return %[[Y]]#0, %[[Y]]#1
func.func @two_outputs(%c: tensor<2xf32>, %d: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c1 = commir.shard %c to [{gpu}] : tensor<2xf32>
  %d1 = commir.shard %d to [{gpu}] : tensor<2xf32>
  %y:2 = scf.forall (%r) in (2) shared_outs(%o = %c1, %p = %d1) -> (tensor<2xf32>, tensor<2xf32>) {
    %s = tensor.extract_slice %o[%r] [1] [1] : tensor<2xf32> to tensor<1xf32>
    %t = tensor.extract_slice %p[%r] [1] [1] : tensor<2xf32> to tensor<1xf32>
    %u = linalg.exp ins(%s : tensor<1xf32>) outs(%s : tensor<1xf32>) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%r] [1] [1] : tensor<1xf32> into tensor<2xf32>
      tensor.parallel_insert_slice %u into %p[%r] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  } {mapping = [#commir.axis<gpu>]}
  return %y#0, %y#1 : tensor<2xf32>, tensor<2xf32>
}

// Loops that others have mapped are theirs.
//
// CHECK-LABEL: func.func @loops_of_others_stay(
// CHECK: scf.forall
// CHECK: {mapping = [#gpu.block<x>]}
func.func @loops_of_others_stay(%c: tensor<2xf32>) -> tensor<2xf32> {
  %y = scf.forall (%r) in (2) shared_outs(%o = %c) -> (tensor<2xf32>) {
    %s = tensor.extract_slice %o[%r] [1] [1] : tensor<2xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%r] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %y : tensor<2xf32>
}
