//===- PlacementOps.cpp - Where tensors live -===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisSyntax.h"
#include "VerifyAxes.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

static LogicalResult verifyPlacement(Operation *op, RankedTensorType type,
                                     PlacementAttr attr, ArrayAttr fetch) {
  Placement placement = attr.getValue();
  // shard_c1, reshard_c1
  if (placement.dims.size() != static_cast<size_t>(type.getRank()))
    return op->emitOpError() << "placement " << attr.getText() << " has "
                             << placement.dims.size() << " dimensions, " << type
                             << " has " << type.getRank();
  // shard_c2, shard_c3, reshard_c2, reshard_c3
  if (failed(verifyAxes(op, placement.axes())))
    return failure();
  // shard_c4, reshard_c4
  for (const AxisRef &axis : toAxisList(fetch))
    if (!placement.dimOf(axis))
      return op->emitOpError() << "fetches over axis '" << print(axis)
                               << "', which placement " << attr.getText()
                               << " does not use";
  return success();
}

LogicalResult ShardOp::verify() {
  return verifyPlacement(*this, getType(), getPlacementAttr(), getFetchAttr());
}

LogicalResult ReshardOp::verify() {
  return verifyPlacement(*this, getType(), getPlacementAttr(), getFetchAttr());
}

/// The placement that `value` has by the op that defines it, if it is one of
/// ours, in full (axes that hold replicas included).
static std::optional<Placement> placementBy(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto shard = dyn_cast_if_present<ShardOp>(op))
    return shard.getPlacement().getValue();
  if (auto reshard = dyn_cast_if_present<ReshardOp>(op))
    return reshard.getPlacement().getValue();
  if (auto replicate = dyn_cast_if_present<ReplicateOp>(op))
    return Placement::replicated(replicate.getType().getRank());
  return std::nullopt;
}

/// shard(x) placed as x is: x. A fetch that adds nothing folds as well.
OpFoldResult ShardOp::fold(FoldAdaptor) {
  if (!getFetchAttr() && placementBy(getSource()) == getPlacement().getValue())
    return getSource();
  return {};
}

OpFoldResult ReplicateOp::fold(FoldAdaptor) {
  std::optional<Placement> source = placementBy(getSource());
  if (source && source->isReplicated())
    return getSource();
  return {};
}

OpFoldResult ReshardOp::fold(FoldAdaptor) {
  if (!getFetchAttr() && placementBy(getSource()) == getPlacement().getValue())
    return getSource();
  return {};
}
