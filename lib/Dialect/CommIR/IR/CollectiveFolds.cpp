//===- CollectiveFolds.cpp - Communication that is not needed -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All ranks run the same program, so a pattern that does not look at values
// removes or replaces a collective on all of them.
//
//===----------------------------------------------------------------------===//

#include "VerifyAxes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// Values are looked through up to this depth, groups up to this size.
static constexpr unsigned maxDepth = 8;
static constexpr int64_t maxGroup = 4096;

/// What `value` is on the rank at `coordinate` of `axes`, where that follows
/// from the coordinate alone. Index arithmetic is evaluated, not matched:
/// canonicalization rewrites its form.
static std::optional<int64_t> evaluate(OpFoldResult value, ArrayAttr axes,
                                       int64_t coordinate, unsigned depth = 0) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return constant;
  if (depth == maxDepth)
    return std::nullopt;
  Operation *def = cast<Value>(value).getDefiningOp();
  if (auto rank = dyn_cast_if_present<RankCoordOp>(def))
    return rank.getAxes() == axes ? std::optional(coordinate) : std::nullopt;
  if (!isa_and_nonnull<affine::AffineApplyOp, arith::AddIOp, arith::MulIOp>(
          def))
    return std::nullopt;
  SmallVector<int64_t> operands;
  for (Value operand : def->getOperands()) {
    auto number = evaluate(operand, axes, coordinate, depth + 1);
    if (!number)
      return std::nullopt;
    operands.push_back(*number);
  }
  if (isa<arith::AddIOp>(def))
    return operands[0] + operands[1];
  if (isa<arith::MulIOp>(def))
    return operands[0] * operands[1];
  auto index = IndexType::get(axes.getContext());
  SmallVector<Attribute> attrs, results;
  for (int64_t number : operands)
    attrs.push_back(IntegerAttr::get(index, number));
  AffineMap map = cast<affine::AffineApplyOp>(def).getAffineMap();
  if (failed(map.constantFold(attrs, results)))
    return std::nullopt;
  return cast<IntegerAttr>(results[0]).getInt();
}

/// True where `slice` is, on each rank, the block of dimension 0 at its
/// coordinate over `axes`, of as many blocks as there are ranks.
static bool isOwnBlock(tensor::ExtractSliceOp slice, ArrayAttr axes) {
  RankedTensorType source = slice.getSourceType();
  std::optional<int64_t> ranks = groupSize(slice, toAxisList(axes));
  if (!ranks || *ranks > maxGroup || !source.hasStaticShape() ||
      source.getRank() == 0 || !slice.hasUnitStride())
    return false;
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    int64_t extent = source.getDimSize(dim);
    if (slice.isDynamicSize(dim))
      return false;
    int64_t size = slice.getStaticSize(dim);
    if (dim == 0 ? size * *ranks != extent || size == 0 : size != extent)
      return false;
  }
  OpFoldResult offset = slice.getMixedOffsets()[0];
  for (int64_t rank = 0; rank < *ranks; ++rank)
    if (evaluate(offset, axes, rank) != rank * slice.getStaticSize(0))
      return false;
  return true;
}

/// The value as `type`, which splits dimension 0 or is its own type.
static Value splitLeading(OpBuilder &b, Location loc, Value value,
                          RankedTensorType type) {
  if (value.getType() == type)
    return value;
  SmallVector<ReassociationIndices> groups{{0, 1}};
  for (int64_t dim = 2; dim < type.getRank(); ++dim)
    groups.push_back({dim});
  return tensor::ExpandShapeOp::create(b, loc, type, value, groups);
}

/// True where splitLeading applies.
static bool canSplitLeading(RankedTensorType from, RankedTensorType to) {
  if (from == to)
    return true;
  return from.getEncoding() == to.getEncoding() &&
         to.getRank() == from.getRank() + 1 &&
         to.getDimSize(0) * to.getDimSize(1) == from.getDimSize(0) &&
         to.getShape().drop_front(2) == from.getShape().drop_front();
}

/// True where ranks that differ only in their coordinate on `axis` surely hold
/// the same value.
static bool isSameAlong(Value value, AxisAttr axis, unsigned depth = 0) {
  if (depth == maxDepth)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Block *block = argument.getOwner();
    auto function = dyn_cast<FunctionOpInterface>(block->getParentOp());
    if (!function || !block->isEntryBlock())
      return false;
    auto placement = function.getArgAttrOfType<PlacementAttr>(
        argument.getArgNumber(), kPlacementAttrName);
    TopologyOp topology = lookupTopology(function);
    if (!placement || !topology)
      return false;
    TopologyModel model = topology.getModel();
    return llvm::none_of(placement.getValue().axes(), [&](const AxisRef &used) {
      return model.overlap(used, axis.getValue());
    });
  }
  Operation *def = value.getDefiningOp();
  if (isa<AllGatherOp, AllReduceOp, BroadcastOp>(def) &&
      llvm::is_contained(
          cast<CommunicationOpInterface>(def).getCommunicationAxes(), axis))
    return true;
  if (isa<RankCoordOp>(def) || def->getNumRegions() || !isMemoryEffectFree(def))
    return false;
  return llvm::all_of(def->getOperands(), [&](Value operand) {
    return isSameAlong(operand, axis, depth + 1);
  });
}

namespace {

/// all_gather of each rank's block of what all ranks hold: that.
struct GatherOfOwnBlock : public OpRewritePattern<AllGatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllGatherOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getInput().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || !op.getResult())
      return rewriter.notifyMatchFailure(op, "gathers no slice");
    if (!isOwnBlock(slice, op.getAxes()))
      return rewriter.notifyMatchFailure(op, "the slice is not this rank's");
    for (auto axis : op.getAxes().getAsRange<AxisAttr>())
      if (!isSameAlong(slice.getSource(), axis))
        return rewriter.notifyMatchFailure(
            op, "ranks may hold different values of what is sliced");
    auto type = cast<RankedTensorType>(op.getResult().getType());
    if (!canSplitLeading(slice.getSourceType(), type))
      return rewriter.notifyMatchFailure(op, "the slice drops dimensions");
    rewriter.replaceOp(
        op, splitLeading(rewriter, op.getLoc(), slice.getSource(), type));
    return success();
  }
};

/// Each rank's block of an all_reduce, of which nobody wants more:
/// reduce_scatter, in its place.
struct BlockOfAllReduce : public OpRewritePattern<AllReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getResult() || !op.getResult().hasOneUse())
      return rewriter.notifyMatchFailure(op, "has no single use");
    auto slice =
        dyn_cast<tensor::ExtractSliceOp>(*op.getResult().getUsers().begin());
    if (!slice || !isOwnBlock(slice, op.getAxes()))
      return rewriter.notifyMatchFailure(op,
                                         "its use is not this rank's block");
    TopologyModel topology = lookupTopology(op).getModel();
    for (const AxisRef &axis : toAxisList(op.getAxes())) {
      const Level *level = topology.find(axis.level);
      if (!level ||
          !(level->primitives.empty() ||
            llvm::is_contained(level->primitives, Primitive::ReduceScatter)))
        return rewriter.notifyMatchFailure(op, "a level has no reduce_scatter");
    }
    RankedTensorType block = slice.getType();
    SmallVector<int64_t> shape(block.getShape());
    shape.insert(shape.begin(),
                 slice.getSourceType().getDimSize(0) / slice.getStaticSize(0));
    auto pieces = RankedTensorType::get(shape, block.getElementType(),
                                        block.getEncoding());
    if (!canSplitLeading(slice.getSourceType(), pieces))
      return rewriter.notifyMatchFailure(op, "the slice drops dimensions");
    Location loc = op.getLoc();
    Value input = splitLeading(rewriter, loc, op.getOutput(), pieces);
    Value init =
        tensor::EmptyOp::create(rewriter, loc, block.getShape(),
                                block.getElementType(), block.getEncoding());
    auto scattered =
        ReduceScatterOp::create(rewriter, loc, op.getKindAttr(), input, init,
                                op.getAxes(), IntegerAttr());
    rewriter.replaceOp(slice, scattered.getResult());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void AllGatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<GatherOfOwnBlock>(context);
}

void AllReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<BlockOfAllReduce>(context);
}
