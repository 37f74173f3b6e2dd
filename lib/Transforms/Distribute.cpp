//===- Distribute.cpp - Schedules into loop nests -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Distribute.h"
#include "Mercury/Analysis/OperatorModelBuilder.h"
#include "Mercury/Analysis/PlacementAnalysis.h"
#include "Mercury/Dialect/CommIR/IR/TokenOrderCheck.h"
#include "Mercury/Schedule/Balance.h"
#include "PlaceOperands.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {

struct Placed {
  Value value;
  Placement placement;
  bool isPartial = false;
};

using ShardsBody =
    llvm::function_ref<SmallVector<Value>(ValueRange, ValueRange)>;

/// Builds the nest of one operator.
class NestBuilder {
public:
  NestBuilder(RewriterBase &b, DistributableOpInterface op, const Schedule &s,
              const TopologyModel &topology)
      : b(b), op(op), s(s), topology(topology), model(buildOperatorModel(op)),
        loc(op->getLoc()), placer(b, loc, s, model, topology) {}

  FailureOr<SmallVector<Value>> build();

private:
  LogicalResult check();
  LogicalResult padOperands();
  void placeInputs();
  void makeDestinations();
  scf::ForallOp openRankLoop(AxisList axes, ValueRange outputs);
  SmallVector<Value> onShards(ArrayRef<Placed> outputs, ArrayRef<Placed> inputs,
                              ShardsBody body);
  void buildLoops();
  void endReductions();
  void reduceCoupled(unsigned group, ArrayRef<unsigned> members,
                     unsigned pivot);
  Value reduceOne(unsigned result, Value partials, Value init,
                  const Placement &placement);

  Value padTo(Value value, ArrayRef<int64_t> shape, TypedAttr padding);
  SmallVector<int64_t> paddedShape(const OperatorModel::Tensor &tensor,
                                   ArrayRef<int64_t> shape) const;
  AxisList partialAxes() const;
  Placement atEnd(unsigned result) const;
  Placement inLoops(unsigned result) const;
  Value linearCoordinate(const AxisList &axes);
  Value factorIndex(const Factor &factor, Value time, const Steps &steps,
                    bool backwards);

  RewriterBase &b;
  DistributableOpInterface op;
  const Schedule &s;
  const TopologyModel &topology;
  OperatorModel model;
  Location loc;
  OperandPlacer placer;

  /// The operator on padded operands; erased in the end.
  Operation *padded = nullptr;
  /// Axes that reduce into partial results, in order of loops and factors.
  AxisList partial;
  AxisList rankAxes;
  SmallVector<Value> rankIvs;
  SmallVector<Value> destinations, nestResults, results;
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

/// Makes `padded`: the operator on operands whose extents are whole tiles.
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
        TokenOrderAttr::get(b.getContext(), placer.order(l),
                            placer.extent(l)));
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

static AxisList without(AxisList axes, const AxisList &removed) {
  llvm::erase_if(axes, [&](const AxisRef &axis) {
    return llvm::is_contained(removed, axis);
  });
  return axes;
}

static Placement without(Placement placement, const AxisList &removed) {
  for (AxisList &axes : placement.dims)
    axes = without(axes, removed);
  return placement;
}

/// The tensors that the loops write: placed inits, or neutral partial results
/// with one more dimension that the partial axes shard.
void NestBuilder::makeDestinations() {
  partial = partialAxes();
  auto dps = cast<DestinationStyleOpInterface>(padded);
  destinations.resize(dps.getNumDpsInits());
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
}

/// Where result `i` lives when the loops and reductions have ended.
Placement NestBuilder::atEnd(unsigned i) const {
  return inNaturalOrder(s.results[i].nest);
}

/// Where result `i` lives while the loops run.
Placement NestBuilder::inLoops(unsigned i) const {
  Placement placement = without(atEnd(i), partial);
  if (!partial.empty())
    placement.dims.insert(placement.dims.begin(), partial);
  return placement;
}

Value NestBuilder::linearCoordinate(const AxisList &axes) {
  AffineExpr sum = b.getAffineConstantExpr(0);
  SmallVector<OpFoldResult> operands;
  for (const AxisRef &axis : axes) {
    auto position = llvm::find(rankAxes, axis) - rankAxes.begin();
    sum = sum * topology.sizeOf(axis) + b.getAffineDimExpr(operands.size());
    operands.push_back(rankIvs[position]);
  }
  if (operands.size() == 1)
    return cast<Value>(operands[0]);
  return getValueOrCreateConstantIndexOp(
      b, loc, affine::makeComposedFoldedAffineApply(b, loc, sum, operands));
}

Value NestBuilder::factorIndex(const Factor &factor, Value time,
                               const Steps &steps, bool backwards) {
  if (factor.kind == Factor::Kind::Rank)
    return linearCoordinate(factor.axes);
  int64_t count = factor.count(topology);
  AffineExpr step = b.getAffineDimExpr(0) + steps.first;
  if (backwards)
    step = count - step;
  // A commir.shift takes the rest by itself.
  bool wraps = backwards || steps.first + steps.taken > count;
  if (factor.shifts.empty() && wraps)
    step = step % count;
  Value index = time;
  if (step != b.getAffineDimExpr(0))
    index =
        affine::makeComposedAffineApply(b, loc, step, {OpFoldResult(index)});
  for (const Shift &shift : factor.shifts) {
    Value coordinate = linearCoordinate(shift.axes);
    if (shift.offset) {
      // A commir.shift has no offset: it goes to the step.
      AffineExpr d0 = b.getAffineDimExpr(0);
      index = affine::makeComposedAffineApply(b, loc, d0 + shift.offset,
                                              {OpFoldResult(index)});
    }
    index = ShiftOp::create(b, loc, index, coordinate, shift.stride, count);
  }
  return index;
}

/// A rank loop over `axes`, in the order of the topology; the builder stands
/// at the end of its body.
scf::ForallOp NestBuilder::openRankLoop(AxisList axes, ValueRange outputs) {
  llvm::stable_sort(axes, [&](const AxisRef &x, const AxisRef &y) {
    auto position = [&](const AxisRef &axis) {
      return llvm::find_if(
                 topology.levels,
                 [&](const Level &level) { return level.name == axis.level; }) -
             topology.levels.begin();
    };
    return std::pair(position(x), x.pre) < std::pair(position(y), y.pre);
  });
  rankAxes = std::move(axes);
  SmallVector<OpFoldResult> sizes;
  SmallVector<Attribute> mapping;
  for (const AxisRef &axis : rankAxes) {
    sizes.push_back(b.getIndexAttr(topology.sizeOf(axis)));
    mapping.push_back(AxisAttr::get(b.getContext(), axis));
  }
  auto forall =
      scf::ForallOp::create(b, loc, sizes, outputs, b.getArrayAttr(mapping));
  b.setInsertionPoint(forall.getTerminator());
  rankIvs = forall.getInductionVars();
  return forall;
}

void NestBuilder::buildLoops() {
  AxisList axes = s.rankAxes();
  auto times = timeLoops(s);
  SmallVector<scf::ForOp> forOps;
  SmallVector<Value> carried = destinations, timeIvs;
  Value zero, one;
  if (!times.empty()) {
    zero = arith::ConstantIndexOp::create(b, loc, 0);
    one = arith::ConstantIndexOp::create(b, loc, 1);
  }
  SmallVector<Steps> needed;
  for (auto [l, f] : times) {
    needed.push_back(neededSteps(s, model, topology, l, f));
    Value taken = arith::ConstantIndexOp::create(b, loc, needed.back().taken);
    auto loop = scf::ForOp::create(b, loc, zero, taken, one, carried);
    forOps.push_back(loop);
    timeIvs.push_back(loop.getInductionVar());
    carried.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    b.setInsertionPointToStart(loop.getBody());
  }

  scf::ForallOp forall = openRankLoop(std::move(axes), carried);

  // The tile of this step and rank, and its second half where a factor runs in
  // both directions.
  bool hasHalves = false;
  SmallVector<OpFoldResult> tileSizes;
  for (auto [l, plan] : llvm::enumerate(s.loops)) {
    tileSizes.push_back(
        b.getIndexAttr(placer.extent(l) / numTiles(plan, topology)));
    hasHalves |= !plan.empty() && plan.back().bidirectional;
  }
  auto tileOffsets = [&](int64_t half) {
    SmallVector<OpFoldResult> offsets;
    for (auto [l, plan] : llvm::enumerate(s.loops)) {
      if (plan.empty()) {
        offsets.push_back(b.getIndexAttr(0));
        continue;
      }
      AffineExpr index = b.getAffineConstantExpr(0);
      SmallVector<OpFoldResult> operands;
      for (auto [f, factor] : llvm::enumerate(plan)) {
        Value time;
        Steps steps;
        if (factor.kind == Factor::Kind::Time) {
          size_t at = llvm::find(times, std::pair<size_t, size_t>(l, f)) -
                      times.begin();
          time = timeIvs[at];
          steps = needed[at];
        }
        index = index * factor.count(topology) +
                b.getAffineDimExpr(operands.size());
        operands.push_back(
            factorIndex(factor, time, steps,
                        factor.backwards != (factor.bidirectional && half)));
      }
      if (plan.back().bidirectional)
        index = index * 2 + half;
      offsets.push_back(affine::makeComposedFoldedAffineApply(
          b, loc, index * *getConstantIntValue(tileSizes[l]), operands));
    }
    return offsets;
  };
  SmallVector<OpFoldResult> offsets = tileOffsets(0);

  // The operator on this rank's part of the destinations.
  auto inits = cast<DestinationStyleOpInterface>(padded).getDpsInits();
  SmallVector<Value> bases;
  Value slot;
  if (!partial.empty())
    slot = linearCoordinate(partial);
  for (auto [init, shared] : llvm::zip(inits, forall.getRegionIterArgs())) {
    if (partial.empty()) {
      bases.push_back(shared);
      continue;
    }
    auto type = cast<RankedTensorType>(init.getType());
    SmallVector<OpFoldResult> at(type.getRank() + 1, b.getIndexAttr(0)), shape,
        unit(type.getRank() + 1, b.getIndexAttr(1));
    at[0] = slot;
    shape.push_back(b.getIndexAttr(1));
    for (int64_t extent : type.getShape())
      shape.push_back(b.getIndexAttr(extent));
    bases.push_back(
        tensor::ExtractSliceOp::create(b, loc, type, shared, at, shape, unit));
  }
  IRMapping map;
  Operation *whole = b.clone(*padded, map);
  cast<DestinationStyleOpInterface>(whole).getDpsInitsMutable().assign(bases);
  FailureOr<TilingResult> tiled =
      cast<TilingInterface>(whole).getTiledImplementation(b, offsets,
                                                          tileSizes);
  if (hasHalves) {
    // Continues from what the first half has made.
    Operation *other =
        mlir::clone(b, whole, whole->getResultTypes(), whole->getOperands());
    FailureOr<TilingResult> second =
        cast<TilingInterface>(other).getTiledImplementation(b, tileOffsets(1),
                                                            tileSizes);
    auto dps = cast<DestinationStyleOpInterface>(second->tiledOps.front());
    SmallVector<Value> unused(dps.getDpsInits());
    dps.getDpsInitsMutable().assign(tiled->tiledValues);
    for (Value slice : unused)
      if (slice.use_empty() && slice.getDefiningOp())
        b.eraseOp(slice.getDefiningOp());
    b.eraseOp(other);
    tiled = second;
  }
  SmallVector<SmallVector<OpFoldResult>> resultOffsets, resultSizes;
  for (unsigned i = 0; i < whole->getNumResults(); ++i) {
    SmallVector<OpFoldResult> at, shape;
    (void)cast<TilingInterface>(whole).getResultTilePosition(
        b, i, offsets, tileSizes, at, shape);
    resultOffsets.push_back(at);
    resultSizes.push_back(shape);
  }
  // A slice of the rank's part becomes a slice of the whole.
  if (!partial.empty())
    for (Value base : bases)
      for (Operation *user : llvm::make_early_inc_range(base.getUsers())) {
        auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
        if (!slice)
          continue;
        auto outer = base.getDefiningOp<tensor::ExtractSliceOp>();
        SmallVector<OpFoldResult> at = slice.getMixedOffsets(),
                                  shape = slice.getMixedSizes(),
                                  unit = slice.getMixedStrides();
        at.insert(at.begin(), slot);
        shape.insert(shape.begin(), b.getIndexAttr(1));
        unit.insert(unit.begin(), b.getIndexAttr(1));
        b.setInsertionPoint(slice);
        b.replaceOpWithNewOp<tensor::ExtractSliceOp>(
            slice, slice.getType(), outer.getSource(), at, shape, unit);
      }
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [value, shared, at, shape] :
       llvm::zip(tiled->tiledValues, forall.getRegionIterArgs(), resultOffsets,
                 resultSizes)) {
    if (!partial.empty()) {
      at.insert(at.begin(), slot);
      shape.insert(shape.begin(), b.getIndexAttr(1));
    }
    SmallVector<OpFoldResult> unit(at.size(), b.getIndexAttr(1));
    tensor::ParallelInsertSliceOp::create(b, loc, value, shared, at, shape,
                                          unit);
  }
  b.eraseOp(whole);
  for (Value base : bases)
    if (Operation *def = base.getDefiningOp(); def && def->use_empty())
      b.eraseOp(def);

  ValueRange inner = forall.getResults();
  for (scf::ForOp loop : llvm::reverse(forOps)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, inner);
    inner = loop.getResults();
  }
  nestResults.assign(inner.begin(), inner.end());
  b.setInsertionPoint(padded);
}

/// A rank loop that computes on shards: `body` takes what a rank holds of each
/// output and input and returns the new parts of the outputs. A value that is
/// placed with one dimension more than its part (of a partial value) has one
/// slice of it.
SmallVector<Value> NestBuilder::onShards(ArrayRef<Placed> outputs,
                                         ArrayRef<Placed> inputs,
                                         ShardsBody body) {
  AxisList axes;
  SmallVector<Value> shared;
  for (const Placed &output : outputs) {
    shared.push_back(output.value);
    for (const AxisRef &axis : output.placement.axes())
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
  }
  if (axes.empty()) {
    // Every rank holds all of it and does the same.
    SmallVector<Value> whole, made;
    for (const Placed &input : inputs)
      whole.push_back(input.value);
    for (Value value : body(shared, whole))
      made.push_back(ReplicateOp::create(b, loc, value));
    return made;
  }
  OpBuilder::InsertionGuard guard(b);
  scf::ForallOp forall = openRankLoop(std::move(axes), shared);
  struct Part {
    SmallVector<OpFoldResult> at, shape, unit;
    Value value;
  };
  auto cut = [&](const Placed &placed, Value base) {
    auto type = cast<RankedTensorType>(base.getType());
    Part part;
    SmallVector<int64_t> local;
    for (auto [extent, over] :
         llvm::zip(type.getShape(), placed.placement.dims)) {
      int64_t block = extent / topology.sizeOf(over);
      local.push_back(block);
      part.shape.push_back(b.getIndexAttr(block));
      part.unit.push_back(b.getIndexAttr(1));
      if (over.empty()) {
        part.at.push_back(b.getIndexAttr(0));
        continue;
      }
      part.at.push_back(affine::makeComposedFoldedAffineApply(
          b, loc, b.getAffineDimExpr(0) * block,
          {OpFoldResult(linearCoordinate(over))}));
    }
    if (placed.isPartial)
      local.erase(local.begin());
    part.value = tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(local, type.getElementType()), base,
        part.at, part.shape, part.unit);
    return part;
  };
  SmallVector<Part> parts;
  SmallVector<Value> mine, theirs;
  for (auto [output, argument] :
       llvm::zip(outputs, forall.getRegionIterArgs())) {
    parts.push_back(cut(output, argument));
    mine.push_back(parts.back().value);
  }
  for (const Placed &input : inputs)
    theirs.push_back(cut(input, input.value).value);
  SmallVector<Value> made = body(mine, theirs);
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [value, part, argument] :
       llvm::zip(made, parts, forall.getRegionIterArgs()))
    tensor::ParallelInsertSliceOp::create(b, loc, value, argument, part.at,
                                          part.shape, part.unit);
  return SmallVector<Value>(forall.getResults());
}

/// The ordinary reduction of `partials` into `init`, placed.
Value NestBuilder::reduceOne(unsigned result, Value partials, Value init,
                             const Placement &placement) {
  Value reduced = op.createReduction(b, loc, result, partials,
                                     placer.place(init, placement, {}));
  if (placement.isReplicated())
    return ReplicateOp::create(b, loc, reduced);
  return ShardOp::create(b, loc, reduced,
                         PlacementAttr::get(b.getContext(), placement),
                         ArrayAttr());
}

/// Results that are coupled: the pivot is reduced, what each rank holds is
/// rescaled to it, and the rest is reduced one by one. What enters is merged in
/// afterwards.
void NestBuilder::reduceCoupled(unsigned group, ArrayRef<unsigned> members,
                                unsigned pivot) {
  auto neutral = [&](unsigned i) {
    auto type = cast<RankedTensorType>(
        cast<DestinationStyleOpInterface>(padded).getDpsInits()[i].getType());
    return op.createNeutral(b, loc, i,
                            tensor::EmptyOp::create(b, loc, type.getShape(),
                                                    type.getElementType()));
  };
  Placement rows = without(atEnd(pivot), partial);
  Value top = reduceOne(pivot, nestResults[pivot], neutral(pivot), rows);
  SmallVector<Placed> others;
  for (unsigned i : members)
    if (i != pivot)
      others.push_back({nestResults[i], inLoops(i), /*isPartial=*/true});
  SmallVector<Value> rescaled = onShards(
      others,
      {{nestResults[pivot], inLoops(pivot), /*isPartial=*/true}, {top, rows}},
      [&](ValueRange mine, ValueRange theirs) {
        SmallVector<Value> state;
        size_t next = 0;
        for (unsigned i : members)
          state.push_back(i == pivot ? theirs[0] : mine[next++]);
        state = op.createRescale(b, loc, group, state, theirs[1]);
        SmallVector<Value> made;
        for (auto [i, value] : llvm::zip(members, state))
          if (i != pivot)
            made.push_back(value);
        return made;
      });
  size_t next = 0;
  for (unsigned i : members)
    results[i] = i == pivot
                     ? placer.place(top, atEnd(i), {})
                     : reduceOne(i, rescaled[next++], neutral(i), atEnd(i));
  if (llvm::all_of(members, [&](unsigned i) { return model.neutralInit[i]; }))
    return;
  SmallVector<Placed> into, from;
  for (unsigned i : members) {
    Value init = model.neutralInit[i]
                     ? placer.place(neutral(i), atEnd(i), {})
                     : placer.enter(cast<DestinationStyleOpInterface>(padded)
                                        .getDpsInitOperand(i)
                                        ->get(),
                                    s.results[i].nest, model.results[i]);
    into.push_back({init, atEnd(i)});
    from.push_back({results[i], atEnd(i)});
  }
  SmallVector<Value> merged =
      onShards(into, from, [&](ValueRange mine, ValueRange theirs) {
        return op.createMerge(b, loc, group, mine, theirs);
      });
  for (auto [i, value] : llvm::zip(members, merged))
    results[i] = value;
}

/// Partial results are reduced by ordinary reductions whose results are placed;
/// then padding goes and the exit placement is taken.
void NestBuilder::endReductions() {
  results = nestResults;
  auto dps = cast<DestinationStyleOpInterface>(padded);
  if (!partial.empty())
    for (auto [group, members] : llvm::enumerate(op.getGroups())) {
      if (std::optional<unsigned> pivot = op.getPivot(group)) {
        reduceCoupled(group, members, *pivot);
        continue;
      }
      for (unsigned i : members) {
        Value init = dps.getDpsInitOperand(i)->get();
        if (model.neutralInit[i]) {
          auto type = cast<RankedTensorType>(init.getType());
          init =
              op.createNeutral(b, loc, i,
                               tensor::EmptyOp::create(b, loc, type.getShape(),
                                                       type.getElementType()));
        } else {
          init = placer.enter(init, s.results[i].nest, model.results[i]);
        }
        results[i] = reduceOne(i, nestResults[i], init, atEnd(i));
      }
    }
  for (auto [i, value] : llvm::enumerate(results)) {
    const OperatorModel::Tensor &tensor = model.results[i];
    value = placer.arrange(value, tensor, /*back=*/true);
    if (!(s.results[i].exit == placer.inOrders(s.results[i].nest, tensor)))
      value = ReshardOp::create(
          b, loc, value, PlacementAttr::get(b.getContext(), s.results[i].exit),
          ArrayAttr());
    auto type = cast<RankedTensorType>(op->getResult(i).getType());
    if (value.getType() == type)
      continue;
    SmallVector<OpFoldResult> zero(type.getRank(), b.getIndexAttr(0)), shape,
        unit(type.getRank(), b.getIndexAttr(1));
    for (int64_t extent : type.getShape())
      shape.push_back(b.getIndexAttr(extent));
    value =
        tensor::ExtractSliceOp::create(b, loc, type, value, zero, shape, unit);
  }
}

FailureOr<SmallVector<Value>> NestBuilder::build() {
  if (failed(check()))
    return failure();
  b.setInsertionPoint(op);
  if (failed(padOperands()))
    return failure();
  b.setInsertionPoint(padded);
  if (!placer.isDivided()) {
    // Runs on all ranks on purpose.
    placeInputs();
    b.setInsertionPointAfter(padded);
    auto dps = cast<DestinationStyleOpInterface>(op.getOperation());
    b.setInsertionPoint(padded);
    for (auto [i, init] : llvm::enumerate(dps.getDpsInits()))
      padded->setOperand(dps.getDpsInitOperand(i)->getOperandNumber(),
                         model.neutralInit[i]
                             ? init
                             : placer.place(init, atEnd(i), AxisList()));
    b.setInsertionPointAfter(padded);
    for (auto [i, value] : llvm::enumerate(padded->getResults())) {
      Value placed = ReplicateOp::create(b, loc, value);
      if (!(s.results[i].exit.isReplicated() && s.results[i].exit.isNatural()))
        placed = ReshardOp::create(
            b, loc, placed,
            PlacementAttr::get(b.getContext(), s.results[i].exit), ArrayAttr());
      results.push_back(placed);
    }
    return results;
  }
  placeInputs();
  makeDestinations();
  buildLoops();
  endReductions();
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
