//===- MaterializeMasksTest.cpp - Ranges of keys by definition ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random masks, orders and tiles: for every place of the tile and every row,
// the keys of the ranges that the pass emits, evaluated by the folders of their
// arithmetic, are those that the definition lets through.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/IndexEvaluation.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/InitAll.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "gtest/gtest.h"

#include <random>

using namespace mercury;
using mercury::commir::OnlineAttentionOp;

namespace {

/// A dimension, of which a tile of `count` begins at stride * place.
struct Side {
  TokenOrder order;
  int64_t extent = 1, count = 1, stride = 1;
  int64_t place = 0;
  bool isConstant = false; ///< the start is a number in the text

  int64_t places() const { return (extent - count) / stride + 1; }
  int64_t position(int64_t index) const {
    return order.position(stride * place + index, extent);
  }
  std::string text(const char *name) const {
    std::string text = " " + std::string(name) + "_start(%" + name + "_start)";
    if (!order.isNatural())
      text += " " + std::string(name) + "_order <" + print(order) + " of " +
              std::to_string(extent) + ">";
    return text;
  }
  std::string startText(const char *name) const {
    std::string value = "%" + std::string(name);
    if (isConstant)
      return "  " + value + "_start = arith.constant " +
             std::to_string(stride * place) + " : index\n";
    return "  " + value + "_stride = arith.constant " + std::to_string(stride) +
           " : index\n  " + value + "_start = arith.muli " + value + ", " +
           value + "_stride : index\n";
  }
};

struct Problem {
  Mask mask;
  Side query, key;
  bool hasValid = false, hasRange = false;
  int64_t valid = 0;
  std::vector<int64_t> begin, end; ///< per row

  std::string text() const {
    auto tensor = [](int64_t rows) {
      return "tensor<" + std::to_string(rows) + "x4xf32>";
    };
    std::string m = std::to_string(query.count), q = tensor(query.count),
                k = tensor(key.count), r = "tensor<" + m + "xf32>",
                i = "tensor<" + m + "xi32>";
    std::string map = "affine_map<(m, n, d, e) -> ", row = map + "(m)>, ";
    return "func.func @f(%q: " + q + ", %k: " + k + ", %a: " + q +
           ", %m: " + r + ", %begin: " + i + ", %end: " + i +
           ", %query: index, %key: index, %valid: index) {\n" +
           query.startText("query") + key.startText("key") +
           "  %0:3 = commir.online_attention maps [" + map + "(m, d)>, " + map +
           "(n, d)>, " + map + "(n, e)>, " + (hasRange ? row + row : "") + map +
           "(m, e)>, " + row + map + "(m)>]\n    ins(%q, %k, %k : " + q + ", " +
           k + ", " + k + ")" + (hasValid ? " valid(%valid)" : "") +
           (mask.isEverything() ? "" : " visible <" + print(mask) + ">") +
           query.text("query") + key.text("key") +
           (hasRange ? " key_range(%begin, %end : " + i + ", " + i + ")" : "") +
           "\n    outs(%a, %m, %m : " + q + ", " + r + ", " + r + ") -> " + q +
           ", " + r + ", " + r + "\n  return\n}\n";
  }

  bool hasPositions() const {
    return !mask.isEverything() || hasRange || !query.order.isNatural() ||
           !key.order.isNatural();
  }

  bool sees(int64_t row, int64_t index) const {
    if (!hasPositions()) // `valid` is a number of keys.
      return !hasValid || index < valid;
    int64_t at = key.position(index);
    Mask::Range range = mask.at(query.position(row));
    return at >= range.begin && at < range.end && (!hasValid || at < valid) &&
           (!hasRange || (at >= begin[row] && at < end[row]));
  }
};

class MaterializeMasks : public testing::Test {
protected:
  static void SetUpTestSuite() { registerAllPasses(); }
  MaterializeMasks() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// Compares for all rows at the places that the problem has now.
  void checkPlace(const Problem &problem, OnlineAttentionOp op) {
    auto function = op->getParentOfType<mlir::func::FuncOp>();
    Known known;
    known[function.getArgument(6)] = problem.query.place;
    known[function.getArgument(7)] = problem.key.place;
    known[function.getArgument(8)] = problem.valid;
    auto loop = op->getParentOfType<mlir::scf::ForOp>();
    int64_t count = op.getMapExtents()[op.getKeyLoop()];
    for (int64_t row = 0; row < problem.query.count; ++row)
      for (int64_t part = 0; part < problem.key.count; part += count) {
        Known here = known;
        if (loop)
          here[loop.getInductionVar()] = part;
        auto [first, last] = rangeOf(problem, op, row, count, here);
        EXPECT_GE(first, 0);
        EXPECT_LE(first, last);
        EXPECT_LE(last, count);
        for (int64_t index = 0; index < count; ++index)
          ASSERT_EQ(index >= first && index < last,
                    problem.sees(row, part + index))
              << "query place " << problem.query.place << " row " << row
              << ", key place " << problem.key.place << " index "
              << part + index << ", range " << first << " " << last;
      }
  }

  /// Extent of the parts that the keys are cut into; checks everything.
  int64_t check(Problem problem) {
    SCOPED_TRACE(problem.text() + "valid " + std::to_string(problem.valid));
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(problem.text(), &context);
    if (!module) {
      ADD_FAILURE() << "does not parse";
      return 0;
    }
    mlir::PassManager pm(&context);
    EXPECT_TRUE(succeeded(
        mlir::parsePassPipeline("func.func(mercury-materialize-masks)", pm)));
    EXPECT_TRUE(succeeded(pm.run(*module)));
    OnlineAttentionOp op;
    module->walk([&](OnlineAttentionOp found) { op = found; });
    EXPECT_FALSE(op.getVisibleAttr() || op.getQueryStart() ||
                 op.getKeyStart() || op.getQueryOrderAttr() ||
                 op.getKeyOrderAttr() || (op.getValid() && op.getKeyBegin()));
    auto each = [](Side &side, auto body) {
      if (side.isConstant)
        return body();
      for (side.place = 0; side.place < side.places(); ++side.place)
        body();
    };
    each(problem.query, [&] {
      each(problem.key, [&] {
        if (!HasFailure())
          checkPlace(problem, op);
      });
    });
    return op.getMapExtents()[op.getKeyLoop()];
  }

private:
  using Known = llvm::DenseMap<mlir::Value, int64_t>;

  std::pair<int64_t, int64_t> rangeOf(const Problem &problem,
                                      OnlineAttentionOp op, int64_t row,
                                      int64_t count, Known &known) {
    auto evaluate = [&](mlir::Value value) -> int64_t {
      std::optional<int64_t> number = evaluateIndex(value, known);
      EXPECT_TRUE(number);
      return number.value_or(-1);
    };
    if (!op.getKeyBegin())
      return {0, op.getValid()
                     ? std::clamp<int64_t>(evaluate(op.getValid()), 0, count)
                     : count};
    auto ranges = op.getKeyBegin().getDefiningOp<mlir::linalg::GenericOp>();
    mlir::Block *body = ranges.getBody();
    body->walk([&](mlir::linalg::IndexOp index) { known[index] = row; });
    if (problem.hasRange) {
      known[body->getArgument(0)] = problem.begin[row];
      known[body->getArgument(1)] = problem.end[row];
    }
    return {evaluate(body->getTerminator()->getOperand(0)),
            evaluate(body->getTerminator()->getOperand(1))};
  }

  mlir::MLIRContext context;
};

int64_t pick(std::mt19937 &random, std::initializer_list<int64_t> of) {
  return of.begin()[random() % of.size()];
}

Side randomSide(std::mt19937 &random) {
  Side side;
  switch (random() % 5) {
  case 0:
    side.order = TokenOrder::zigzag(pick(random, {1, 2, 3}));
    break;
  case 1:
    side.order =
        TokenOrder::striped(pick(random, {2, 3}), pick(random, {1, 2}));
    break;
  case 2:
    side.order = {TokenOrder::Kind::Table, 1, 1, {0, 2, 1, 3}};
    break;
  default:
    break;
  }
  int64_t unit = side.order.granularity();
  side.extent = unit * pick(random, {1, 2, 4, 6});
  // Whole, a part, or any tile.
  side.count = side.extent;
  if (random() % 3)
    side.count =
        unit % 2 ? side.extent / unit : side.extent / pick(random, {1, 2});
  if (random() % 5 == 0)
    side.count = 1 + random() % side.extent;
  side.stride = random() % 5 ? side.count : 1 + random() % 4;
  side.isConstant = random() % 4 == 0;
  side.place = random() % side.places();
  return side;
}

TEST_F(MaterializeMasks, RandomProblems) {
  int split = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Problem problem;
    problem.query = randomSide(random);
    problem.key = randomSide(random);
    int64_t extent = problem.key.extent;
    for (int terms = random() % 3; terms > 0; --terms) {
      MaskTerm term;
      if (random() % 2)
        term.left = int64_t(random() % (extent + 2)) - 1;
      if (random() % 3 || !term.left)
        term.right = (term.left ? -*term.left : -2) + int64_t(random() % 6);
      if (term.right && random() % 4 == 0)
        term.prefix = 1 + random() % extent;
      problem.mask.terms.push_back(term);
    }
    problem.hasValid = random() % 3 == 0;
    problem.valid = int64_t(random() % (extent + 4)) - 2;
    problem.hasRange = random() % 3 == 0;
    for (int64_t row = 0; row < problem.query.count; ++row) {
      problem.begin.push_back(int64_t(random() % (extent + 4)) - 2);
      problem.end.push_back(int64_t(random() % (extent + 4)) - 2);
    }
    split += check(problem) < problem.key.count;
    if (HasFailure())
      return;
  }
  EXPECT_GT(split, 10);
}

TEST_F(MaterializeMasks, PartsAreAsLargeAsTheOrderAllows) {
  Problem problem;
  problem.mask.terms = {{std::nullopt, 0, 0}};
  problem.query = {TokenOrder::zigzag(4), 64, 16, 16};
  // The block of a rank, two chunks.
  problem.key = problem.query;
  EXPECT_EQ(check(problem), 16);
  // Blocks of two ranks.
  problem.key = {TokenOrder::zigzag(4), 64, 32, 32};
  EXPECT_EQ(check(problem), 16);
  // A step's part of a chunk; one that does not divide it.
  problem.key = {TokenOrder::zigzag(4), 64, 4, 4};
  EXPECT_EQ(check(problem), 4);
  problem.key = {TokenOrder::zigzag(4), 64, 6, 6};
  EXPECT_EQ(check(problem), 2);
  // Stripes of one part, and of all.
  problem.key = {TokenOrder::striped(4, 2), 64, 16, 16};
  EXPECT_EQ(check(problem), 16);
  problem.key = {TokenOrder::striped(4, 2), 64, 64, 64};
  EXPECT_EQ(check(problem), 16);
  // A start of which nothing is known.
  problem.key = {TokenOrder::zigzag(4), 64, 16, 1};
  EXPECT_EQ(check(problem), 1);
  // The same by its number.
  problem.key = {TokenOrder::zigzag(4), 64, 16, 1, 16, true};
  EXPECT_EQ(check(problem), 16);
}

} // namespace
