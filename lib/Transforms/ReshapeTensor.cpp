//===- ReshapeTensor.cpp - Reshapes between static shapes -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReshapeTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace {
/// Two shapes as groups of dimensions of equal products.
struct CommonShape {
  SmallVector<ReassociationIndices> from, to;
  SmallVector<int64_t> shape; ///< product of each group
};
} // namespace

static CommonShape commonShape(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  CommonShape common;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    ReassociationIndices &left = common.from.emplace_back(),
                         &right = common.to.emplace_back();
    auto take = [](size_t &at, ArrayRef<int64_t> shape,
                   ReassociationIndices &group, int64_t &product) {
      group.push_back(at);
      product *= shape[at++];
    };
    int64_t leftSize = 1, rightSize = 1;
    take(i, from, left, leftSize);
    take(j, to, right, rightSize);
    while (leftSize != rightSize)
      if (leftSize < rightSize)
        take(i, from, left, leftSize);
      else
        take(j, to, right, rightSize);
    common.shape.push_back(leftSize);
  }
  // What is left over has extent 1.
  if (!common.shape.empty()) {
    for (; i < from.size(); ++i)
      common.from.back().push_back(i);
    for (; j < to.size(); ++j)
      common.to.back().push_back(j);
  }
  return common;
}

Value mercury::reshapeTensor(OpBuilder &b, Location loc, Value tensor,
                             ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getShape() == shape)
    return tensor;
  CommonShape common = commonShape(type.getShape(), shape);
  if (type.getShape() != ArrayRef(common.shape))
    tensor = tensor::CollapseShapeOp::create(
        b, loc, RankedTensorType::get(common.shape, type.getElementType()),
        tensor, common.from);
  if (ArrayRef(common.shape) != shape)
    tensor = tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), tensor,
        common.to);
  return tensor;
}
