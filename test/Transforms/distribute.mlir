// Schedules become loop nests: what each part of a schedule turns into.
// RUN: mercury-opt %s --mercury-distribute --cse --mercury-verify-distributed | FileCheck %s
//
// The nests are programs for one device, too.
// RUN: mercury-opt %s --mercury-distribute --mercury-erase-placement | FileCheck %s --check-prefix=ERASED --implicit-check-not=commir.
//
// They compute on ranks what the operators compute.
// DEFINE: %{run} = mercury-run %s --verify --strict --local=loops
// RUN: %{run} --entry=rank_loop_only | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=time_loop_with_shift | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=partial_results_reduced_where_placed | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=moving_accumulator | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=padded_rows | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=padded_accumulated_input | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=no_axis | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=moved_before_and_after | FileCheck %s --check-prefix=RUNS
// RUN: %{run} --entry=two_levels_in_the_order_of_the_topology | FileCheck %s --check-prefix=RUNS
// RUNS: of the input {{.*}} verified

commir.topology @ring levels [#commir.level<gpu, 4>]
commir.topology @pair levels [#commir.level<gpu, 2>]
commir.topology @grid levels [#commir.level<node, 2>, #commir.level<gpu, 3>]

// A rank factor only: one loop over ranks, on tiles of the loop that it divides.
//
// CHECK-DAG: #[[BY4:.+]] = affine_map<(d0) -> (d0 * 4)>
// CHECK-DAG: #[[BY2:.+]] = affine_map<(d0) -> (d0 * 2)>
// CHECK-DAG: #[[BY5:.+]] = affine_map<(d0) -> (d0 * 5)>
// CHECK-DAG: #[[NEXT:.+]] = affine_map<(d0) -> (d0 + 1)>
//
// CHECK-LABEL: func.func @rank_loop_only(
// CHECK-SAME: %[[A:.+]]: tensor<16x8xf32>, %[[B:.+]]: tensor<8x8xf32>, %[[C:.+]]: tensor<16x8xf32>)
// CHECK-SAME: commir.fingerprint = "
// CHECK-DAG: %[[PA:.+]] = commir.shard %[[A]] to [{gpu}, {}] : tensor<16x8xf32>
// CHECK-DAG: %[[PB:.+]] = commir.replicate %[[B]] : tensor<8x8xf32>
// CHECK-DAG: %[[PC:.+]] = commir.shard %[[C]] to [{gpu}, {}] : tensor<16x8xf32>
// CHECK-NOT: scf.for %
// CHECK: %[[Y:.+]] = scf.forall (%[[R:.+]]) in (4) shared_outs(%[[O:.+]] = %[[PC]]) -> (tensor<16x8xf32>)
// CHECK: %[[ROW:.+]] = affine.apply #[[BY4]](%[[R]])
// CHECK: %[[AT:.+]] = tensor.extract_slice %[[PA]][%[[ROW]], 0] [4, 8]
// CHECK: %[[BT:.+]] = tensor.extract_slice %[[PB]][0, 0] [8, 8]
// CHECK: %[[OT:.+]] = tensor.extract_slice %[[O]][%[[ROW]], 0] [4, 8]
// CHECK: %[[D:.+]] = linalg.matmul ins(%[[AT]], %[[BT]] : {{.*}}) outs(%[[OT]] :
// CHECK: tensor.parallel_insert_slice %[[D]] into %[[O]][%[[ROW]], 0] [4, 8]
// CHECK: {mapping = [#commir.axis<gpu>]}
// CHECK: return %[[Y]]
//
// ERASED-LABEL: func.func @rank_loop_only(
// ERASED: scf.for
// ERASED: linalg.matmul {{.*}} tensor<4x8xf32>
// ERASED: tensor.insert_slice
func.func @rank_loop_only(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]">}
         ins(%a, %b : tensor<16x8xf32>, tensor<8x8xf32>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// A time factor is a loop around the loop over ranks; a shift starts each rank at
// another step.
//
// CHECK-LABEL: func.func @time_loop_with_shift(
// CHECK-DAG: %[[PA:.+]] = commir.shard %{{.+}} to [{gpu}, {}] : tensor<16x8xf32>
// CHECK-DAG: %[[PB:.+]] = commir.shard %{{.+}} to [{}, {gpu}] : tensor<8x16xf32>
// CHECK-DAG: %[[PC:.+]] = commir.shard %{{.+}} to [{}, {gpu}] : tensor<16x16xf32>
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK: scf.for %[[T:.+]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[X:.+]] = %[[PC]])
// CHECK: %[[N:.+]] = scf.forall (%[[R:.+]]) in (4) shared_outs(%[[O:.+]] = %[[X]])
// CHECK: %[[S:.+]] = commir.shift %[[T]] by %[[R]] mod 4
// CHECK: %[[ROW:.+]] = affine.apply #[[BY4]](%[[S]])
// CHECK: %[[COLUMN:.+]] = affine.apply #[[BY4]](%[[R]])
// CHECK: tensor.extract_slice %[[PA]][%[[ROW]], 0] [4, 8]
// CHECK: tensor.extract_slice %[[PB]][0, %[[COLUMN]]] [8, 4]
// CHECK: tensor.parallel_insert_slice %{{.+}} into %[[O]][%[[ROW]], %[[COLUMN]]] [4, 4]
// CHECK: scf.yield %[[N]]
//
// ERASED-LABEL: func.func @time_loop_with_shift(
// ERASED-COUNT-2: scf.for
// ERASED: return
func.func @time_loop_with_shift(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {commir.topology = @ring} {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [time gpu shift gpu, rank gpu, -] inputs [[{gpu}, {}], [{}, {gpu}]] results [[{}, {gpu}]]">}
         ins(%a, %b : tensor<16x8xf32>, tensor<8x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// A rank factor of a reduction: a slot per rank that starts from zero, and an
// ordinary reduction over the slots, whose result is placed. What is accumulated
// into enters there, once.
//
// CHECK-LABEL: func.func @partial_results_reduced_where_placed(
// CHECK-SAME: %[[C:[^ ]+]]: tensor<8x8xf32>) ->
// CHECK: %[[Z:.+]] = linalg.fill ins(%{{.+}} : f32) outs(%{{.+}} : tensor<4x8x8xf32>)
// CHECK: %[[SLOTS:.+]] = commir.shard %[[Z]] to [{gpu}, {}, {}] : tensor<4x8x8xf32>
// CHECK: %[[Y:.+]] = scf.forall (%[[R:.+]]) in (4) shared_outs(%[[O:.+]] = %[[SLOTS]])
// CHECK: tensor.extract_slice %[[O]][%[[R]], 0, 0] [1, 8, 8] [1, 1, 1] : tensor<4x8x8xf32> to tensor<8x8xf32>
// CHECK: linalg.matmul ins({{.*}} : tensor<8x4xf32>, tensor<4x8xf32>) outs({{.*}} : tensor<8x8xf32>)
// CHECK: tensor.parallel_insert_slice %{{.+}} into %[[O]][%[[R]], 0, 0] [1, 8, 8]
// CHECK: %[[PC:.+]] = commir.shard %[[C]] to [{gpu}, {}] : tensor<8x8xf32>
// CHECK: %[[SUM:.+]] = linalg.reduce ins(%[[Y]] : tensor<4x8x8xf32>) outs(%[[PC]] : tensor<8x8xf32>) dimensions = [0]
// CHECK: arith.addf
// CHECK: %[[PLACED:.+]] = commir.shard %[[SUM]] to [{gpu}, {}] : tensor<8x8xf32>
// CHECK: return %[[PLACED]]
//
// ERASED-LABEL: func.func @partial_results_reduced_where_placed(
// ERASED: linalg.reduce
func.func @partial_results_reduced_where_placed(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @ring} {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [-, -, rank gpu] inputs [[{}, {gpu}], [{gpu}, {}]] results [[{gpu}, {}]]">}
         ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The same, with a time loop over the dimension that the result is sharded along:
// no slots, the sums move. The offset starts one rank further.
//
// CHECK-LABEL: func.func @moving_accumulator(
// CHECK-NOT: tensor<4x8x8xf32>
// CHECK: %[[PC:.+]] = commir.shard %{{.+}} to [{gpu}, {}] : tensor<8x8xf32>
// CHECK: scf.for %[[T:.+]] = {{.*}} iter_args(%[[X:.+]] = %[[PC]])
// CHECK: scf.forall (%[[R:.+]]) in (4) shared_outs(%[[O:.+]] = %[[X]])
// CHECK: %[[T1:.+]] = affine.apply #[[NEXT]](%[[T]])
// CHECK: %[[S:.+]] = commir.shift %[[T1]] by %[[R]] mod 4
// CHECK: %[[ROW:.+]] = affine.apply #[[BY2]](%[[S]])
// CHECK: tensor.extract_slice %[[O]][%[[ROW]], 0] [2, 8]
// CHECK: tensor.parallel_insert_slice %{{.+}} into %[[O]][%[[ROW]], 0] [2, 8]
// CHECK-NOT: linalg.reduce
//
// ERASED-LABEL: func.func @moving_accumulator(
// ERASED: return
func.func @moving_accumulator(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @ring} {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [time gpu shift gpu offset 1, -, rank gpu] inputs [[{}, {gpu}], [{gpu}, {}]] results [[{gpu}, {}]]">}
         ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Nine rows on two ranks: the input is padded by a row of zeros, which is cut off
// at the end. Nothing enters with a fill, so that a fresh one is made.
//
// CHECK-LABEL: func.func @padded_rows(
// CHECK-SAME: %[[A:[^ ]+]]: tensor<9x8xf32>, %{{.+}}: tensor<8x8xf32>)
// CHECK: %[[P:.+]] = tensor.pad %[[A]] low[0, 0] high[1, 0]
// CHECK: tensor.yield %[[ZERO:.+]] : f32
// CHECK: tensor<9x8xf32> to tensor<10x8xf32>
// CHECK: %[[PA:.+]] = commir.shard %[[P]] to [{gpu}, {}] : tensor<10x8xf32>
// CHECK: %[[Z:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.+}} : tensor<10x8xf32>)
// CHECK: %[[PC:.+]] = commir.shard %[[Z]] to [{gpu}, {}] : tensor<10x8xf32>
// CHECK: %[[Y:.+]] = scf.forall (%[[R:.+]]) in (2) shared_outs(%{{.+}} = %[[PC]])
// CHECK: %[[ROW:.+]] = affine.apply #[[BY5]](%[[R]])
// CHECK: tensor.extract_slice %[[PA]][%[[ROW]], 0] [5, 8]
// CHECK: %[[CUT:.+]] = tensor.extract_slice %[[Y]][0, 0] [9, 8] [1, 1] : tensor<10x8xf32> to tensor<9x8xf32>
// CHECK: return %[[CUT]]
//
// ERASED-LABEL: func.func @padded_rows(
// ERASED: return
func.func @padded_rows(%a: tensor<9x8xf32>, %b: tensor<8x8xf32>) -> tensor<9x8xf32> attributes {commir.topology = @pair} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x8xf32>
  %z = linalg.fill {commir.schedule = #commir.schedule<"loops [-, -] inputs [] results [[{}, {}]]">}
         ins(%zero : f32) outs(%e : tensor<9x8xf32>) -> tensor<9x8xf32>
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]">}
         ins(%a, %b : tensor<9x8xf32>, tensor<8x8xf32>) outs(%z : tensor<9x8xf32>) -> tensor<9x8xf32>
  return %0 : tensor<9x8xf32>
}

// What is accumulated into is padded as well.
//
// CHECK-LABEL: func.func @padded_accumulated_input(
// CHECK-SAME: %[[C:[^ ]+]]: tensor<9x8xf32>) ->
// CHECK: %[[P:.+]] = tensor.pad %[[C]] low[0, 0] high[1, 0]
// CHECK: %[[PC:.+]] = commir.shard %[[P]] to [{gpu}, {}] : tensor<10x8xf32>
// CHECK: scf.forall {{.*}} shared_outs(%{{.+}} = %[[PC]])
// CHECK: tensor.extract_slice %{{.+}}[0, 0] [9, 8]
//
// ERASED-LABEL: func.func @padded_accumulated_input(
// ERASED: return
func.func @padded_accumulated_input(%a: tensor<9x8xf32>, %b: tensor<8x8xf32>, %c: tensor<9x8xf32>) -> tensor<9x8xf32> attributes {commir.topology = @pair} {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]]">}
         ins(%a, %b : tensor<9x8xf32>, tensor<8x8xf32>) outs(%c : tensor<9x8xf32>) -> tensor<9x8xf32>
  return %0 : tensor<9x8xf32>
}

// No axis: every rank computes everything, on purpose.
//
// CHECK-LABEL: func.func @no_axis(
// CHECK-NOT: scf.forall
// CHECK: %[[Y:.+]] = linalg.matmul ins({{.*}} : tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK: %[[P:.+]] = commir.replicate %[[Y]] : tensor<8x8xf32>
// CHECK: return %[[P]]
//
// ERASED-LABEL: func.func @no_axis(
// ERASED-NOT: scf.for
// ERASED: linalg.matmul
// ERASED: return
func.func @no_axis(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @ring} {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [-, -, -] inputs [[{}, {}], [{}, {}]] results [[{}, {}]]">}
         ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A second placement: what is moved before the loops, and after them.
//
// CHECK-LABEL: func.func @moved_before_and_after(
// CHECK-SAME: %[[A:[^ ]+]]: tensor<8x8xf32>, %{{.+}}: tensor<8x8xf32>, %{{.+}}: tensor<8x8xf32>) ->
// CHECK: %[[ENTRY:.+]] = commir.shard %[[A]] to [{}, {gpu}] : tensor<8x8xf32>
// CHECK: %[[WHOLE:.+]] = commir.reshard %[[ENTRY]] to [{}, {}] : tensor<8x8xf32>
// CHECK: %[[Y:.+]] = scf.forall
// CHECK: tensor.extract_slice %[[WHOLE]][0, 0] [8, 8]
// CHECK: %[[EXIT:.+]] = commir.reshard %[[Y]] to [{}, {}] : tensor<8x8xf32>
// CHECK: return %[[EXIT]]
//
// ERASED-LABEL: func.func @moved_before_and_after(
// ERASED: return
func.func @moved_before_and_after(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {commir.topology = @ring} {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [-, rank gpu, -] inputs [[{}, {gpu}] -> [{}, {}], [{}, {gpu}]] results [[{}, {gpu}] -> [{}, {}]]">}
         ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Rank loops run over axes in the order of the topology, whatever the order of the
// operator's loops.
//
// CHECK-LABEL: func.func @two_levels_in_the_order_of_the_topology(
// CHECK: scf.forall (%[[N:.+]], %[[G:.+]]) in (2, 3)
// CHECK: affine.apply #{{.+}}(%[[G]])
// CHECK: affine.apply #{{.+}}(%[[N]])
// CHECK: {mapping = [#commir.axis<node>, #commir.axis<gpu>]}
//
// ERASED-LABEL: func.func @two_levels_in_the_order_of_the_topology(
// ERASED-COUNT-2: scf.for
// ERASED: return
func.func @two_levels_in_the_order_of_the_topology(%a: tensor<6x8xf32>, %b: tensor<8x8xf32>, %c: tensor<6x8xf32>) -> tensor<6x8xf32> attributes {commir.topology = @grid} {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, rank node, -] inputs [[{gpu}, {}], [{}, {node}]] results [[{gpu}, {node}]]">}
         ins(%a, %b : tensor<6x8xf32>, tensor<8x8xf32>) outs(%c : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// Sizes of the local tile and chunks go with the operator's tile.
//
// CHECK-LABEL: func.func @local_tile(
// CHECK: scf.forall
// CHECK: linalg.matmul {commir.chunks = 2 : i64, commir.tile = array<i64: 2, 0, 8>} {{.*}} -> tensor<4x8xf32>
// CHECK: return
func.func @local_tile(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> attributes {commir.topology = @ring} {
  %0 = linalg.matmul {commir.schedule = #commir.schedule<"loops [rank gpu, -, -] inputs [[{gpu}, {}], [{}, {}]] results [[{gpu}, {}]] tile [2, 0, 8] chunks 2">}
         ins(%a, %b : tensor<16x8xf32>, tensor<8x8xf32>) outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
