//===- TensorTerms.cpp - What an element of a tensor is -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/TensorTerms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mercury;

/// How deep two terms are compared.
static constexpr unsigned kDepth = 16;
/// How many operators a constant is followed through.
static constexpr unsigned kConstantDepth = 32;

static bool isFloat(Type type) {
  return type.isF64() || type.isF32() || type.isF16() || type.isBF16();
}

static bool isNumber(Type type) { return isFloat(type) || type.isIntOrIndex(); }

/// The value of a float constant, scalar or the same in all elements.
static std::optional<double> constantOf(Value value) {
  Attribute attr;
  if (!isFloat(getElementTypeOrSelf(value)) ||
      !matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(attr))
    attr = splat.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValueAsDouble();
  return std::nullopt;
}

bool Term::isSelect() const {
  return kind == Kind::Apply && isa<arith::SelectOp>(op);
}

SmallVector<const Term *, 3> Term::getOperands() const {
  SmallVector<const Term *, 3> operands(args);
  for (const Term *operand : {lhs, rhs})
    if (operand)
      operands.push_back(operand);
  return operands;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

DigitIndex TensorTerms::getLoop(Operation *op, unsigned loop, int64_t extent) {
  auto [found, isNew] = loops.try_emplace({op, loop});
  if (!isNew)
    return found->second;
  auto cut = factors.find({op, loop});
  SmallVector<int64_t> extents =
      cut == factors.end() ? SmallVector<int64_t>{extent} : cut->second;
  for (auto [part, factor] : llvm::enumerate(extents)) {
    found->second.push_back(digits.size());
    digits.push_back({op, loop, static_cast<unsigned>(part), factor});
  }
  return found->second;
}

DigitIndex TensorTerms::getDigits(ArrayRef<unsigned> index) const {
  DigitIndex result;
  for (unsigned digit : index)
    if (digits[digit].extent != 1)
      result.push_back(digit);
  return result;
}

DigitIndex TensorTerms::getDigits(const Term *read) const {
  DigitIndex result;
  for (const DigitIndex &index : read->at)
    llvm::append_range(result, getDigits(index));
  return result;
}

DigitIndex TensorTerms::getAllDigits(const Term *term) const {
  DigitIndex result = getDigits(term);
  for (const Term *operand : term->getOperands())
    llvm::append_range(result, getAllDigits(operand));
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

bool TensorTerms::areEqual(ArrayRef<DigitIndex> a,
                           ArrayRef<DigitIndex> b) const {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [&](auto pair) {
           return getDigits(std::get<0>(pair)) == getDigits(std::get<1>(pair));
         });
}

bool TensorTerms::isCut(Operation *op, unsigned loop) const {
  return factors.count({op, loop});
}

void TensorTerms::cut(unsigned digit, int64_t inner) {
  const Digit &old = digits[digit];
  Loop loop(old.op, old.loop);
  if (!cuttable.count(loop))
    return;
  SmallVector<int64_t> &extents = factors[loop];
  if (extents.empty())
    extents.push_back(old.extent);
  // Terms are stale after the first cut; a second one waits until they are not.
  if (stale || extents[old.part] != old.extent)
    return;
  extents[old.part] = old.extent / inner;
  extents.insert(extents.begin() + old.part + 1, inner);
  stale = true;
}

void TensorTerms::restart() {
  terms.clear();
  digits.clear();
  loops.clear();
  opened.clear();
  stale = false;
}

/// Spreads the digits of one dimension over `shape`, whose extents multiply to
/// that of the dimension; cuts a digit that lies across two dimensions.
bool TensorTerms::spread(ArrayRef<unsigned> index, ArrayRef<int64_t> shape,
                         SmallVectorImpl<DigitIndex> &at) {
  for (int64_t extent : shape) {
    if (extent <= 0) // dynamic ones, too
      return false;
    DigitIndex &part = at.emplace_back();
    int64_t have = 1;
    while (!index.empty()) {
      int64_t next = digits[index.front()].extent;
      if (have == extent && (next != 1 || !part.empty()))
        break;
      if (next <= 0)
        return false;
      if (extent % (have * next) != 0) {
        int64_t outer = extent / have; // have divides extent
        if (next % outer == 0)
          cut(index.front(), next / outer);
        return false;
      }
      part.push_back(index.front());
      have *= next;
      index = index.drop_front();
    }
    if (have != extent)
      return false;
  }
  llvm::append_range(at.back(), index); // of one step each
  return true;
}

//===----------------------------------------------------------------------===//
// Making terms
//===----------------------------------------------------------------------===//

const Term *TensorTerms::add(Term term) {
  terms.push_back(std::move(term));
  return &terms.back();
}

const Term *TensorTerms::constant(double value) {
  Term term{Term::Kind::Constant};
  term.constant = value;
  return add(std::move(term));
}

const Term *TensorTerms::read(Value value, ArrayRef<DigitIndex> at) {
  Term term{Term::Kind::Read};
  term.value = value;
  term.at.assign(at.begin(), at.end());
  return add(std::move(term));
}

std::optional<double> TensorTerms::getConstant(const Term *term) {
  if (term->kind == Term::Kind::Constant)
    return term->constant;
  return term->isRead() ? getConstant(term->value) : std::nullopt;
}

/// The number that all elements of `value` are.
std::optional<double> TensorTerms::getConstant(Value value) {
  auto [found, isNew] = constants.try_emplace(value, std::nullopt);
  if (!isNew || constantDepth == kConstantDepth)
    return found->second;
  ++constantDepth;
  std::optional<double> result = computeConstant(value);
  --constantDepth;
  return constants[value] = result;
}

std::optional<double> TensorTerms::computeConstant(Value value) {
  if (std::optional<double> result = constantOf(value))
    return result;
  Operation *def = value.getDefiningOp();
  if (!def || !isa<RankedTensorType>(value.getType()))
    return std::nullopt;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def))
    return getConstant(def->getOperand(0));
  auto asTerm = [&](Value operand) -> const Term * {
    std::optional<double> number = getConstant(operand);
    return number ? constant(*number) : nullptr;
  };
  const Term *term = nullptr;
  if (auto op = dyn_cast<linalg::LinalgOp>(def)) {
    if (op.getNumParallelLoops() != op.getNumLoops())
      return std::nullopt;
    Known known;
    for (OpOperand &operand : op->getOpOperands())
      if (op.payloadUsesValueFromOperand(&operand))
        known[op.getMatchingBlockArgument(&operand)] = asTerm(operand.get());
    unsigned result = cast<OpResult>(value).getResultNumber();
    term = evaluate(op.getBlock()->getTerminator()->getOperand(result),
                    op.getBlock(), known);
  } else if (OpTrait::hasElementwiseMappableTraits(def)) {
    SmallVector<const Term *> args = llvm::map_to_vector(
        def->getOperands(), [&](Value operand) { return asTerm(operand); });
    if (llvm::is_contained(args, nullptr))
      return std::nullopt;
    term = apply(def, args);
  }
  return term && term->kind == Term::Kind::Constant
             ? std::optional(term->constant)
             : std::nullopt;
}

const Term *TensorTerms::select(const Term *select, const Term *ifTrue,
                                const Term *ifFalse) {
  Term term = *select;
  term.args = {select->args[0], ifTrue, ifFalse};
  return add(std::move(term));
}

const Term *TensorTerms::combine(Term::Kind kind, const Term *lhs,
                                 const Term *rhs) {
  std::optional<double> a = getConstant(lhs), b = getConstant(rhs);
  switch (kind) {
  case Term::Kind::Add:
    if (a && b)
      return constant(*a + *b);
    if (a == 0.0)
      return rhs;
    if (b == 0.0)
      return lhs;
    break;
  case Term::Kind::Sub:
    if (a && b)
      return constant(*a - *b);
    if (b == 0.0)
      return lhs;
    break;
  case Term::Kind::Mul:
    if (a && b)
      return constant(*a * *b);
    if (a == 1.0)
      return rhs;
    if (b == 1.0)
      return lhs;
    break;
  case Term::Kind::Div:
    if (a && b)
      return constant(*a / *b);
    if (b == 1.0)
      return lhs;
    break;
  default:
    break;
  }
  Term term{kind};
  term.lhs = lhs;
  term.rhs = rhs;
  return add(std::move(term));
}

/// The term of a scalar operation, or of one on tensors element by element.
const Term *TensorTerms::apply(Operation *op, ArrayRef<const Term *> args) {
  if (op->getNumResults() != 1)
    return nullptr;
  auto opaque = [&] {
    Term term{Term::Kind::Apply};
    term.op = op;
    term.args.assign(args.begin(), args.end());
    return add(std::move(term));
  };
  Type type = getElementTypeOrSelf(op->getResult(0));
  if (type.isIntOrIndex())
    return opaque();
  if (!isFloat(type))
    return nullptr;
  auto binary = [&](Term::Kind kind) {
    return combine(kind, args[0], args[1]);
  };
  auto unary = [&](Term::Kind kind) {
    Term term{kind};
    term.lhs = args[0];
    return add(std::move(term));
  };
  // Sums and scores are kept in f32 or wider: narrower types lose no more than
  // that, f64 would.
  auto convert = [&]() -> const Term * {
    Type from = getElementTypeOrSelf(op->getOperand(0));
    Type to = getElementTypeOrSelf(op->getResult(0));
    return from == to || (!from.isF64() && !to.isF64()) ? args[0] : nullptr;
  };
  const Term *known =
      llvm::TypeSwitch<Operation *, const Term *>(op)
          .Case([&](arith::AddFOp) { return binary(Term::Kind::Add); })
          .Case([&](arith::SubFOp) { return binary(Term::Kind::Sub); })
          .Case([&](arith::MulFOp) { return binary(Term::Kind::Mul); })
          .Case([&](arith::DivFOp) { return binary(Term::Kind::Div); })
          .Case([&](arith::NegFOp) {
            return combine(Term::Kind::Mul, constant(-1), args[0]);
          })
          .Case([&](math::ExpOp) { return unary(Term::Kind::Exp); })
          .Case([&](math::LogOp) { return unary(Term::Kind::Log); })
          .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return convert(); })
          .Case<arith::SelectOp, arith::SIToFPOp, arith::UIToFPOp>(
              [&](auto) { return opaque(); })
          .Default([](Operation *) { return nullptr; });
  if (known)
    return known;
  // Any other op of constants, as the root of a feature size, folds itself.
  SmallVector<Attribute> constants;
  for (auto [operand, arg] : llvm::zip(op->getOperands(), args)) {
    std::optional<double> value = getConstant(arg);
    if (!value || !isFloat(operand.getType()))
      return nullptr;
    constants.push_back(FloatAttr::get(operand.getType(), *value));
  }
  SmallVector<OpFoldResult> results;
  if (constants.empty() || failed(op->fold(constants, results)) ||
      results.size() != 1)
    return nullptr;
  auto folded = dyn_cast_or_null<FloatAttr>(dyn_cast<Attribute>(results[0]));
  return folded ? constant(folded.getValueAsDouble()) : nullptr;
}

/// The term of a value that `body` computes or uses. `known` has the body's
/// arguments that it may depend on.
const Term *TensorTerms::evaluate(Value scalar, Block *body, Known &known) {
  if (auto found = known.find(scalar); found != known.end())
    return found->second;
  const Term *result = nullptr;
  Operation *def = scalar.getDefiningOp();
  if (std::optional<double> value = constantOf(scalar)) {
    result = constant(*value);
  } else if (scalar.getParentBlock() != body) {
    result = isNumber(scalar.getType()) ? read(scalar, {}) : nullptr;
  } else if (def && def->getNumRegions() == 0 && isPure(def)) {
    SmallVector<const Term *> args;
    for (Value operand : def->getOperands()) {
      args.push_back(evaluate(operand, body, known));
      if (!args.back())
        return nullptr;
    }
    result = apply(def, args);
  }
  known[scalar] = result;
  return result;
}

//===----------------------------------------------------------------------===//
// Opening operators
//===----------------------------------------------------------------------===//

/// Fills in the loops that index the result.
bool TensorTerms::bindResult(linalg::LinalgOp op, unsigned result,
                             ArrayRef<DigitIndex> at,
                             SmallVectorImpl<DigitIndex> &loops) {
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(result));
  if (!map.isProjectedPermutation() || op.getBlock()->empty())
    return false;
  auto iterators = op.getIteratorTypesArray();
  loops.resize(iterators.size());
  for (auto [expr, index] : llvm::zip(map.getResults(), at))
    loops[cast<AffineDimExpr>(expr).getPosition()] = index;
  for (auto [loop, iterator] : llvm::enumerate(iterators))
    if ((iterator == utils::IteratorType::parallel) !=
        map.isFunctionOfDim(loop))
      return false;
  return true;
}

void TensorTerms::bindIndices(linalg::LinalgOp op, ArrayRef<DigitIndex> loops,
                              Known &known) {
  for (auto index : op.getBlock()->getOps<linalg::IndexOp>()) {
    Term term{Term::Kind::Index};
    term.at.push_back(loops[index.getDim()]);
    known[index] = add(std::move(term));
  }
}

const Term *TensorTerms::readOperand(linalg::LinalgOp op, OpOperand &operand,
                                     ArrayRef<DigitIndex> loops) {
  if (!isNumber(getElementTypeOrSelf(operand.get())))
    return nullptr;
  SmallVector<DigitIndex> at;
  for (auto [dim, expr] :
       llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    auto type = cast<ShapedType>(operand.get().getType());
    if (loop)
      at.push_back(loops[loop.getPosition()]);
    else if (isa<AffineConstantExpr>(expr) && type.getDimSize(dim) == 1)
      at.emplace_back();
    else
      return nullptr;
  }
  return read(operand.get(), at);
}

const Term *TensorTerms::readResult(linalg::LinalgOp op, unsigned result) {
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(result));
  if (!map.isProjectedPermutation())
    return nullptr;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<DigitIndex> at;
  for (AffineExpr expr : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    at.push_back(getLoop(op, loop, ranges[loop]));
  }
  return read(op->getResult(result), at);
}

const Term *TensorTerms::openElementwise(linalg::LinalgOp op, unsigned result,
                                         ArrayRef<DigitIndex> at) {
  SmallVector<DigitIndex> loops;
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      !bindResult(op, result, at, loops))
    return nullptr;
  Known known;
  bindIndices(op, loops, known);
  for (OpOperand &operand : op->getOpOperands())
    if (op.payloadUsesValueFromOperand(&operand))
      known[op.getMatchingBlockArgument(&operand)] =
          readOperand(op, operand, loops);
  return evaluate(op.getBlock()->getTerminator()->getOperand(result),
                  op.getBlock(), known);
}

const Term *TensorTerms::openOnce(const Term *read) {
  Operation *def = read->value.getDefiningOp();
  if (std::optional<double> value = constantOf(read->value))
    return constant(*value);
  if (!def)
    return nullptr;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(def)) {
    SmallVector<DigitIndex> at;
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      DigitIndex &index = at.emplace_back();
      for (int64_t dim : group)
        llvm::append_range(index, read->at[dim]);
    }
    return this->read(expand.getSrc(), at);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(def)) {
    auto groups = collapse.getReassociationIndices();
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    SmallVector<DigitIndex> at;
    for (auto [index, group] : llvm::zip(read->at, groups))
      if (!spread(index, shape.slice(group.front(), group.size()), at))
        return nullptr;
    at.resize(shape.size()); // of one step each, where the result has rank 0
    return this->read(collapse.getSrc(), at);
  }
  if (auto op = dyn_cast<linalg::LinalgOp>(def))
    return openElementwise(op, cast<OpResult>(read->value).getResultNumber(),
                           read->at);
  if (isa<RankedTensorType>(read->value.getType()) &&
      OpTrait::hasElementwiseMappableTraits(def)) {
    SmallVector<const Term *> args;
    for (Value operand : def->getOperands())
      args.push_back(isa<RankedTensorType>(operand.getType())
                         ? this->read(operand, read->at)
                         : this->read(operand, {}));
    return apply(def, args);
  }
  return nullptr;
}

const Term *TensorTerms::open(const Term *read) {
  auto [found, isNew] = opened.try_emplace(read, nullptr);
  if (!isNew)
    return found->second;
  const Term *result = openOnce(read);
  return opened[read] = result;
}

std::optional<Reduction>
TensorTerms::openReduction(const Term *read, std::optional<DigitIndex> over) {
  if (!read->isRead())
    return std::nullopt;
  auto op = read->value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      op.getNumReductionLoops() + op.getNumParallelLoops() != op.getNumLoops())
    return std::nullopt;
  SmallVector<DigitIndex> loops;
  if (!bindResult(op, 0, read->at, loops))
    return std::nullopt;
  Reduction reduction;
  reduction.op = op;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator != utils::IteratorType::reduction)
      continue;
    if (over && ranges[loop] != 1) {
      if (!reduction.over.empty())
        return std::nullopt;
      int64_t extent = 1;
      for (unsigned digit : *over)
        extent *= digits[digit].extent;
      if (extent != ranges[loop])
        return std::nullopt;
      loops[loop] = *over;
    } else {
      loops[loop] = getLoop(op, loop, ranges[loop]);
    }
    llvm::append_range(reduction.over, getDigits(loops[loop]));
  }

  // The result so far and what is combined with it.
  BlockArgument soFar = op.getRegionOutputArgs()[0];
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || combiner->getNumOperands() != 2)
    return std::nullopt;
  if (isa<arith::AddFOp>(combiner))
    reduction.kind = Reduction::Kind::Sum;
  else if (isa<arith::MaximumFOp>(combiner))
    reduction.kind = Reduction::Kind::Maximum;
  else if (isa<arith::MaxNumFOp>(combiner))
    reduction.kind = Reduction::Kind::MaximumIgnoringNaN;
  else
    return std::nullopt;
  unsigned side = combiner->getOperand(0) == soFar ? 1 : 0;
  if (combiner->getOperand(1 - side) != soFar)
    return std::nullopt;
  Known known;
  known[soFar] = nullptr;
  bindIndices(op, loops, known);
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      known[op.getMatchingBlockArgument(input)] =
          readOperand(op, *input, loops);
  reduction.body = evaluate(combiner->getOperand(side), op.getBlock(), known);
  reduction.init = readOperand(op, *op.getDpsInitOperand(0), loops);
  if (!reduction.body || !reduction.init)
    return std::nullopt;
  return reduction;
}

//===----------------------------------------------------------------------===//
// Comparing terms
//===----------------------------------------------------------------------===//

static bool areEqualTerms(TensorTerms &terms, const Term *a, const Term *b,
                          unsigned depth) {
  auto isSameRead = [&] {
    return a->isRead() && b->isRead() && a->value == b->value &&
           terms.areEqual(a->at, b->at);
  };
  if (a == b || isSameRead())
    return true;
  if (depth == kDepth)
    return false;
  // Down to what both are computed from, as far as that is one element.
  for (const Term **term : {&a, &b})
    while ((*term)->isRead()) {
      const Term *from = terms.open(*term);
      if (!from)
        break;
      *term = from;
    }
  if (isSameRead())
    return true;
  if (a->kind != b->kind || a->isRead())
    return false;
  auto equal = [&](const Term *x, const Term *y) {
    return x && y ? areEqualTerms(terms, x, y, depth + 1) : x == y;
  };
  switch (a->kind) {
  case Term::Kind::Constant:
    return a->constant == b->constant;
  case Term::Kind::Index:
    return terms.areEqual(a->at, b->at);
  case Term::Kind::Apply:
    return a->op->getName() == b->op->getName() &&
           a->op->getAttrDictionary() == b->op->getAttrDictionary() &&
           getElementTypeOrSelf(a->op->getResult(0)) ==
               getElementTypeOrSelf(b->op->getResult(0)) &&
           llvm::equal(a->args, b->args, equal);
  case Term::Kind::Add:
  case Term::Kind::Mul:
    return (equal(a->lhs, b->lhs) && equal(a->rhs, b->rhs)) ||
           (equal(a->lhs, b->rhs) && equal(a->rhs, b->lhs));
  default:
    return equal(a->lhs, b->lhs) && equal(a->rhs, b->rhs);
  }
}

bool TensorTerms::areEqual(const Term *a, const Term *b) {
  return areEqualTerms(*this, a, b, 0);
}
