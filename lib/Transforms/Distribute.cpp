//===- Distribute.cpp - Schedules into loop nests -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Distribute.h"
#include "DistributedOp.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Analysis/PlacementAnalysis.h"
#include "Mercury/Dialect/CommIR/IR/TokenOrderCheck.h"
#include "Mercury/Schedule/Balance.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

DistributedOp::DistributedOp(RewriterBase &b, DistributableOpInterface op,
                             const Schedule &s, const TopologyModel &topology)
    : b(b), op(op), s(s), topology(topology), model(buildOperatorModel(op)),
      loc(op->getLoc()), placer(b, loc, s, model, topology) {}

Placement DistributedOp::atEnd(unsigned i) const {
  return inNaturalOrder(s.results[i].nest);
}

Placement DistributedOp::inLoops(unsigned i) const {
  Placement placement = without(atEnd(i), partial);
  if (!partial.empty())
    placement.dims.insert(placement.dims.begin(), partial);
  return placement;
}

DestinationStyleOpInterface DistributedOp::onPadded() const {
  return cast<DestinationStyleOpInterface>(padded);
}

Value DistributedOp::neutral(unsigned i) {
  auto type = cast<RankedTensorType>(onPadded().getDpsInits()[i].getType());
  return op.createNeutral(
      b, loc, i,
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType()));
}

namespace {

/// Builds the nest of one operator.
class NestBuilder : DistributedOp {
public:
  using DistributedOp::DistributedOp;

  FailureOr<SmallVector<Value>> build();

private:
  LogicalResult check();
  LogicalResult padOperands();
  void placeInputs();
  SmallVector<Value> makeDestinations();
  SmallVector<Value> onAllRanks();
  Value leave(unsigned result, Value value);

  Value padTo(Value value, ArrayRef<int64_t> shape, TypedAttr padding);
  SmallVector<int64_t> paddedShape(const OperatorModel::Tensor &tensor,
                                   ArrayRef<int64_t> shape) const;
  AxisList partialAxes() const;
};

} // namespace

LogicalResult NestBuilder::check() {
  if (Value dynamic = firstDynamicValue(op))
    return op->emitError() << "has a dynamic extent in a value of type "
                           << dynamic.getType()
                           << "; only static shapes are distributed";
  for (auto [l, loop] : llvm::enumerate(model.loops))
    if (loop.extent <= 0)
      return op->emitError() << "has no elements along loop d" << l
                             << "; there is nothing to distribute";
  if (Verdict verdict = verify(s, model, topology); !verdict)
    return op->emitError() << "illegal schedule: " << verdict.reason();
  return success();
}

SmallVector<int64_t>
NestBuilder::paddedShape(const OperatorModel::Tensor &tensor,
                         ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> result(shape);
  for (auto [dim, loop] : llvm::enumerate(tensor.loopOfDim))
    if (loop >= 0)
      result[dim] += placer.extent(loop) - model.loops[loop].extent;
  return result;
}

Value NestBuilder::padTo(Value value, ArrayRef<int64_t> shape,
                         TypedAttr padding) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  SmallVector<OpFoldResult> low, high;
  for (auto [from, to] : llvm::zip(type.getShape(), shape)) {
    low.push_back(b.getIndexAttr(0));
    high.push_back(b.getIndexAttr(to - from));
  }
  Value element = arith::ConstantOp::create(b, loc, padding);
  return tensor::PadOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), value, low,
      high, element);
}

/// Makes `padded`.
LogicalResult NestBuilder::padOperands() {
  SmallVector<OpOperand *> inputs = tensorInputs(op);
  auto dps = cast<DestinationStyleOpInterface>(op.getOperation());
  SmallVector<Value> operands(op->getOperands());
  auto pad = [&](OpOperand &operand,
                 const OperatorModel::Tensor &tensor) -> LogicalResult {
    auto type = cast<RankedTensorType>(operand.get().getType());
    SmallVector<int64_t> shape = paddedShape(tensor, type.getShape());
    if (ArrayRef(shape) == type.getShape())
      return success();
    TypedAttr padding = op.getPadding(operand);
    if (!padding)
      return op->emitError()
             << "operand " << operand.getOperandNumber() << " of type " << type
             << " would be padded to "
             << RankedTensorType::get(shape, type.getElementType())
             << ", but the operator has no neutral padding";
    operands[operand.getOperandNumber()] = padTo(operand.get(), shape, padding);
    return success();
  };
  for (auto [operand, tensor] : llvm::zip(inputs, model.inputs))
    if (failed(pad(*operand, tensor)))
      return failure();
  SmallVector<Type> types;
  for (auto [i, tensor] : llvm::enumerate(model.results)) {
    OpOperand *init = dps.getDpsInitOperand(i);
    auto type = cast<RankedTensorType>(init->get().getType());
    SmallVector<int64_t> shape = paddedShape(tensor, type.getShape());
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
    if (!model.neutralInit[i]) {
      if (failed(pad(*init, tensor)))
        return failure();
    } else {
      // Nothing enters with it: a fresh one needs no communication.
      operands[init->getOperandNumber()] =
          tensor::EmptyOp::create(b, loc, shape, type.getElementType());
    }
  }
  padded = mlir::clone(b, op, types, operands);
  padded->removeAttr(kScheduleAttrName);
  b.setInsertionPoint(padded);
  SmallVector<int64_t> extents;
  for (const OperatorModel::Loop &loop : model.loops)
    extents.push_back(loop.extent);
  cast<DistributableOpInterface>(padded).limitReductions(b, extents);
  for (size_t l = 0; l < model.loops.size(); ++l) {
    if (placer.order(l).isNatural())
      continue;
    if (failed(checkTokenOrder(op, l)))
      return failure();
    cast<DistributableOpInterface>(padded).setTokenOrder(
        b, l,
        TokenOrderAttr::get(b.getContext(), placer.order(l), placer.extent(l)));
  }
  if (!s.patch.empty())
    padded->setAttr(kPatchAttrName, b.getStringAttr(s.patch));
  if (!s.tile.empty())
    padded->setAttr(kTileAttrName, b.getDenseI64ArrayAttr(s.tile));
  if (s.chunks > 1)
    padded->setAttr(kChunksAttrName, b.getI64IntegerAttr(s.chunks));
  return success();
}

void NestBuilder::placeInputs() {
  auto dps = cast<DestinationStyleOpInterface>(padded);
  size_t i = 0;
  for (OpOperand *operand : dps.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(operand->get().getType()))
      continue;
    const OperatorModel::Tensor &tensor = model.inputs[i];
    const OperandPlan &plan = s.inputs[i++];
    Value value = operand->get();
    if (!(plan.entry == placer.inOrders(plan.nest, tensor)))
      value = placer.place(value, plan.entry, {});
    operand->set(placer.enter(value, plan.nest, tensor, plan.fetch));
  }
}

/// Axes of rank factors of reduction loops that are no moving accumulators.
AxisList NestBuilder::partialAxes() const {
  AxisList axes;
  for (auto [l, plan] : llvm::enumerate(s.loops)) {
    if (!model.loops[l].reduction)
      continue;
    for (const Factor &factor : plan)
      if (factor.kind == Factor::Kind::Rank)
        for (const AxisRef &axis : factor.axes)
          if (endingOf(s, model, 0, axis) != Ending::Moving)
            axes.push_back(axis);
  }
  return axes;
}

AxisList mercury::without(AxisList axes, const AxisList &removed) {
  llvm::erase_if(axes, [&](const AxisRef &axis) {
    return llvm::is_contained(removed, axis);
  });
  return axes;
}

Placement mercury::without(Placement placement, const AxisList &removed) {
  for (AxisList &axes : placement.dims)
    axes = without(axes, removed);
  return placement;
}

/// The tensors that the loops write: placed inits, or neutral partial results
/// with one more dimension that the partial axes shard.
SmallVector<Value> NestBuilder::makeDestinations() {
  auto dps = onPadded();
  SmallVector<Value> destinations(dps.getNumDpsInits());
  for (auto [i, operand] : llvm::enumerate(dps.getDpsInitsMutable())) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (!partial.empty() || model.neutralInit[i]) {
      SmallVector<int64_t> shape(type.getShape());
      if (!partial.empty())
        shape.insert(shape.begin(), topology.sizeOf(partial));
      destinations[i] =
          tensor::EmptyOp::create(b, loc, shape, type.getElementType());
      if (op.readsInit(i))
        destinations[i] = op.createNeutral(b, loc, i, destinations[i]);
      destinations[i] = placer.place(destinations[i], inLoops(i), {});
    } else {
      destinations[i] =
          placer.enter(operand.get(), s.results[i].nest, model.results[i]);
    }
  }
  return destinations;
}

/// Takes the exit placement, and padding goes.
Value NestBuilder::leave(unsigned i, Value value) {
  const OperatorModel::Tensor &tensor = model.results[i];
  value = placer.arrange(value, tensor, /*back=*/true);
  if (!(s.results[i].exit == placer.inOrders(s.results[i].nest, tensor)))
    value = ReshardOp::create(
        b, loc, value, PlacementAttr::get(b.getContext(), s.results[i].exit),
        ArrayAttr());
  auto type = cast<RankedTensorType>(op->getResult(i).getType());
  if (value.getType() == type)
    return value;
  SmallVector<OpFoldResult> zero(type.getRank(), b.getIndexAttr(0)), shape,
      unit(type.getRank(), b.getIndexAttr(1));
  for (int64_t extent : type.getShape())
    shape.push_back(b.getIndexAttr(extent));
  return tensor::ExtractSliceOp::create(b, loc, type, value, zero, shape, unit);
}

/// An operator of which no loop is cut runs on all ranks on purpose.
SmallVector<Value> NestBuilder::onAllRanks() {
  auto dps = cast<DestinationStyleOpInterface>(op.getOperation());
  for (auto [i, init] : llvm::enumerate(dps.getDpsInits()))
    padded->setOperand(
        dps.getDpsInitOperand(i)->getOperandNumber(),
        model.neutralInit[i] ? init : placer.place(init, atEnd(i), AxisList()));
  b.setInsertionPointAfter(padded);
  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(padded->getResults())) {
    Value placed = ReplicateOp::create(b, loc, value);
    if (!(s.results[i].exit.isReplicated() && s.results[i].exit.isNatural()))
      placed = ReshardOp::create(
          b, loc, placed, PlacementAttr::get(b.getContext(), s.results[i].exit),
          ArrayAttr());
    results.push_back(placed);
  }
  return results;
}

FailureOr<SmallVector<Value>> NestBuilder::build() {
  if (failed(check()))
    return failure();
  b.setInsertionPoint(op);
  if (failed(padOperands()))
    return failure();
  b.setInsertionPoint(padded);
  placeInputs();
  if (!placer.isDivided())
    return onAllRanks();
  partial = partialAxes();
  FailureOr<SmallVector<Value>> results = buildLoops(*this, makeDestinations());
  if (failed(results))
    return failure();
  b.setInsertionPoint(padded);
  results = endReductions(*this, *results);
  for (auto [i, value] : llvm::enumerate(*results))
    value = leave(i, value);
  b.eraseOp(padded);
  return results;
}

FailureOr<SmallVector<Value>>
mercury::distribute(RewriterBase &rewriter, DistributableOpInterface op,
                    const Schedule &schedule, const TopologyModel &topology) {
  OpBuilder::InsertionGuard guard(rewriter);
  FailureOr<SmallVector<Value>> results =
      NestBuilder(rewriter, op, schedule, topology).build();
  if (failed(results))
    return failure();
  rewriter.replaceOp(op, *results);
  return results;
}
