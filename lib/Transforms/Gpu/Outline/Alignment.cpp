//===- Alignment.cpp - What is known of addresses -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alignment.h"
#include "LocalOp.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <numeric>

using namespace mlir;
using namespace mercury;

//===----------------------------------------------------------------------===//
// Divisors
//===----------------------------------------------------------------------===//

/// A product that overflows says nothing.
static int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return llvm::MulOverflow(a, b, result) ? 1 : result;
}

static int64_t divisorOf(AffineExpr expr, ValueRange operands,
                         unsigned numDims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::abs(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return knownDivisor(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return knownDivisor(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = divisorOf(binary.getLHS(), operands, numDims);
  int64_t rhs = divisorOf(binary.getRHS(), operands, numDims);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mod:
    return std::gcd(lhs, rhs);
  case AffineExprKind::Mul:
    return product(lhs, rhs);
  default: // divisions
    return isa<AffineConstantExpr>(binary.getRHS()) && rhs != 0 &&
                   lhs % rhs == 0
               ? lhs / rhs
               : 1;
  }
}

/// Of all elements of a constant; 1 if it is none.
static int64_t divisorOfElements(memref::LoadOp load) {
  auto get = load.getMemRef().getDefiningOp<memref::GetGlobalOp>();
  auto global = get ? SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
                          get, get.getNameAttr())
                    : nullptr;
  auto values =
      global && global.getConstant()
          ? dyn_cast_or_null<DenseIntElementsAttr>(global.getInitialValueAttr())
          : nullptr;
  if (!values)
    return 1;
  int64_t divisor = 0;
  for (const APInt &value : values.getValues<APInt>())
    divisor = std::gcd(divisor, value.getSExtValue());
  return divisor;
}

int64_t mercury::knownDivisor(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::abs(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || loop.getInductionVar() != value)
      return 1;
    return std::gcd(knownDivisor(loop.getLowerBound()),
                    knownDivisor(loop.getStep()));
  }
  Operation *op = value.getDefiningOp();
  auto both = [&] {
    return std::gcd(knownDivisor(op->getOperand(0)),
                    knownDivisor(op->getOperand(1)));
  };
  if (isa<arith::AddIOp, arith::SubIOp, arith::RemSIOp, arith::RemUIOp,
          arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(op))
    return both();
  if (isa<arith::MulIOp>(op))
    return product(knownDivisor(op->getOperand(0)),
                   knownDivisor(op->getOperand(1)));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return knownDivisor(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return std::gcd(knownDivisor(select.getTrueValue()),
                    knownDivisor(select.getFalseValue()));
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return divisorOf(apply.getAffineMap().getResult(0), apply.getOperands(),
                     apply.getAffineMap().getNumDims());
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return divisorOfElements(load);
  return 1;
}

//===----------------------------------------------------------------------===//
// Alignments
//===----------------------------------------------------------------------===//

namespace {
class AlignmentWalk {
public:
  int64_t of(Value buffer) {
    // Seen again, it depends on itself: the other ways into the loop decide.
    if (!seen.insert(buffer).second)
      return kMostAlignment;
    ViewBase base = baseOf(buffer);
    int64_t bytes =
        kernelElementBytes(cast<MemRefType>(buffer.getType()).getElementType());
    if (bytes == 0)
      return 1;
    int64_t known = ofBase(base.buffer, bytes);
    return std::max(std::gcd(known, base.offset * bytes), bytes);
  }

private:
  int64_t ofBase(Value base, int64_t bytes) {
    if (auto argument = dyn_cast<BlockArgument>(base)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (isa<FunctionOpInterface>(parent))
        return kMostAlignment;
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (!loop)
        return bytes;
      return std::min(of(loop.getTiedLoopInit(argument)->get()),
                      of(loop.getTiedLoopYieldedValue(argument)->get()));
    }
    Operation *op = base.getDefiningOp();
    unsigned number = cast<OpResult>(base).getResultNumber();
    if (isa<memref::AllocOp>(op))
      return kMostAlignment;
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return std::min(of(select.getTrueValue()), of(select.getFalseValue()));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return std::min(of(loop.getInitArgs()[number]),
                      of(loop.getYieldedValues()[number]));
    if (auto ifOp = dyn_cast<scf::IfOp>(op))
      return std::min(of(ifOp.thenYield().getOperand(number)),
                      of(ifOp.elseYield().getOperand(number)));
    auto view = dyn_cast<memref::SubViewOp>(op);
    if (!view)
      return bytes;
    SmallVector<int64_t> strides;
    int64_t offset = 0, known = of(view.getSource());
    if (failed(view.getSourceType().getStridesAndOffset(strides, offset)))
      return bytes;
    for (auto [at, stride] : llvm::zip_equal(view.getMixedOffsets(), strides)) {
      if (ShapedType::isDynamic(stride))
        return bytes;
      auto value = dyn_cast<Value>(at);
      int64_t divisor =
          value ? knownDivisor(value) : std::abs(*getConstantIntValue(at));
      known = std::gcd(known, product(divisor, stride * bytes));
    }
    return known;
  }

  llvm::SmallPtrSet<Value, 8> seen;
};
} // namespace

int64_t mercury::knownAlignment(Value buffer) {
  return AlignmentWalk().of(buffer);
}
