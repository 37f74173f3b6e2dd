//===- RetypeBody.cpp - Scalar bodies in a wider type ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RetypeBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace mercury {

bool isNarrower(Type type, FloatType wide) {
  auto floating = dyn_cast<FloatType>(type);
  return floating && floating.getWidth() < wide.getWidth();
}

namespace {
/// True if `type` is or holds a float narrower than `wide`.
bool touches(Type type, FloatType wide) {
  return isNarrower(getElementTypeOrSelf(type), wide);
}

/// An op that computes the same function in every floating type.
bool isPolymorphic(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         op->hasTrait<OpTrait::Elementwise>() &&
         !isa<arith::BitcastOp, arith::ScalingExtFOp, arith::ScalingTruncFOp>(
             op);
}

bool isRetypable(Operation *op, FloatType wide) {
  auto isTouched = [&](Type type) { return touches(type, wide); };
  bool touchesOperand = llvm::any_of(op->getOperandTypes(), isTouched);
  bool touchesResult = llvm::any_of(op->getResultTypes(), isTouched);
  if (op->getNumRegions()) {
    // Closed regions of other types only.
    return !touchesOperand && !touchesResult &&
           !op->walk([&](Operation *inner) {
                return llvm::any_of(inner->getOperandTypes(), isTouched) ||
                               llvm::any_of(inner->getResultTypes(), isTouched)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              }).wasInterrupted();
  }
  if (!touchesOperand && !touchesResult)
    return true;
  // Vectors as elements of tensors are not worth the code.
  if (llvm::any_of(
          llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                   SmallVector<Type>(op->getResultTypes())),
          [](Type type) { return isa<ShapedType>(type); }) &&
      touchesOperand)
    return false;
  if (op->hasTrait<OpTrait::IsTerminator>() || isPolymorphic(op))
    return true;
  // Makes a narrow value from others: extended afterwards.
  return !touchesOperand;
}

/// One body being cloned.
class BodyCloner {
public:
  BodyCloner(OpBuilder &b, FloatType wide) : b(b), wide(wide) {}

  /// The value in the new body, in the wide type where the old was narrower.
  Value lookup(Value old) {
    if (Value known = mapping.lookupOrNull(old))
      return known;
    // Captured from outside.
    Value value = extend(old.getLoc(), old);
    mapping.map(old, value);
    return value;
  }

  void mapArgument(Value old, Value argument) {
    mapping.map(old, extend(argument.getLoc(), argument));
  }

  void clone(Operation *op) {
    Location loc = op->getLoc();
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto value = dyn_cast<FloatAttr>(constant.getValue());
          value && isNarrower(constant.getType(), wide))
        return mapping.map(constant.getResult(), constantOf(loc, value));
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      return convert(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(lookup(operand));
    if (op->getNumRegions()) {
      b.clone(*op, mapping);
      return;
    }
    bool retype = isPolymorphic(op);
    OperationState state(loc, op->getName(), operands, retyped(op, retype),
                         op->getAttrs());
    Operation *copy = b.create(state);
    for (auto [old, value] : llvm::zip(op->getResults(), copy->getResults()))
      mapping.map(old, extend(loc, value));
  }

private:
  Value extend(Location loc, Value value) {
    if (!isNarrower(value.getType(), wide))
      return value;
    return arith::ExtFOp::create(b, loc, wide, value);
  }

  Value constantOf(Location loc, FloatAttr value) {
    APFloat number = value.getValue();
    bool losesInfo;
    number.convert(wide.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return arith::ConstantOp::create(b, loc, FloatAttr::get(wide, number));
  }

  /// A conversion between floating types, in a body where the narrow ones are
  /// all `wide`.
  void convert(Operation *op) {
    Value value = lookup(op->getOperand(0));
    Type type = op->getResultTypes()[0];
    if (isNarrower(type, wide))
      type = wide;
    auto from = cast<FloatType>(value.getType()), to = cast<FloatType>(type);
    if (from.getWidth() < to.getWidth())
      value = arith::ExtFOp::create(b, op->getLoc(), to, value);
    else if (from.getWidth() > to.getWidth())
      value = arith::TruncFOp::create(b, op->getLoc(), to, value);
    mapping.map(op->getResult(0), value);
  }

  SmallVector<Type> retyped(Operation *op, bool retype) {
    SmallVector<Type> types(op->getResultTypes());
    for (Type &type : types)
      if (retype && isNarrower(type, wide))
        type = wide;
    return types;
  }

  OpBuilder &b;
  FloatType wide;
  IRMapping mapping;
};
} // namespace

Operation *findUnretypable(Block &body, FloatType wide) {
  for (Operation &op : body)
    if (!isRetypable(&op, wide))
      return &op;
  return nullptr;
}

void cloneBodyInType(OpBuilder &b, Block &from, Block &to, FloatType wide) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&to);
  BodyCloner cloner(b, wide);
  for (auto [old, argument] : llvm::zip(from.getArguments(), to.getArguments()))
    cloner.mapArgument(old, argument);
  for (Operation &op : from)
    cloner.clone(&op);
}

} // namespace mercury
