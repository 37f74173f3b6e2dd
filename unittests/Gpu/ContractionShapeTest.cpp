//===- ContractionShapeTest.cpp - Shapes and tilings of contractions ------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionSample.h"
#include "Kernels/ContractionTiling.h"
#include "Mercury/Transforms/Gpu/Chip.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <set>

using namespace mercury;
using namespace mercury::test;

namespace {
/// What matches `text`, or why nothing does.
struct Match {
  explicit Match(const std::string &text) : module(parse(context, text)) {
    module->walk([&](mlir::func::FuncOp kernel) {
      shape = matchStridedContraction(kernel, &reason);
    });
  }
  static mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context,
                                                 const std::string &text) {
    context.loadDialect<mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                        mlir::memref::MemRefDialect>();
    context.allowUnregisteredDialects();
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::FailureOr<StridedContraction> shape = mlir::failure();
  std::string reason;
};
} // namespace

using Role = Contraction::Role;

TEST(ContractionShape, CollapsesLoops) {
  // Two loops of each role that step as one.
  ContractionSample sample;
  sample.roles = "mmnnkkbb";
  sample.extents = {2, 3, 4, 5, 6, 7, 8, 9};
  sample.loops = {{{6, 7, 0, 1, 4, 5}, {6, 7, 4, 5, 2, 3}, {6, 7, 0, 1, 2, 3}}};
  for (std::vector<int64_t> &of : sample.gaps)
    of.assign(6, 0);
  Match match(sample.text());
  ASSERT_TRUE(succeeded(match.shape)) << match.reason;
  for (auto [role, extent] : {std::pair(Role::M, 6),
                              {Role::N, 20},
                              {Role::K, 42},
                              {Role::Batch, 72}}) {
    EXPECT_EQ(match.shape->axes(role).size(), 1u);
    EXPECT_EQ(match.shape->extent(role), extent);
  }
  // A gap behind the inner loop of m in A only.
  sample.gaps[0][3] = 1;
  Match apart(sample.text());
  ASSERT_TRUE(succeeded(apart.shape)) << apart.reason;
  EXPECT_EQ(apart.shape->axes(Role::M).size(), 2u);
  EXPECT_EQ(apart.shape->axes(Role::K).size(), 1u);
}

TEST(ContractionShape, ColumnsAreContiguousInTheOutput) {
  ContractionSample sample;
  sample.extents = {32, 48, 64};
  sample.transpose(4);
  Match match(sample.text());
  ASSERT_TRUE(succeeded(match.shape)) << match.reason;
  EXPECT_EQ(match.shape->extent(Role::M), 48);
  EXPECT_EQ(match.shape->extent(Role::N), 32);
  auto a = mlir::cast<mlir::BlockArgument>(
      match.shape->buffers[StridedContraction::A].value);
  EXPECT_EQ(a.getArgNumber(), 1u);
}

TEST(ContractionShape, VectorsFollowAlignmentStridesAndExtents) {
  auto widthOfA = [](const ContractionSample &sample) {
    Match match(sample.text());
    if (failed(match.shape))
      return int64_t(0);
    return match.shape->vectorWidth(StridedContraction::A, Role::K);
  };
  ContractionSample sample;
  sample.extents = {32, 48, 64};
  EXPECT_EQ(widthOfA(sample), 4);
  sample.input = "bf16";
  EXPECT_EQ(widthOfA(sample), 8);
  sample.alignment = 4;
  EXPECT_EQ(widthOfA(sample), 2);
  sample.alignment = 0;
  EXPECT_EQ(widthOfA(sample), 1);
  sample.alignment = 16;
  sample.gaps[0] = {0, 4};
  EXPECT_EQ(widthOfA(sample), 4);
  sample.gaps[0] = {0, 3};
  EXPECT_EQ(widthOfA(sample), 1);
  // The row is long enough, but its end is not at the end of a vector.
  sample.extents[2] = 62;
  sample.gaps[0] = {0, 2};
  EXPECT_EQ(widthOfA(sample), 2);
  sample.transpose(1);
  EXPECT_EQ(widthOfA(sample), 1);
  // Rows start at vectors, but the parts that k is made of do not.
  sample = ContractionSample();
  sample.roles = "mnkk";
  sample.extents = {32, 48, 4, 4};
  sample.loops = {{{0, 2, 3}, {2, 3, 1}, {0, 1}}};
  sample.gaps = {{{0, 0, 0}, {0, 0, 0}, {0, 0}}};
  EXPECT_EQ(widthOfA(sample), 4);
  sample.gaps[0] = {0, 0, 1};
  EXPECT_EQ(widthOfA(sample), 1);
}

TEST(ContractionShape, Refuses) {
  auto reasonOf = [](std::string body, std::string c = "memref<8x8xf32>") {
    std::string a = "memref<8x8xf32>";
    Match match("func.func private @k(%a: " + a + ", %b: " + a + ", %c: " + c +
                ") {\n" + body + "\nreturn\n}");
    EXPECT_TRUE(match.module);
    EXPECT_TRUE(failed(match.shape));
    return match.reason;
  };
  std::string product =
      "linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(";
  EXPECT_EQ(reasonOf(product + "%c : memref<8x8xf32>)\n" + product +
                     "%c : memref<8x8xf32>)"),
            "it is not one op");
  EXPECT_EQ(reasonOf("\"test.op\"(%a) : (memref<8x8xf32>) -> ()"),
            "it is not a linalg op");
  EXPECT_EQ(reasonOf("linalg.add ins(%a, %b : memref<8x8xf32>, "
                     "memref<8x8xf32>) outs(%c : memref<8x8xf32>)"),
            "its body is not a multiply and an add");
  EXPECT_EQ(reasonOf(product + "%a : memref<8x8xf32>)"),
            "its output is an input");
  std::string column = "memref<8x8xf32, strided<[0, 1]>>";
  EXPECT_EQ(reasonOf(product + "%c : " + column + ")", column),
            "elements of its output share their place");
  std::string dynamic = "memref<8x8xf32, strided<[?, 1]>>";
  EXPECT_EQ(reasonOf(product + "%c : " + dynamic + ")", dynamic),
            "'" + dynamic + "' has no static strides");
  std::string back = "memref<8x8xf32, strided<[-8, 1]>>";
  EXPECT_EQ(reasonOf(product + "%c : " + back + ")", back),
            "'" + back + "' has no static strides");
}

TEST(ContractionTiling, KeepsTheLimits) {
  std::mt19937 random(15);
  std::set<std::pair<int64_t, int64_t>> chosen;
  for (unsigned i = 0; i < 14 * 14 * 3; ++i) {
    ContractionSample sample;
    sample.roles = "bmnk";
    sample.loops = {{{0, 1, 3}, {0, 3, 2}, {0, 1, 2}}};
    sample.gaps = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    sample.extents = {1 << i / 196 * 3, 1 << i % 14, 1 << i / 14 % 14,
                      1 + int64_t(random() % 200)};
    std::tie(sample.input, sample.output) = kContractionTypes[random() % 4];
    Match match(sample.text());
    ASSERT_TRUE(succeeded(match.shape)) << match.reason;
    const StridedContraction &shape = *match.shape;
    ContractionTiling tiling = chooseTiling(shape);
    int64_t bytes = sample.output == "f64" ? 8 : 4;
    EXPECT_GE(tiling.threads(), 128);
    EXPECT_LE(tiling.threads(), 256);
    EXPECT_LE(tiling.sharedBytes(shape, bytes), Chip::kStaticSharedBytes);
    EXPECT_GE(tiling.blocksM(shape) * tiling.m, shape.extent(Role::M));
    EXPECT_LT((tiling.blocksM(shape) - 1) * tiling.m, shape.extent(Role::M));
    EXPECT_GE(tiling.blocksN(shape) * tiling.n, shape.extent(Role::N));
    EXPECT_LT((tiling.blocksN(shape) - 1) * tiling.n, shape.extent(Role::N));
    chosen.insert({tiling.m, tiling.n});
  }
  // Of the table each row serves some shape.
  EXPECT_EQ(chosen.size(), 12u);
}
