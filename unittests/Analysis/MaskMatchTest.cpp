//===- MaskMatchTest.cpp - Masks by their definition ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random masks, written as linalg: what is raised as structure lets through
// exactly the keys that the mask does, and a mask whose rows are ranges is
// raised.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/AttentionMatch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mercury;

namespace {

/// A value of the text, and what it is for a query and a key.
struct Expression {
  std::string name;
  std::function<int64_t(int64_t, int64_t)> at;
};

class MaskWriter {
public:
  explicit MaskWriter(unsigned seed) : random(seed) {
    numQueries = pick(1, 9);
    numKeys = pick(2, 9);
    width = pick(0, 1) ? 8 : 32;
    type = "i" + std::to_string(width);
    isFinite = pick(0, 2) == 0;
    for (int64_t i = 0; i < numQueries; ++i)
      ofQueries.push_back((i ? ofQueries.back() : 0) + pick(0, 2));
    for (int64_t i = 0; i < numKeys; ++i)
      ofKeys.push_back((i ? ofKeys.back() : 0) + pick(0, 2));
    seen = truth(2);
  }

  std::string text() const;
  bool sees(int64_t query, int64_t key) const {
    return seen.at(query, key) != 0;
  }

  int64_t numQueries, numKeys;
  bool isFinite; ///< hides keys by the lowest number

private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  int64_t wrap(int64_t value) const {
    return width == 8 ? static_cast<int8_t>(value)
                      : static_cast<int32_t>(value);
  }
  std::string add(const std::string &operation) {
    std::string name = "%v" + std::to_string(count++);
    body += "    " + name + " = " + operation + "\n";
    return name;
  }
  Expression constant(int64_t value) {
    return {add("arith.constant " + std::to_string(value) + " : " + type),
            [=](int64_t, int64_t) { return value; }};
  }
  Expression number(unsigned depth);
  Expression truth(unsigned depth);

  std::mt19937 random;
  unsigned width, count = 0;
  std::string type, body;
  std::vector<int64_t> ofQueries, ofKeys; ///< constants
  Expression seen;
};

Expression MaskWriter::number(unsigned depth) {
  switch (depth ? pick(0, 9) : pick(0, 4)) {
  case 0:
    return {"%m", [](int64_t query, int64_t) { return query; }};
  case 1:
    return {"%n", [](int64_t, int64_t key) { return key; }};
  case 2:
    return {"%x", [this](int64_t query, int64_t) { return ofQueries[query]; }};
  case 3:
    return {"%y", [this](int64_t, int64_t key) { return ofKeys[key]; }};
  case 4:
    return constant(pick(-4, 12));
  default:
    break;
  }
  Expression a = number(depth - 1);
  using Function = int64_t (*)(int64_t, int64_t);
  if (pick(0, 3) == 0) {
    Expression divisor = constant(pick(1, 5));
    auto [name, f] =
        pick(0, 1) ? std::pair<const char *, Function>(
                         "divsi", [](int64_t a, int64_t b) { return a / b; })
                   : std::pair<const char *, Function>(
                         "remsi", [](int64_t a, int64_t b) { return a % b; });
    return {add(std::string("arith.") + name + " " + a.name + ", " +
                divisor.name + " : " + type),
            [=, f = f](int64_t m, int64_t n) {
              return f(a.at(m, n), divisor.at(m, n));
            }};
  }
  Expression b = number(depth - 1);
  static const std::pair<const char *, Function> operations[] = {
      {"addi", [](int64_t a, int64_t b) { return a + b; }},
      {"subi", [](int64_t a, int64_t b) { return a - b; }},
      {"muli", [](int64_t a, int64_t b) { return a * b; }},
      {"maxsi", [](int64_t a, int64_t b) { return std::max(a, b); }},
      {"minsi", [](int64_t a, int64_t b) { return std::min(a, b); }},
      {"xori", [](int64_t a, int64_t b) { return a ^ b; }}};
  auto [name, f] = operations[pick(0, 5)];
  return {add(std::string("arith.") + name + " " + a.name + ", " + b.name +
              " : " + type),
          [=, f = f, this](int64_t m, int64_t n) {
            return wrap(f(a.at(m, n), b.at(m, n)));
          }};
}

Expression MaskWriter::truth(unsigned depth) {
  using Function = bool (*)(int64_t, int64_t);
  if (depth && pick(0, 1)) {
    static const std::pair<const char *, Function> operations[] = {
        {"andi", [](int64_t a, int64_t b) { return a && b; }},
        {"ori", [](int64_t a, int64_t b) { return a || b; }},
        {"xori", [](int64_t a, int64_t b) { return a != b; }}};
    Expression a = truth(depth - 1), b = truth(depth - 1);
    auto [name, f] = operations[pick(0, 2)];
    return {add(std::string("arith.") + name + " " + a.name + ", " + b.name +
                " : i1"),
            [=, f = f](int64_t m, int64_t n) -> int64_t {
              return f(a.at(m, n), b.at(m, n));
            }};
  }
  static const std::pair<const char *, Function> predicates[] = {
      {"sge", [](int64_t a, int64_t b) { return a >= b; }},
      {"sgt", [](int64_t a, int64_t b) { return a > b; }},
      {"sle", [](int64_t a, int64_t b) { return a <= b; }},
      {"slt", [](int64_t a, int64_t b) { return a < b; }},
      {"eq", [](int64_t a, int64_t b) { return a == b; }},
      {"ne", [](int64_t a, int64_t b) { return a != b; }},
      {"ult", [](int64_t a, int64_t b) { return uint64_t(a) < uint64_t(b); }},
      {"uge", [](int64_t a, int64_t b) { return uint64_t(a) >= uint64_t(b); }}};
  Expression a = number(pick(0, 2)), b = number(pick(0, 2));
  auto [name, f] = predicates[pick(0, 7)];
  return {add(std::string("arith.cmpi ") + name + ", " + a.name + ", " +
              b.name + " : " + type),
          [=, f = f](int64_t m, int64_t n) -> int64_t {
            return f(a.at(m, n), b.at(m, n));
          }};
}

std::string MaskWriter::text() const {
  auto list = [](const std::vector<int64_t> &numbers) {
    std::string text;
    for (int64_t number : numbers)
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    return "dense<[" + text + "]>";
  };
  std::string m = std::to_string(numQueries), n = std::to_string(numKeys);
  std::string scores = "tensor<" + m + "x" + n + "xf32>",
              q = "tensor<" + m + "x4xf32>", k = "tensor<4x" + n + "xf32>",
              v = "tensor<" + n + "x4xf32>",
              rows = "tensor<" + m + "x" + type + ">",
              columns = "tensor<" + n + "x" + type + ">";
  return "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + v + ") -> " + q +
         R"( {
  %low = arith.constant )" +
         (isFinite ? "-3.40282347E+38" : "0xFF800000") +
         R"( : f32
  %zs = arith.constant dense<0.0> : )" +
         scores + R"(
  %zo = arith.constant dense<0.0> : )" +
         q + R"(
  %rows = arith.constant )" +
         list(ofQueries) + " : " + rows + R"(
  %columns = arith.constant )" +
         list(ofKeys) + " : " + columns + R"(
  %es = tensor.empty() : )" +
         scores + R"(
  %s = linalg.matmul ins(%q, %k : )" +
         q + ", " + k + ") outs(%zs : " + scores + ") -> " + scores + R"(
  %t = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>,
                                        affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%s, %rows, %columns : )" +
         scores + ", " + rows + ", " + columns + ") outs(%es : " + scores +
         ") {\n  ^bb0(%a: f32, %x: " + type + ", %y: " + type + R"(, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %m = arith.index_cast %i : index to )" +
         type + R"(
    %n = arith.index_cast %j : index to )" +
         type + "\n" + body + "    %r = arith.select " + seen.name +
         R"(, %a, %low : f32
    linalg.yield %r : f32
  } -> )" +
         scores + R"(
  %p = linalg.softmax dimension(1) ins(%t : )" +
         scores + ") outs(%es : " + scores + ") -> " + scores + R"(
  %o = linalg.matmul ins(%p, %v : )" +
         scores + ", " + v + ") outs(%zo : " + q + ") -> " + q +
         "\n  return %o : " + q + "\n}\n";
}

/// Whether structure lets a key through.
bool sees(const AttentionMatch &match, int64_t query, int64_t key) {
  Mask::Range keys = match.visible.at(query);
  bool isSeen = keys.begin <= key && key < keys.end &&
                key < match.valid.value_or(INT64_MAX);
  if (match.ranges)
    isSeen &=
        match.ranges->begin[query] <= key && key < match.ranges->end[query];
  if (match.ranges && !match.ranges->documents.empty()) {
    int64_t begin = 0;
    for (int64_t length : match.ranges->documents) {
      if (begin <= query && query < begin + length)
        isSeen &= begin <= key && key < begin + length;
      begin += length;
    }
  }
  return isSeen;
}

TEST(MaskMatch, StructureIsTheMask) {
  mlir::MLIRContext context;
  context
      .loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                   mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect>();
  unsigned numRaised = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    MaskWriter mask(seed);
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(mask.text(), &context);
    ASSERT_TRUE(module) << mask.text();
    mlir::linalg::LinalgOp root;
    module->walk([&](mlir::linalg::MatmulOp op) { root = op; });
    Refusal refusal;
    std::optional<AttentionMatch> match = matchAttention(root, refusal);
    ASSERT_TRUE(match) << refusal.reason << "\n" << mask.text();
    bool areRanges = true, allKeepKeys = true;
    for (int64_t m = 0; m < mask.numQueries; ++m) {
      unsigned numEnds = 0, numSeen = 0;
      for (int64_t n = 0; n < mask.numKeys; ++n) {
        numSeen += mask.sees(m, n);
        numEnds +=
            mask.sees(m, n) && (n + 1 == mask.numKeys || !mask.sees(m, n + 1));
      }
      areRanges &= numEnds <= 1;
      allKeepKeys &= numSeen != 0;
    }
    bool isStructure = areRanges && (allKeepKeys || !mask.isFinite);
    EXPECT_EQ(match->masks.empty(), isStructure) << mask.text();
    for (int64_t m = 0; m < mask.numQueries; ++m)
      for (int64_t n = 0; n < mask.numKeys; ++n)
        ASSERT_EQ(sees(*match, m, n), !isStructure || mask.sees(m, n))
            << "query " << m << ", key " << n << "\n"
            << mask.text();
    numRaised += isStructure;
  }
  EXPECT_GT(numRaised, 300u);
}

} // namespace
