//===- RotateOps.cpp - The rotation loop ----------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyAxes.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

bool RotateOp::hasCombine() {
  return !getCombine().empty() ||
         !getBody().front().getOps<RotateArriveOp>().empty();
}

bool RotateOp::hasBufferSemantics() {
  return llvm::none_of(getOperandTypes(), llvm::IsaPred<TensorType>);
}

SmallVector<Region *> RotateOp::getLoopRegions() { return {&getBody()}; }

/// Of the types of carries and states on tensors, none on buffers (rotate_c5).
/// Of a mix, which rotate_c7 refuses, as on tensors.
LogicalResult RotateOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         ValueRange operands,
                                         DictionaryAttr attributes,
                                         OpaqueProperties properties,
                                         RegionRange regions,
                                         SmallVectorImpl<Type> &types) {
  if (llvm::none_of(operands.getTypes(), llvm::IsaPred<TensorType>))
    return success();
  Adaptor adaptor(operands, attributes, properties, regions);
  SmallVector<Type> kept(adaptor.getCarry().getTypes());
  llvm::append_range(kept, adaptor.getState().getTypes());
  for (Type each : kept) {
    auto type = dyn_cast<ShapedType>(each);
    if (!type || !type.hasRank())
      return failure();
    types.push_back(
        RankedTensorType::get(type.getShape(), type.getElementType()));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static bool sameTile(Type a, Type b) {
  auto x = cast<ShapedType>(a), y = cast<ShapedType>(b);
  return x.getShape() == y.getShape() &&
         x.getElementType() == y.getElementType();
}

/// The buffers that a rotation receives into, in order (see bufferize).
static SmallVector<Type> scratchTypes(RotateOp op) {
  SmallVector<Type> types;
  int64_t hops = static_cast<int64_t>(op.getSteps()) - 1;
  for (Type tile : op.getTravel().getTypes())
    types.append(std::min<int64_t>(hops, 2), tile);
  for (Type tile : op.getCarry().getTypes())
    types.append((hops > 0) + op.hasCombine(), tile);
  return types;
}

LogicalResult RotateOp::verify() {
  // rotate_c1
  if (getHops().size() != getNumMoving())
    return emitOpError() << "expects one hop per travelling and carried tile, "
                         << "got " << getHops().size() << " for "
                         << getNumMoving();
  int64_t steps = static_cast<int64_t>(getSteps());
  if (steps <= 0)
    return emitOpError() << "expects a positive number of steps, got " << steps;
  // rotate_c6
  for (auto hop : getHops().getAsRange<HopAttr>())
    if (failed(verifyAxes(*this, hop.getAxisList())))
      return failure();
  // rotate_c7
  bool onBuffers = hasBufferSemantics();
  if (!onBuffers &&
      llvm::any_of(getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
    return emitOpError() << "mixes tensors and buffers: (" << getOperandTypes()
                         << ")";
  // rotate_c2
  SmallVector<Type> expected{IndexType::get(getContext())};
  if (!onBuffers)
    llvm::append_range(expected, getOperandTypes());
  if (getBody().getArgumentTypes() != TypeRange(expected))
    return emitOpError() << "body takes (" << getBody().getArgumentTypes()
                         << "), expected (" << TypeRange(expected) << ")";
  // rotate_c4
  if (getCombine().size() > 1)
    return emitOpError("has more than one combine region");
  if (getCarry().empty() && (onBuffers ? hasCombine() : !getCombine().empty()))
    return emitOpError("has a combine region but no carry");
  if (onBuffers && !getCombine().empty())
    return emitOpError("on buffers has no combine region; what merges stands "
                       "behind commir.rotate_arrive");
  if (onBuffers && llvm::range_size(getBody().getOps<RotateArriveOp>()) > 1)
    return emitOpError("has more than one commir.rotate_arrive");
  if (!getCombine().empty()) {
    SmallVector<Type> pairs;
    for (Type type : getCarry().getTypes())
      pairs.append(2, type);
    Region &combine = getCombine().front();
    if (combine.getArgumentTypes() != TypeRange(pairs))
      return emitOpError() << "combine takes (" << combine.getArgumentTypes()
                           << "), expected (" << TypeRange(pairs) << ")";
  }
  // rotate_c8
  SmallVector<Type> scratch;
  if (onBuffers)
    scratch = scratchTypes(*this);
  if (!llvm::equal(scratch, getScratch().getTypes(), sameTile))
    return emitOpError() << "scratch is (" << getScratch().getTypes()
                         << "), expected (" << TypeRange(scratch) << ")";
  return success();
}

static LogicalResult verifyYield(RotateOp op, Region &region, TypeRange types,
                                 StringRef name) {
  auto yield = dyn_cast<RotateYieldOp>(region.front().getTerminator());
  if (!yield)
    return op.emitOpError() << name << " must end in commir.rotate_yield";
  if (yield.getValues().getTypes() != types)
    return op.emitOpError()
           << name << " yields (" << yield.getValues().getTypes()
           << "), expected (" << types << ")";
  return success();
}

LogicalResult RotateOp::verifyRegions() {
  // rotate_c3
  if (failed(verifyYield(*this, getBody(), getResultTypes(), "body")))
    return failure();
  // rotate_c4
  return getCombine().empty() ? success()
                              : verifyYield(*this, getCombine().front(),
                                            getCarry().getTypes(), "combine");
}

LogicalResult RotateArriveOp::verify() {
  auto rotate = cast<RotateOp>((*this)->getParentOp());
  // rotate_arrive_c1
  if (!rotate.hasBufferSemantics())
    return emitOpError("stands in a rotation on tensors");
  return success();
}

LogicalResult RotateTileOp::verify() {
  auto rotate = cast<RotateOp>((*this)->getParentOp());
  // rotate_tile_c1
  if (!rotate.hasBufferSemantics())
    return emitOpError("stands in a rotation on tensors, whose tiles are "
                       "arguments of its body");
  // rotate_tile_c2
  int64_t index = static_cast<int64_t>(getIndex());
  if (index < 0 || index >= rotate.getNumMoving())
    return emitOpError() << "index " << index << " is out of range, "
                         << rotate.getNumMoving() << " tiles move";
  // rotate_tile_c3
  if (getArrived()) {
    if (index < static_cast<int64_t>(rotate.getTravel().size()))
      return emitOpError() << "tile " << index
                           << " travels, only carries have arrived";
    auto arrives = (*this)->getBlock()->getOps<RotateArriveOp>();
    if (arrives.empty() || !(*arrives.begin())->isBeforeInBlock(*this))
      return emitOpError("has arrived, but no commir.rotate_arrive stands "
                         "before it");
  }
  // rotate_tile_c4
  Type tile = rotate.getOperand(index).getType();
  if (!sameTile(tile, getType()))
    return emitOpError() << "has type " << getType() << ", but tile " << index
                         << " has type " << tile;
  return success();
}
