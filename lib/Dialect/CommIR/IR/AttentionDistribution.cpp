//===- AttentionDistribution.cpp - How attention distributes --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Dialect/CommIR/IR/TokenOrderCheck.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

// Members of the state, results of online attention.
enum State { Accumulator, Maximum, Sum };

//===----------------------------------------------------------------------===//
// Both forms
//===----------------------------------------------------------------------===//

template <typename OpTy> static SmallVector<int64_t> loopExtents(OpTy op) {
  SmallVector<int64_t> extents = op.getMapExtents();
  extents.resize(op.getLoopIteratorTypes().size());
  return extents;
}

/// Over the operator's loops alone; a dimension that is no loop is whole.
template <typename OpTy>
static std::optional<AffineMap> loopMap(OpTy op, OpOperand &operand) {
  AffineMap map = op.getMap(operand);
  if (!map)
    return std::nullopt;
  unsigned loops = op.getLoopIteratorTypes().size();
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(cast<AffineDimExpr>(expr).getPosition() < loops
                          ? expr
                          : getAffineConstantExpr(0, op.getContext()));
  return AffineMap::get(loops, 0, results, op.getContext());
}

/// Rows that are added are cut off again, keys are not counted as valid.
static TypedAttr zeroOf(OpOperand &operand) {
  Type element = getElementTypeOrSelf(operand.get());
  return Builder(element.getContext()).getZeroAttr(element);
}

/// Of both contractions.
template <typename OpTy> static int64_t multiplyAddsOf(OpTy op) {
  SmallVector<int64_t> extents = op.getMapExtents();
  int64_t scores = 1, features = 0;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    int64_t known = ShapedType::isDynamic(extent) ? 1 : extent;
    if (dim <= op.getKeyLoop())
      scores *= known;
    else
      features += known;
  }
  return scores * features;
}

static std::optional<int64_t> constantStart(Value start) {
  return start ? getConstantIntValue(start) : 0;
}

template <typename OpTy> static std::optional<LoopMask> loopMaskOf(OpTy op) {
  if (!op.getVisibleAttr() && !op.getKeyBegin())
    return std::nullopt;
  LoopMask mask;
  mask.query = op.getQueryLoop();
  mask.key = op.getKeyLoop();
  std::optional<int64_t> query = constantStart(op.getQueryStart()),
                         key = constantStart(op.getKeyStart());
  // Nothing is known of positions that begin anywhere, and no order is chosen
  // where checkStart() refuses it.
  bool takesOrder = key == 0 || !op.getKeyBegin();
  if (op.getVisibleAttr() && query && key && takesOrder) {
    mask.mask = op.getVisibleAttr().getValue();
    mask.queryStart = *query;
    mask.keyStart = *key;
  }
  return mask;
}

/// The start of the positions of loop `loop`.
template <typename OpTy> static Value startOf(OpTy op, unsigned loop) {
  return loop == op.getQueryLoop() ? op.getQueryStart()
         : loop == op.getKeyLoop() ? op.getKeyStart()
                                   : Value();
}

template <typename OpTy>
static LogicalResult checkStart(OpTy op, unsigned loop) {
  Value start = startOf(op, loop);
  if (!start)
    return success();
  bool isQuery = loop == op.getQueryLoop();
  if (!getConstantIntValue(start))
    return op.emitOpError() << "loop d" << loop << " takes no token order: its "
                            << (isQuery ? "queries begin at 'query_start'"
                                        : "keys begin at 'key_start'")
                            << ", which is known at run time only";
  if (!isQuery && op.getKeyBegin() && !isZeroInteger(start))
    return op.emitOpError() << "loop d" << loop << " takes no token order: "
                            << "'key_range' counts from 'key_start'";
  return success();
}

LogicalResult commir::checkTokenOrder(Operation *op, unsigned loop) {
  if (auto attention = dyn_cast<AttentionOp>(op))
    return checkStart(attention, loop);
  if (auto online = dyn_cast<OnlineAttentionOp>(op))
    return checkStart(online, loop);
  return success();
}

/// An order's positions begin at 0: a constant start becomes part of the mask.
template <typename OpTy>
static void absorbStart(OpTy op, OpBuilder &b, unsigned loop) {
  Value start = startOf(op, loop);
  std::optional<int64_t> constant =
      start ? getConstantIntValue(start) : std::nullopt;
  if (!constant)
    return;
  bool isQuery = loop == op.getQueryLoop();
  int64_t by = *constant;
  if (MaskAttr visible = op.getVisibleAttr()) {
    Mask mask = visible.getValue();
    for (MaskTerm &term : mask.terms) {
      if (term.left)
        *term.left -= isQuery ? by : -by;
      if (term.right)
        *term.right += isQuery ? by : -by;
      if (!isQuery)
        term.prefix = std::max<int64_t>(term.prefix - by, 0);
    }
    op.setVisibleAttr(MaskAttr::get(op.getContext(), mask));
  }
  if (!isQuery && op.getValid())
    op.getValidMutable().assign(
        arith::SubIOp::create(b, op.getLoc(), op.getValid(), start));
  (isQuery ? op.getQueryStartMutable() : op.getKeyStartMutable()).clear();
}

template <typename OpTy>
static void setOrderOf(OpTy op, OpBuilder &b, unsigned loop, Attribute order) {
  auto tokens = cast<TokenOrderAttr>(order);
  bool isQuery = loop == op.getQueryLoop();
  if (!isQuery && loop != op.getKeyLoop())
    return;
  absorbStart(op, b, loop);
  if (isQuery)
    op.setQueryOrderAttr(tokens);
  else
    op.setKeyOrderAttr(tokens);
}

#define MERCURY_DISTRIBUTE(OP)                                                 \
  SmallVector<utils::IteratorType> OP::getLoops() {                            \
    return getLoopIteratorTypes();                                             \
  }                                                                            \
  SmallVector<int64_t> OP::getExtents() { return loopExtents(*this); }         \
  std::optional<AffineMap> OP::getOperandMap(OpOperand &operand) {             \
    return loopMap(*this, operand);                                            \
  }                                                                            \
  bool OP::isPlainReduction(unsigned) { return false; }                        \
  std::optional<LoopMask> OP::getLoopMask() { return loopMaskOf(*this); }      \
  void OP::setTokenOrder(OpBuilder &b, unsigned loop, Attribute order) {       \
    setOrderOf(*this, b, loop, order);                                         \
  }                                                                            \
  int64_t OP::countMultiplyAdds() { return multiplyAddsOf(*this); }            \
  TypedAttr OP::getPadding(OpOperand &operand) { return zeroOf(operand); }
MERCURY_DISTRIBUTE(AttentionOp)
MERCURY_DISTRIBUTE(OnlineAttentionOp)
#undef MERCURY_DISTRIBUTE

//===----------------------------------------------------------------------===//
// attention: parallel loops only
//===----------------------------------------------------------------------===//

SmallVector<SmallVector<unsigned>> AttentionOp::getGroups() {
  SmallVector<SmallVector<unsigned>> groups;
  for (unsigned i = 0; i < getOutputs().size(); ++i)
    groups.push_back({i});
  return groups;
}
bool AttentionOp::hasCombiner(unsigned) { return false; }
std::optional<ReductionKind> AttentionOp::getCollectiveKind(unsigned) {
  return std::nullopt;
}
std::optional<unsigned> AttentionOp::getPivot(unsigned) { return std::nullopt; }
SmallVector<Value> AttentionOp::createRescale(OpBuilder &, Location, unsigned,
                                              ValueRange state, Value) {
  return SmallVector<Value>(state);
}
void AttentionOp::limitReductions(OpBuilder &, ArrayRef<int64_t>) {}
bool AttentionOp::readsInit(unsigned) { return false; }
bool AttentionOp::isNeutral(unsigned, Value) { return false; }
Value AttentionOp::createNeutral(OpBuilder &, Location, unsigned,
                                 Value destination) {
  return destination;
}
SmallVector<Value> AttentionOp::createMerge(OpBuilder &, Location, unsigned,
                                            ValueRange into, ValueRange) {
  return SmallVector<Value>(into);
}
Value AttentionOp::createReduction(OpBuilder &, Location, unsigned, Value,
                                   Value init) {
  return init;
}

//===----------------------------------------------------------------------===//
// online_attention: one reduction of three results
//===----------------------------------------------------------------------===//

SmallVector<SmallVector<unsigned>> OnlineAttentionOp::getGroups() {
  return {{Accumulator, Maximum, Sum}};
}

bool OnlineAttentionOp::hasCombiner(unsigned) { return true; }

std::optional<ReductionKind>
OnlineAttentionOp::getCollectiveKind(unsigned result) {
  return result == Maximum ? ReductionKind::Max : ReductionKind::Sum;
}

std::optional<unsigned> OnlineAttentionOp::getPivot(unsigned) {
  return Maximum;
}

bool OnlineAttentionOp::readsInit(unsigned) { return true; }

static FloatAttr neutralOf(FloatType type, unsigned result) {
  return FloatAttr::get(
      type, result == Maximum
                ? APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true)
                : APFloat::getZero(type.getFloatSemantics()));
}

bool OnlineAttentionOp::isNeutral(unsigned result, Value tensor) {
  return isFilledWith(tensor, neutralOf(getStateType(), result));
}

void OnlineAttentionOp::limitReductions(OpBuilder &b,
                                        ArrayRef<int64_t> extents) {
  int64_t keys = extents[getKeyLoop()];
  if (keys == getMapExtents()[getKeyLoop()])
    return;
  Value limit = arith::ConstantIndexOp::create(b, getLoc(), keys);
  if (getKeyStart()) // of positions
    limit = arith::AddIOp::create(b, getLoc(), getKeyStart(), limit);
  if (getValid())
    limit = arith::MinSIOp::create(b, getLoc(), getValid(), limit);
  getValidMutable().assign(limit);
}

Value OnlineAttentionOp::createNeutral(OpBuilder &b, Location loc,
                                       unsigned result, Value destination) {
  Value element =
      arith::ConstantOp::create(b, loc, neutralOf(getStateType(), result));
  return linalg::FillOp::create(b, loc, element, destination).getResult(0);
}

Value OnlineAttentionOp::createReduction(OpBuilder &b, Location loc,
                                         unsigned result, Value partials,
                                         Value init) {
  return linalg::ReduceOp::create(
             b, loc, partials, init, ArrayRef<int64_t>{0},
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value value =
                   result == Maximum
                       ? arith::MaximumFOp::create(b, loc, args[0], args[1])
                             .getResult()
                       : arith::AddFOp::create(b, loc, args[0], args[1]);
               linalg::YieldOp::create(b, loc, value);
             })
      ->getResult(0);
}

/// exp(from - to), 1 where they are equal: infinities are no numbers to
/// subtract.
static Value scaleFactor(OpBuilder &b, Location loc, Value from, Value to) {
  Value same =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, from, to);
  Value one =
      arith::ConstantOp::create(b, loc, b.getFloatAttr(from.getType(), 1.0));
  Value factor =
      math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, from, to));
  return arith::SelectOp::create(b, loc, same, one, factor);
}

/// An elementwise op in place of `output`; inputs that lack its feature (the
/// maxima) have `rowMap`.
static Value elementwise(OpBuilder &b, Location loc, ValueRange inputs,
                         ArrayRef<AffineMap> maps, Value output,
                         function_ref<Value(OpBuilder &, ValueRange)> body) {
  int64_t rank = cast<ShapedType>(output.getType()).getRank();
  SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, output.getType(), inputs, output, all, loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, body(b, args));
             })
      .getResult(0);
}

/// How a maximum is indexed from the dimensions of `value`, state member
/// `result`; both may have the same further dimensions in front (a partial
/// value).
static AffineMap rowMap(OnlineAttentionOp op, unsigned result, Value value) {
  // Domain of the maps -> dimensions of the member.
  AffineMap member = op.getMap(*op.getDpsInitOperand(result));
  AffineMap maximum = op.getMap(*op.getDpsInitOperand(Maximum));
  unsigned rank = cast<ShapedType>(value.getType()).getRank();
  unsigned front = rank - member.getNumResults();
  SmallVector<AffineExpr> results;
  for (unsigned dim = 0; dim < front; ++dim)
    results.push_back(getAffineDimExpr(dim, op.getContext()));
  for (AffineExpr expr : maximum.getResults())
    results.push_back(getAffineDimExpr(front + *member.getResultPosition(expr),
                                       op.getContext()));
  return AffineMap::get(rank, 0, results, op.getContext());
}

SmallVector<Value> OnlineAttentionOp::createRescale(OpBuilder &b, Location loc,
                                                    unsigned, ValueRange state,
                                                    Value pivot) {
  SmallVector<Value> result(state);
  for (unsigned i : {Accumulator, Sum}) {
    AffineMap row = rowMap(*this, i, state[i]);
    result[i] = elementwise(b, loc, {state[Maximum], pivot}, {row, row},
                            state[i], [&](OpBuilder &b, ValueRange args) {
                              return arith::MulFOp::create(
                                  b, loc, args[2],
                                  scaleFactor(b, loc, args[0], args[1]));
                            });
  }
  result[Maximum] = pivot;
  return result;
}

SmallVector<Value> OnlineAttentionOp::createMerge(OpBuilder &b, Location loc,
                                                  unsigned, ValueRange into,
                                                  ValueRange others) {
  SmallVector<Value> result(into);
  // Accumulator and sum need both maxima as they were, so these come last.
  for (unsigned i : {Accumulator, Sum}) {
    AffineMap row = rowMap(*this, i, into[i]);
    AffineMap identity =
        b.getMultiDimIdentityMap(cast<ShapedType>(into[i].getType()).getRank());
    result[i] = elementwise(
        b, loc, {into[Maximum], others[Maximum], others[i]},
        {row, row, identity}, into[i], [&](OpBuilder &b, ValueRange args) {
          Value top = arith::MaximumFOp::create(b, loc, args[0], args[1]);
          Value mine = arith::MulFOp::create(b, loc, args[3],
                                             scaleFactor(b, loc, args[0], top));
          Value theirs = arith::MulFOp::create(
              b, loc, args[2], scaleFactor(b, loc, args[1], top));
          return arith::AddFOp::create(b, loc, mine, theirs);
        });
  }
  AffineMap row = rowMap(*this, Maximum, into[Maximum]);
  result[Maximum] =
      elementwise(b, loc, {others[Maximum]}, {row}, into[Maximum],
                  [&](OpBuilder &b, ValueRange args) {
                    return arith::MaximumFOp::create(b, loc, args[0], args[1]);
                  });
  return result;
}
