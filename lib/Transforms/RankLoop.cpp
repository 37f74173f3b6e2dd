//===- RankLoop.cpp - Loops over ranks ------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankLoop.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

RankLoop::RankLoop(OpBuilder &b, Location loc, const TopologyModel &topology,
                   AxisList over, ValueRange outputs)
    : axes(std::move(over)), topology(topology) {
  llvm::sort(axes, [&](const AxisRef &x, const AxisRef &y) {
    auto position = [&](const AxisRef &axis) {
      return llvm::find_if(
                 topology.levels,
                 [&](const Level &level) { return level.name == axis.level; }) -
             topology.levels.begin();
    };
    return std::pair(position(x), x.pre) < std::pair(position(y), y.pre);
  });
  SmallVector<OpFoldResult> sizes;
  SmallVector<Attribute> mapping;
  for (const AxisRef &axis : axes) {
    sizes.push_back(b.getIndexAttr(topology.sizeOf(axis)));
    mapping.push_back(AxisAttr::get(b.getContext(), axis));
  }
  op = scf::ForallOp::create(b, loc, sizes, outputs, b.getArrayAttr(mapping));
  b.setInsertionPoint(op.getTerminator());
}

Value RankLoop::linearCoordinate(OpBuilder &b, const AxisList &some) {
  SmallVector<Value> ivs = op.getInductionVars();
  AffineExpr sum = b.getAffineConstantExpr(0);
  SmallVector<OpFoldResult> operands;
  for (const AxisRef &axis : some) {
    auto position = llvm::find(axes, axis) - axes.begin();
    sum = sum * topology.sizeOf(axis) + b.getAffineDimExpr(operands.size());
    operands.push_back(ivs[position]);
  }
  if (operands.size() == 1)
    return cast<Value>(operands[0]);
  return getValueOrCreateConstantIndexOp(
      b, op.getLoc(),
      affine::makeComposedFoldedAffineApply(b, op.getLoc(), sum, operands));
}

SmallVector<Value> mercury::onShards(OpBuilder &b, Location loc,
                                     const TopologyModel &topology,
                                     ArrayRef<Placed> outputs,
                                     ArrayRef<Placed> inputs, ShardsBody body) {
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
  RankLoop loop(b, loc, topology, std::move(axes), shared);
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
          {OpFoldResult(loop.linearCoordinate(b, over))}));
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
       llvm::zip(outputs, loop.op.getRegionIterArgs())) {
    parts.push_back(cut(output, argument));
    mine.push_back(parts.back().value);
  }
  for (const Placed &input : inputs)
    theirs.push_back(cut(input, input.value).value);
  SmallVector<Value> made = body(mine, theirs);
  b.setInsertionPointToEnd(loop.op.getTerminator().getBody());
  for (auto [value, part, argument] :
       llvm::zip(made, parts, loop.op.getRegionIterArgs()))
    tensor::ParallelInsertSliceOp::create(b, loc, value, argument, part.at,
                                          part.shape, part.unit);
  return SmallVector<Value>(loop.op.getResults());
}
