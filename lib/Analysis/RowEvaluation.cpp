//===- RowEvaluation.cpp - What tensors are along a row -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of tensors, from the operator that defines them. Constants, views
// and scalar operations have files of their own (Row*.cpp).
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/RowEvaluation.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mercury;

/// How many operators stand behind each other.
static constexpr unsigned kDepth = 256;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// Digits in mixed radix, the most significant first.
std::optional<Row> RowEvaluator::index(ArrayRef<Row> digits,
                                       ArrayRef<int64_t> extents, Span keys) {
  std::optional<Row> sum = constantRow(keys, int64_t(0));
  for (auto [digit, extent] : llvm::zip(digits, extents)) {
    if ((sum = scaleRow(*sum, extent)))
      sum = addRows(*sum, digit);
    if (!sum)
      return std::nullopt;
  }
  return sum;
}

std::optional<Row>
RowEvaluator::evaluate(const TensorTerms &terms, const Term *term, unsigned key,
                       int64_t numKeys,
                       const DenseMap<unsigned, int64_t> &known) {
  Span keys{0, numKeys};
  auto indexOf = [&](const DigitIndex &of) -> Result {
    SmallVector<Row> digits;
    SmallVector<int64_t> extents;
    for (unsigned digit : terms.getDigits(of)) {
      auto found = known.find(digit);
      if (digit != key && found == known.end())
        return std::nullopt;
      digits.push_back(digit == key ? identityRow(keys)
                                    : constantRow(keys, found->second));
      extents.push_back(terms.getDigit(digit).extent);
    }
    return index(digits, extents, keys);
  };
  auto allOf = [&](ArrayRef<const Term *> of) {
    SmallVector<Row> rows;
    for (const Term *each : of)
      if (Result row = evaluate(terms, each, key, numKeys, known))
        rows.push_back(*row);
    return rows;
  };
  switch (term->kind) {
  case Term::Kind::Constant:
    return constantRow(keys, term->constant);
  case Term::Kind::Index:
    return indexOf(term->at[0]);
  case Term::Kind::Read: {
    if (!isa<RankedTensorType>(term->value.getType())) {
      Scope scope(nullptr);
      return evaluate(term->value, scope, keys);
    }
    SmallVector<Row> at;
    for (const DigitIndex &of : term->at) {
      Result row = indexOf(of);
      if (!row)
        return std::nullopt;
      at.push_back(*row);
    }
    return read(term->value, at, keys);
  }
  case Term::Kind::Apply: {
    SmallVector<Row> args = allOf(term->args);
    return args.size() == term->args.size() ? apply(term->op, args, keys)
                                            : std::nullopt;
  }
  case Term::Kind::Add:
  case Term::Kind::Sub:
  case Term::Kind::Mul:
  case Term::Kind::Div: {
    SmallVector<Row> args = allOf({term->lhs, term->rhs});
    if (args.size() != 2)
      return std::nullopt;
    Row result;
    visitPieces(args, keys, [&](Span span, ArrayRef<Piece> pieces) {
      double a = pieces[0].real, b = pieces[1].real;
      Piece piece{span, /*isFloat=*/true};
      piece.real = term->kind == Term::Kind::Add   ? a + b
                   : term->kind == Term::Kind::Sub ? a - b
                   : term->kind == Term::Kind::Mul ? a * b
                                                   : a / b;
      append(result, piece);
      return true;
    });
    return charge(result.size()) ? std::optional(result) : std::nullopt;
  }
  case Term::Kind::Exp:
  case Term::Kind::Log:
    return std::nullopt;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

std::optional<Row> RowEvaluator::read(Value tensor, ArrayRef<Row> at,
                                      Span keys) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  Operation *def = tensor.getDefiningOp();
  if (!type || !type.hasStaticShape() || !def || depth == kDepth || !charge(1))
    return std::nullopt;
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  Attribute attr;
  if (matchPattern(tensor, m_Constant(&attr))) {
    auto elements = dyn_cast<ElementsAttr>(attr);
    return elements ? readConstant(elements, at, keys) : std::nullopt;
  }
  if (auto op = dyn_cast<linalg::LinalgOp>(def))
    return readLinalg(op, cast<OpResult>(tensor).getResultNumber(), at, keys);
  if (!OpTrait::hasElementwiseMappableTraits(def) || def->getNumResults() != 1)
    return readView(def, at, keys);
  SmallVector<Row> args;
  Scope outside(nullptr);
  for (Value operand : def->getOperands()) {
    Result row = isa<RankedTensorType>(operand.getType())
                     ? read(operand, at, keys)
                     : evaluate(operand, outside, keys);
    if (!row)
      return std::nullopt;
    args.push_back(*row);
  }
  return apply(def, args, keys);
}

std::optional<Row> RowEvaluator::readLinalg(linalg::LinalgOp op,
                                            unsigned result, ArrayRef<Row> at,
                                            Span keys) {
  if (!op.hasPureTensorSemantics() || op.getBlock()->empty())
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<Row> loops(ranges.size());
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(result));
  for (auto [expr, row] : llvm::zip(map.getResults(), at)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return std::nullopt;
    loops[dim.getPosition()] = row;
  }
  for (auto [loop, range] : llvm::zip(loops, ranges)) {
    if (loop.empty() && range != 1) // a reduction
      return std::nullopt;
    if (loop.empty())
      loop = constantRow(keys, int64_t(0));
  }
  Scope scope(op.getBlock(), loops);
  return evaluate(op.getBlock()->getTerminator()->getOperand(result), scope,
                  keys);
}

std::optional<Row> RowEvaluator::evaluate(AffineExpr expr, ArrayRef<Row> loops,
                                          Span keys) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loops[dim.getPosition()];
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constantRow(keys, number.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  Result lhs, rhs;
  if (!binary || !(lhs = evaluate(binary.getLHS(), loops, keys)))
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return (rhs = evaluate(binary.getRHS(), loops, keys)) ? addRows(*lhs, *rhs)
                                                          : std::nullopt;
  auto number = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!number)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mul)
    return scaleRow(*lhs, number.getValue());
  if (number.getValue() <= 0 || expr.getKind() == AffineExprKind::CeilDiv)
    return std::nullopt;
  auto split = divideRow(*lhs, number.getValue(), /*limit=*/work);
  if (!split || !charge(split->first.size() + split->second.size()))
    return std::nullopt;
  return expr.getKind() == AffineExprKind::Mod ? split->second : split->first;
}

std::optional<Row> RowEvaluator::evaluateArgument(BlockArgument argument,
                                                  Scope &scope, Span keys) {
  auto op = argument.getOwner() == scope.body
                ? dyn_cast_or_null<linalg::LinalgOp>(scope.body->getParentOp())
                : nullptr;
  if (!op)
    return std::nullopt;
  OpOperand *operand =
      op.getOpOperandsMatchingBBargs()[argument.getArgNumber()];
  if (!isa<RankedTensorType>(operand->get().getType()))
    return evaluate(operand->get(), scope, keys);
  SmallVector<Row> at;
  for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
    Result row = evaluate(expr, scope.loops, keys);
    if (!row)
      return std::nullopt;
    at.push_back(*row);
  }
  return read(operand->get(), at, keys);
}

std::optional<Row> RowEvaluator::evaluate(Value scalar, Scope &scope,
                                          Span keys) {
  if (auto found = scope.values.find(scalar); found != scope.values.end())
    return found->second;
  auto compute = [&]() -> Result {
    if (auto argument = dyn_cast<BlockArgument>(scalar))
      return evaluateArgument(argument, scope, keys);
    Operation *def = scalar.getDefiningOp();
    if (auto loop = dyn_cast<linalg::IndexOp>(def))
      return def->getBlock() == scope.body
                 ? std::optional(scope.loops[loop.getDim()])
                 : std::nullopt;
    auto extract = dyn_cast<tensor::ExtractOp>(def);
    if (def->getNumResults() != 1 || def->getNumRegions() != 0 || !isPure(def))
      return std::nullopt;
    SmallVector<Row> args;
    for (Value operand : extract ? ValueRange(extract.getIndices())
                                 : ValueRange(def->getOperands())) {
      Result row = evaluate(operand, scope, keys);
      if (!row)
        return std::nullopt;
      args.push_back(*row);
    }
    return extract ? read(extract.getTensor(), args, keys)
                   : apply(def, args, keys);
  };
  Result result = compute();
  scope.values[scalar] = result;
  return result;
}
