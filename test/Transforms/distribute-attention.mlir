// Coupled results at stage 2. Also that padding keys do not count, of which there
// is no neutral one.
// RUN: mercury-opt %s --mercury-set-schedule --mercury-distribute -canonicalize -cse | FileCheck %s

commir.topology @t levels [#commir.level<gpu, 4>]

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>

// CHECK-LABEL: func.func @keys_over_ranks(
// CHECK-SAME: %[[Q0:[^ ]*]]: tensor<8x16xf32>, %[[K0:[^ ]*]]: tensor<30x16xf32>
// CHECK-DAG: %[[KEYS:.*]] = arith.constant 30 : index
// CHECK-DAG: %[[GIVEN:.*]] = tensor.extract
// CHECK: tensor.pad %[[K0]] low[0, 0] high[2, 0]
// CHECK: %[[VALID:.*]] = arith.minsi %[[GIVEN]], %[[KEYS]] : index
//
// A state for each rank, from the neutral one.
// CHECK: %[[P:.*]]:3 = scf.forall (%[[R:.*]]) in (4) shared_outs({{.*}}) -> (tensor<4x8x12xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK: %[[LEFT:.*]] = affine.apply #{{.*}}(%[[R]])[%[[VALID]]]
// CHECK: commir.online_attention {{.*}} valid(%[[LEFT]])
//
// The maximum is reduced, then known everywhere.
// CHECK: %[[MAX:.*]] = linalg.reduce ins(%[[P]]#1 : tensor<4x8xf32>)
// CHECK: arith.maximumf
// CHECK: %[[TOP:.*]] = commir.replicate %[[MAX]] : tensor<8xf32>
//
// What a rank has is rescaled to it, accumulator and sum.
// CHECK: %[[S:.*]]:2 = scf.forall (%[[R2:.*]]) in (4) shared_outs(%{{.*}} = %[[P]]#0, %{{.*}} = %[[P]]#2)
// CHECK: %[[MINE:.*]] = tensor.extract_slice %[[P]]#1[%[[R2]], 0] [1, 8]
// CHECK: linalg.generic {{.*}} ins(%[[MINE]], %[[TOP]] : tensor<8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8x12xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[MINE]], %[[TOP]] : tensor<8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>)
//
// Each is summed up and scattered; of the maximum every rank takes its part.
// CHECK: linalg.reduce ins(%[[S]]#0 : tensor<4x8x12xf32>)
// CHECK: arith.addf
// CHECK: %[[A:.*]] = commir.shard %{{.*}} to [{gpu}, {}] : tensor<8x12xf32>
// CHECK: %[[M:.*]] = commir.reshard %[[TOP]] to [{gpu}] : tensor<8xf32>
// CHECK: linalg.reduce ins(%[[S]]#1 : tensor<4x8xf32>)
// CHECK: %[[L:.*]] = commir.shard %{{.*}} to [{gpu}] : tensor<8xf32>
// CHECK: return %[[A]], %[[M]], %[[L]]
func.func @keys_over_ranks(%q: tensor<8x16xf32>, %k: tensor<30x16xf32>, %v: tensor<30x12xf32>, %counts: tensor<1xindex>) -> (tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %n = tensor.extract %counts[%c0] : tensor<1xindex>
  %ea = tensor.empty() : tensor<8x12xf32>
  %er = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%zero : f32) outs(%ea : tensor<8x12xf32>) -> tensor<8x12xf32>
  %m = linalg.fill ins(%least : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %r:3 = commir.online_attention maps [#q, #k, #v, #o, #row, #row] scale 0.5
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<30x16xf32>, tensor<30x12xf32>) valid(%n)
      outs(%a, %m, %l : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>)
      {commir.schedule = #commir.schedule<"loops [-, rank gpu] inputs [[{}, {}], [{gpu}, {}], [{gpu}, {}]] results [[{gpu}, {}], [{gpu}], [{gpu}]]">}
      -> tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1, %r#2 : tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>
}
