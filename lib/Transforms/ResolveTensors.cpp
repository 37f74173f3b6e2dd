//===- ResolveTensors.cpp - What only moves elements, on ranks ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionResolver.h"
#include "Mercury/Analysis/ArrangePlacement.h"
#include "Mercury/Analysis/ReshapePlacement.h"
#include "Mercury/Analysis/SlicePlacement.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// What ranks hold of an order's blocks are blocks of what stands in it.
LogicalResult FunctionResolver::resolveArrange(ArrangeOp op) {
  Value source = op.getSource();
  if (!isMadeAnywhere(source) && !locals.count(source))
    return op.emitError("arranges a value that no rank holds");
  size_t dim = op.getDimAttr().getInt();
  LocalValue local;
  if (auto it = locals.find(source); it != locals.end())
    local = it->second;
  else
    local = whole(op.getLoc(), source);
  auto [before, after] = arrangedPlacement(op, local.shape.placement, topology);
  SmallVector<int64_t> padded = local.shape.padded;
  padded[dim] = op.getOrder().getExtent();
  local = resharder.convert(op.getLoc(), local, before, padded);
  local.shape.placement = after;
  local.shape.fetch.clear();
  set(op, local);
  return success();
}

LogicalResult FunctionResolver::resolvePad(tensor::PadOp pad) {
  Location loc = pad.getLoc();
  Value element = pad.getConstantPaddingValue();
  if (!element ||
      !llvm::all_of(pad.getStaticLow(), [](int64_t low) { return low == 0; }))
    return pad.emitError("pads a distributed tensor other than at its end with "
                         "a constant");
  element = scalars.lookupOrDefault(element);
  ArrayRef<int64_t> to = shapeOf(pad.getResult());
  if (isMadeAnywhere(pad.getSource()) || !locals.count(pad.getSource()))
    return pad.emitError("pads a value that no rank holds");
  LocalValue local = locals.lookup(pad.getSource());
  SmallVector<int64_t> valid = local.global;
  // Dimensions that are held whole are padded as they are; other ones keep
  // their blocks when these are as large as the padded tensor's.
  PlacedShape target = placedShape(to, local.shape.placement, topology);
  bool sameBlocks = true;
  for (size_t dim = 0; dim < target.padded.size(); ++dim)
    sameBlocks &= isWhole(target.placement, dim) ||
                  target.padded[dim] == local.shape.padded[dim];
  if (!sameBlocks) {
    local = resharder.convert(loc, local, target.placement, target.padded);
  }
  bool isZero = matchPattern(element, m_AnyZeroFloat()) ||
                matchPattern(element, m_Zero());
  bool isArgument = isa<BlockArgument>(pad.getSource());
  bool mustRefill = false;
  for (size_t dim = 0; dim < target.padded.size(); ++dim) {
    if (!isWhole(target.placement, dim)) {
      mustRefill |= valid[dim] != target.padded[dim];
      continue;
    }
    int64_t present =
        cast<RankedTensorType>(local.value.getType()).getDimSize(dim);
    if (present == to[dim])
      continue;
    auto type = cast<RankedTensorType>(local.value.getType());
    SmallVector<OpFoldResult> zero(type.getRank(), b.getIndexAttr(0)),
        high = zero;
    high[dim] = b.getIndexAttr(to[dim] - present);
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = to[dim];
    local.value = tensor::PadOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()),
        local.value, zero, high, element);
    local.shape.padded[dim] = to[dim];
  }
  // Callers fill padding with zeros.
  if (mustRefill && !(isZero && isArgument && sameBlocks))
    local.value = resharder.refill(loc, local, valid, element);
  local.global.assign(to.begin(), to.end());
  set(pad.getResult(), local);
  return success();
}

/// Every rank holds the tensor as it stands in the program.
static bool isWholeEverywhere(const Placement &placement) {
  return placement.isReplicated() && placement.isNatural();
}

/// All of `value`, with a remark where its blocks do not survive what `op`
/// does.
LocalValue FunctionResolver::gathered(Operation *op, Value value,
                                      StringRef what) {
  if (auto local = locals.find(value);
      local != locals.end() &&
      !isWholeEverywhere(local->second.shape.placement))
    op->emitRemark() << "sharded dimension of placement "
                     << print(local->second.shape.placement)
                     << " does not survive the " << what
                     << "; the tensor is gathered";
  return whole(op->getLoc(), value);
}

/// Sizes of a slice on a rank: of a sharded dimension, or one in an order, what
/// is there.
static SmallVector<OpFoldResult>
localSizes(OpBuilder &b, ArrayRef<int64_t> sizes, const LocalValue &of) {
  auto type = cast<RankedTensorType>(of.value.getType());
  SmallVector<OpFoldResult> local;
  for (auto [dim, size] : llvm::enumerate(sizes))
    local.push_back(b.getIndexAttr(
        isWhole(of.shape.placement, dim) ? size : type.getDimSize(dim)));
  return local;
}

/// Offsets or strides, of which some may be computed.
static SmallVector<OpFoldResult> mapped(ArrayRef<OpFoldResult> values,
                                        const IRMapping &scalars) {
  return llvm::map_to_vector(values, [&](OpFoldResult value) -> OpFoldResult {
    if (auto computed = dyn_cast<Value>(value))
      return scalars.lookupOrDefault(computed);
    return value;
  });
}

LogicalResult FunctionResolver::resolveExtract(tensor::ExtractSliceOp slice) {
  Location loc = slice.getLoc();
  if (!locals.count(slice.getSource()))
    return slice.emitError("slices a value that no rank holds");
  LocalValue local = locals.lookup(slice.getSource());
  if (isWholeEverywhere(local.shape.placement) ||
      !slice.getType().hasStaticShape())
    return resolveReplicated(slice);
  ArrayRef<int64_t> to = slice.getType().getShape();
  if (!keepsBlocks(slice, local.shape.placement)) {
    local = gathered(slice, slice.getSource(), "slice");
    local.value = tensor::ExtractSliceOp::create(
        b, loc, slice.getType(), local.value,
        mapped(slice.getMixedOffsets(), scalars), slice.getMixedSizes(),
        mapped(slice.getMixedStrides(), scalars));
    local.shape = placedShape(to, Placement::replicated(to.size()), topology);
  } else {
    // Blocks that only lose their end keep their padded size.
    local.value = tensor::ExtractSliceOp::create(
        b, loc, local.value, mapped(slice.getMixedOffsets(), scalars),
        localSizes(b, to, local), mapped(slice.getMixedStrides(), scalars));
    for (auto [dim, extent] : llvm::enumerate(to))
      if (isWhole(local.shape.placement, dim))
        local.shape.padded[dim] = extent;
  }
  local.global.assign(to.begin(), to.end());
  set(slice, local);
  return success();
}

LogicalResult FunctionResolver::resolveInsert(tensor::InsertSliceOp slice) {
  Location loc = slice.getLoc();
  for (Value value : {slice.getSource(), slice.getDest()})
    if (!isMadeAnywhere(value) && !locals.count(value))
      return slice.emitError("inserts a value that no rank holds");
  const PlacedShape *placed = placements.lookup(slice);
  Placement target = placed ? placed->placement
                            : Placement::replicated(slice.getType().getRank());
  ArrayRef<int64_t> part = slice.getSourceType().getShape();
  LocalValue dest, source;
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  if (isWholeEverywhere(target)) {
    dest = gathered(slice, slice.getDest(), "insertion");
    source = gathered(slice, slice.getSource(), "insertion");
  } else {
    dest = held(loc, slice.getDest(), target);
    // Of sharded dimensions both have the same blocks.
    SmallVector<int64_t> padded(part);
    for (size_t dim = 0; dim < padded.size(); ++dim)
      if (!isWhole(target, dim))
        padded[dim] = dest.shape.padded[dim];
    source = held(loc, slice.getSource(), target, padded);
    sizes = localSizes(b, part, source);
  }
  dest.value = tensor::InsertSliceOp::create(
      b, loc, source.value, dest.value,
      mapped(slice.getMixedOffsets(), scalars), sizes,
      mapped(slice.getMixedStrides(), scalars));
  set(slice, dest);
  return success();
}

LogicalResult FunctionResolver::resolveReshape(Operation *op) {
  Location loc = op->getLoc();
  Value source = op->getOperand(0), result = op->getResult(0);
  if (isMadeAnywhere(source) || !locals.count(source))
    return resolveReplicated(op);
  LocalValue local = locals.lookup(source);
  std::optional<Placement> moved =
      reshapePlacement(op, local.shape.placement, topology);
  Placement kept = placementToReshape(op, local.shape.placement);
  if (moved && !(kept == local.shape.placement)) {
    op->emitRemark() << "order of placement " << print(local.shape.placement)
                     << " does not survive the reshape; the tensor leaves it";
    local = resharder.convert(loc, local, kept,
                              placedShape(local.global, kept, topology).padded);
    set(source, local);
  }
  bool isPadded = !llvm::equal(local.shape.padded, local.global);
  if (!moved || isPadded) {
    local = gathered(op, source, "reshape");
    moved = Placement::replicated(shapeOf(result).size());
  }
  PlacedShape target = placedShape(shapeOf(result), *moved, topology);
  auto type = RankedTensorType::get(target.local(topology),
                                    getElementTypeOrSelf(result));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    local.value = tensor::ExpandShapeOp::create(
        b, loc, type, local.value, expand.getReassociationIndices());
  else
    local.value = tensor::CollapseShapeOp::create(
        b, loc, type, local.value,
        cast<tensor::CollapseShapeOp>(op).getReassociationIndices());
  local.shape = target;
  local.global.assign(shapeOf(result).begin(), shapeOf(result).end());
  set(result, local);
  return success();
}
