// Token orders in schedules: operands are placed in the order and arranged, so
// that blocks of the nest are blocks of indices; results are arranged back.
// RUN: mercury-opt %s --mercury-distribute --cse --mercury-verify-distributed | FileCheck %s
//
// On ranks an arrangement is nothing: blocks of the order are what they hold.
// RUN: mercury-opt %s --mercury-distribute --mercury-resolve-communication --canonicalize --cse --mercury-verify-spmd --mercury-verify-communication | FileCheck %s --check-prefix=RANKS
//
// The nests are programs for one device, too.
// RUN: mercury-opt %s --mercury-distribute --mercury-erase-placement | FileCheck %s --check-prefix=ERASED --implicit-check-not=commir.
//
// DEFINE: %{run} = mercury-run %s --verify --strict --local=loops
// RUN: %{run} --entry=rows_in_zigzag | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=kept_by_the_next | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=reduction_in_an_order | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=accumulated_input | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=padded_to_chunks | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=knows_its_positions | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=backwards | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=nothing_divided | FileCheck %s --check-prefix=RUNS
// RUNS: of the input {{.*}} verified

commir.topology @ring levels [#commir.level<gpu, 4>]
commir.topology @pair levels [#commir.level<gpu, 2>]

// CHECK-LABEL: func.func @rows_in_zigzag(
// CHECK: %[[A:.+]] = commir.shard %arg0 to [{gpu}, {}]
// CHECK: %[[Z:.+]] = commir.reshard %[[A]] to [{gpu} zigzag 4, {}]
// CHECK: %[[X:.+]] = commir.arrange %[[Z]] dim 0 as <zigzag 4 of 16>
// CHECK: %[[Y:.+]] = scf.forall
// CHECK: tensor.extract_slice %[[X]]
// CHECK: %[[B:.+]] = commir.arrange %[[Y]] dim 0 as <zigzag 4 of 16> back
// CHECK: commir.reshard %[[B]] to [{gpu}, {}]
//
// RANKS-LABEL: func.func @rows_in_zigzag(
// RANKS-COUNT-2: commir.permute
// RANKS: linalg.matmul
// RANKS-COUNT-2: commir.permute
// RANKS: return
//
// ERASED-LABEL: func.func @rows_in_zigzag(
// ERASED: linalg.matmul
func.func @rows_in_zigzag(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>) -> tensor<16x8xf32>
    attributes {commir.topology = @ring} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x8xf32>
  %c = linalg.fill {commir.schedule = #commir.schedule<"loops [-, -] inputs [] results [[{}, {}]]">} ins(%zero : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %y = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] tokens [zigzag 4, -, -] inputs [[{gpu}, {}] -> [{gpu} zigzag 4, {}], [{}, {}]] results [[{gpu} zigzag 4, {}] -> [{gpu}, {}]]">}
      ins(%a, %b : tensor<16x8xf32>, tensor<8x8xf32>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// Data that enters, stays and leaves in one order is not sent.
// CHECK-LABEL: func.func @kept_by_the_next(
// CHECK: commir.shard %arg0 to [{gpu} zigzag 4, {}]
// CHECK-NOT: commir.reshard
// CHECK: return
//
// RANKS-LABEL: func.func @kept_by_the_next(
// RANKS-SAME: tensor<4x8xf32> {commir.global_type = tensor<16x8xf32>, commir.placement = #commir.placement<[{gpu} zigzag 4, {}]>}
// RANKS-SAME: -> (tensor<4x8xf32> {commir.global_type = tensor<16x8xf32>, commir.placement = #commir.placement<[{gpu} zigzag 4, {}]>})
// RANKS-NEXT: tensor.empty
// RANKS-NEXT: linalg.exp
// RANKS-NEXT: linalg.negf
// RANKS-NEXT: return
func.func @kept_by_the_next(%a: tensor<16x8xf32>) -> tensor<16x8xf32>
    attributes {commir.topology = @ring} {
  %e = tensor.empty() : tensor<16x8xf32>
  %x = linalg.exp {commir.schedule = #commir.schedule<"loops [rank gpu, -] tokens [zigzag 4, -] inputs [[{gpu} zigzag 4, {}]] results [[{gpu} zigzag 4, {}]]">}
      ins(%a : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %y = linalg.negf {commir.schedule = #commir.schedule<"loops [rank gpu, -] tokens [zigzag 4, -] inputs [[{gpu} zigzag 4, {}]] results [[{gpu} zigzag 4, {}]]">}
      ins(%x : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// Both operands in one order: what is reduced is the same.
// RANKS-LABEL: func.func @reduction_in_an_order(
// RANKS-NOT: commir.permute
// RANKS: linalg.matmul
// RANKS: commir.all_reduce
// RANKS: return
func.func @reduction_in_an_order(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>) -> tensor<8x8xf32>
    attributes {commir.topology = @ring} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %c = linalg.fill {commir.schedule = #commir.schedule<"loops [-, -] inputs [] results [[{}, {}]]">} ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul {commir.schedule = #commir.schedule<"loops [-, -, rank gpu] tokens [-, -, striped 4 by 2] inputs [[{}, {gpu} striped 4 by 2], [{gpu} striped 4 by 2, {}]] results [[{}, {}]]">}
      ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @accumulated_input(
// CHECK: commir.shard %arg2 to [{gpu} table [1, 0, 3, 2], {}]
// CHECK: commir.arrange {{.*}} dim 0 as <table [1, 0, 3, 2] of 16>
func.func @accumulated_input(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32>
    attributes {commir.topology = @ring} {
  %y = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] tokens [table [1, 0, 3, 2], -, -] inputs [[{gpu} table [1, 0, 3, 2], {}], [{}, {}]] results [[{gpu} table [1, 0, 3, 2], {}]]">}
      ins(%a, %b : tensor<16x8xf32>, tensor<8x8xf32>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// Seven rows become eight chunks, of the input and of what it is added to.
// CHECK-LABEL: func.func @padded_to_chunks(
// CHECK: commir.arrange {{.*}} dim 0 as <zigzag 4 of 8>
func.func @padded_to_chunks(%a: tensor<7x8xf32>, %b: tensor<8x8xf32>, %c: tensor<7x8xf32>) -> tensor<7x8xf32>
    attributes {commir.topology = @ring} {
  %y = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] tokens [zigzag 4, -, -] inputs [[{gpu} zigzag 4, {}], [{}, {}]] results [[{gpu} zigzag 4, {}] -> [{gpu}, {}]]">}
      ins(%a, %b : tensor<7x8xf32>, tensor<8x8xf32>) outs(%c : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %y : tensor<7x8xf32>
}

// Row 49 of cases.md: of 8 positions on 2 ranks, rank 0 holds 0, 1, 6, 7.
// CHECK-LABEL: func.func @knows_its_positions(
// CHECK: commir.position {{.*}} in <zigzag 2 of 8>
// RANKS-LABEL: func.func @knows_its_positions(
// RANKS: commir.position {{.*}} in <zigzag 2 of 8>
#map = affine_map<(d0) -> (d0)>
func.func @knows_its_positions(%a: tensor<8xf32>) -> tensor<8xf32>
    attributes {commir.topology = @pair} {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"],
      commir.schedule = #commir.schedule<"loops [rank gpu] tokens [zigzag 2] inputs [[{gpu} zigzag 2]] results [[{gpu} zigzag 2]]">}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %s = arith.addf %x, %f : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// The ring the other way round: at step t rank r has tile r - t.
// CHECK-LABEL: func.func @backwards(
// CHECK: %[[STEP:.+]] = affine.apply #{{.+}}(%{{.+}})
// CHECK: commir.shift %[[STEP]] by %{{.+}} mod 4
// RANKS-LABEL: func.func @backwards(
// RANKS: commir.rotate steps 4 {{.*}} by [#commir.hop<{gpu} by -1>]
func.func @backwards(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>) -> tensor<16x8xf32>
    attributes {commir.topology = @ring} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x8xf32>
  %c = linalg.fill {commir.schedule = #commir.schedule<"loops [-, -] inputs [] results [[{}, {}]]">} ins(%zero : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %y = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, time {gpu} shift {gpu} backwards] inputs [[{gpu}, {}], [{gpu}, {}]] results [[{gpu}, {}]]">}
      ins(%a, %b : tensor<16x8xf32>, tensor<8x8xf32>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// Where no loop is divided there is nothing to arrange.
// CHECK-LABEL: func.func @nothing_divided(
// CHECK-NOT: commir.arrange
// CHECK: return
func.func @nothing_divided(%a: tensor<16x8xf32>) -> tensor<16x8xf32>
    attributes {commir.topology = @ring} {
  %e = tensor.empty() : tensor<16x8xf32>
  %x = linalg.exp {commir.schedule = #commir.schedule<"loops [-, -] inputs [[{gpu} zigzag 4, {}] -> [{}, {}]] results [[{}, {}] -> [{gpu} zigzag 4, {}]]">}
      ins(%a : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %x : tensor<16x8xf32>
}
