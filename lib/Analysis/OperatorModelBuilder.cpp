//===- OperatorModelBuilder.cpp - Operators as plain data -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Schedule/Balance.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

SmallVector<OpOperand *> mercury::tensorInputs(DistributableOpInterface op) {
  SmallVector<OpOperand *> inputs;
  auto dps = cast<DestinationStyleOpInterface>(op.getOperation());
  for (OpOperand *input : dps.getDpsInputOperands())
    if (isa<RankedTensorType>(input->get().getType()))
      inputs.push_back(input);
  return inputs;
}

Value mercury::firstDynamicValue(Operation *op) {
  auto isDynamic = [](Value value) {
    auto type = dyn_cast<ShapedType>(value.getType());
    return type && !(type.hasRank() && type.hasStaticShape());
  };
  for (Value operand : op->getOperands())
    if (isDynamic(operand))
      return operand;
  for (Value result : op->getResults())
    if (isDynamic(result))
      return result;
  return {};
}

static OperatorModel::Tensor tensorModel(DistributableOpInterface op,
                                         OpOperand &operand) {
  OperatorModel::Tensor tensor;
  auto type = cast<RankedTensorType>(operand.get().getType());
  tensor.loopOfDim.assign(type.getRank(), -1);
  Type element = type.getElementType();
  tensor.elementBytes =
      element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : 8;
  std::optional<AffineMap> map = op.getOperandMap(operand);
  tensor.mapped = map.has_value();
  if (!map)
    return tensor;
  for (auto [dim, expr] : llvm::enumerate(map->getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      tensor.loopOfDim[dim] = static_cast<int>(loop.getPosition());
    else if (!expr.isSymbolicOrConstant())
      tensor.loopOfDim[dim] = loopExpression;
  return tensor;
}

OperatorModel mercury::buildOperatorModel(DistributableOpInterface op) {
  OperatorModel model;
  model.name = op->getName().getStringRef().str();
  for (auto [type, extent] : llvm::zip(op.getLoops(), op.getExtents()))
    model.loops.push_back({type == utils::IteratorType::reduction, extent});
  for (OpOperand *input : tensorInputs(op))
    model.inputs.push_back(tensorModel(op, *input));
  // A mask counts iterations only where queries and keys are loops.
  if (std::optional<LoopMask> mask = op.getLoopMask();
      mask && std::max(mask->query, mask->key) < model.loops.size())
    model.mask = mask;
  auto dps = cast<DestinationStyleOpInterface>(op.getOperation());
  bool reduces = llvm::any_of(model.loops, [](auto &l) { return l.reduction; });
  model.hasCombiner.assign(dps.getNumDpsInits(), true);
  model.hasCollective.assign(dps.getNumDpsInits(), true);
  model.neutralInit.assign(dps.getNumDpsInits(), false);
  for (int64_t i = 0; i < dps.getNumDpsInits(); ++i) {
    model.results.push_back(tensorModel(op, *dps.getDpsInitOperand(i)));
    model.neutralInit[i] =
        !op.readsInit(i) || op.isNeutral(i, dps.getDpsInitOperand(i)->get());
  }
  for (auto [group, members] : llvm::enumerate(op.getGroups())) {
    if (reduces)
      for (unsigned result : members) {
        model.hasCombiner[result] = op.hasCombiner(group);
        model.hasCollective[result] = op.getCollectiveKind(result).has_value();
      }
    if (members.size() > 1)
      model.coupled.emplace_back(members.begin(), members.end());
  }
  return model;
}
