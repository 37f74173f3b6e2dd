//===- EmulationFaultsTest.cpp - Device code that is wrong ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceText.h"
#include "KernelHarness.h"
#include "Mercury/Runtime/mercury_simt.h"
#include "gtest/gtest.h"

using namespace mercury::test;

/// What is recorded of a kernel with one order.
static std::string faultOf(const std::string &text, const char *order,
                           bool checks = true) {
  auto kernel = Kernel::parse(text);
  if (!kernel)
    return llvm::toString(kernel.takeError());
  auto program = kernel->emulated("sm_90a", checks);
  if (!program)
    return llvm::toString(program.takeError());
  KernelArguments arguments = kernel->makeArguments(1);
  EXPECT_EQ(mercury_simt_set_order(order), 0);
  std::string fault = program->run(arguments);
  mercury_simt_set_order("ascending");
  return fault;
}

// Each of the barriers but the last is needed: without it there is a race, and
// without the checks a wrong result under one order or another.
TEST(EmulationFaults, MissingBarrier) {
  for (int missing = 0; missing < 8; ++missing) {
    SCOPED_TRACE(missing);
    std::string text = blockSum(missing);
    for (const char *order : {"ascending", "descending", "random:3"})
      EXPECT_CONTAINS(faultOf(text, order), "without a barrier in between");
    auto kernel = Kernel::parse(text);
    ASSERT_TRUE(static_cast<bool>(kernel));
    auto program = kernel->emulated("sm_90a", /*checks=*/false);
    ASSERT_TRUE(static_cast<bool>(program));
    KernelArguments expected = kernel->makeArguments(1);
    sumRows(expected);
    double greatest = 0;
    for (const char *order : {"ascending", "descending", "random:3"}) {
      KernelArguments actual = kernel->makeArguments(1);
      ASSERT_EQ(mercury_simt_set_order(order), 0);
      EXPECT_EQ(program->run(actual), "");
      greatest = std::max(greatest, relativeNorm(*actual[1], *expected[1]));
    }
    mercury_simt_set_order("ascending");
    if (missing < 7)
      EXPECT_GT(greatest, 1e-3);
  }
}

TEST(EmulationFaults, Race) {
  std::string fault = faultOf(blockSum(0), "ascending");
  EXPECT_CONTAINS(fault,
                  "kernel 'k', block (0, 0, 0), thread (64, 0, 0): writes what "
                  "thread (0, 0, 0) read, without a barrier in between: "
                  "memref.store %0, %arg2[%thread_id_x]");
}

// Blocks have no order, whatever barriers they have.
TEST(EmulationFaults, RaceOfBlocks) {
  for (bool reads : {false, true}) {
    std::string body = R"(
      %b = gpu.block_id x
      %t = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %x = arith.constant 1.0 : f32
      memref.store %x, %out[%b, %t] : memref<3x32xf32>
      gpu.barrier
      %next = arith.xori %b, %c1 : index
)";
    body += reads ? "%y = memref.load %out[%next, %t] : memref<3x32xf32>\n"
                    "memref.store %y, %to[%b, %t] : memref<2x32xf32>\n"
                  : "memref.store %x, %out[%next, %t] : memref<3x32xf32>\n";
    std::string fault =
        faultOf(deviceText("%out: memref<3x32xf32>, %to: memref<2x32xf32>", "",
                           "2, 1, 1", "32, 1, 1", body),
                "ascending");
    EXPECT_CONTAINS(fault, "block (1, 0, 0), thread (0, 0, 0): writes what "
                           "thread (0, 0, 0) of another block ");
    EXPECT_CONTAINS(fault, reads ? " read: memref.store" : " wrote: memref.st");
  }
}

/// All threads of 64 do `body`; %w is shared.
static std::string small(const std::string &body) {
  return deviceText("%out: memref<64xf32>", "%w: memref<64xf32, $S>", "1, 1, 1",
                    "64, 1, 1", R"(
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c63 = arith.constant 63 : index
      %width = arith.constant 32 : i32
      %o1 = arith.constant 1 : i32
      %x = arith.constant 1.0 : f32
      %isLast = arith.cmpi eq, %t, %c63 : index
)" + body);
}

TEST(EmulationFaults, BarrierThatSomeSkip) {
  std::string text = small("scf.if %isLast { } else { gpu.barrier }\n");
  EXPECT_CONTAINS(faultOf(text, "ascending"),
                  "thread (0, 0, 0): waits at a barrier for thread (63, 0, 0), "
                  "which has ended: gpu.barrier");
}

TEST(EmulationFaults, DifferentBarriers) {
  std::string text =
      small("scf.if %isLast { gpu.barrier } else { gpu.barrier }\n");
  EXPECT_CONTAINS(faultOf(text, "descending"),
                  "waits at another barrier than thread (63, 0, 0)");
}

TEST(EmulationFaults, ShuffleAndBarrier) {
  std::string text = small(R"(
      scf.if %isLast { gpu.barrier } else {
        %y, %v = gpu.shuffle xor %x, %o1, %width : f32
        memref.store %y, %out[%t] : memref<64xf32>
        gpu.barrier
      }
)");
  EXPECT_CONTAINS(faultOf(text, "random:1"),
                  "thread (63, 0, 0): waits at another op than thread "
                  "(32, 0, 0) of its warp, which is at '%");
}

TEST(EmulationFaults, ShuffleFromEndedLane) {
  std::string text = small(R"(
      scf.if %isLast { } else {
        %y, %v = gpu.shuffle xor %x, %o1, %width : f32
        memref.store %y, %out[%t] : memref<64xf32>
      }
)");
  EXPECT_CONTAINS(faultOf(text, "ascending"),
                  "thread (62, 0, 0): takes the value of lane 31 of its warp, "
                  "which has ended");
}

TEST(EmulationFaults, IndexOutOfRange) {
  std::string text = small(R"(
      %i = arith.addi %t, %c1 : index
      memref.store %x, %out[%i] : memref<64xf32>
)");
  EXPECT_CONTAINS(faultOf(text, "descending"),
                  "thread (63, 0, 0): index 64 in a dimension of extent 64: "
                  "memref.store");
  text = small(R"(
      %v = vector.load %out[%t] : memref<64xf32>, vector<4xf32>
      vector.store %v, %w[%c0] : memref<64xf32, $S>, vector<4xf32>
)");
  EXPECT_CONTAINS(faultOf(text, "descending"),
                  "4 elements from index 63 in a dimension of extent 64");
}

// A view that is said to be larger than what it views.
TEST(EmulationFaults, OutsideOfSharedMemory) {
  std::string text = small(R"(
      %far = memref.reinterpret_cast %w to offset: [0], sizes: [128], strides: [1] : memref<64xf32, $S> to memref<128xf32, $S>
      %c64 = arith.constant 64 : index
      %i = arith.addi %t, %c64 : index
      memref.store %x, %far[%i] : memref<128xf32, $S>
)");
  EXPECT_CONTAINS(faultOf(text, "ascending"),
                  "outside of the block's shared memory: memref.store");
}

TEST(EmulationFaults, Misaligned) {
  std::string text = small(R"(
      scf.if %isLast {
        %v = vector.load %out[%c1] {alignment = 16} : memref<64xf32>, vector<4xf32>
        vector.store %v, %w[%c0] : memref<64xf32, $S>, vector<4xf32>
      }
)");
  EXPECT_CONTAINS(faultOf(text, "ascending"), "bytes beyond a multiple of 16");
}

// A fault in one kernel does not disturb the next.
TEST(EmulationFaults, AfterAFault) {
  EXPECT_NE(
      faultOf(small("scf.if %isLast { } else { gpu.barrier }\n"), "ascending"),
      "");
  KernelCheck check;
  check.text = blockSum();
  check.reference = sumRows;
  checkKernel(check);
}

TEST(EmulationFaults, UnknownOrder) {
  EXPECT_EQ(mercury_simt_set_order("sideways"), 1);
  EXPECT_EQ(mercury_simt_set_order("random:"), 1);
  EXPECT_EQ(mercury_simt_set_order("random:1x"), 1);
}
