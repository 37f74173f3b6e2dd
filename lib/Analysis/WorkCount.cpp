//===- WorkCount.cpp - Work of a function, counted ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/WorkCount.h"
#include "Mercury/Analysis/IndexEvaluation.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mercury;

using Known = llvm::DenseMap<Value, int64_t>;

namespace {
/// A dimension of a loop whose bounds are known.
struct Steps {
  Value variable;
  int64_t begin = 0, end = 0, step = 1;
  int64_t count() const {
    return end > begin ? llvm::divideCeil(end - begin, step) : 0;
  }
};
} // namespace

/// One range for each dimension of scf.forall and scf.parallel; none of a loop
/// whose bounds `known` and constants do not give.
static SmallVector<Steps> stepsOf(LoopLikeOpInterface loop, Known &known) {
  if (auto rotate = dyn_cast<commir::RotateOp>(loop.getOperation()))
    return {Steps{rotate.getBody().getArgument(0), 0,
                  static_cast<int64_t>(rotate.getSteps())}};
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> upper = loop.getLoopUpperBounds();
  std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
  std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
  if (!lower || !upper || !steps || !variables)
    return {};
  auto evaluate = [&](OpFoldResult bound) {
    auto value = dyn_cast<Value>(bound);
    return value ? evaluateIndex(value, known) : getConstantIntValue(bound);
  };
  SmallVector<Steps> ranges;
  for (auto [variable, from, to, by] :
       llvm::zip_equal(*variables, *lower, *upper, *steps)) {
    std::optional<int64_t> begin = evaluate(from), end = evaluate(to),
                           step = evaluate(by);
    if (begin && end && step && *step > 0)
      ranges.push_back({variable, *begin, *end, *step});
  }
  return ranges;
}

static int64_t tripCount(LoopLikeOpInterface loop, Known &known) {
  int64_t count = 1;
  for (const Steps &range : stepsOf(loop, known))
    count *= range.count();
  return count;
}

int64_t mercury::iterationsAround(Operation *op, Operation *root) {
  int64_t count = 1;
  Known known;
  for (Operation *parent = op->getParentOp(); parent && parent != root;
       parent = parent->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
      count *= tripCount(loop, known);
  return count;
}

bool mercury::hasMask(Operation *root) {
  return root
      ->walk([](commir::DistributableOpInterface op) {
        return op.getLoopMask() ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

static int64_t countRegions(Operation *op, Known &known);

/// Steps through the dimensions of a loop.
static int64_t countSteps(Operation *op, ArrayRef<Steps> ranges, Known &known) {
  if (ranges.empty())
    return countRegions(op, known);
  int64_t total = 0;
  const Steps &range = ranges.front();
  for (int64_t i = range.begin; i < range.end; i += range.step) {
    Known inside = known;
    inside[range.variable] = i;
    total += countSteps(op, ranges.drop_front(), inside);
  }
  return total;
}

static int64_t count(Operation *op, Known &known) {
  if (auto distributable = dyn_cast<commir::DistributableOpInterface>(op))
    return distributable.countMultiplyAddsAt(
        [&](Value value) { return evaluateIndex(value, known); });
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    if (hasMask(op))
      return countSteps(op, stepsOf(loop, known), known);
    return tripCount(loop, known) * countRegions(op, known);
  }
  return countRegions(op, known);
}

static int64_t countRegions(Operation *op, Known &known) {
  int64_t total = 0;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      total += count(&inner, known);
  return total;
}

int64_t mercury::countMultiplyAdds(Operation *root) {
  Known known;
  return isa<commir::DistributableOpInterface>(root)
             ? count(root, known)
             : countRegions(root, known);
}

std::vector<int64_t>
mercury::countMultiplyAddsOfRanks(Operation *root,
                                  const TopologyModel &topology) {
  std::vector<int64_t> counts;
  for (int64_t rank = 0; rank < topology.numRanks(); ++rank) {
    Known known;
    root->walk([&](commir::RankCoordOp op) {
      known[op.getResult()] =
          topology.coordinate(rank, commir::toAxisList(op.getAxes()));
    });
    counts.push_back(countRegions(root, known));
  }
  return counts;
}
