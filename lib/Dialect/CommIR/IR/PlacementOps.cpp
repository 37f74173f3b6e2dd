//===- PlacementOps.cpp - Where tensors live ------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Dialect/CommIR/IR/AxisSyntax.h"
#include "VerifyAxes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

static LogicalResult verifyPlacement(Operation *op, RankedTensorType type,
                                     PlacementAttr attr, ArrayAttr fetch) {
  Placement placement = attr.getValue();
  // shard_c1, reshard_c1
  if (placement.dims.size() != static_cast<size_t>(type.getRank()))
    return op->emitOpError()
           << "placement " << attr.getText() << " has " << placement.dims.size()
           << " dimensions, " << type << " has " << type.getRank();
  // shard_c2, shard_c3, reshard_c2, reshard_c3
  if (failed(verifyAxes(op, placement.axes())))
    return failure();
  // shard_c4, reshard_c4
  AxisList fetched = toAxisList(fetch);
  if (failed(verifyAxes(op, fetched)))
    return failure();
  for (const AxisRef &axis : fetched)
    if (!placement.dimOf(axis))
      return op->emitOpError()
             << "fetches over axis '" << print(axis) << "', which placement "
             << attr.getText() << " does not use";
  return success();
}

LogicalResult ShardOp::verify() {
  return verifyPlacement(*this, getType(), getPlacementAttr(), getFetchAttr());
}

LogicalResult ReshardOp::verify() {
  return verifyPlacement(*this, getType(), getPlacementAttr(), getFetchAttr());
}

/// The placement that `value` has by the op that defines it, if that is one of
/// ours that asks for no fetch.
static std::optional<Placement> placementBy(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto shard = dyn_cast_if_present<ShardOp>(op))
    return shard.getFetchAttr()
               ? std::nullopt
               : std::optional(shard.getPlacement().getValue());
  if (auto reshard = dyn_cast_if_present<ReshardOp>(op))
    return reshard.getFetchAttr()
               ? std::nullopt
               : std::optional(reshard.getPlacement().getValue());
  if (auto replicate = dyn_cast_if_present<ReplicateOp>(op))
    return Placement::replicated(replicate.getType().getRank());
  return std::nullopt;
}

/// shard(x) placed as x is: x.
OpFoldResult ShardOp::fold(FoldAdaptor) {
  if (!getFetchAttr() && placementBy(getSource()) == getPlacement().getValue())
    return getSource();
  return {};
}

/// replicate(x) of a replicated x: x.
OpFoldResult ReplicateOp::fold(FoldAdaptor) {
  std::optional<Placement> source = placementBy(getSource());
  if (source && source->isReplicated() && source->isNatural())
    return getSource();
  return {};
}

/// reshard(x) placed as x is: x. reshard(reshard(x)): the stop between goes,
/// unless others want it as well and communicate for it anyway.
OpFoldResult ReshardOp::fold(FoldAdaptor) {
  if (!getFetchAttr() && placementBy(getSource()) == getPlacement().getValue())
    return getSource();
  if (auto between = getSource().getDefiningOp<ReshardOp>())
    if (between->hasOneUse()) {
      getSourceMutable().assign(between.getSource());
      return getResult();
    }
  return {};
}

LogicalResult ArrangeOp::verify() {
  // arrange_c1
  int64_t rank = getType().getRank(), dim = getDimAttr().getInt();
  if (dim < 0 || dim >= rank)
    return emitOpError() << "dimension " << dim << " does not exist in "
                         << getType();
  if (getType().getDimSize(dim) != getOrder().getExtent())
    return emitOpError() << "dimension " << dim << " of " << getType()
                         << " has another extent than the order's "
                         << getOrder().getExtent();
  return success();
}

/// What has been arranged and is arranged back: what it was.
OpFoldResult ArrangeOp::fold(FoldAdaptor) {
  if (getOrder().getValue().isNatural())
    return getSource();
  if (auto other = getSource().getDefiningOp<ArrangeOp>())
    if (other.getDim() == getDim() && other.getOrder() == getOrder() &&
        other.getBack() != getBack())
      return other.getSource();
  return {};
}

bool commir::isFilledWith(Value value, Attribute element) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<ShardOp, ReshardOp, ReplicateOp, ArrangeOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    Attribute found;
    if (auto fill = dyn_cast<linalg::FillOp>(op))
      return matchPattern(fill.getInputs()[0], m_Constant(&found)) &&
             found == element;
    DenseElementsAttr elements;
    return matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
           elements.getSplatValue<Attribute>() == element;
  }
  return false;
}
