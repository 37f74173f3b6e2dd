//===- IndexDivisor.cpp - What divides an index ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/IndexDivisor.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mercury;

static int64_t magnitude(int64_t value) {
  return value == std::numeric_limits<int64_t>::min() ? 1 : std::abs(value);
}

/// Of a product.
static int64_t times(int64_t lhs, int64_t rhs) {
  int64_t product;
  return llvm::MulOverflow(lhs, rhs, product) ? std::max(lhs, rhs) : product;
}

/// Of a quotient, rounded whichever way.
static int64_t over(int64_t lhs, std::optional<int64_t> rhs) {
  return rhs && *rhs > 0 && lhs % *rhs == 0 ? lhs / *rhs : 1;
}

static int64_t divisorOf(AffineExpr expr, unsigned numDims,
                         ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return magnitude(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return divisorOf(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return divisorOf(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = divisorOf(binary.getLHS(), numDims, operands);
  std::optional<int64_t> constant;
  if (auto rhs = dyn_cast<AffineConstantExpr>(binary.getRHS()))
    constant = rhs.getValue();
  switch (expr.getKind()) {
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    return over(lhs, constant);
  case AffineExprKind::Mul:
    return times(lhs, divisorOf(binary.getRHS(), numDims, operands));
  default: // a sum or a remainder
    return std::gcd(lhs, divisorOf(binary.getRHS(), numDims, operands));
  }
}

/// Of all operands together.
static int64_t commonDivisor(ValueRange operands) {
  int64_t divisor = 0;
  for (Value operand : operands)
    divisor = std::gcd(divisor, divisorOf(operand));
  return divisor;
}

int64_t mercury::divisorOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSignificantBits() > 63
               ? 1
               : magnitude(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return 1;
    return commonDivisor({loop.getLowerBound(), loop.getStep()});
  }
  auto constantOf = [](Value value) -> std::optional<int64_t> {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    return std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, int64_t>(value.getDefiningOp())
      .Case<affine::AffineApplyOp>([](auto op) {
        AffineMap map = op.getAffineMap();
        return ::divisorOf(map.getResult(0), map.getNumDims(),
                           op.getMapOperands());
      })
      .Case<arith::AddIOp, arith::SubIOp, arith::RemSIOp, arith::MinSIOp,
            arith::MaxSIOp, arith::IndexCastOp>(
          [](auto op) { return commonDivisor(op->getOperands()); })
      .Case<arith::SelectOp>(
          [](auto op) { return commonDivisor(op->getOperands().drop_front()); })
      .Case<arith::MulIOp>([](auto op) {
        return times(mercury::divisorOf(op.getLhs()),
                     mercury::divisorOf(op.getRhs()));
      })
      .Case<arith::DivSIOp>([&](auto op) {
        return over(mercury::divisorOf(op.getLhs()), constantOf(op.getRhs()));
      })
      .Case<commir::ShiftOp>([](auto op) {
        int64_t moved = times(mercury::divisorOf(op.getCoordinate()),
                              magnitude(op.getStrideAttr().getInt()));
        return std::gcd(std::gcd(mercury::divisorOf(op.getIndex()), moved),
                        static_cast<int64_t>(op.getModulusAttr().getInt()));
      })
      .Case<commir::PositionOp>([](auto op) {
        TokenOrder order = op.getOrder().getValue();
        return std::gcd(mercury::divisorOf(op.getIndex()),
                        order.chunkExtent(op.getOrder().getExtent()));
      })
      .Default([](Operation *) { return int64_t(1); });
}
