//===- ReshapePlacement.cpp - Placements across reshapes ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/ReshapePlacement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury;

/// The dimension of a group that blocks of the joined dimension fall along: the
/// first with more than one element.
static int64_t outermost(ArrayRef<int64_t> shape, ArrayRef<int64_t> group) {
  for (int64_t dim : group)
    if (shape[dim] != 1)
      return dim;
  return group.front();
}

namespace {
/// Groups of dimensions, of which each is one dimension of the other side.
struct Groups {
  SmallVector<ReassociationIndices> groups;
  ArrayRef<int64_t> shape; ///< of the side with more dimensions
};
} // namespace

static Groups groupsOf(Operation *op) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return {expand.getReassociationIndices(), shapeOf(expand.getResult())};
  auto collapse = cast<tensor::CollapseShapeOp>(op);
  return {collapse.getReassociationIndices(), shapeOf(collapse.getSrc())};
}

static std::optional<Placement> expand(const Groups &groups,
                                       const Placement &source,
                                       const TopologyModel &topology) {
  Placement result = Placement::replicated(groups.shape.size());
  for (auto [joined, group] : llvm::enumerate(groups.groups)) {
    const AxisList &axes = source.dims[joined];
    int64_t outer = outermost(groups.shape, group);
    if (group.size() > 1 && !axes.empty() &&
        groups.shape[outer] % topology.sizeOf(axes) != 0)
      return std::nullopt;
    result.dims[outer] = axes;
    result.setOrder(outer, source.orderOf(joined));
  }
  return result;
}

static std::optional<Placement> collapse(const Groups &groups,
                                         const Placement &source,
                                         const TopologyModel &topology) {
  Placement result = Placement::replicated(groups.groups.size());
  for (auto [joined, group] : llvm::enumerate(groups.groups))
    for (int64_t dim : group) {
      const AxisList &axes = source.dims[dim];
      if (!source.orderOf(dim).isNatural())
        result.setOrder(joined, source.orderOf(dim));
      if (axes.empty())
        continue;
      if (dim != outermost(groups.shape, group) ||
          (group.size() > 1 && groups.shape[dim] % topology.sizeOf(axes) != 0))
        return std::nullopt;
      result.dims[joined] = axes;
    }
  return result;
}

/// The placement without the orders of dimensions that are joined with others
/// or split into several; `isSplit`: it is that of the side with more of them.
static Placement dropOrders(const Groups &groups, Placement placement,
                            bool isSplit) {
  for (auto [joined, group] : llvm::enumerate(groups.groups)) {
    bool isAlone = llvm::count_if(group, [&](int64_t dim) {
                     return groups.shape[dim] != 1;
                   }) <= 1;
    if (!isSplit && !isAlone)
      placement.setOrder(joined, TokenOrder());
    for (int64_t dim : group)
      if (isSplit && !(isAlone && dim == outermost(groups.shape, group)))
        placement.setOrder(dim, TokenOrder());
  }
  return placement;
}

Placement mercury::placementToReshape(Operation *op, const Placement &source) {
  return dropOrders(groupsOf(op), source, isa<tensor::CollapseShapeOp>(op));
}

std::optional<Placement>
mercury::reshapePlacement(Operation *op, const Placement &source,
                          const TopologyModel &topology) {
  Placement kept = placementToReshape(op, source);
  return isa<tensor::ExpandShapeOp>(op)
             ? expand(groupsOf(op), kept, topology)
             : collapse(groupsOf(op), kept, topology);
}

std::optional<Placement>
mercury::sourcePlacement(Operation *op, const Placement &result,
                         const TopologyModel &topology) {
  bool isSplit = isa<tensor::ExpandShapeOp>(op);
  Placement kept = dropOrders(groupsOf(op), result, isSplit);
  return isSplit ? collapse(groupsOf(op), kept, topology)
                 : expand(groupsOf(op), kept, topology);
}
