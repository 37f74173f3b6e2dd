//===- PlacementAnalysis.cpp - Where the values of a function live --------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/PlacementAnalysis.h"
#include "Mercury/Analysis/ArrangePlacement.h"
#include "Mercury/Analysis/ReshapePlacement.h"
#include "Mercury/Analysis/SlicePlacement.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

SmallVector<int64_t> PlacedShape::local(const TopologyModel &topology) const {
  SmallVector<int64_t> shape(padded);
  for (auto [extent, axes] : llvm::zip(shape, placement.dims))
    extent /= topology.sizeOf(axes);
  return shape;
}

PlacedShape mercury::placedShape(ArrayRef<int64_t> shape,
                                 const Placement &placement,
                                 const TopologyModel &topology) {
  PlacedShape placed{placement, SmallVector<int64_t>(shape), {}};
  for (auto [dim, extent] : llvm::enumerate(placed.padded))
    extent = llvm::alignTo(extent, granularity(placement, dim, topology));
  return placed;
}

bool mercury::isWhole(const Placement &placement, size_t dim) {
  return placement.dims[dim].empty() && placement.orderOf(dim).isNatural();
}

Placement mercury::inNaturalOrder(Placement placement) {
  placement.orders.clear();
  return placement;
}

Value mercury::loopInitOf(OpResult result) {
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return loop.getInitArgs()[result.getResultNumber()];
  return cast<scf::ForallOp>(result.getOwner())
      .getOutputs()[result.getResultNumber()];
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The placement that an argument takes from its first use, padded as that use
/// pads it; through reshapes where nothing is padded.
static std::optional<PlacedShape> firstUse(Value value,
                                           const TopologyModel &topology) {
  // Use lists run backwards.
  SmallVector<Operation *> users(value.getUsers());
  for (Operation *user : llvm::reverse(users)) {
    if (auto shard = dyn_cast<ShardOp>(user))
      return placedShape(shapeOf(shard.getResult()),
                         shard.getPlacement().getValue(), topology);
    if (auto pad = dyn_cast<tensor::PadOp>(user); pad && !pad.getNofold())
      if (auto placed = firstUse(pad.getResult(), topology))
        return placed;
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user)) {
      std::optional<PlacedShape> placed =
          firstUse(user->getResult(0), topology);
      if (!placed || !llvm::equal(placed->padded, shapeOf(user->getResult(0))))
        continue;
      if (std::optional<Placement> source =
              sourcePlacement(user, placed->placement, topology))
        return placedShape(shapeOf(value), *source, topology);
    }
  }
  return std::nullopt;
}

PlacementAnalysis::PlacementAnalysis(Operation *op,
                                     const TopologyModel &topology)
    : topology(topology) {
  auto function = cast<FunctionOpInterface>(op);
  if (function.isExternal())
    return;
  for (BlockArgument argument : function.getArguments()) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    std::optional<PlacedShape> used = firstUse(argument, topology);
    auto attr = function.getArgAttrOfType<PlacementAttr>(
        argument.getArgNumber(), kPlacementAttrName);
    if (attr && !(used && used->placement == attr.getValue()))
      used = placedShape(shapeOf(argument), attr.getValue(), topology);
    if (used) // what is held whole has no padding
      for (auto [dim, extent] : llvm::enumerate(shapeOf(argument)))
        if (isWhole(used->placement, dim))
          used->padded[dim] = extent;
    shapes[argument] = used.value_or(
        placedShape(shapeOf(argument),
                    Placement::replicated(shapeOf(argument).size()), topology));
  }
  for (Operation &inner : function.getFunctionBody().front())
    visit(&inner);
}

void PlacementAnalysis::visit(Operation *op) {
  auto set = [&](Value value, const Placement &placement, ArrayAttr fetch) {
    PlacedShape placed = placedShape(shapeOf(value), placement, topology);
    placed.fetch = toAxisList(fetch);
    shapes[value] = placed;
  };
  if (auto shard = dyn_cast<ShardOp>(op))
    return set(shard.getResult(), shard.getPlacement().getValue(),
               shard.getFetchAttr());
  if (auto reshard = dyn_cast<ReshardOp>(op))
    return set(reshard.getResult(), reshard.getPlacement().getValue(),
               reshard.getFetchAttr());
  if (auto replicate = dyn_cast<ReplicateOp>(op))
    return set(replicate.getResult(),
               Placement::replicated(replicate.getType().getRank()), {});
  if (isa<scf::ForOp, scf::ForallOp>(op)) {
    for (OpResult result : op->getResults()) {
      const PlacedShape *placed = lookup(loopInitOf(result));
      if (!placed)
        continue;
      // Loops run over positions: what they use leaves its order first.
      if (placed->placement.isNatural())
        shapes[result] = PlacedShape(*placed);
      else
        set(result, inNaturalOrder(placed->placement), {});
    }
    return;
  }
  if (auto arrange = dyn_cast<ArrangeOp>(op)) {
    if (const PlacedShape *source = lookup(arrange.getSource()))
      set(arrange,
          arrangedPlacement(arrange, source->placement, topology).result, {});
    return;
  }
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    const PlacedShape *source = lookup(op->getOperand(0));
    if (!source)
      return;
    std::optional<Placement> moved =
        reshapePlacement(op, source->placement, topology);
    return set(
        op->getResult(0),
        moved.value_or(Placement::replicated(shapeOf(op->getResult(0)).size())),
        {});
  }
  // Padding leaves blocks where they are.
  if (isa<tensor::PadOp>(op)) {
    if (const PlacedShape *source = lookup(op->getOperand(0)))
      set(op->getResult(0), source->placement, {});
    return;
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (const PlacedShape *source = lookup(slice.getSource()))
      set(slice, slicePlacement(slice, source->placement), {});
    return;
  }
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op)) {
    const PlacedShape *dest = lookup(slice.getDest()),
                      *source = lookup(slice.getSource());
    set(slice,
        slicePlacement(slice, dest ? &dest->placement : nullptr,
                       source ? &source->placement : nullptr),
        {});
  }
}
