//===- IndexTables.cpp - Index arithmetic from its values -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexTables.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <numeric>

using namespace mlir;
using namespace mercury;

namespace {

/// A guess at the closed form of a table, checked against all of it.
struct ClosedForm {
  int64_t constant = 0, scale = 1, modulus = 0; ///< modulus 0: none
  SmallVector<int64_t> ofStep, ofLevel;

  int64_t evaluate(ArrayRef<int64_t> step, ArrayRef<int64_t> level) const {
    int64_t sum = constant;
    for (auto [a, x] : llvm::zip(ofStep, step))
      sum += a * x;
    for (auto [a, x] : llvm::zip(ofLevel, level))
      sum += a * x;
    if (modulus)
      sum = ((sum % modulus) + modulus) % modulus;
    return scale * sum;
  }
};

} // namespace

static SmallVector<int64_t> digits(int64_t number, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> result(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    result[i] = number % sizes[i];
    number /= sizes[i];
  }
  return result;
}

OpFoldResult mercury::buildFromTable(OpBuilder &b, Location loc,
                                     const RankTable &values,
                                     const TableContext &context) {
  const TopologyModel &topology = context.topology;
  SmallVector<int64_t> levels;
  for (const Level &level : topology.levels)
    levels.push_back(level.size);
  int64_t numRanks = topology.numRanks();
  int64_t numSteps = static_cast<int64_t>(values.size());

  int64_t gcd = 0, largest = 0, smallest = 0;
  for (const auto &row : values)
    for (int64_t value : row) {
      gcd = std::gcd(gcd, value);
      largest = std::max(largest, value);
      smallest = std::min(smallest, value);
    }
  if (gcd == 0)
    return b.getIndexAttr(0);

  // Slopes from single steps along every variable.
  auto guess = [&](int64_t scale, int64_t modulus) {
    ClosedForm form;
    form.scale = scale;
    form.modulus = modulus;
    form.constant = values[0][0] / scale;
    int64_t stride = numSteps;
    for (int64_t size : context.steps) {
      stride /= size;
      form.ofStep.push_back(
          size > 1 ? (values[stride][0] - values[0][0]) / scale : 0);
    }
    stride = numRanks;
    for (int64_t size : levels) {
      stride /= size;
      form.ofLevel.push_back(
          size > 1 ? (values[0][stride] - values[0][0]) / scale : 0);
    }
    return form;
  };
  auto holds = [&](const ClosedForm &form) {
    for (int64_t t = 0; t < numSteps; ++t)
      for (int64_t r = 0; r < numRanks; ++r)
        if (form.evaluate(digits(t, context.steps), digits(r, levels)) !=
            values[t][r])
          return false;
    return true;
  };
  ClosedForm form = guess(gcd, 0);
  bool found = holds(form);
  if (!found && smallest >= 0) {
    form = guess(gcd, largest / gcd + 1);
    found = holds(form);
  }
  if (found) {
    AffineExpr sum = b.getAffineConstantExpr(form.constant);
    SmallVector<OpFoldResult> operands;
    auto term = [&](int64_t slope, Value value) {
      sum = sum + b.getAffineDimExpr(operands.size()) * slope;
      operands.push_back(value);
    };
    for (auto [slope, value] : llvm::zip(form.ofStep, context.at))
      if (slope)
        term(slope, value);
    for (auto [slope, level] : llvm::zip(form.ofLevel, topology.levels))
      if (slope)
        term(slope, commir::RankCoordOp::create(
                        b, loc, b.getIndexType(),
                        commir::toArrayAttr(b.getContext(),
                                            {AxisRef{level.name, 1, 0}})));
    if (form.modulus)
      sum = sum % form.modulus;
    return affine::makeComposedFoldedAffineApply(b, loc, sum * form.scale,
                                                 operands);
  }
  // A look-up.
  SmallVector<APInt> elements;
  for (const auto &row : values)
    for (int64_t value : row)
      elements.push_back(APInt(64, value, /*isSigned=*/true));
  SmallVector<int64_t> shape(context.steps);
  shape.push_back(numRanks);
  auto type = RankedTensorType::get(shape, b.getIndexType());
  Value table =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, elements));
  SmallVector<Value> at(context.at);
  AxisList all;
  for (const Level &level : topology.levels)
    all.push_back({level.name, 1, 0});
  at.push_back(commir::RankCoordOp::create(
      b, loc, b.getIndexType(), commir::toArrayAttr(b.getContext(), all)));
  return tensor::ExtractOp::create(b, loc, table, at).getResult();
}
