//===- RowOperations.cpp - Scalar operations on rows ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants fold by the operation's own folder. Equally spaced integers stay
// that where the operation is one of a few, else they are taken one by one.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/RowEvaluation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mercury;

RowEvaluator::~RowEvaluator() { scratch.clear(); }

static Type resultTypeOf(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0).getType());
}

static bool isLogical(Operation *op) { return resultTypeOf(op).isInteger(1); }

//===----------------------------------------------------------------------===//
// One number
//===----------------------------------------------------------------------===//

static TypedAttr attributeOf(Type type, const Piece &piece) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, piece.real);
  if (type.isInteger(1))
    return BoolAttr::get(type.getContext(), piece.first);
  return IntegerAttr::get(type, piece.first);
}

std::optional<Piece> RowEvaluator::fold(Operation *op, Span keys,
                                        ArrayRef<Piece> args) {
  Operation *&scalar = scalarOps[op];
  if (!scalar) {
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands())
      state.operands.push_back(scratch.addArgument(
          getElementTypeOrSelf(operand.getType()), op->getLoc()));
    state.addTypes(resultTypeOf(op));
    state.addAttributes(op->getAttrs());
    scalar = Operation::create(state);
    scratch.push_back(scalar);
  }
  SmallVector<Attribute> constants;
  for (auto [operand, arg] : llvm::zip(scalar->getOperands(), args)) {
    if (!operand.getType().isIntOrIndexOrFloat() ||
        isa<FloatType>(operand.getType()) != arg.isFloat)
      return std::nullopt;
    constants.push_back(attributeOf(operand.getType(), arg));
  }
  SmallVector<OpFoldResult> results;
  if (failed(scalar->fold(constants, results)) || results.size() != 1)
    return std::nullopt;
  if (auto value = dyn_cast<Value>(results[0])) {
    auto operand = llvm::find(scalar->getOperands(), value);
    if (operand == scalar->operand_end())
      return std::nullopt;
    Piece piece = args[operand.getIndex()];
    piece.keys = keys;
    return piece;
  }
  Piece piece{keys};
  auto attr = cast<Attribute>(results[0]);
  if (auto number = dyn_cast<FloatAttr>(attr)) {
    piece.isFloat = true;
    piece.real = number.getValueAsDouble();
  } else if (auto number = dyn_cast<IntegerAttr>(attr);
             number && number.getValue().getBitWidth() <= 64) {
    piece.first = isLogical(op) ? number.getValue().getZExtValue()
                                : number.getValue().getSExtValue();
  } else {
    return std::nullopt;
  }
  return piece;
}

//===----------------------------------------------------------------------===//
// Equally spaced numbers
//===----------------------------------------------------------------------===//

/// Both ends, and so all between, are a signed number of this type.
static bool fits(ArrayRef<Piece> row, Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return llvm::all_of(row, [&](const Piece &piece) {
    return llvm::isIntN(width, piece.first) &&
           llvm::isIntN(width, piece.last());
  });
}

static bool isNotNegative(const Piece &piece) {
  return piece.first >= 0 && piece.last() >= 0;
}

static bool holds(arith::CmpIPredicate predicate, int64_t sign) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return sign == 0;
  case P::ne:
    return sign != 0;
  case P::slt:
  case P::ult:
    return sign < 0;
  case P::sle:
  case P::ule:
    return sign <= 0;
  case P::sgt:
  case P::ugt:
    return sign > 0;
  case P::sge:
  case P::uge:
    return sign >= 0;
  }
  return false;
}

std::optional<Row> RowEvaluator::applyLinear(Operation *op, Span keys,
                                             ArrayRef<Piece> args) {
  using Rows = std::pair<Row, Row>;
  bool areAllNotNegative = llvm::all_of(args, isNotNegative);
  auto pick = [&](bool isSmaller) -> Result {
    Result signs = compareRows(args[0], args[1]);
    if (!signs)
      return std::nullopt;
    Row result;
    for (const Piece &sign : *signs)
      append(result,
             args[(sign.first < 0) == isSmaller ? 0 : 1].restrictTo(sign.keys));
    return result;
  };
  auto divide = [&]() -> std::optional<Rows> {
    if (!areAllNotNegative || !args[1].isConstant() || args[1].first == 0)
      return std::nullopt;
    auto split = divideRow(args[0], args[1].first, /*limit=*/work);
    if (!split || !charge(split->first.size() + split->second.size()))
      return std::nullopt;
    return split;
  };
  auto quotient = [&](auto) -> Result {
    std::optional<Rows> split = divide();
    return split ? std::optional(split->first) : std::nullopt;
  };
  auto remainder = [&](auto) -> Result {
    std::optional<Rows> split = divide();
    return split ? std::optional(split->second) : std::nullopt;
  };
  Result result =
      llvm::TypeSwitch<Operation *, Result>(op)
          .Case([&](arith::AddIOp) { return addRows(args[0], args[1]); })
          .Case([&](arith::SubIOp) {
            Result minus = scaleRow(args[1], -1);
            return minus ? addRows(args[0], *minus) : std::nullopt;
          })
          .Case([&](arith::MulIOp) -> Result {
            for (unsigned i : {0, 1})
              if (args[i].isConstant())
                return scaleRow(args[1 - i], args[i].first);
            return std::nullopt;
          })
          .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
              [&](auto) { return Row{args[0]}; })
          .Case<arith::IndexCastUIOp, arith::ExtUIOp>([&](auto) -> Result {
            return areAllNotNegative ? Result(Row{args[0]}) : std::nullopt;
          })
          .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(quotient)
          .Case<arith::RemSIOp, arith::RemUIOp>(remainder)
          .Case([&](arith::MinSIOp) { return pick(true); })
          .Case([&](arith::MaxSIOp) { return pick(false); })
          .Case([&](arith::SelectOp) -> Result {
            return args[0].isConstant()
                       ? Result(Row{args[args[0].first ? 1 : 2]})
                       : std::nullopt;
          })
          .Case([&](arith::CmpIOp compare) -> Result {
            bool isUnsigned =
                compare.getPredicate() >= arith::CmpIPredicate::ult;
            Result signs = isUnsigned && !areAllNotNegative
                               ? std::nullopt
                               : compareRows(args[0], args[1]);
            if (!signs)
              return std::nullopt;
            Row truth;
            for (const Piece &sign : *signs)
              append(truth, {sign.keys, /*isFloat=*/false,
                             holds(compare.getPredicate(), sign.first)});
            return truth;
          })
          .Default([](Operation *) { return std::nullopt; });
  // Anything that wraps around is left to the folder.
  return result && (isa<arith::CmpIOp>(op) || fits(*result, resultTypeOf(op)))
             ? result
             : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

bool RowEvaluator::apply(Operation *op, Span keys, ArrayRef<Piece> args,
                         Row &result) {
  if (!charge(1))
    return false;
  if (llvm::all_of(args, [](const Piece &arg) { return arg.isConstant(); })) {
    std::optional<Piece> piece = fold(op, keys, args);
    if (piece)
      append(result, *piece, !isLogical(op));
    return piece.has_value();
  }
  if (Result row = applyLinear(op, keys, args)) {
    for (const Piece &piece : *row)
      append(result, piece, !isLogical(op));
    return true;
  }
  for (int64_t key = keys.begin; key < keys.end; ++key) {
    Span one{key, key + 1};
    SmallVector<Piece> each;
    for (const Piece &arg : args)
      each.push_back(arg.restrictTo(one));
    if (!apply(op, one, each, result))
      return false;
  }
  return true;
}

std::optional<Row> RowEvaluator::apply(Operation *op, ArrayRef<Row> args,
                                       Span keys) {
  Row result;
  if (!op->getResult(0) ||
      !visitPieces(args, keys, [&](Span span, ArrayRef<Piece> pieces) {
        return apply(op, span, pieces, result);
      }))
    return std::nullopt;
  return result;
}
