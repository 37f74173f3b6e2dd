// The default rule for attention: heads or batch, rows, and keys where there are
// fewer rows than ranks. Arguments lie where their first use wants them, through
// reshapes.
//
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=default topology=gpu=4" | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: mercury-opt %s "--mercury-set-schedule=schedule=default topology=node=2,gpu=2" | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: mercury-opt %s "--mercury-distribute-pipeline=schedule=default topology=node=2,gpu=2" --verify-diagnostics | FileCheck %s --check-prefix=PLACED

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#a = affine_map<(h, m, n, d, e) -> (h, m, e)>
#r = affine_map<(h, m, n, d, e) -> (h, m)>

// CHECK-LABEL: func.func @heads(
// ONE: commir.online_attention {{.*}} #commir.schedule<"loops [rank gpu, -, -]
// TWO: commir.online_attention {{.*}} #commir.schedule<"loops [rank {node, gpu}, -, -]
func.func @heads(%q: tensor<8x12x4xf32>, %k: tensor<8x20x4xf32>, %v: tensor<8x20x4xf32>, %a: tensor<8x12x4xf32>, %m: tensor<8x12xf32>, %l: tensor<8x12xf32>) -> tensor<8x12x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, #a, #r, #r] ins(%q, %k, %v : tensor<8x12x4xf32>, tensor<8x20x4xf32>, tensor<8x20x4xf32>) outs(%a, %m, %l : tensor<8x12x4xf32>, tensor<8x12xf32>, tensor<8x12xf32>) -> tensor<8x12x4xf32>, tensor<8x12xf32>, tensor<8x12xf32>
  return %0#0 : tensor<8x12x4xf32>
}

// CHECK-LABEL: func.func @rows(
// ONE: commir.online_attention {{.*}} #commir.schedule<"loops [-, rank gpu, -]
// TWO: commir.online_attention {{.*}} #commir.schedule<"loops [-, rank {node, gpu}, -]
func.func @rows(%q: tensor<3x12x4xf32>, %k: tensor<3x20x4xf32>, %v: tensor<3x20x4xf32>, %a: tensor<3x12x4xf32>, %m: tensor<3x12xf32>, %l: tensor<3x12xf32>) -> tensor<3x12x4xf32> {
  %0:3 = commir.online_attention maps [#q, #k, #v, #a, #r, #r] ins(%q, %k, %v : tensor<3x12x4xf32>, tensor<3x20x4xf32>, tensor<3x20x4xf32>) outs(%a, %m, %l : tensor<3x12x4xf32>, tensor<3x12xf32>, tensor<3x12xf32>) -> tensor<3x12x4xf32>, tensor<3x12xf32>, tensor<3x12xf32>
  return %0#0 : tensor<3x12x4xf32>
}

// Twelve query heads and two KV heads, one token: not the query heads of one KV
// head, for which K and V would have to be whole.
// CHECK-LABEL: func.func @one_token(
// ONE: commir.online_attention {{.*}} #commir.schedule<"loops [-, -, -, rank gpu]
// TWO: commir.online_attention {{.*}} #commir.schedule<"loops [rank node, -, -, rank gpu]
// PLACED-LABEL: func.func @one_token(
// PLACED-SAME: tensor<1x6x1x4xf32> {commir.global_type = tensor<1x12x1x4xf32>, commir.placement = #commir.placement<[{}, {node}, {}, {}]>}
// PLACED-SAME: tensor<1x1x10x4xf32> {commir.global_type = tensor<1x2x20x4xf32>, commir.placement = #commir.placement<[{}, {node}, {gpu}, {}]>}
// PLACED-SAME: tensor<1x1x10x4xf32> {commir.global_type = tensor<1x2x20x4xf32>, commir.placement = #commir.placement<[{}, {node}, {gpu}, {}]>}
// PLACED-SAME: -> (tensor<1x6x1x4xf32> {commir.global_type = tensor<1x12x1x4xf32>, commir.placement = #commir.placement<[{}, {node}, {}, {}]>})
// PLACED-NOT: commir.all_gather
// PLACED: return
func.func @one_token(%q: tensor<1x12x1x4xf32>, %k: tensor<1x2x20x4xf32>, %v: tensor<1x2x20x4xf32>) -> tensor<1x12x1x4xf32> {
  %qc = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<1x12x1x4xf32> into tensor<12x1x4xf32>
  %qx = tensor.expand_shape %qc [[0, 1], [2], [3]] output_shape [2, 6, 1, 4] : tensor<12x1x4xf32> into tensor<2x6x1x4xf32>
  %kc = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<1x2x20x4xf32> into tensor<2x20x4xf32>
  %vc = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<1x2x20x4xf32> into tensor<2x20x4xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %ea = tensor.empty() : tensor<2x6x1x4xf32>
  %er = tensor.empty() : tensor<2x6x1xf32>
  %a = linalg.fill ins(%zero : f32) outs(%ea : tensor<2x6x1x4xf32>) -> tensor<2x6x1x4xf32>
  %m = linalg.fill ins(%low : f32) outs(%er : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %l = linalg.fill ins(%zero : f32) outs(%er : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
  %0:3 = commir.online_attention maps [
      affine_map<(h, g, m, n, d, e) -> (h, g, m, d)>, affine_map<(h, g, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, g, m, n, d, e) -> (h, n, e)>, affine_map<(h, g, m, n, d, e) -> (h, g, m, e)>,
      affine_map<(h, g, m, n, d, e) -> (h, g, m)>, affine_map<(h, g, m, n, d, e) -> (h, g, m)>]
    ins(%qx, %kc, %vc : tensor<2x6x1x4xf32>, tensor<2x20x4xf32>, tensor<2x20x4xf32>)
    outs(%a, %m, %l : tensor<2x6x1x4xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>)
    -> tensor<2x6x1x4xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>
  %oc = tensor.collapse_shape %0#0 [[0, 1], [2], [3]] : tensor<2x6x1x4xf32> into tensor<12x1x4xf32>
  %ox = tensor.expand_shape %oc [[0, 1], [2], [3]] output_shape [1, 12, 1, 4] : tensor<12x1x4xf32> into tensor<1x12x1x4xf32>
  return %ox : tensor<1x12x1x4xf32>
}
