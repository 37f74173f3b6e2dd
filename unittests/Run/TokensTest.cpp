//===- TokensTest.cpp - Token orders and documents on one rank ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Mercury/InitAll.h"
#include "Mercury/Schedule/TokenOrder.h"
#include "Reference.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mercury;
using namespace mercury::run;

namespace {
class TokensTest : public testing::Test {
protected:
  static void SetUpTestSuite() { registerAllPasses(); }
  TokensTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }
  std::vector<HostTensor> run(const std::string &text,
                              std::vector<HostTensor> arguments) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << text;
      return {};
    }
    auto results = computeReference(*module, {}, arguments);
    if (results)
      return std::move(*results);
    ADD_FAILURE() << llvm::toString(results.takeError()) << text;
    return {};
  }
  mlir::MLIRContext context;
};

HostTensor integers(std::vector<int64_t> shape,
                    const std::vector<int64_t> &values) {
  HostTensor tensor({ElementKind::I32, std::move(shape)});
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(i, values[i]);
  return tensor;
}

std::vector<int64_t> valuesOf(const HostTensor &tensor) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < tensor.spec.numElements(); ++i)
    values.push_back(tensor.get(i));
  return values;
}
} // namespace

TEST_F(TokensTest, ArrangesEveryOrderAlongEveryDimension) {
  std::vector<TokenOrder> orders = {
      TokenOrder::zigzag(2), TokenOrder::zigzag(6), TokenOrder::striped(3, 2),
      TokenOrder::striped(12, 1),
      TokenOrder{TokenOrder::Kind::Table, 1, 1, {2, 0, 3, 1}}};
  for (const TokenOrder &order : orders)
    for (int64_t dim = 0; dim < 3; ++dim) {
      std::vector<int64_t> shape = {2, 3, 5};
      shape[dim] = 12;
      HostTensor x = makeArguments({{ElementKind::F32, shape}}, 1)[0];
      std::string type = "tensor<" + x.spec.str() + ">";
      std::string tail =
          " dim " + std::to_string(dim) + " as <" + print(order) + " of 12>";
      std::vector<HostTensor> results =
          run("func.func @f(%x: " + type + ") -> (" + type + ", " + type +
                  ") {\n  %0 = commir.arrange %x" + tail + " : " + type +
                  "\n  %1 = commir.arrange %x" + tail + " back : " + type +
                  "\n  return %0, %1 : " + type + ", " + type + "\n}\n",
              {x});
      ASSERT_EQ(results.size(), 2u);
      int64_t inner = 1;
      for (int64_t d = dim + 1; d < 3; ++d)
        inner *= shape[d];
      for (int64_t i = 0; i < x.spec.numElements(); ++i) {
        int64_t at = i / inner % 12;
        int64_t moved = i + (order.position(at, 12) - at) * inner;
        EXPECT_EQ(results[0].get(i), x.get(moved)) << tail << " " << i;
        EXPECT_EQ(results[1].get(moved), x.get(i)) << tail << " " << i;
      }
    }
}

// In bodies, and in index arithmetic between operators.
TEST_F(TokensTest, PositionsAreNumbersOfIterations) {
  std::vector<HostTensor> results = run(R"mlir(
func.func @f(%o: tensor<8xi32>) -> tensor<8xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>], iterator_types = ["parallel"]} outs(%o : tensor<8xi32>) {
  ^bb0(%x: i32):
    %m = linalg.index 0 : index
    %p = commir.position %m in <zigzag 2 of 8>
    %0 = arith.index_cast %p : index to i32
    linalg.yield %0 : i32
  } -> tensor<8xi32>
  return %r : tensor<8xi32>
}
)mlir",
                                        {integers({8}, {})});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(valuesOf(results[0]),
            (std::vector<int64_t>{0, 1, 6, 7, 2, 3, 4, 5}));
}

namespace {
/// Ranges of `rows` queries from `start` on among keys with these segments.
std::vector<std::vector<int64_t>>
expectedRanges(const std::vector<int64_t> &segments, int64_t rows,
               int64_t start) {
  std::vector<std::vector<int64_t>> ranges(2);
  auto keys = static_cast<int64_t>(segments.size());
  for (int64_t p = start; p < start + rows; ++p) {
    int64_t begin = 0, end = 0;
    if (p >= 0 && p < keys) {
      begin = end = p;
      while (begin > 0 && segments[begin - 1] == segments[p])
        --begin;
      while (end < keys && segments[end] == segments[p])
        ++end;
    }
    ranges[0].push_back(begin);
    ranges[1].push_back(end);
  }
  return ranges;
}

std::string documents(const std::string &operand, const std::string &given,
                      int64_t rows, const std::string &front = "") {
  std::string type = "tensor<" + front + std::to_string(rows) + "xi32>";
  return "func.func @f(%x: tensor<" + operand + ">) -> (" + type + ", " + type +
         ") {\n  %c3 = arith.constant 3 : index\n"
         "  %c30 = arith.constant 30 : index\n"
         "  %b, %e = commir.document_ranges " +
         given + " -> " + type + ", " + type + "\n  return %b, %e : " + type +
         ", " + type + "\n}\n";
}
} // namespace

TEST_F(TokensTest, SegmentsOfEverySize) {
  for (int64_t keys : {1, 2, 3, 7, 8, 13}) {
    std::vector<int64_t> segments;
    for (int64_t key = 0; key < keys; ++key)
      segments.push_back(key * key / 9 - 1);
    std::string shape = std::to_string(keys) + "xi32";
    for (auto [rows, start] : {std::pair<int64_t, int64_t>{keys, 0},
                               {4, 3},
                               {2, 30},
                               {keys + 2, 0}}) {
      std::string given = "segments(%x : tensor<" + shape + ">)";
      if (start)
        given += " query_start(%c" + std::to_string(start) + ")";
      std::vector<HostTensor> results =
          run(documents(shape, given, rows), {integers({keys}, segments)});
      ASSERT_EQ(results.size(), 2u);
      auto expected = expectedRanges(segments, rows, start);
      EXPECT_EQ(valuesOf(results[0]), expected[0]) << keys << " from " << start;
      EXPECT_EQ(valuesOf(results[1]), expected[1]) << keys << " from " << start;
    }
  }
}

TEST_F(TokensTest, LengthsOfSequences) {
  // Of 8 keys each; documents may be empty.
  std::vector<int64_t> lengths = {3, 0, 5, 0, 8, 0, 1, 1, 6};
  std::vector<std::vector<int64_t>> segments = {{0, 0, 0, 2, 2, 2, 2, 2},
                                                {1, 1, 1, 1, 1, 1, 1, 1},
                                                {0, 1, 2, 2, 2, 2, 2, 2}};
  for (auto [rows, start] :
       {std::pair<int64_t, int64_t>{8, 0}, {2, 3}, {7, 3}}) {
    std::string given = "lengths(%x : tensor<3x3xi32>)";
    if (start)
      given += " query_start(%c3)";
    std::vector<HostTensor> results = run(
        documents("3x3xi32", given, rows, "3x"), {integers({3, 3}, lengths)});
    ASSERT_EQ(results.size(), 2u);
    for (int64_t i = 0; i < 3; ++i) {
      auto expected = expectedRanges(segments[i], rows, start);
      for (int64_t end = 0; end < 2; ++end) {
        std::vector<int64_t> all = valuesOf(results[end]);
        EXPECT_EQ(std::vector<int64_t>(all.begin() + i * rows,
                                       all.begin() + (i + 1) * rows),
                  expected[end])
            << "sequence " << i << " from " << start;
      }
    }
  }
}

TEST_F(TokensTest, ConstantsGiveWhatOperandsGive) {
  for (const char *given :
       {"static [3, 0, 5]", "static [3, 0, 5] query_start(%c3)",
        "static [3, 0, 5] query_start(%c30)"}) {
    std::string constant = documents("3xi32", given, 8);
    std::string text = given;
    text.replace(0, 16, "lengths(%x : tensor<3xi32>)");
    HostTensor lengths = integers({3}, {3, 0, 5});
    auto one = run(constant, {lengths}),
         other = run(documents("3xi32", text, 8), {lengths});
    ASSERT_EQ(one.size(), 2u);
    ASSERT_EQ(other.size(), 2u);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(valuesOf(one[i]), valuesOf(other[i])) << given;
  }
}

// What operands hold is checked by ranks, not here: it reads nothing outside,
// and segments give ranges of keys whatever they are.
TEST_F(TokensTest, AnyOperandIsSafe) {
  for (const std::vector<int64_t> &values :
       {std::vector<int64_t>{5, 4, 3, 2, 1, 0, -1, -2},
        {0, 9, 0, 9, 0, 9, 0, 9},
        {-7, 2, 2147483647, 2147483647, -5, 3, 1, 0},
        {1, 0, 0, 0, 0, 0, 0, 0}})
    for (const char *given :
         {"segments(%x : tensor<8xi32>)", "lengths(%x : tensor<8xi32>)"}) {
      auto results = run(documents("8xi32", given, 8), {integers({8}, values)});
      ASSERT_EQ(results.size(), 2u);
      for (int64_t i = 0; i < 8 && given[0] == 's'; ++i) {
        EXPECT_GE(results[0].get(i), 0);
        EXPECT_LE(results[1].get(i), 8);
      }
    }
}

// Query m sees key m alone, and of three keys the last query sees none.
TEST_F(TokensTest, RowsWithoutKeysGiveZero) {
  std::string maps =
      "[affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, "
      "d)>, affine_map<(m, n, d, e) -> (n, e)>, ";
  std::string ranges =
      "affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m)>, ";
  std::string outputs =
      "affine_map<(m, n, d, e) -> (m, e)>, affine_map<(m, n, d, e) -> (m)>]";
  std::vector<HostTensor> arguments =
      makeArguments({{ElementKind::F32, {4, 2}},
                     {ElementKind::F32, {3, 2}},
                     {ElementKind::F32, {3, 2}}},
                    1);
  for (auto [all, mask] :
       {std::pair(maps + outputs, "visible <left 0 right 0>"),
        std::pair(maps + ranges + outputs,
                  "key_range(%b, %e : tensor<4xi32>, tensor<4xi32>)")}) {
    auto results = run(
        "func.func @f(%q: tensor<4x2xf32>, %k: tensor<3x2xf32>, %v: "
        "tensor<3x2xf32>) -> (tensor<4x2xf32>, tensor<4xf32>) {\n"
        "%b, %e = commir.document_ranges static [1, 1, 1] -> tensor<4xi32>, "
        "tensor<4xi32>\n"
        "%o = tensor.empty() : tensor<4x2xf32>\n"
        "%l = tensor.empty() : tensor<4xf32>\n"
        "%r:2 = commir.attention maps " +
            all +
            " ins(%q, %k, %v : tensor<4x2xf32>, tensor<3x2xf32>, "
            "tensor<3x2xf32>) " +
            mask +
            " outs(%o, %l : tensor<4x2xf32>, tensor<4xf32>) -> "
            "tensor<4x2xf32>, tensor<4xf32>\n"
            "return %r#0, %r#1 : tensor<4x2xf32>, tensor<4xf32>\n}",
        arguments);
    ASSERT_EQ(results.size(), 2u);
    for (int64_t row = 0; row < 4; ++row) {
      double score = 0;
      for (int64_t d = 0; d < 2 && row < 3; ++d)
        score += arguments[0].get(2 * row + d) * arguments[1].get(2 * row + d);
      if (row < 3)
        EXPECT_NEAR(results[1].get(row), score, 1e-6);
      else
        EXPECT_EQ(results[1].get(row), -INFINITY);
      for (int64_t e = 0; e < 2; ++e)
        EXPECT_EQ(results[0].get(2 * row + e),
                  row < 3 ? arguments[2].get(2 * row + e) : 0)
            << mask << " row " << row;
    }
  }
}
