//===- DistributeLoops.cpp - The loops of a nest --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DistributedOp.h"
#include "Mercury/Schedule/Balance.h"
#include "RankLoop.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

namespace {

using Offsets = SmallVector<OpFoldResult>;

/// Builds the loops of one operator, from the outside in.
class LoopBuilder {
public:
  LoopBuilder(DistributedOp &dist, ValueRange destinations)
      : dist(dist), b(dist.b), loc(dist.loc), times(timeLoops(dist.s)),
        ranks(b, loc, dist.topology, dist.s.rankAxes(),
              openTimeLoops(destinations)) {
    for (auto [l, plan] : llvm::enumerate(dist.s.loops))
      tileSizes.push_back(b.getIndexAttr(dist.placer.extent(l) /
                                         numTiles(plan, dist.topology)));
  }

  FailureOr<SmallVector<Value>> build();

private:
  SmallVector<Value> openTimeLoops(ValueRange carried);
  Value factorIndex(const Factor &factor, size_t time, bool backwards);
  Offsets tileOffsets(int64_t half);
  void takeParts();
  FailureOr<TilingResult> tile(Operation *whole, const Offsets &offsets);
  void sliceWhole(Value part);
  void putBack(Operation *whole, ValueRange tiles, const Offsets &offsets);
  SmallVector<Value> closeTimeLoops();

  bool isPartial() const { return !dist.partial.empty(); }
  /// Offsets, sizes or strides in a partial value, from those in a rank's part.
  Offsets inPartial(OpFoldResult first, Offsets rest) const {
    if (isPartial())
      rest.insert(rest.begin(), first);
    return rest;
  }

  DistributedOp &dist;
  RewriterBase &b;
  Location loc;
  std::vector<std::pair<size_t, size_t>> times;
  SmallVector<Steps> needed;
  SmallVector<scf::ForOp> forOps;
  RankLoop ranks;
  Offsets tileSizes;
  Value slot; ///< of partial values: the number of this rank's part
  /// Per output what the operator of this rank writes to: the output, or of a
  /// partial one this rank's part.
  SmallVector<Value> parts;
};

} // namespace

/// Returns what the innermost of them carries.
SmallVector<Value> LoopBuilder::openTimeLoops(ValueRange destinations) {
  SmallVector<Value> carried(destinations);
  if (times.empty())
    return carried;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  for (auto [l, f] : times) {
    needed.push_back(neededSteps(dist.s, dist.model, dist.topology, l, f));
    Value taken = arith::ConstantIndexOp::create(b, loc, needed.back().taken);
    auto loop = scf::ForOp::create(b, loc, zero, taken, one, carried);
    forOps.push_back(loop);
    carried.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    b.setInsertionPointToStart(loop.getBody());
  }
  return carried;
}

/// The index of a factor, of a time factor in its loop number `time`.
Value LoopBuilder::factorIndex(const Factor &factor, size_t time,
                               bool backwards) {
  if (factor.kind == Factor::Kind::Rank)
    return ranks.linearCoordinate(b, factor.axes);
  const Steps &steps = needed[time];
  int64_t count = factor.count(dist.topology);
  AffineExpr d0 = b.getAffineDimExpr(0), step = d0 + steps.first;
  if (backwards)
    step = count - step;
  // A commir.shift takes the rest by itself.
  bool wraps = backwards || steps.first + steps.taken > count;
  if (factor.shifts.empty() && wraps)
    step = step % count;
  Value index = forOps[time].getInductionVar();
  if (step != d0)
    index =
        affine::makeComposedAffineApply(b, loc, step, {OpFoldResult(index)});
  for (const Shift &shift : factor.shifts) {
    Value coordinate = ranks.linearCoordinate(b, shift.axes);
    // A commir.shift has no offset: it goes to the step.
    if (shift.offset)
      index = affine::makeComposedAffineApply(b, loc, d0 + shift.offset,
                                              {OpFoldResult(index)});
    index = ShiftOp::create(b, loc, index, coordinate, shift.stride, count);
  }
  return index;
}

/// Where the tile of this step and rank begins; its second half where a factor
/// runs in both directions.
Offsets LoopBuilder::tileOffsets(int64_t half) {
  Offsets offsets;
  for (auto [l, plan] : llvm::enumerate(dist.s.loops)) {
    if (plan.empty()) {
      offsets.push_back(b.getIndexAttr(0));
      continue;
    }
    AffineExpr index = b.getAffineConstantExpr(0);
    SmallVector<OpFoldResult> operands;
    for (auto [f, factor] : llvm::enumerate(plan)) {
      size_t time =
          llvm::find(times, std::pair<size_t, size_t>(l, f)) - times.begin();
      index = index * factor.count(dist.topology) +
              b.getAffineDimExpr(operands.size());
      operands.push_back(factorIndex(
          factor, time, factor.backwards != (factor.bidirectional && half)));
    }
    if (plan.back().bidirectional)
      index = index * 2 + half;
    offsets.push_back(affine::makeComposedFoldedAffineApply(
        b, loc, index * *getConstantIntValue(tileSizes[l]), operands));
  }
  return offsets;
}

void LoopBuilder::takeParts() {
  if (isPartial())
    slot = ranks.linearCoordinate(b, dist.partial);
  for (auto [init, shared] :
       llvm::zip(dist.onPadded().getDpsInits(), ranks.op.getRegionIterArgs())) {
    if (!isPartial()) {
      parts.push_back(shared);
      continue;
    }
    auto type = cast<RankedTensorType>(init.getType());
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    Offsets shape;
    for (int64_t extent : type.getShape())
      shape.push_back(b.getIndexAttr(extent));
    parts.push_back(tensor::ExtractSliceOp::create(
        b, loc, type, shared, inPartial(slot, Offsets(type.getRank(), zero)),
        inPartial(one, shape), Offsets(type.getRank() + 1, one)));
  }
}

/// The operator on this step's and rank's tile. A second half continues from
/// what the first has made.
FailureOr<TilingResult> LoopBuilder::tile(Operation *whole,
                                          const Offsets &offsets) {
  FailureOr<TilingResult> first =
      cast<TilingInterface>(whole).getTiledImplementation(b, offsets,
                                                          tileSizes);
  bool hasHalves = llvm::any_of(dist.s.loops, [](const LoopPlan &plan) {
    return !plan.empty() && plan.back().bidirectional;
  });
  if (failed(first) || !hasHalves)
    return first;
  Operation *other =
      mlir::clone(b, whole, whole->getResultTypes(), whole->getOperands());
  FailureOr<TilingResult> second =
      cast<TilingInterface>(other).getTiledImplementation(b, tileOffsets(1),
                                                          tileSizes);
  b.eraseOp(other);
  if (failed(second))
    return failure();
  auto dps = cast<DestinationStyleOpInterface>(second->tiledOps.front());
  SmallVector<Value> unused(dps.getDpsInits());
  dps.getDpsInitsMutable().assign(first->tiledValues);
  for (Value slice : unused)
    if (slice.use_empty() && slice.getDefiningOp())
      b.eraseOp(slice.getDefiningOp());
  return second;
}

/// Slices of a rank's part become slices of the partial value.
void LoopBuilder::sliceWhole(Value part) {
  auto outer = part.getDefiningOp<tensor::ExtractSliceOp>();
  OpFoldResult one = b.getIndexAttr(1);
  for (Operation *user : llvm::make_early_inc_range(part.getUsers())) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!slice)
      continue;
    b.setInsertionPoint(slice);
    b.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        slice, slice.getType(), outer.getSource(),
        inPartial(slot, slice.getMixedOffsets()),
        inPartial(one, slice.getMixedSizes()),
        inPartial(one, slice.getMixedStrides()));
  }
}

void LoopBuilder::putBack(Operation *whole, ValueRange tiles,
                          const Offsets &offsets) {
  OpFoldResult one = b.getIndexAttr(1);
  for (auto [i, tile, shared] :
       llvm::enumerate(tiles, ranks.op.getRegionIterArgs())) {
    Offsets at, shape;
    b.setInsertionPoint(ranks.op.getTerminator());
    (void)cast<TilingInterface>(whole).getResultTilePosition(
        b, i, offsets, tileSizes, at, shape);
    at = inPartial(slot, at);
    b.setInsertionPointToEnd(ranks.op.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(b, loc, tile, shared, at,
                                          inPartial(one, shape),
                                          Offsets(at.size(), one));
  }
}

/// Returns the results of the outermost loop.
SmallVector<Value> LoopBuilder::closeTimeLoops() {
  ValueRange inner = ranks.op.getResults();
  for (scf::ForOp loop : llvm::reverse(forOps)) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, inner);
    inner = loop.getResults();
  }
  return SmallVector<Value>(inner);
}

FailureOr<SmallVector<Value>> LoopBuilder::build() {
  Offsets offsets = tileOffsets(0);
  takeParts();
  Operation *whole = b.clone(*dist.padded);
  cast<DestinationStyleOpInterface>(whole).getDpsInitsMutable().assign(parts);
  FailureOr<TilingResult> tiled = tile(whole, offsets);
  if (failed(tiled))
    return dist.op->emitError() << "refuses to be tiled as its schedule says";
  putBack(whole, tiled->tiledValues, offsets);
  if (isPartial())
    llvm::for_each(parts, [&](Value part) { sliceWhole(part); });
  b.eraseOp(whole);
  for (Value part : parts)
    if (Operation *def = part.getDefiningOp(); def && def->use_empty())
      b.eraseOp(def);
  return closeTimeLoops();
}

FailureOr<SmallVector<Value>> mercury::buildLoops(DistributedOp &dist,
                                                  ValueRange destinations) {
  return LoopBuilder(dist, destinations).build();
}
