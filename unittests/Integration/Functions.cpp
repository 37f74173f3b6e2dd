//===- Functions.cpp - Functions of several operators ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs of the forms that other compilers emit, with weights as arguments,
// under the default schedule.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include <gtest/gtest.h>

using namespace mercury;
using namespace mercury::test;

static void runDefault(const std::string &text) {
  Program program(text, 3);
  for (std::string topology : {"gpu=4", "node=2,gpu=2", "gpu=3"}) {
    EXPECT_EQ(program.runOnRanks("default", topology), "") << topology;
    EXPECT_EQ(program.runErased("default", topology), "") << topology;
  }
}

// Three chained matmuls into given accumulators, then an epilogue that reads
// its init only.
TEST(Functions, MatmulChain) {
  runDefault(R"(
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @chain(%a: tensor<16x8xf32>, %b: tensor<8x12xf32>, %c: tensor<16x12xf32>,
                 %d: tensor<12x8xf32>, %e: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.matmul ins(%a, %b : tensor<16x8xf32>, tensor<8x12xf32>) outs(%c : tensor<16x12xf32>) -> tensor<16x12xf32>
  %1 = linalg.matmul ins(%0, %d : tensor<16x12xf32>, tensor<12x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%1 : tensor<16x8xf32>) {
    ^bb0(%out: f32):
      %3 = arith.maximumf %out, %zero : f32
      linalg.yield %3 : f32
  } -> tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
})");
}

// A layer in bf16: transposed weights, bias by broadcast, relu by compare.
TEST(Functions, MlpLayerBf16) {
  runDefault(R"(
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
func.func @layer(%x: tensor<16x32xbf16>, %w: tensor<24x32xbf16>, %bias: tensor<24xbf16>) -> tensor<16x24xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e0 = tensor.empty() : tensor<32x24xbf16>
  %wt = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<24x32xbf16>) outs(%e0 : tensor<32x24xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
  } -> tensor<32x24xbf16>
  %e1 = tensor.empty() : tensor<16x24xbf16>
  %i = linalg.fill ins(%zero : bf16) outs(%e1 : tensor<16x24xbf16>) -> tensor<16x24xbf16>
  %0 = linalg.matmul ins(%x, %wt : tensor<16x32xbf16>, tensor<32x24xbf16>) outs(%i : tensor<16x24xbf16>) -> tensor<16x24xbf16>
  %1 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%bias, %0 : tensor<24xbf16>, tensor<16x24xbf16>) outs(%e1 : tensor<16x24xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %s = arith.addf %in, %in_0 : bf16
      %c = arith.cmpf ugt, %s, %zero : bf16
      %m = arith.select %c, %s, %zero : bf16
      linalg.yield %m : bf16
  } -> tensor<16x24xbf16>
  return %1 : tensor<16x24xbf16>
})");
}

// A gated feed-forward of one token: columns, then rows; reshapes in between.
TEST(Functions, GatedFeedForward) {
  runDefault(R"(
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @ffn(%x: tensor<1x16xf32>, %gate: tensor<16x48xf32>, %y: tensor<1x1x16xf32>, %up: tensor<16x48xf32>, %down: tensor<48x16xf32>, %res: tensor<1x1x16xf32>) -> tensor<1x1x16xf32> {
  %one = arith.constant 1.0 : f32
  %z0 = arith.constant dense<0.0> : tensor<1x16xf32>
  %z1 = arith.constant dense<0.0> : tensor<1x48xf32>
  %0 = linalg.matmul ins(%x, %gate : tensor<1x16xf32>, tensor<16x48xf32>) outs(%z1 : tensor<1x48xf32>) -> tensor<1x48xf32>
  %g = tensor.expand_shape %0 [[0, 1], [2]] output_shape [1, 1, 48] : tensor<1x48xf32> into tensor<1x1x48xf32>
  %e = tensor.empty() : tensor<1x1x48xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%g : tensor<1x1x48xf32>) outs(%e : tensor<1x1x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %n = arith.negf %in : f32
      %p = math.exp %n : f32
      %q = arith.addf %p, %one : f32
      %s = arith.divf %in, %q : f32
      linalg.yield %s : f32
  } -> tensor<1x1x48xf32>
  %yc = tensor.collapse_shape %y [[0, 1], [2]] : tensor<1x1x16xf32> into tensor<1x16xf32>
  %2 = linalg.matmul ins(%yc, %up : tensor<1x16xf32>, tensor<16x48xf32>) outs(%z1 : tensor<1x48xf32>) -> tensor<1x48xf32>
  %u = tensor.expand_shape %2 [[0, 1], [2]] output_shape [1, 1, 48] : tensor<1x48xf32> into tensor<1x1x48xf32>
  %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %u : tensor<1x1x48xf32>, tensor<1x1x48xf32>) outs(%e : tensor<1x1x48xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %m = arith.mulf %in, %in_0 : f32
      linalg.yield %m : f32
  } -> tensor<1x1x48xf32>
  %h = tensor.collapse_shape %3 [[0, 1], [2]] : tensor<1x1x48xf32> into tensor<1x48xf32>
  %4 = linalg.matmul ins(%h, %down : tensor<1x48xf32>, tensor<48x16xf32>) outs(%z0 : tensor<1x16xf32>) -> tensor<1x16xf32>
  %o = tensor.expand_shape %4 [[0, 1], [2]] output_shape [1, 1, 16] : tensor<1x16xf32> into tensor<1x1x16xf32>
  %er = tensor.empty() : tensor<1x1x16xf32>
  %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%res, %o : tensor<1x1x16xf32>, tensor<1x1x16xf32>) outs(%er : tensor<1x1x16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %m = arith.addf %in, %in_0 : f32
      linalg.yield %m : f32
  } -> tensor<1x1x16xf32>
  return %5 : tensor<1x1x16xf32>
})");
}

// Batch, sequence, heads, features: heads in the middle, one loop last.
TEST(Functions, QueryTimesKey) {
  runDefault(R"(
#q = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#k = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d2, d3)>
#s = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4, d1)>
func.func @scores(%q: tensor<3x6x4x8xf32>, %k: tensor<3x6x4x8xf32>, %out: tensor<3x4x6x6xf32>) -> tensor<3x4x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %i = linalg.fill ins(%zero : f32) outs(%out : tensor<3x4x6x6xf32>) -> tensor<3x4x6x6xf32>
  %r = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%q, %k : tensor<3x6x4x8xf32>, tensor<3x6x4x8xf32>) outs(%i : tensor<3x4x6x6xf32>) {
    ^bb0(%in: f32, %in_0: f32, %o: f32):
      %m = arith.mulf %in, %in_0 : f32
      %a = arith.addf %o, %m : f32
      linalg.yield %a : f32
  } -> tensor<3x4x6x6xf32>
  return %r : tensor<3x4x6x6xf32>
})");
}

// Reductions by maximum and by sum, rows over ranks; extents that do not
// divide.
TEST(Functions, ReduceAndBroadcast) {
  runDefault(R"(
func.func @normalize(%x: tensor<10x6xf32>) -> tensor<10x6xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<10xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<10xf32>) -> tensor<10xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<10x6xf32>) outs(%i : tensor<10xf32>) dimensions = [1]
  %eb = tensor.empty() : tensor<10x6xf32>
  %b = linalg.broadcast ins(%max : tensor<10xf32>) outs(%eb : tensor<10x6xf32>) dimensions = [1]
  %d = linalg.sub ins(%x, %b : tensor<10x6xf32>, tensor<10x6xf32>) outs(%eb : tensor<10x6xf32>) -> tensor<10x6xf32>
  return %d : tensor<10x6xf32>
})");
}

// f16 on the way to an f32 sum: roundings may fall to either side.
TEST(Functions, NarrowOnTheWay) {
  runDefault(R"(
func.func @sums(%x: tensor<20x12xf16>, %w: tensor<12x28xf16>) -> tensor<28xf32> {
  %z = arith.constant 0.0 : f16
  %zf = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x28xf16>
  %i = linalg.fill ins(%z : f16) outs(%e : tensor<20x28xf16>) -> tensor<20x28xf16>
  %h = linalg.matmul ins(%x, %w : tensor<20x12xf16>, tensor<12x28xf16>) outs(%i : tensor<20x28xf16>) -> tensor<20x28xf16>
  %ef = tensor.empty() : tensor<28xf32>
  %fi = linalg.fill ins(%zf : f32) outs(%ef : tensor<28xf32>) -> tensor<28xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%h : tensor<20x28xf16>) outs(%fi : tensor<28xf32>) {
    ^bb0(%a: f16, %o: f32):
      %b = arith.extf %a : f16 to f32
      %c = arith.addf %b, %o : f32
      linalg.yield %c : f32
  } -> tensor<28xf32>
  return %s : tensor<28xf32>
})");
}

// Placements of arguments and results from their attributes: what a caller
// holds decides, data moves where it must.
TEST(Functions, PlacementsFromAttributes) {
  Program program(R"(
func.func @gemm(%a: tensor<8x8xf32> {commir.placement = #commir.placement<[{}, {gpu}]>},
                %b: tensor<8x8xf32> {commir.placement = #commir.placement<[{gpu}, {}]>})
    -> (tensor<8x8xf32> {commir.placement = #commir.placement<[{}, {gpu}]>}) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
})",
                  5);
  for (std::string schedule :
       {"default", "all_gather_gemm_shifted", "gemm_reduce_scatter_shifted",
        "gemm_2d", "data_parallel"})
    EXPECT_EQ(program.runOnRanks(schedule, "gpu=4"), "") << schedule;
}
