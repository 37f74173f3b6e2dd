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

std::optional<Placement>
mercury::reshapePlacement(Operation *op, const Placement &source,
                          const TopologyModel &topology) {
  bool expands = isa<tensor::ExpandShapeOp>(op);
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<ReassociationIndices> groups =
      expands ? cast<tensor::ExpandShapeOp>(op).getReassociationIndices()
              : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  Placement result = Placement::replicated(to.getRank());
  for (auto [joined, group] : llvm::enumerate(groups)) {
    ArrayRef<int64_t> shape = expands ? to.getShape() : from.getShape();
    int64_t outer = outermost(shape, group);
    if (expands) {
      const AxisList &axes = source.dims[joined];
      if (group.size() > 1 && !axes.empty() &&
          shape[outer] % topology.sizeOf(axes) != 0)
        return std::nullopt;
      result.dims[outer] = axes;
      continue;
    }
    for (int64_t dim : group) {
      const AxisList &axes = source.dims[dim];
      if (axes.empty())
        continue;
      if (dim != outer ||
          (group.size() > 1 && shape[dim] % topology.sizeOf(axes) != 0))
        return std::nullopt;
      result.dims[joined] = axes;
    }
  }
  return result;
}
