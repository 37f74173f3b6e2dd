// Fewer tokens than ranks: which steps a mask leaves out follows the blocks of
// the nest, not those in which the tokens come.
//
// RUN: mercury-run --verify --topology=node=2,gpu=2 --schedule=usp --balance=none %s | FileCheck %s
// RUN: mercury-run --verify --topology=node=2,gpu=2 --schedule=usp_ring_inside --balance=none %s | FileCheck %s
// RUN: mercury-run --verify --topology=node=2,gpu=2 --schedule=usp %s | FileCheck %s
// CHECK: usp{{.*}} verified

func.func @causal(%q: tensor<2x2x4xf32>, %k: tensor<2x16x4xf32>, %v: tensor<2x16x4xf32>)
    -> tensor<2x2x4xf32> {
  %init = tensor.empty() : tensor<2x2x4xf32>
  %o = commir.attention maps [
      affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
      affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>]
    ins(%q, %k, %v : tensor<2x2x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32>)
    visible <right 0>
    outs(%init : tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  return %o : tensor<2x2x4xf32>
}
