//===- RaisedOperands.cpp - Operands of an attention to be built ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaisedOperands.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "ReshapeTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

SmallVector<int64_t> mercury::shapeOf(const AttentionMatch &match,
                                      ArrayRef<unsigned> dims) {
  return llvm::map_to_vector(dims,
                             [&](unsigned dim) { return match.extents[dim]; });
}

AffineMap mercury::mapOf(OpBuilder &b, const AttentionMatch &match,
                         ArrayRef<unsigned> dims) {
  return AffineMap::getMultiDimMapWithTargets(match.extents.size(), dims,
                                              b.getContext());
}

Indexed mercury::makeOperand(OpBuilder &b, const AttentionMatch &match,
                             const AttentionOperand &operand) {
  return {reshapeTensor(b, match.root->getLoc(), operand.tensor,
                        shapeOf(match, operand.dims)),
          mapOf(b, match, operand.dims)};
}

//===----------------------------------------------------------------------===//
// Masks that are added
//===----------------------------------------------------------------------===//

namespace {

/// Computes terms inside of a generic over `dims` of the domain.
class TermBuilder {
public:
  TermBuilder(OpBuilder &b, Location loc, const AttentionMatch &match,
              ArrayRef<unsigned> dims, FloatType type, ValueRange reads)
      : b(b), loc(loc), match(match), dims(dims), type(type), reads(reads) {}

  /// Terms in the order of their reads.
  Value build(const Term *term);

private:
  Value constant(double number) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, number));
  }
  Value convert(Value value) {
    return isa<FloatType>(value.getType()) && value.getType() != type
               ? arith::ExtFOp::create(b, loc, type, value)
               : value;
  }
  Value buildIndex(ArrayRef<unsigned> index);
  Value buildApply(const Term *term);

  OpBuilder &b;
  Location loc;
  const AttentionMatch &match;
  ArrayRef<unsigned> dims;
  FloatType type;
  ValueRange reads;
};

} // namespace

Value TermBuilder::buildIndex(ArrayRef<unsigned> index) {
  Value sum;
  for (unsigned digit : match.terms->getDigits(index)) {
    unsigned dim = llvm::find(match.digits, digit) - match.digits.begin();
    if (sum)
      sum = arith::MulIOp::create(
          b, loc, sum,
          arith::ConstantIndexOp::create(b, loc, match.extents[dim]));
    Value loop =
        linalg::IndexOp::create(b, loc, llvm::find(dims, dim) - dims.begin());
    sum = sum ? arith::AddIOp::create(b, loc, sum, loop) : loop;
  }
  return sum ? sum : arith::ConstantIndexOp::create(b, loc, 0);
}

Value TermBuilder::buildApply(const Term *term) {
  Type result = getElementTypeOrSelf(term->op->getResult(0));
  OperationState state(loc, term->op->getName());
  for (const Term *arg : term->args)
    state.operands.push_back(build(arg));
  state.addTypes(isa<FloatType>(result) ? type : result);
  state.addAttributes(term->op->getAttrs());
  return b.create(state)->getResult(0);
}

Value TermBuilder::build(const Term *term) {
  switch (term->kind) {
  case Term::Kind::Constant:
    return constant(term->constant);
  case Term::Kind::Read: {
    if (!isa<RankedTensorType>(term->value.getType()))
      return convert(term->value);
    Value read = reads.front();
    reads = reads.drop_front();
    return convert(read);
  }
  case Term::Kind::Index:
    return buildIndex(term->at[0]);
  case Term::Kind::Apply:
    return buildApply(term);
  case Term::Kind::Exp: // of the input, so that its dialect is there
    return math::ExpOp::create(b, loc, build(term->lhs));
  case Term::Kind::Log:
    return math::LogOp::create(b, loc, build(term->lhs));
  default:
    break;
  }
  Value lhs = build(term->lhs), rhs = build(term->rhs);
  switch (term->kind) {
  case Term::Kind::Add:
    return arith::AddFOp::create(b, loc, lhs, rhs);
  case Term::Kind::Sub:
    return arith::SubFOp::create(b, loc, lhs, rhs);
  case Term::Kind::Mul:
    return arith::MulFOp::create(b, loc, lhs, rhs);
  default:
    return arith::DivFOp::create(b, loc, lhs, rhs);
  }
}

Indexed mercury::makeMask(OpBuilder &b, const AttentionMatch &match) {
  ArrayRef<AttentionMask> masks = match.masks;
  if (masks.size() == 1 && masks[0].factor == 1 && masks[0].term->isRead())
    return makeOperand(b, match, masks[0].operands[0]);
  Location loc = match.root->getLoc();
  auto isF64 = [](Value tensor) {
    return getElementTypeOrSelf(tensor).isF64();
  };
  SmallVector<unsigned> dims;
  auto addDim = [&](unsigned dim) {
    if (!llvm::is_contained(dims, dim))
      dims.push_back(dim);
  };
  SmallVector<Indexed> reads;
  SmallVector<AttentionOperand> operands;
  bool isWide = isF64(match.query.tensor);
  for (const AttentionMask &mask : masks) {
    for (unsigned digit : match.terms->getAllDigits(mask.term))
      addDim(llvm::find(match.digits, digit) - match.digits.begin());
    for (const AttentionOperand &operand : mask.operands) {
      operands.push_back(operand);
      reads.push_back(makeOperand(b, match, operand));
      isWide |= isF64(operand.tensor);
      llvm::for_each(operand.dims, addDim);
    }
  }
  llvm::sort(dims);
  FloatType type = isWide ? b.getF64Type() : FloatType(b.getF32Type());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (auto [read, operand] : llvm::zip(reads, operands)) {
    inputs.push_back(read.tensor);
    SmallVector<unsigned> at;
    for (unsigned dim : operand.dims)
      at.push_back(llvm::find(dims, dim) - dims.begin());
    maps.push_back(
        AffineMap::getMultiDimMapWithTargets(dims.size(), at, b.getContext()));
  }
  maps.push_back(b.getMultiDimIdentityMap(dims.size()));
  Value empty = tensor::EmptyOp::create(b, loc, shapeOf(match, dims), type);
  SmallVector<utils::IteratorType> loops(dims.size(),
                                         utils::IteratorType::parallel);
  auto sum = linalg::GenericOp::create(
      b, loc, empty.getType(), inputs, empty, maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value sum;
        TermBuilder terms(b, loc, match, dims, type, args.drop_back());
        for (const AttentionMask &mask : masks) {
          Value term = terms.build(mask.term);
          if (mask.factor != 1)
            term = arith::MulFOp::create(
                b, loc, term,
                arith::ConstantOp::create(b, loc,
                                          b.getFloatAttr(type, mask.factor)));
          sum = sum ? arith::AddFOp::create(b, loc, sum, term) : term;
        }
        linalg::YieldOp::create(b, loc, sum);
      });
  return {sum.getResult(0), mapOf(b, match, dims)};
}

//===----------------------------------------------------------------------===//
// Ranges of keys
//===----------------------------------------------------------------------===//

std::pair<Indexed, Indexed> mercury::makeKeyRange(OpBuilder &b,
                                                  const AttentionMatch &match) {
  const AttentionRanges &ranges = *match.ranges;
  Location loc = match.root->getLoc();
  auto type =
      RankedTensorType::get(shapeOf(match, ranges.dims), b.getI32Type());
  AffineMap map = mapOf(b, match, ranges.dims);
  if (!ranges.documents.empty()) {
    auto documents = DocumentRangesOp::create(
        b, loc, type, type, /*segments=*/Value(), /*lengths=*/Value(),
        b.getDenseI64ArrayAttr(ranges.documents), /*query_start=*/Value());
    return {{documents.getBegin(), map}, {documents.getEnd(), map}};
  }
  auto constant = [&](ArrayRef<int32_t> values) {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, values));
  };
  return {{constant(ranges.begin), map}, {constant(ranges.end), map}};
}
