//===- WorkCount.cpp - Work of a function, counted ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/WorkCount.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mercury;

/// Iterations of a loop that is known to be static, else 1.
static int64_t tripCount(LoopLikeOpInterface loop) {
  if (auto rotate = dyn_cast<commir::RotateOp>(loop.getOperation()))
    return rotate.getSteps();
  // One count for each dimension of scf.forall and scf.parallel.
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> upper = loop.getLoopUpperBounds();
  std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
  if (!lower || !upper || !steps)
    return 1;
  int64_t count = 1;
  for (auto [from, to, by] : llvm::zip_equal(*lower, *upper, *steps)) {
    std::optional<int64_t> begin = getConstantIntValue(from);
    std::optional<int64_t> end = getConstantIntValue(to);
    std::optional<int64_t> step = getConstantIntValue(by);
    if (begin && end && step && *step > 0)
      count *= *end > *begin ? llvm::divideCeil(*end - *begin, *step) : 0;
  }
  return count;
}

int64_t mercury::iterationsAround(Operation *op, Operation *root) {
  int64_t count = 1;
  for (Operation *parent = op->getParentOp(); parent && parent != root;
       parent = parent->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
      count *= tripCount(loop);
  return count;
}

int64_t mercury::countMultiplyAdds(Operation *root) {
  int64_t total = 0;
  root->walk([&](commir::DistributableOpInterface op) {
    total += op.countMultiplyAdds() * iterationsAround(op, root);
  });
  return total;
}
