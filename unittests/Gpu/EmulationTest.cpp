//===- EmulationTest.cpp - Threads of a grid on CPUs ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code written by hand gives its result under any order of threads.
//
//===----------------------------------------------------------------------===//

#include "DeviceText.h"
#include "KernelHarness.h"
#include "gtest/gtest.h"

#include <atomic>
#include <thread>

using namespace mercury::test;

TEST(Emulation, Saxpy) {
  KernelCheck check;
  check.text = deviceText("%a: f32, %x: memref<1000xf32>, %y: memref<1000xf32>",
                          "", "4, 1, 1", "256, 1, 1", R"(
      %limit = arith.constant 1000 : index
      %b = gpu.block_id x
      %size = gpu.block_dim x
      %t = gpu.thread_id x
      %first = arith.muli %b, %size : index
      %i = arith.addi %first, %t : index
      %inside = arith.cmpi slt, %i, %limit : index
      scf.if %inside {
        %x0 = memref.load %x[%i] : memref<1000xf32>
        %y0 = memref.load %y[%i] : memref<1000xf32>
        %y1 = math.fma %a, %x0, %y0 : f32
        memref.store %y1, %y[%i] : memref<1000xf32>
      }
)");
  check.prepare = [](KernelArguments &arguments) { arguments[0].number = 2.5; };
  check.reference = [](KernelArguments &arguments) {
    for (int64_t i = 0; i < 1000; ++i)
      arguments[2]->set(i, 2.5 * arguments[1]->get(i) + arguments[2]->get(i));
  };
  check.tolerance = 0;
  checkKernel(check);
}

TEST(Emulation, BlockSum) {
  KernelCheck check;
  check.text = blockSum();
  check.reference = sumRows;
  checkKernel(check);
}

// Two warps of each block; each thread has the sum.
TEST(Emulation, WarpSum) {
  KernelCheck check;
  check.text = deviceText("%in: memref<3x64xf32>, %out: memref<3x64xf32>", "",
                          "3, 1, 1", "32, 2, 1", R"(
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %w = gpu.thread_id y
      %c32 = arith.constant 32 : index
      %first = arith.muli %w, %c32 : index
      %i = arith.addi %first, %t : index
      %width = arith.constant 32 : i32
      %o1 = arith.constant 1 : i32
      %o2 = arith.constant 2 : i32
      %o4 = arith.constant 4 : i32
      %o8 = arith.constant 8 : i32
      %o16 = arith.constant 16 : i32
      %x0 = memref.load %in[%b, %i] : memref<3x64xf32>
      %y0, %v0 = gpu.shuffle xor %x0, %o1, %width : f32
      %x1 = arith.addf %x0, %y0 : f32
      %y1, %v1 = gpu.shuffle xor %x1, %o2, %width : f32
      %x2 = arith.addf %x1, %y1 : f32
      %y2, %v2 = gpu.shuffle xor %x2, %o4, %width : f32
      %x3 = arith.addf %x2, %y2 : f32
      %y3, %v3 = gpu.shuffle xor %x3, %o8, %width : f32
      %x4 = arith.addf %x3, %y3 : f32
      %y4, %v4 = gpu.shuffle xor %x4, %o16, %width : f32
      %x5 = arith.addf %x4, %y4 : f32
      memref.store %x5, %out[%b, %i] : memref<3x64xf32>
)");
  check.reference = [](KernelArguments &arguments) {
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t warp = 0; warp < 64; warp += 32) {
        double sum = 0;
        for (int64_t j = warp; j < warp + 32; ++j)
          sum += arguments[0]->at({i, j});
        for (int64_t j = warp; j < warp + 32; ++j)
          arguments[1]->set(arguments[1]->numberOf({i, j}), sum);
      }
  };
  checkKernel(check);
}

// Every mode, on i32, with its second result.
TEST(Emulation, ShuffleModes) {
  KernelCheck check;
  check.text = deviceText("%in: memref<32xi32>, %out: memref<4x32xi32>", "",
                          "1, 1, 1", "32, 1, 1", R"(
      %t = gpu.thread_id x
      %width = arith.constant 32 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %o3 = arith.constant 3 : i32
      %o5 = arith.constant 5 : i32
      %far = arith.constant 100 : i32
      %x = memref.load %in[%t] : memref<32xi32>
      %a, %va = gpu.shuffle down %x, %o3, %width : i32
      %a1 = arith.select %va, %a, %far : i32
      memref.store %a1, %out[%c0, %t] : memref<4x32xi32>
      %b, %vb = gpu.shuffle up %x, %o5, %width : i32
      %b1 = arith.select %vb, %b, %far : i32
      memref.store %b1, %out[%c1, %t] : memref<4x32xi32>
      %c, %vc = gpu.shuffle idx %x, %o5, %width : i32
      %c4 = arith.select %vc, %c, %far : i32
      memref.store %c4, %out[%c2, %t] : memref<4x32xi32>
      %d, %vd = gpu.shuffle xor %x, %o5, %width : i32
      %d1 = arith.select %vd, %d, %far : i32
      memref.store %d1, %out[%c3, %t] : memref<4x32xi32>
)");
  check.reference = [](KernelArguments &arguments) {
    for (int64_t t = 0; t < 32; ++t) {
      auto lane = [&](int64_t i) {
        return i >= 0 && i < 32 ? arguments[0]->get(i) : 100;
      };
      arguments[1]->set(t, lane(t + 3));
      arguments[1]->set(32 + t, lane(t - 5));
      arguments[1]->set(64 + t, lane(5));
      arguments[1]->set(96 + t, lane(t ^ 5));
    }
  };
  checkKernel(check);
}

// 16-byte loads, tiles at the edge, views with gaps, blocks in two dimensions.
TEST(Emulation, Transpose) {
  KernelCheck check;
  check.text = deviceText(
      "%in: memref<40x24xf32, strided<[28, 1]>> {llvm.align = 16 : i64}, "
      "%out: memref<24x40xf32, strided<[41, 1]>>",
      "%w: memref<16x17xf32, $S>", "3, 2, 1", "4, 16, 1", R"(
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %c24 = arith.constant 24 : index
      %c40 = arith.constant 40 : index
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %row0 = arith.muli %bx, %c16 : index
      %column0 = arith.muli %by, %c16 : index
      %row = arith.addi %row0, %ty : index
      %at = arith.muli %tx, %c4 : index
      %column = arith.addi %column0, %at : index
      %isRow = arith.cmpi slt, %row, %c40 : index
      %isColumn = arith.cmpi slt, %column, %c24 : index
      %inside = arith.andi %isRow, %isColumn : i1
      scf.if %inside {
        %v = vector.load %in[%row, %column] {alignment = 16} : memref<40x24xf32, strided<[28, 1]>>, vector<4xf32>
        vector.store %v, %w[%ty, %at] : memref<16x17xf32, $S>, vector<4xf32>
      }
      gpu.barrier
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %outRow = arith.addi %column0, %ty : index
      scf.for %i = %c0 to %c4 step %c1 {
        %j = arith.addi %at, %i : index
        %outColumn = arith.addi %row0, %j : index
        %isOutRow = arith.cmpi slt, %outRow, %c24 : index
        %isOutColumn = arith.cmpi slt, %outColumn, %c40 : index
        %isOut = arith.andi %isOutRow, %isOutColumn : i1
        scf.if %isOut {
          %x = memref.load %w[%j, %ty] : memref<16x17xf32, $S>
          memref.store %x, %out[%outRow, %outColumn] : memref<24x40xf32, strided<[41, 1]>>
        }
      }
)");
  check.tolerance = 0;
  check.reference = [](KernelArguments &arguments) {
    for (int64_t i = 0; i < 40; ++i)
      for (int64_t j = 0; j < 24; ++j)
        arguments[1]->set(arguments[1]->numberOf({j, i}),
                          arguments[0]->at({i, j}));
  };
  checkKernel(check);
}

// A register tile of 4 x 4 for each of 256 threads, operands of 16 columns at a
// time in shared memory.
TEST(Emulation, MatmulTile) {
  KernelCheck check;
  std::string body = R"(
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : vector<4xf32>
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %x4 = arith.muli %tx, %c4 : index
      %y4 = arith.muli %ty, %c4 : index
      %rows:4 = scf.for %k = %c0 to %c64 step %c16
          iter_args(%p0 = %zero, %p1 = %zero, %p2 = %zero, %p3 = %zero)
          -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
        %bRow = arith.addi %k, %ty : index
        %bv = vector.load %b[%bRow, %x4] : memref<64x64xf32>, vector<4xf32>
        vector.store %bv, %wb[%ty, %x4] : memref<16x64xf32, $S>, vector<4xf32>
        scf.for %i = %c0 to %c4 step %c1 {
          %r = arith.addi %y4, %i : index
          %at = arith.addi %k, %tx : index
          %av = memref.load %a[%r, %at] : memref<64x64xf32>
          memref.store %av, %wa[%r, %tx] : memref<64x16xf32, $S>
        }
        gpu.barrier
        %sums:4 = scf.for %j = %c0 to %c16 step %c1
            iter_args(%q0 = %p0, %q1 = %p1, %q2 = %p2, %q3 = %p3)
            -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
          %line = vector.load %wb[%j, %x4] : memref<16x64xf32, $S>, vector<4xf32>
)";
  for (int i = 0; i < 4; ++i) {
    std::string n = std::to_string(i);
    body += "          %n" + n + " = arith.constant " + n + " : index\n" +
            "          %r" + n + " = arith.addi %y4, %n" + n + " : index\n" +
            "          %e" + n + " = memref.load %wa[%r" + n +
            ", %j] : memref<64x16xf32, $S>\n          %f" + n +
            " = vector.broadcast %e" + n + " : f32 to vector<4xf32>\n" +
            "          %s" + n + " = vector.fma %f" + n + ", %line, %q" + n +
            " : vector<4xf32>\n";
  }
  body += R"(
          scf.yield %s0, %s1, %s2, %s3
              : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
        }
        gpu.barrier
        scf.yield %sums#0, %sums#1, %sums#2, %sums#3
            : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
      }
)";
  for (int i = 0; i < 4; ++i) {
    std::string n = std::to_string(i);
    body += "      %i" + n + " = arith.constant " + n + " : index\n      %o" +
            n + " = arith.addi %y4, %i" + n + " : index\n" +
            "      vector.store %rows#" + n + ", %c[%o" + n +
            ", %x4] : memref<64x64xf32>, vector<4xf32>\n";
  }
  check.text = deviceText(
      "%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>",
      "%wa: memref<64x16xf32, $S>, %wb: memref<16x64xf32, $S>", "1, 1, 1",
      "16, 16, 1", body);
  check.reference = [](KernelArguments &arguments) {
    for (int64_t i = 0; i < 64; ++i)
      for (int64_t j = 0; j < 64; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < 64; ++k)
          sum += arguments[0]->at({i, k}) * arguments[1]->at({k, j});
        arguments[2]->set(i * 64 + j, sum);
      }
  };
  EXPECT_GT(checkKernel(check), 0); // f32 against f64
}

// Grid in z, numbers as arguments, constants, and the dimensions themselves.
TEST(Emulation, Ids) {
  KernelCheck check;
  check.text = deviceText("%n: index, %k: i32, %out: memref<2x3x4x8x2xi32>", "",
                          "4, 3, 2", "2, 8, 1", R"(
      %bx = gpu.block_id x
      %by = gpu.block_id y
      %bz = gpu.block_id z
      %tx = gpu.thread_id x
      %ty = gpu.thread_id y
      %gx = gpu.grid_dim x
      %dy = gpu.block_dim y
      %table = memref.get_global @table : memref<8xi32>
      %a = arith.muli %gx, %dy : index
      %b = arith.addi %a, %n : index
      %c = arith.index_cast %b : index to i32
      %d = arith.addi %c, %k : i32
      %e = memref.load %table[%ty] : memref<8xi32>
      %f = arith.addi %d, %e : i32
      memref.store %f, %out[%bz, %by, %bx, %ty, %tx] : memref<2x3x4x8x2xi32>
)");
  check.text.insert(check.text.find("    gpu.func"),
                    "    memref.global \"private\" constant @table : "
                    "memref<8xi32> = dense<[0, 1, 4, 9, 16, 25, 36, 49]>\n");
  check.prepare = [](KernelArguments &arguments) {
    arguments[0].number = 1000;
    arguments[1].number = -7;
  };
  check.reference = [](KernelArguments &arguments) {
    for (int64_t i = 0; i < arguments[2]->size(); ++i) {
      int64_t y = i / 2 % 8;
      arguments[2]->set(i, 4 * 8 + 1000 - 7 + y * y);
    }
  };
  check.tolerance = 0;
  checkKernel(check);
}

// Ranks run kernels at once.
TEST(Emulation, ManyThreads) {
  auto kernel = Kernel::parse(blockSum());
  ASSERT_TRUE(static_cast<bool>(kernel));
  auto program = kernel->emulated();
  ASSERT_TRUE(static_cast<bool>(program));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      KernelArguments arguments = kernel->makeArguments(i);
      KernelArguments expected = arguments;
      sumRows(expected);
      for (int repeat = 0; repeat < 20; ++repeat) {
        if (!program->run(arguments).empty() ||
            relativeNorm(*arguments[1], *expected[1]) > 1e-5)
          ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
