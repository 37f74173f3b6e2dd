//===- ElementwiseTest.cpp - Elementwise and reducing kernels on GPUs -----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code of groups of elementwise and reducing ops, run on CPUs, against
// the same ops as plain loops.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mercury::test;

namespace {
/// Replaces each $NAME by its value.
std::string expand(std::string text,
                   const std::vector<std::pair<std::string, std::string>> &by) {
  for (const auto &[name, value] : by)
    for (size_t at; (at = text.find("$" + name)) != std::string::npos;)
      text.replace(at, name.size() + 1, value);
  return text;
}

const char *const kMaps = R"(
#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
)";

void check(const std::string &text, double tolerance = 1e-5,
           std::function<void(KernelArguments &)> prepare = nullptr) {
  KernelCheck kernel;
  kernel.text = kMaps + text;
  kernel.tolerance = tolerance;
  kernel.prepare = std::move(prepare);
  checkKernel(kernel);
}

/// A softmax of the rows of a $Mx$N matrix, $T in memory, in f32.
const char *const kSoftmax = R"(
func.func private @k(%x: memref<$Mx$Nx$T> {llvm.align = $A : i64}, %max: memref<$Mxf32>, %sum: memref<$Mxf32>,
                     %e: memref<$Mx$Nxf32> {llvm.align = $A : i64}, %y: memref<$Mx$Nx$T> {llvm.align = $A : i64}) attributes {commir.kernel} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%low : f32) outs(%max : memref<$Mxf32>)
  linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<$Mx$Nx$T>) outs(%max : memref<$Mxf32>) {
  ^bb0(%in: $T, %out: f32):
    $EXT
    %1 = arith.maximumf %0, %out : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : memref<$Mx$Nx$T>, memref<$Mxf32>) outs(%e : memref<$Mx$Nxf32>) {
  ^bb0(%in: $T, %m: f32, %out: f32):
    $EXT
    %1 = arith.subf %0, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<$Mxf32>)
  linalg.reduce { arith.addf } ins(%e : memref<$Mx$Nxf32>) outs(%sum : memref<$Mxf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : memref<$Mx$Nxf32>, memref<$Mxf32>) outs(%y : memref<$Mx$Nx$T>) {
  ^bb0(%in: f32, %s: f32, %out: $T):
    %1 = arith.divf %in, %s : f32
    $TRUNC
    linalg.yield %2 : $T
  }
  return
})";

void checkSoftmax(int64_t m, int64_t n, const std::string &type,
                  int64_t alignment) {
  bool isF32 = type == "f32";
  check(expand(kSoftmax, {{"EXT", isF32 ? "%0 = arith.addf %in, %in : f32"
                                        : "%0 = arith.extf %in : $T to f32"},
                          {"TRUNC", isF32 ? "%2 = arith.addf %1, %1 : f32"
                                          : "%2 = arith.truncf %1 : f32 to $T"},
                          {"M", std::to_string(m)},
                          {"N", std::to_string(n)},
                          {"T", type},
                          {"A", std::to_string(alignment)}}),
        isF32 ? 1e-5 : 1e-2);
}

TEST(Elementwise, SoftmaxInTeamsOfAWarpAndLess) {
  checkSoftmax(16, 64, "f32", 16);
  checkSoftmax(37, 33, "f32", 4);
  checkSoftmax(5, 3, "f32", 16);
}

TEST(Elementwise, SoftmaxInTeamsOfSeveralWarps) {
  checkSoftmax(3, 1031, "f32", 4);
  checkSoftmax(7, 300, "f32", 16);
  checkSoftmax(1, 2048, "f32", 16);
}

TEST(Elementwise, SoftmaxOfHalves) {
  checkSoftmax(9, 136, "bf16", 16);
  checkSoftmax(9, 131, "f16", 2);
}

TEST(Elementwise, LayerNorm) {
  check(R"(
func.func private @k(%x: memref<11x72xf32> {llvm.align = 16 : i64}, %g: memref<72xf32> {llvm.align = 16 : i64},
                     %mean: memref<11xf32>, %var: memref<11xf32>, %y: memref<11x72xf32> {llvm.align = 16 : i64}) attributes {commir.kernel} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 72.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %column = memref.reinterpret_cast %var to offset: [0], sizes: [11, 1], strides: [1, 1] : memref<11xf32> to memref<11x1xf32, strided<[1, 1]>>
  linalg.fill ins(%zero : f32) outs(%mean : memref<11xf32>)
  linalg.reduce { arith.addf } ins(%x : memref<11x72xf32>) outs(%mean : memref<11xf32>) dimensions = [1]
  linalg.map outs(%mean : memref<11xf32>) (%out: f32) {
    %0 = arith.divf %out, %n : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%var : memref<11xf32>)
  linalg.generic {indexing_maps = [#ij, #i, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : memref<11x72xf32>, memref<11xf32>) outs(%var : memref<11xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  }
  linalg.generic {indexing_maps = [#ij, #i, affine_map<(i, j) -> (i, 0)>, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %column, %g : memref<11x72xf32>, memref<11xf32>, memref<11x1xf32, strided<[1, 1]>>, memref<72xf32>) outs(%y : memref<11x72xf32>) {
  ^bb0(%in: f32, %m: f32, %v: f32, %w: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = arith.divf %v, %n : f32
    %2 = arith.addf %1, %eps : f32
    %3 = math.rsqrt %2 : f32
    %4 = arith.mulf %0, %3 : f32
    %5 = arith.mulf %4, %w : f32
    linalg.yield %5 : f32
  }
  return
})");
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// All elements of a $S array are reduced along dimension $D by $OP.
const char *const kReduce = R"(
func.func private @k(%x: memref<$Sx$T>, %y: memref<$Rx$T>) attributes {commir.kernel} {
  linalg.reduce { $OP } ins(%x : memref<$Sx$T>) outs(%y : memref<$Rx$T>) dimensions = [$D]
  return
})";

void checkReduce(const std::string &shape, const std::string &result,
                 const std::string &dimension, const std::string &op,
                 const std::string &type, double tolerance = 1e-5) {
  check(expand(kReduce, {{"S", shape},
                         {"T", type},
                         {"R", result},
                         {"OP", op},
                         {"D", dimension}}),
        tolerance);
}

TEST(Elementwise, ColumnReductions) {
  checkReduce("300x129", "129", "0", "arith.addf", "f32");
  checkReduce("5x1000", "1000", "0", "arith.maximumf", "f32");
  checkReduce("2000x7", "7", "0", "arith.minnumf", "f32");
  checkReduce("3x40x36", "3x36", "1", "arith.addf", "f32");
  checkReduce("64x33", "33", "0", "arith.addf", "f16", 1e-1);
  checkReduce("64x33", "33", "0", "arith.andi", "i1");
}

TEST(Elementwise, RowReductions) {
  checkReduce("13x300", "13", "1", "arith.mulf", "f32");
  checkReduce("3x5000", "3", "1", "arith.addf", "f64");
  checkReduce("3x700", "3", "1", "arith.addi", "i64");
  checkReduce("70x17", "70", "1", "arith.maxsi", "i32");
  checkReduce("70x17", "70", "1", "arith.minui", "i32");
  checkReduce("70x17", "70", "1", "arith.xori", "i8");
  checkReduce("70x17", "70", "1", "arith.ori", "i1");
  checkReduce("9x600", "9", "1", "arith.addf", "bf16", 1e-1);
  checkReduce("9x600", "9", "1", "arith.addi", "index");
}

TEST(Elementwise, ReductionsOfEverything) {
  check(R"(
func.func private @k(%x: memref<40x50xf32>, %y: memref<f32>) attributes {commir.kernel} {
  linalg.reduce { arith.addf } ins(%x : memref<40x50xf32>) outs(%y : memref<f32>) dimensions = [0, 1]
  return
})");
}

/// Results at a point of the common loop, and a second reduction over them.
TEST(Elementwise, ReductionsInSteps) {
  check(R"(
func.func private @k(%x: memref<5x3x40xf32>, %y: memref<5x3xf32>, %z: memref<5xf32>) attributes {commir.kernel} {
  linalg.reduce { arith.addf } ins(%x : memref<5x3x40xf32>) outs(%y : memref<5x3xf32>) dimensions = [2]
  linalg.reduce { arith.addf } ins(%y : memref<5x3xf32>) outs(%z : memref<5xf32>) dimensions = [1]
  return
})");
  check(R"(
func.func private @k(%x: memref<5x100x6xf32>, %y: memref<5x100xf32>, %z: memref<5xf32>) attributes {commir.kernel} {
  linalg.reduce { arith.addf } ins(%x : memref<5x100x6xf32>) outs(%y : memref<5x100xf32>) dimensions = [2]
  linalg.reduce { arith.maximumf } ins(%y : memref<5x100xf32>) outs(%z : memref<5xf32>) dimensions = [1]
  return
})");
}

/// No single op combines a value and where it stands; and what is not
/// accumulated is what the last iteration gives.
TEST(Elementwise, ReductionsWithoutCombiner) {
  check(R"(
func.func private @k(%x: memref<21x30xf32>, %v: memref<21xf32>, %at: memref<21xi32>, %last: memref<21xf32>) attributes {commir.kernel} {
  linalg.generic {indexing_maps = [#ij, #i, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<21x30xf32>) outs(%v, %at : memref<21xf32>, memref<21xi32>) {
  ^bb0(%in: f32, %best: f32, %where: i32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %0 = arith.cmpf ogt, %in, %best : f32
    %1 = arith.select %0, %in, %best : f32
    %2 = arith.select %0, %n, %where : i32
    linalg.yield %1, %2 : f32, i32
  }
  linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<21x30xf32>) outs(%last : memref<21xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
})");
}

/// Outputs along the reduction: of a prefix sum, and without a sum of their own
/// beside one that is reduced.
TEST(Elementwise, ReductionsThatWriteEachIteration) {
  const char *text = R"(
func.func private @k(%x: memref<21x30xf32> {llvm.align = 16 : i64}, %sum: memref<21xf32>, %y: memref<21x30xf32> {llvm.align = 16 : i64}, %z: memref<21x30xf32>) attributes {commir.kernel} {
  linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<21x30xf32>) outs(%sum, %y : memref<21xf32>, memref<21x30xf32>) {
  ^bb0(%in: f32, %so_far: f32, %out: f32):
    %0 = arith.addf %so_far, %in : f32
    %1 = arith.addf %$TERM, %in : f32
    linalg.yield %0, %1 : f32, f32
  }
  linalg.negf ins(%y : memref<21x30xf32>) outs(%z : memref<21x30xf32>)
  return
})";
  check(expand(text, {{"TERM", "so_far"}}));
  check(expand(text, {{"TERM", "out"}}));
}

/// Two results with a combiner each.
TEST(Elementwise, TwoReductionsAtOnce) {
  check(R"(
func.func private @k(%x: memref<21x90xf32> {llvm.align = 16 : i64}, %v: memref<21xf32>, %w: memref<21xf32>) attributes {commir.kernel} {
  linalg.generic {indexing_maps = [#ij, #i, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<21x90xf32>) outs(%v, %w : memref<21xf32>, memref<21xf32>) {
  ^bb0(%in: f32, %sum: f32, %most: f32):
    %0 = arith.addf %sum, %in : f32
    %1 = arith.maximumf %in, %most : f32
    linalg.yield %0, %1 : f32, f32
  }
  return
})");
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

TEST(Elementwise, ChainsInRegisters) {
  check(R"(
func.func private @k(%x: memref<7x33xbf16> {llvm.align = 16 : i64}, %y: memref<7x33xbf16> {llvm.align = 16 : i64},
                     %z: memref<7x33xf32> {llvm.align = 16 : i64}) attributes {commir.kernel} {
  linalg.exp ins(%x : memref<7x33xbf16>) outs(%y : memref<7x33xbf16>)
  linalg.add ins(%x, %y : memref<7x33xbf16>, memref<7x33xbf16>) outs(%y : memref<7x33xbf16>)
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<7x33xbf16>) outs(%z : memref<7x33xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.mulf %0, %out : f32
    linalg.yield %1 : f32
  }
  return
})",
        1e-2);
}

TEST(Elementwise, Transposes) {
  check(R"(
func.func private @k(%x: memref<45x70xf32> {llvm.align = 16 : i64}, %y: memref<70x45xf32> {llvm.align = 16 : i64}) attributes {commir.kernel} {
  linalg.transpose ins(%x : memref<45x70xf32>) outs(%y : memref<70x45xf32>) permutation = [1, 0]
  return
})");
  check(R"(
func.func private @k(%x: memref<4x6x5x8xf16> {llvm.align = 16 : i64}, %y: memref<6x4x5x8xf16> {llvm.align = 16 : i64}) attributes {commir.kernel} {
  linalg.transpose ins(%x : memref<4x6x5x8xf16>) outs(%y : memref<6x4x5x8xf16>) permutation = [1, 0, 2, 3]
  return
})");
}

TEST(Elementwise, CopiesWithStrides) {
  check(R"(
func.func private @k(%x: memref<9x20xf32, strided<[24, 1]>> {llvm.align = 16 : i64}, %y: memref<9x20xf32, strided<[28, 1]>> {llvm.align = 8 : i64}) attributes {commir.kernel} {
  memref.copy %x, %y : memref<9x20xf32, strided<[24, 1]>> to memref<9x20xf32, strided<[28, 1]>>
  return
})");
  check(R"(
func.func private @k(%x: memref<9x20xi64, strided<[50, 2]>>, %y: memref<9x20xi64, strided<[1, 9]>>) attributes {commir.kernel} {
  memref.copy %x, %y : memref<9x20xi64, strided<[50, 2]>> to memref<9x20xi64, strided<[1, 9]>>
  return
})");
  // Rows that are no multiple of a vector, but start at one.
  check(R"(
func.func private @k(%x: memref<9x18xf32, strided<[20, 1]>> {llvm.align = 16 : i64}, %y: memref<9x18xf32, strided<[24, 1]>> {llvm.align = 16 : i64}) attributes {commir.kernel} {
  memref.copy %x, %y : memref<9x18xf32, strided<[20, 1]>> to memref<9x18xf32, strided<[24, 1]>>
  return
})");
}

TEST(Elementwise, BroadcastsIndicesAndNumbers) {
  check(R"(
func.func private @k(%a: f32, %n: index, %x: memref<31xf32>, %m: memref<17xi1>, %y: memref<17x31xf32>, %b: memref<17x31xi1>, %c: memref<17x31xindex>) attributes {commir.kernel} {
  linalg.generic {indexing_maps = [#j, #i, #ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : memref<31xf32>, memref<17xi1>) outs(%y, %b, %c : memref<17x31xf32>, memref<17x31xi1>, memref<17x31xindex>) {
  ^bb0(%in: f32, %mask: i1, %o0: f32, %o1: i1, %o2: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.addi %i, %j : index
    %1 = arith.cmpi slt, %0, %n : index
    %2 = arith.andi %1, %mask : i1
    %3 = arith.mulf %in, %a : f32
    %4 = arith.select %2, %3, %in : f32
    linalg.yield %4, %2, %0 : f32, i1, index
  }
  return
})",
        0, [](KernelArguments &arguments) {
          arguments[0].number = 2.5;
          arguments[1].number = 20;
        });
}

TEST(Elementwise, Gathers) {
  check(R"(
func.func private @k(%ids: memref<19xi64>, %x: memref<5x24xf32>, %y: memref<19x24xf32> {llvm.align = 16 : i64}) attributes {commir.kernel} {
  linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%ids : memref<19xi64>) outs(%y : memref<19x24xf32>) {
  ^bb0(%id: i64, %out: f32):
    %i = arith.index_cast %id : i64 to index
    %j = linalg.index 1 : index
    %0 = memref.load %x[%i, %j] : memref<5x24xf32>
    linalg.yield %0 : f32
  }
  return
})",
        0, [](KernelArguments &arguments) {
          for (int64_t i = 0; i < 19; ++i)
            arguments[0]->set(i, (i * 7) % 5);
        });
}

/// Accesses that are linear in the loops and no permutation of them, and one
/// that is not linear.
TEST(Elementwise, OtherMaps) {
  check(R"(
func.func private @k(%x: memref<30xf32>, %y: memref<4x9xf32>, %z: memref<9xf32>) attributes {commir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 2 + j)>, affine_map<(i, j) -> (j mod 3)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : memref<30xf32>, memref<9xf32>) outs(%y : memref<4x9xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
})");
}

/// Several elements a thread, and the last block not full.
TEST(Elementwise, ManyElements) {
  check(R"(
func.func private @k(%x: memref<1050001xi8> {llvm.align = 1 : i64}, %y: memref<1050001xi8>) attributes {commir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<1050001xi8>) outs(%y : memref<1050001xi8>) {
  ^bb0(%in: i8, %out: i8):
    %0 = arith.muli %in, %in : i8
    linalg.yield %0 : i8
  }
  return
})");
}

/// Ops with all, some and one of the loops, in one block.
TEST(Elementwise, DifferentShapes) {
  check(R"(
func.func private @k(%x: memref<4x12x16xf32>, %y: memref<12x12xf32>, %z: memref<4x3xf32>, %s: memref<f32>) attributes {commir.kernel} {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%x : memref<4x12x16xf32>)
  linalg.fill ins(%one : f32) outs(%s : memref<f32>)
  linalg.exp ins(%y : memref<12x12xf32>) outs(%y : memref<12x12xf32>)
  linalg.exp ins(%z : memref<4x3xf32>) outs(%z : memref<4x3xf32>)
  linalg.reduce { arith.addf } ins(%z : memref<4x3xf32>) outs(%s : memref<f32>) dimensions = [0, 1]
  return
})");
}

TEST(Elementwise, Constants) {
  check(R"(
memref.global "private" constant @bias : memref<8xf32> = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]>
memref.global "private" constant @scale : memref<8x8xf32> = dense<3.0>
func.func private @k(%y: memref<8x8xf32>) attributes {commir.kernel} {
  %bias = memref.get_global @bias : memref<8xf32>
  %scale = memref.get_global @scale : memref<8x8xf32>
  %part = memref.reinterpret_cast %bias to offset: [4], sizes: [2, 2], strides: [2, 1] : memref<8xf32> to memref<2x2xf32, strided<[2, 1], offset: 4>>
  linalg.generic {indexing_maps = [#j, #ij, affine_map<(i, j) -> (0, 1)>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%bias, %scale, %part : memref<8xf32>, memref<8x8xf32>, memref<2x2xf32, strided<[2, 1], offset: 4>>) outs(%y : memref<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    linalg.yield %1 : f32
  }
  return
})");
}

/// A contraction that no other emitter takes.
TEST(Elementwise, IntegerContraction) {
  check(R"(
func.func private @k(%a: memref<13x21xi32>, %b: memref<21x18xi32>, %c: memref<13x18xi32>) attributes {commir.kernel} {
  linalg.matmul ins(%a, %b : memref<13x21xi32>, memref<21x18xi32>) outs(%c : memref<13x18xi32>)
  return
})");
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

void checkCode(const std::string &text,
               const std::vector<std::string> &instructions) {
  for (const char *chip : {"sm_80", "sm_89", "sm_90a", "sm_100"}) {
    SCOPED_TRACE(chip);
    auto kernel = Kernel::parse(kMaps + text);
    ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
    auto resources = kernel->assemble(chip);
    ASSERT_TRUE(bool(resources)) << llvm::toString(resources.takeError());
    EXPECT_EQ(resources->spilledBytes, 0);
    EXPECT_LE(resources->registers, 64);
    auto ptx = kernel->ptx(chip);
    ASSERT_TRUE(bool(ptx)) << llvm::toString(ptx.takeError());
    for (const std::string &instruction : instructions)
      EXPECT_NE(ptx->find(instruction), std::string::npos) << instruction;
  }
}

TEST(Elementwise, CodeOfSoftmax) {
  MERCURY_NEEDS_PTXAS();
  checkCode(expand(kSoftmax, {{"EXT", "%0 = arith.extf %in : $T to f32"},
                              {"TRUNC", "%2 = arith.truncf %1 : f32 to $T"},
                              {"M", "4096"},
                              {"N", "2048"},
                              {"T", "bf16"},
                              {"A", "16"}}),
            {"ld.global.v4", "shfl.sync.bfly", "bar.sync"});
}

/// What chips lack of the arithmetic of halves.
const char *const kHalves = R"(
func.func private @k(%x: memref<24x$T> {llvm.align = 16 : i64}, %y: memref<24x$T> {llvm.align = 16 : i64}) attributes {commir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<24x$T>) outs(%y : memref<24x$T>) {
  ^bb0(%in: $T, %out: $T):
    %0 = math.tanh %in : $T
    %1 = arith.maximumf %0, %out : $T
    %2 = arith.mulf %1, %1 : $T
    %3 = arith.addf %2, %in : $T
    %4 = math.absf %3 : $T
    %5 = math.sqrt %4 : $T
    %6 = math.erf %5 : $T
    %7 = arith.negf %6 : $T
    %8 = math.exp %7 : $T
    %9 = arith.divf %in, %8 : $T
    %c = arith.cmpf olt, %9, %in : $T
    %10 = arith.select %c, %9, %out : $T
    linalg.yield %10 : $T
  }
  return
})";

TEST(Elementwise, ArithmeticOfHalves) {
  for (const char *type : {"bf16", "f16"})
    check(expand(kHalves, {{"T", type}}), 1e-2);
}

TEST(Elementwise, CodeOfHalves) {
  MERCURY_NEEDS_PTXAS();
  for (const char *type : {"bf16", "f16"})
    checkCode(expand(kHalves, {{"T", type}}), {"ld.global.v4.b32"});
}

/// Ranges of keys, as masks of attention give them: index arithmetic on rows,
/// with numbers from coordinates.
TEST(Elementwise, RangesOfKeys) {
  for (int64_t rows : {5, 300})
    for (int64_t start : {0, 40})
      check(expand(R"(
#row = affine_map<(i) -> (i)>
func.func private @k(%start: index, %first: memref<$Mxi32>, %begin: memref<$Mxi32>, %end: memref<$Mxi32>) attributes {commir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c40 = arith.constant 40 : index
  %keys = arith.constant 64 : index
  linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
      ins(%first : memref<$Mxi32>) outs(%begin, %end : memref<$Mxi32>, memref<$Mxi32>) {
  ^bb0(%in: i32, %b: i32, %e: i32):
    %row = linalg.index 0 : index
    %given = arith.index_cast %in : i32 to index
    %past = arith.addi %row, %c1 : index
    %far = arith.subi %past, %start : index
    %some = arith.maxsi %far, %c0 : index
    %chunks = arith.divui %some, %c40 : index
    %in_chunk = arith.remui %some, %c40 : index
    %rest = arith.minsi %in_chunk, %c8 : index
    %whole = arith.muli %chunks, %c8 : index
    %count = arith.addi %whole, %rest : index
    %last = arith.minsi %count, %keys : index
    %low = arith.maxsi %given, %c0 : index
    %from = arith.minsi %low, %last : index
    %0 = arith.index_cast %from : index to i32
    %1 = arith.index_cast %last : index to i32
    linalg.yield %0, %1 : i32, i32
  }
  return
})",
                   {{"M", std::to_string(rows)}}),
            1e-5,
            [=](KernelArguments &arguments) { arguments[0].number = start; });
}
} // namespace
