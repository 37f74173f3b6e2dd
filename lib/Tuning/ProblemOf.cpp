//===- ProblemOf.cpp - Operators as problems of the models ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Transforms/ScheduleChooser.h"
#include "Mercury/Tuning/Tune.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

static std::vector<int64_t> shapeOf(Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  return shape.vec();
}

static std::string nameOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Product of the extents of dimensions without a loop.
static int64_t featuresOf(const OperatorModel::Tensor &tensor,
                          ArrayRef<int64_t> shape) {
  int64_t features = 1;
  for (auto [loop, extent] : llvm::zip(tensor.loopOfDim, shape))
    if (loop < 0)
      features *= extent;
  return features;
}

/// Bytes of an element of what results become, if all that is done with them is
/// elementwise and leaves one tensor; 0 where they stay as they are.
static int64_t finishedBytesOf(Operation *op) {
  int64_t bytes = 0;
  for (Operation *user : op->getUsers()) {
    auto distributable = dyn_cast<DistributableOpInterface>(user);
    if (!distributable || user->getNumResults() == 0)
      return 0;
    auto finished = dyn_cast<RankedTensorType>(user->getResult(0).getType());
    auto state = cast<RankedTensorType>(op->getResult(0).getType());
    if (!finished || !finished.getElementType().isIntOrFloat())
      return 0;
    if (finished.getRank() == state.getRank())
      bytes = (finished.getElementTypeBitWidth() + 7) / 8;
  }
  return bytes;
}

CostProblem mercury::costProblemOf(DistributableOpInterface op) {
  CostProblem problem;
  problem.op = buildOperatorModel(op);
  SmallVector<OpOperand *> inputs = tensorInputs(op);
  for (OpOperand *input : inputs)
    problem.inputShapes.push_back(shapeOf(input->get()));
  for (Value init :
       cast<DestinationStyleOpInterface>(op.getOperation()).getDpsInits())
    problem.resultShapes.push_back(shapeOf(init));
  problem.type = nameOf(getElementTypeOrSelf(inputs.front()->get()));
  if (!isContraction(problem.op))
    problem.kind = LocalWork::Kind::Elementwise;
  // Work whose loops are not all that its products run over: the rest are
  // features, that of queries and keys first.
  if (problem.op.coupled.empty() || inputs.size() < 3)
    return problem;
  problem.kind = LocalWork::Kind::Attention;
  problem.headDim = featuresOf(problem.op.inputs[0], problem.inputShapes[0]);
  problem.valueDim = featuresOf(problem.op.inputs[2], problem.inputShapes[2]);
  problem.finishedBytes = finishedBytesOf(op);
  // The log-sum-exp is made of the maximum, which the output does not need.
  problem.returnsLogSumExp =
      op->getNumResults() > 1 && !op->getResult(1).use_empty();
  return problem;
}

MemoryProblem mercury::memoryProblemOf(DistributableOpInterface op,
                                       LocalKernel local) {
  CostProblem cost = costProblemOf(op);
  MemoryProblem problem;
  problem.op = cost.op;
  problem.inputs = cost.inputShapes;
  problem.results = cost.resultShapes;
  problem.local = local;
  problem.finishedBytes = cost.finishedBytes;
  problem.returnsLogSumExp = cost.returnsLogSumExp;
  return problem;
}
