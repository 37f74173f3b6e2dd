// Numbers that every rank has, as arguments of the function.
//
// RUN: mercury-run %s --topology=gpu=2 --schedule=default --verify --json | FileCheck %s
// CHECK: "verified": true

func.func @scale(%a: tensor<8x4xf32>, %factor: f32, %column: index, %flag: i1) -> tensor<8x4xf32> {
  %c1 = arith.constant 1 : index
  %from = arith.maxsi %column, %c1 : index
  %e = tensor.empty() : tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %j = linalg.index 1 : index
    %is = arith.cmpi uge, %j, %from : index
    %product = arith.mulf %x, %factor : f32
    %sum = arith.addf %x, %factor : f32
    %other = arith.select %flag, %product, %sum : f32
    %z = arith.select %is, %other, %x : f32
    linalg.yield %z : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
