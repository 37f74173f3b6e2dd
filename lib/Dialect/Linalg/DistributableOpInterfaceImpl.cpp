//===- DistributableOpInterfaceImpl.cpp - linalg as operators -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/Linalg/DistributableOpInterfaceImpl.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mercury::commir;

/// The single binary op by which the body reduces into init `index`, or null
/// (no reduction, or one of several ops or of another form).
static Operation *combinerOf(linalg::LinalgOp op, unsigned index) {
  SmallVector<Operation *> ops;
  if (!matchReduction(op.getRegionOutputArgs(), index, ops) || ops.size() != 1)
    return nullptr;
  if (ops[0]->getNumOperands() != 2 || ops[0]->getNumResults() != 1 ||
      !arith::getNeutralElement(ops[0]))
    return nullptr;
  return ops[0];
}

/// The collective that combines alike. Elements of i1 are bytes of 0 and 1, of
/// which a sum is none and of which true, -1 where signs count, is the largest.
static std::optional<ReductionKind> kindOf(Operation *combiner) {
  if (combiner->getResult(0).getType().isInteger(1)) {
    if (isa<arith::OrIOp, arith::MaxUIOp, arith::MinSIOp>(combiner))
      return ReductionKind::Max;
    if (isa<arith::AndIOp, arith::MulIOp, arith::MinUIOp, arith::MaxSIOp>(
            combiner))
      return ReductionKind::Min;
    return std::nullopt;
  }
  if (isa<arith::AddFOp, arith::AddIOp>(combiner))
    return ReductionKind::Sum;
  if (isa<arith::MulFOp, arith::MulIOp>(combiner))
    return ReductionKind::Prod;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(combiner))
    return ReductionKind::Max;
  if (isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(combiner))
    return ReductionKind::Min;
  return std::nullopt;
}

/// What `combiner` takes without effect. That of maxnumf and minnumf upstream
/// is NaN, which a collective carries on; an infinity serves as well.
static TypedAttr neutralOf(Operation *combiner) {
  auto type = dyn_cast<FloatType>(combiner->getResult(0).getType());
  if (!type || !isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner))
    return *arith::getNeutralElement(combiner);
  return FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics(),
                                              isa<arith::MaxNumFOp>(combiner)));
}

static bool isSum(Operation *op) {
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp, arith::OrIOp,
                         arith::XOrIOp>(op);
}

static bool isProduct(Operation *op) {
  return isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(op);
}

/// True when the body's contribution to its sum is zero wherever one of its
/// inputs is: a product of the inputs, conversions aside.
static bool isProductOfInputs(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || !isSum(combinerOf(op, 0)))
    return false;
  int64_t products = 0, sums = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (!isSum(&inner) && !isProduct(&inner) && !isa<CastOpInterface>(inner))
      return false;
    products += isProduct(&inner);
    sums += isSum(&inner);
  }
  return sums == 1 && products == op.getNumDpsInputs() - 1;
}

/// Reduces products: a reduction loop, and a multiplication in the body.
static bool isContraction(linalg::LinalgOp op) {
  if (!op.getNumReductionLoops())
    return false;
  return op->getRegion(0)
      .walk([](Operation *inner) {
        return isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// lhs `combiner` rhs with the combiner's own attributes (fast-math flags).
static Value combine(OpBuilder &b, Location loc, Operation *combiner, Value lhs,
                     Value rhs) {
  OperationState state(loc, combiner->getName(), ValueRange{lhs, rhs},
                       TypeRange{lhs.getType()}, combiner->getAttrs());
  return b.create(state)->getResult(0);
}

namespace {
/// Every linalg result is a group of its own: bodies with coupled results (an
/// argmax) have no combiner here and are refused by legality.
template <typename OpTy>
struct LinalgModel
    : public DistributableOpInterface::ExternalModel<LinalgModel<OpTy>, OpTy> {
  SmallVector<utils::IteratorType> getLoops(Operation *op) const {
    return cast<linalg::LinalgOp>(op).getIteratorTypesArray();
  }
  SmallVector<int64_t> getExtents(Operation *op) const {
    return cast<linalg::LinalgOp>(op).getStaticLoopRanges();
  }
  std::optional<AffineMap> getOperandMap(Operation *op,
                                         OpOperand &operand) const {
    return cast<linalg::LinalgOp>(op).getMatchingIndexingMap(&operand);
  }
  SmallVector<SmallVector<unsigned>> getGroups(Operation *op) const {
    SmallVector<SmallVector<unsigned>> groups;
    for (unsigned i = 0; i < cast<linalg::LinalgOp>(op).getNumDpsInits(); ++i)
      groups.push_back({i});
    return groups;
  }
  bool hasCombiner(Operation *op, unsigned group) const {
    return combinerOf(cast<linalg::LinalgOp>(op), group) != nullptr;
  }
  bool isPlainReduction(Operation *op, unsigned group) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    Operation *combiner = combinerOf(linalgOp, group);
    if (!combiner || linalgOp.getNumDpsInputs() != linalgOp.getNumDpsInits())
      return false;
    // combiner(input, accumulator), in either order.
    Value input = linalgOp.getBlock()->getArgument(group);
    Value sum = linalgOp.getRegionOutputArgs()[group];
    bool takesBoth =
        (combiner->getOperand(0) == input && combiner->getOperand(1) == sum) ||
        (combiner->getOperand(1) == input && combiner->getOperand(0) == sum);
    AffineMap from =
        linalgOp.getMatchingIndexingMap(linalgOp.getDpsInputOperand(group));
    AffineMap to =
        linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(group));
    return takesBoth && from.isIdentity() && to == from.dropResult(0) &&
           linalgOp.getNumReductionLoops() == 1;
  }
  std::optional<ReductionKind> getCollectiveKind(Operation *op,
                                                 unsigned result) const {
    Operation *combiner = combinerOf(cast<linalg::LinalgOp>(op), result);
    return combiner ? kindOf(combiner) : std::nullopt;
  }
  bool readsInit(Operation *op, unsigned result) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    return linalgOp.payloadUsesValueFromOperand(
        linalgOp.getDpsInitOperand(result));
  }
  bool isNeutral(Operation *op, unsigned result, Value tensor) const {
    Operation *combiner = combinerOf(cast<linalg::LinalgOp>(op), result);
    return combiner &&
           (isFilledWith(tensor, neutralOf(combiner)) ||
            isFilledWith(tensor, *arith::getNeutralElement(combiner)));
  }
  TypedAttr getPadding(Operation *op, OpOperand &operand) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    Type element = getElementTypeOrSelf(operand.get());
    Builder b(op->getContext());
    auto zero = dyn_cast_if_present<TypedAttr>(b.getZeroAttr(element));
    if (linalgOp.getNumReductionLoops() == 0 || isProductOfInputs(linalgOp) ||
        linalgOp.isDpsInit(&operand))
      return zero;
    // combiner(input, accumulator) and nothing else: the neutral element.
    Operation *combiner = combinerOf(linalgOp, 0);
    if (linalgOp.getNumDpsInits() == 1 && linalgOp.getNumDpsInputs() == 1 &&
        combiner && linalgOp.getBlock()->getOperations().size() == 2)
      return neutralOf(combiner);
    return {};
  }
  int64_t countMultiplyAdds(Operation *op) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (!isContraction(linalgOp))
      return 0;
    int64_t volume = 1;
    for (int64_t extent : linalgOp.getStaticLoopRanges())
      volume *= ShapedType::isDynamic(extent) ? 1 : extent;
    return volume;
  }
  void setTokenOrder(Operation *op, OpBuilder &b, unsigned loop,
                     Attribute order) const {
    SmallVector<linalg::IndexOp> indices;
    op->walk([&](linalg::IndexOp index) {
      if (index.getDim() == loop &&
          index->getParentOfType<linalg::LinalgOp>() == op)
        indices.push_back(index);
    });
    OpBuilder::InsertionGuard guard(b);
    for (linalg::IndexOp index : indices) {
      b.setInsertionPointAfter(index);
      auto position = PositionOp::create(b, index.getLoc(), index,
                                         cast<TokenOrderAttr>(order));
      index.getResult().replaceAllUsesExcept(position, position);
    }
  }
  Value createNeutral(Operation *op, OpBuilder &b, Location loc,
                      unsigned result, Value destination) const {
    Operation *combiner = combinerOf(cast<linalg::LinalgOp>(op), result);
    Value element = arith::ConstantOp::create(b, loc, neutralOf(combiner));
    return linalg::FillOp::create(b, loc, element, destination).getResult(0);
  }
  SmallVector<Value> createMerge(Operation *op, OpBuilder &b, Location loc,
                                 unsigned group, ValueRange into,
                                 ValueRange others) const {
    Operation *combiner = combinerOf(cast<linalg::LinalgOp>(op), group);
    int64_t rank = cast<ShapedType>(into[0].getType()).getRank();
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    auto merged = linalg::GenericOp::create(
        b, loc, into.getTypes(), others, into,
        ArrayRef<AffineMap>{identity, identity}, loops,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          linalg::YieldOp::create(b, loc,
                                  combine(b, loc, combiner, args[1], args[0]));
        });
    return SmallVector<Value>(merged.getResults());
  }
  Value createReduction(Operation *op, OpBuilder &b, Location loc,
                        unsigned result, Value partials, Value init) const {
    Operation *combiner = combinerOf(cast<linalg::LinalgOp>(op), result);
    return linalg::ReduceOp::create(
               b, loc, partials, init, ArrayRef<int64_t>{0},
               [&](OpBuilder &b, Location loc, ValueRange args) {
                 linalg::YieldOp::create(
                     b, loc, combine(b, loc, combiner, args[0], args[1]));
               })
        ->getResult(0);
  }
};

template <typename... Ops> void attach(MLIRContext *context) {
  (Ops::template attachInterface<LinalgModel<Ops>>(*context), ...);
}
} // namespace

void mercury::commir::registerLinalgDistributableOps(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attach<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
}
