//===- KernelHarnessTest.cpp - What the harness itself sees ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "DeviceText.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mercury::test;

// It sees what a kernel does beside its elements.
TEST(KernelBuffer, Intact) {
  mlir::MLIRContext context;
  auto type =
      mlir::MemRefType::get({3, 4}, mlir::Float32Type::get(&context),
                            mlir::StridedLayoutAttr::get(&context, 0, {6, 1}));
  KernelBuffer buffer(type, 16);
  auto *base = reinterpret_cast<float *>(buffer.descriptor()[1]);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(base) % 32, 16u);
  EXPECT_TRUE(std::isnan(buffer.get(0)));
  buffer.fill(2);
  EXPECT_TRUE(buffer.isIntact());
  for (int64_t at : {-1, 4, 11, 16, 300}) {
    KernelBuffer copy(buffer);
    EXPECT_TRUE(copy == buffer);
    reinterpret_cast<float *>(copy.descriptor()[1])[at] += 1; // NaN stays NaN
    EXPECT_FALSE(copy.isIntact()) << at;
  }
}

TEST(KernelHarness, Resources) {
  MERCURY_NEEDS_PTXAS();
  auto kernel = Kernel::parse(blockSum());
  ASSERT_TRUE(static_cast<bool>(kernel));
  for (const char *chip : {"sm_80", "sm_89", "sm_90a", "sm_100"}) {
    auto resources = kernel->assemble(chip);
    ASSERT_TRUE(static_cast<bool>(resources))
        << llvm::toString(resources.takeError());
    EXPECT_GT(resources->registers, 0) << chip;
    EXPECT_EQ(resources->sharedBytes, 128 * 4) << chip;
    EXPECT_EQ(resources->spilledBytes, 0) << chip;
  }
}

// What emitters may leave: libdevice, bf16, small vectors, shuffles.
TEST(KernelHarness, DeviceOps) {
  std::string text = deviceText("%a: memref<32x8xbf16>, %b: memref<32xf32>", "",
                                "1, 1, 1", "32, 1, 1",
                                R"(
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %width = arith.constant 32 : i32
      %o1 = arith.constant 1 : i32
      %v = vector.load %a[%t, %c0] {alignment = 16} : memref<32x8xbf16>, vector<8xbf16>
      %w = arith.extf %v : vector<8xbf16> to vector<8xf32>
      %x = vector.extract %w[3] : f32 from vector<8xf32>
      %y = math.exp2 %x : f32
      %z = math.exp %y : f32
      %u, %valid = gpu.shuffle xor %z, %o1, %width : f32
      %v1 = vector.insert %u, %w[2] : f32 into vector<8xf32>
      %v2 = arith.truncf %v1 : vector<8xf32> to vector<8xbf16>
      vector.store %v2, %a[%t, %c0] {alignment = 16} : memref<32x8xbf16>, vector<8xbf16>
      memref.store %z, %b[%t] : memref<32xf32>
)");
  text.replace(text.find("bf16>,"), 6, "bf16> {llvm.align = 16 : i64},");
  KernelCheck check;
  check.text = text;
  check.reference = [](KernelArguments &arguments) {
    for (int64_t i = 0; i < 32; ++i)
      arguments[1]->set(i, std::exp(std::exp2(arguments[0]->at({i, 3}))));
    for (int64_t i = 0; i < 32; ++i)
      arguments[0]->set(8 * i + 2, arguments[1]->get(i ^ 1));
  };
  checkKernel(check);
  MERCURY_NEEDS_PTXAS();
  auto kernel = Kernel::parse(text);
  ASSERT_TRUE(static_cast<bool>(kernel));
  auto resources = kernel->assemble("sm_90a");
  ASSERT_TRUE(static_cast<bool>(resources))
      << llvm::toString(resources.takeError());
  EXPECT_EQ(resources->spilledBytes, 0);
  auto ptx = kernel->ptx("sm_90a");
  ASSERT_TRUE(static_cast<bool>(ptx));
  EXPECT_CONTAINS(*ptx, "ld.global.v4.b32"); // 16 bytes
}

// The reference: views, numbers, and ops of either dialect.
TEST(KernelHarness, Loops) {
  auto kernel = Kernel::parse(R"(
func.func private @k(%a: memref<3x5xbf16, strided<[7, 1]>>, %s: f32,
                     %b: memref<5x3xf32>) attributes {commir.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                                   affine_map<(i, j) -> (j, i)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<3x5xbf16, strided<[7, 1]>>) outs(%b : memref<5x3xf32>) {
  ^bb0(%x: bf16, %y: f32):
    %wide = arith.extf %x : bf16 to f32
    %z = arith.mulf %wide, %s : f32
    linalg.yield %z : f32
  }
  return
})");
  ASSERT_TRUE(static_cast<bool>(kernel)) << llvm::toString(kernel.takeError());
  auto program = kernel->loops();
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  KernelArguments arguments = kernel->makeArguments(1);
  arguments[1].number = 0.5;
  EXPECT_EQ(program->run(arguments), "");
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 5; ++j)
      EXPECT_EQ(arguments[2]->at({j, i}), arguments[0]->at({i, j}) / 2);
  EXPECT_TRUE(arguments[2]->isIntact());
}

TEST(KernelHarness, NotAModule) {
  auto kernel = Kernel::parse("func.func private @k() {");
  ASSERT_FALSE(static_cast<bool>(kernel));
  EXPECT_CONTAINS(llvm::toString(kernel.takeError()), "expected");
  kernel = Kernel::parse("func.func private @k()");
  ASSERT_FALSE(static_cast<bool>(kernel));
  EXPECT_EQ(llvm::toString(kernel.takeError()), "the module has no kernel");
}

TEST(KernelBuffer, RelativeNorm) {
  mlir::MLIRContext context;
  auto type = mlir::MemRefType::get({2}, mlir::Float32Type::get(&context));
  KernelBuffer expected(type, 4), actual(type, 4);
  expected.fill(4);
  actual.fill(4);
  EXPECT_EQ(relativeNorm(actual, expected), 0);
  actual.set(0, 5);
  EXPECT_DOUBLE_EQ(relativeNorm(actual, expected), 1 / std::sqrt(32));
  expected.set(1, -INFINITY);
  EXPECT_EQ(relativeNorm(actual, expected), INFINITY);
  actual.set(1, -INFINITY);
  EXPECT_DOUBLE_EQ(relativeNorm(actual, expected), 1 / 4.0);
  actual.set(1, NAN);
  EXPECT_EQ(relativeNorm(actual, expected), INFINITY);
}

//===----------------------------------------------------------------------===//
// What checkKernel finds
//===----------------------------------------------------------------------===//

/// Adds one to each element of %b, and does `more`.
static KernelCheck addOne(const std::string &more) {
  KernelCheck check;
  check.text = deviceText("%a: memref<8xf32>, %b: memref<8xf32, strided<[2]>>",
                          "", "1, 1, 1", "8, 1, 1", R"(
      %t = gpu.thread_id x
      %one = arith.constant 1.0 : f32
      %x = memref.load %b[%t] : memref<8xf32, strided<[2]>>
      %y = arith.addf %x, %one : f32
      memref.store %y, %b[%t] : memref<8xf32, strided<[2]>>
)" + more);
  check.reference = [](KernelArguments &arguments) {
    for (int64_t i = 0; i < 8; ++i)
      arguments[1]->set(i, arguments[1]->get(i) + 1);
  };
  check.orders = {"ascending"};
  return check;
}

TEST(CheckKernel, Right) { EXPECT_LE(checkKernel(addOne("")), 1e-7); }

TEST(CheckKernel, WrongResult) {
  KernelCheck check = addOne("");
  check.reference = [](KernelArguments &arguments) {
    for (int64_t i = 0; i < 8; ++i)
      arguments[1]->set(i, arguments[1]->get(i) + 1.01);
  };
  EXPECT_NONFATAL_FAILURE(checkKernel(check), "argument 1");
}

TEST(CheckKernel, ChangedInput) {
  KernelCheck check = addOne("memref.store %one, %a[%t] : memref<8xf32>\n");
  EXPECT_NONFATAL_FAILURE(checkKernel(check), "changed argument 0");
}

TEST(CheckKernel, WroteBetweenElements) {
  KernelCheck check = addOne(R"(
      %gaps = memref.reinterpret_cast %b to offset: [0], sizes: [16], strides: [1] : memref<8xf32, strided<[2]>> to memref<16xf32>
      %c1 = arith.constant 1 : index
      memref.store %one, %gaps[%c1] : memref<16xf32>
)");
  check.text.replace(check.text.find("8, 1, 1"), 7, "1, 1, 1");
  check.reference = [](KernelArguments &arguments) {
    arguments[1]->set(0, arguments[1]->get(0) + 1);
  };
  EXPECT_NONFATAL_FAILURE(checkKernel(check), "outside of the elements of");
}

TEST(CheckKernel, Fault) {
  KernelCheck check = addOne(R"(
      %c1 = arith.constant 1 : index
      %next = arith.addi %t, %c1 : index
      memref.store %one, %b[%next] : memref<8xf32, strided<[2]>>
)");
  EXPECT_NONFATAL_FAILURE(checkKernel(check), "without a barrier in between");
}
