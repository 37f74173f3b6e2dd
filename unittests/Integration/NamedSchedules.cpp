//===- NamedSchedules.cpp - Shipped schedules on many machines ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every schedule that ships by name, on every topology of the list, erased and
// on ranks; and on one- and two-level machines of four ranks with the operator
// in its other forms.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Schedule/NamedSchedules.h"
#include "Programs.h"
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

using namespace mercury;
using namespace mercury::test;

namespace {
struct Case {
  std::string schedule, topology;
};
} // namespace

/// Runs the cases on two threads. A schedule that does not fit says so before
/// anything runs; `mayRefuse` allows that.
static void runCases(const std::string &text, const std::vector<Case> &cases,
                     bool erased) {
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  auto work = [&] {
    Program program(text, 7);
    for (size_t i; (i = next++) < cases.size();) {
      const auto &[schedule, topology] = cases[i];
      std::string wrong = program.runOnRanks(schedule, topology);
      std::string alone =
          erased ? program.runErased(schedule, topology) : std::string();
      std::lock_guard<std::mutex> lock(mutex);
      EXPECT_EQ(wrong, "") << schedule << " on " << topology << "\n" << text;
      EXPECT_EQ(alone, "") << schedule << " erased, " << topology << "\n"
                           << text;
    }
  };
  std::thread other(work);
  work();
  other.join();
}

static std::vector<Case> everySchedule(std::vector<std::string> topologies) {
  std::vector<Case> cases;
  for (const NamedSchedule &named : namedSchedules())
    if (named.scope != NamedSchedule::Scope::Attention)
      for (const std::string &topology : topologies)
        cases.push_back({std::string(named.name), topology});
  return cases;
}

TEST(NamedSchedules, MatmulOnOneLevel) {
  runCases(matmulText(24, 24, 24),
           everySchedule(
               {"gpu=1", "gpu=2", "gpu=3", "gpu=4", "gpu=6", "gpu=7", "gpu=8"}),
           /*erased=*/true);
}

TEST(NamedSchedules, MatmulOnTwoLevels) {
  runCases(matmulText(24, 24, 24),
           everySchedule({"node=2,gpu=2", "node=2,gpu=3", "node=2,gpu=4",
                          "node=4,gpu=2", "node=1,gpu=4"}),
           /*erased=*/true);
}

// llvm-project#180243: every axis and axis order of 3-D topologies.
TEST(NamedSchedules, MatmulOnThreeLevels) {
  runCases(matmulText(16, 16, 16),
           everySchedule({"rack=2,node=2,gpu=2", "rack=1,node=2,gpu=4"}),
           /*erased=*/false);
}

// Sums over ranks and rotation over every ordered set of axes.
TEST(NamedSchedules, EveryAxisAndOrder) {
  std::vector<std::vector<std::string>> sets;
  std::vector<std::string> names = {"gpu", "node", "rack"};
  for (const std::string &a : names) {
    sets.push_back({a});
    for (const std::string &b : names) {
      if (b == a)
        continue;
      sets.push_back({a, b});
      for (const std::string &c : names)
        if (c != a && c != b)
          sets.push_back({a, b, c});
    }
  }
  std::vector<Case> cases;
  for (const auto &set : sets) {
    std::string axes = "{";
    for (const std::string &axis : set)
      axes += (axes.size() > 1 ? ", " : "") + axis;
    axes += "}";
    for (const char *topology :
         {"rack=2,node=2,gpu=2", "rack=1,node=2,gpu=4"}) {
      cases.push_back({"loops [-, -, rank " + axes + "] inputs [[{}, " + axes +
                           "], [" + axes + ", {}]] results [[{}, {}]]",
                       topology});
      cases.push_back({"loops [time " + axes + " shift " + axes + ", rank " +
                           axes + ", -] inputs [[" + axes + ", {}], [{}, " +
                           axes + "]] results [[{}, " + axes + "]]",
                       topology});
    }
  }
  runCases(matmulText(8, 8, 8), cases, /*erased=*/true);
}

// tt-mlir#3662, #4992: extents that do not divide, 9 rows on 8 ranks (of which
// upstream's partitioner makes a tile of -5 rows), fewer rows than ranks.
TEST(NamedSchedules, ExtentsThatDoNotDivide) {
  runCases(matmulText(9, 9, 9), everySchedule({"gpu=2", "gpu=8"}), true);
  runCases(matmulText(15, 15, 15), everySchedule({"gpu=4", "node=2,gpu=2"}),
           true);
  runCases(matmulText(3, 5, 2), everySchedule({"gpu=4", "node=2,gpu=2"}), true);
  runCases(matmulText(1, 1, 1), everySchedule({"gpu=3"}), true);
}

// flux#154 (zeros from GEMM + reduce-scatter), at 1/64 of its extents.
TEST(NamedSchedules, ReportedShape) {
  runCases(matmulText(64, 192, 768),
           {{"gemm_reduce_scatter", "gpu=8"},
            {"gemm_reduce_scatter_shifted", "gpu=8"},
            // flux#40: two nodes of four, local world is not the world.
            {"gemm_reduce_scatter_shifted", "node=2,gpu=4"},
            {"all_gather_gemm_shifted", "node=2,gpu=4"}},
           false);
}

static const std::vector<std::string> fourRanks = {"gpu=4", "node=2,gpu=2"};

TEST(NamedSchedules, Bf16Inputs) {
  runCases(R"(
func.func @gemm(%a: tensor<16x16xbf16>, %b: tensor<16x16xbf16>) -> tensor<16x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = linalg.matmul ins(%a, %b : tensor<16x16xbf16>, tensor<16x16xbf16>) outs(%i : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
})",
           everySchedule(fourRanks), false);
}

// Accumulators are f32 and are rounded once, whatever the result's type.
TEST(NamedSchedules, Bf16Results) {
  runCases(R"(
func.func @gemm(%a: tensor<16x64xbf16>, %b: tensor<64x16xbf16>) -> tensor<16x16xbf16> {
  %z = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<16x16xbf16>
  %i = linalg.fill ins(%z : bf16) outs(%e : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<16x64xbf16>, tensor<64x16xbf16>) outs(%i : tensor<16x16xbf16>) -> tensor<16x16xbf16>
  return %r : tensor<16x16xbf16>
})",
           everySchedule(fourRanks), false);
}

TEST(NamedSchedules, BatchMatmul) {
  runCases(R"(
func.func @gemm(%a: tensor<4x8x12xf32>, %b: tensor<4x12x8xf32>) -> tensor<4x8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8x8xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<4x8x12xf32>, tensor<4x12x8xf32>) outs(%i : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  return %r : tensor<4x8x8xf32>
})",
           everySchedule(fourRanks), true);
}

TEST(NamedSchedules, TransposedOperands) {
  runCases(R"(
func.func @gemm(%a: tensor<12x8xf32>, %b: tensor<16x12xf32>) -> tensor<8x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<12x8xf32>, tensor<16x12xf32>) outs(%i : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
})",
           everySchedule(fourRanks), true);
}

TEST(NamedSchedules, Contract) {
  runCases(R"(
func.func @gemm(%a: tensor<8x3x12xf32>, %b: tensor<12x3x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.contract indexing_maps = [affine_map<(m, n, j, k) -> (m, j, k)>, affine_map<(m, n, j, k) -> (k, j, n)>, affine_map<(m, n, j, k) -> (m, n)>]
    ins(%a, %b : tensor<8x3x12xf32>, tensor<12x3x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
})",
           everySchedule(fourRanks), true);
}

// What was in the accumulator enters once, not once per rank.
TEST(NamedSchedules, AccumulatedInput) {
  std::string text = R"(
func.func @gemm(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
})";
  runCases(text, everySchedule(fourRanks), true);
}

TEST(NamedSchedules, AccumulatedInputThatDoesNotDivide) {
  runCases(R"(
func.func @gemm(%a: tensor<9x7xf32>, %b: tensor<7x10xf32>, %c: tensor<9x10xf32>) -> tensor<9x10xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<9x7xf32>, tensor<7x10xf32>) outs(%c : tensor<9x10xf32>) -> tensor<9x10xf32>
  return %r : tensor<9x10xf32>
})",
           everySchedule(fourRanks), true);
}

// Each hop in pieces, also where they do not divide the tile.
TEST(NamedSchedules, Chunks) {
  std::vector<Case> cases;
  for (const char *topology : {"gpu=4", "node=2,gpu=2"})
    for (const char *chunks : {"3", "4", "1000"}) {
      cases.push_back({"loops [time {gpu} shift {gpu}, rank gpu, -] inputs "
                       "[[{gpu}, {}], [{}, {gpu}]] results [[{}, {gpu}]] "
                       "chunks " +
                           std::string(chunks),
                       topology});
      cases.push_back({"loops [time {gpu} shift {gpu} offset 1, -, rank gpu] "
                       "inputs [[{}, {gpu}], [{gpu}, {}]] results [[{gpu}, "
                       "{}]] chunks " +
                           std::string(chunks),
                       topology});
    }
  runCases(matmulText(8, 8, 8), cases, true);
}

TEST(NamedSchedules, OtherElementTypes) {
  for (std::string type : {"f64", "f16", "i32", "i64"}) {
    bool isFloat = type[0] == 'f';
    std::string t = "tensor<8x8x" + type + ">";
    runCases("func.func @gemm(%a: " + t + ", %b: " + t + ") -> " + t +
                 " {\n  %z = arith.constant " + (isFloat ? "0.0" : "0") +
                 " : " + type + "\n  %e = tensor.empty() : " + t +
                 "\n  %i = linalg.fill ins(%z : " + type + ") outs(%e : " + t +
                 ") -> " + t + "\n  %r = linalg.matmul ins(%a, %b : " + t +
                 ", " + t + ") outs(%i : " + t + ") -> " + t +
                 "\n  return %r : " + t + "\n}\n",
             everySchedule({"gpu=4"}), false);
  }
}
