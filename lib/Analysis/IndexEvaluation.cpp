//===- IndexEvaluation.cpp - Index arithmetic on concrete values ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/IndexEvaluation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

std::optional<int64_t>
mercury::evaluateIndex(Value value, llvm::DenseMap<Value, int64_t> &known) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  if (!value.getType().isIntOrIndex())
    return std::nullopt;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getBitWidth() == 1
               ? static_cast<int64_t>(constant.getBoolValue())
               : constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0)
    return std::nullopt;
  Builder builder(value.getContext());
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> number = evaluateIndex(operand, known);
    if (!number)
      return std::nullopt;
    operands.push_back(builder.getIntegerAttr(operand.getType(), *number));
  }
  // Folders may change the op in place: ask a copy.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> folded;
  LogicalResult result = copy->fold(operands, folded);
  std::optional<int64_t> number;
  unsigned index = cast<OpResult>(value).getResultNumber();
  if (succeeded(result) && index < folded.size()) {
    if (auto attr = dyn_cast_if_present<IntegerAttr>(
            dyn_cast<Attribute>(folded[index])))
      number = attr.getType().isInteger(1)
                   ? static_cast<int64_t>(attr.getValue().getBoolValue())
                   : attr.getValue().getSExtValue();
    else if (auto same = dyn_cast<Value>(folded[index])) // x + 0 folds to x
      number = evaluateIndex(same, known);
  }
  copy->destroy();
  if (number)
    known[value] = *number;
  return number;
}
