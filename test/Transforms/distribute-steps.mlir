// Steps of a time loop that a mask leaves no rank do not exist.
// RUN: mercury-opt %s --mercury-expand-attention --mercury-set-schedule="schedule=ring topology=gpu=4" --mercury-distribute --canonicalize --mercury-verify-distributed | FileCheck %s
// RUN: mercury-opt %s --mercury-distribute-pipeline="schedule=ring topology=gpu=4" | FileCheck %s --check-prefix=RANKS
// RUN: mercury-opt %s --mercury-distribute --mercury-verify-distributed | FileCheck %s --check-prefix=WHOLE

commir.topology @t levels [#commir.level<gpu, 4>]

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>

// Tiles of 8: a window of 5 reaches into the tile before.
// CHECK-LABEL: func.func @window(
// CHECK-DAG: %[[TWO:.+]] = arith.constant 2 : index
// CHECK: scf.for {{.*}} to %[[TWO]]
//
// RANKS-LABEL: func.func @window(
// RANKS: commir.rotate steps 2
func.func @window(%q: tensor<32x8xf32>, %k: tensor<32x8xf32>, %v: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %o = tensor.empty() : tensor<32x8xf32>
  %r = commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>)
      visible <left 4 right 0> outs(%o : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}

// What is left of a ring when nobody needs the tile of another.
// RANKS-LABEL: func.func @own_tile_only(
// RANKS-NOT: commir.rotate
// RANKS-NOT: commir.permute
// RANKS: commir.online_attention
// RANKS: return
func.func @own_tile_only(%q: tensor<32x8xf32>, %k: tensor<32x8xf32>, %v: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %o = tensor.empty() : tensor<32x8xf32>
  %r = commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>)
      visible <left 0 right 0> outs(%o : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}

// RANKS-LABEL: func.func @all(
// RANKS: commir.rotate steps 4
func.func @all(%q: tensor<32x8xf32>, %k: tensor<32x8xf32>, %v: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %o = tensor.empty() : tensor<32x8xf32>
  %r = commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>)
      outs(%o : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}

// An operator whose keys are no loop takes all steps: each writes its rows.
// WHOLE-LABEL: func.func @keys_are_no_loop(
// WHOLE: %[[TWO:.+]] = arith.constant 2 : index
// WHOLE: scf.for {{.*}} to %[[TWO]]
func.func @keys_are_no_loop(%q: tensor<32x8xf32>, %k: tensor<32x8xf32>, %v: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %o = tensor.empty() : tensor<32x8xf32>
  %r = commir.attention maps [#q, #k, #v, #o]
      ins(%q, %k, %v : tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>)
      visible <left 4 right 0> outs(%o : tensor<32x8xf32>)
      {commir.schedule = #commir.schedule<"loops [rank gpu / time 2] inputs [[{gpu}, {}], [{}, {}], [{}, {}]] results [[{gpu}, {}]]">} -> tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}
