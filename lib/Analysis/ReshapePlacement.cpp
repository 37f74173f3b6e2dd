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
  for (auto [axes, group] : llvm::zip(source.dims, groups.groups)) {
    int64_t outer = outermost(groups.shape, group);
    if (group.size() > 1 && !axes.empty() &&
        groups.shape[outer] % topology.sizeOf(axes) != 0)
      return std::nullopt;
    result.dims[outer] = axes;
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
      if (axes.empty())
        continue;
      if (dim != outermost(groups.shape, group) ||
          (group.size() > 1 && groups.shape[dim] % topology.sizeOf(axes) != 0))
        return std::nullopt;
      result.dims[joined] = axes;
    }
  return result;
}

std::optional<Placement>
mercury::reshapePlacement(Operation *op, const Placement &source,
                          const TopologyModel &topology) {
  return isa<tensor::ExpandShapeOp>(op)
             ? expand(groupsOf(op), source, topology)
             : collapse(groupsOf(op), source, topology);
}

std::optional<Placement>
mercury::sourcePlacement(Operation *op, const Placement &result,
                         const TopologyModel &topology) {
  return isa<tensor::ExpandShapeOp>(op)
             ? collapse(groupsOf(op), result, topology)
             : expand(groupsOf(op), result, topology);
}
