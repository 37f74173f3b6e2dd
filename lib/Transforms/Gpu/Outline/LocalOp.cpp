//===- LocalOp.cpp - Loops and accesses of a local op ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocalOp.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mercury;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The offset in the layout of `type`; kDynamic where it is not known.
static int64_t offsetOf(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return ShapedType::kDynamic;
  return offset;
}

/// Whether the first elements of the view and of what it views are the same.
static bool keepsOffset(Operation *view) {
  return isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp,
             memref::TransposeOp>(view);
}

ViewBase mercury::baseOf(Value view) {
  ViewBase base{view, 0};
  while (auto op = base.buffer.getDefiningOp<ViewLikeOpInterface>()) {
    Value source = op.getViewSource();
    auto from = dyn_cast<MemRefType>(source.getType());
    auto to = dyn_cast<MemRefType>(base.buffer.getType());
    if (!from || !to || from.getElementType() != to.getElementType() ||
        isa<memref::ViewOp>(op))
      break;
    if (!keepsOffset(op)) {
      // Layouts count from the start of the allocation.
      int64_t first = offsetOf(from), second = offsetOf(to);
      if (ShapedType::isDynamic(first) || ShapedType::isDynamic(second))
        break;
      base.offset += second - first;
    }
    base.buffer = source;
  }
  return base;
}

int64_t mercury::kernelElementBytes(Type type) {
  if (type.isIndex())
    return 8;
  if (!type.isIntOrFloat())
    return 0;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 1)
    return 1;
  bool isKnown = type.isInteger() ||
                 isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
  return isKnown && (bits == 8 || bits == 16 || bits == 32 || bits == 64)
             ? bits / 8
             : 0;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Adds `factor` * `expr` to a linear form; false if `expr` is not linear.
static bool addLinear(AffineExpr expr, int64_t factor, OpAccess &access) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    access.offset += factor * constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    access.strides[dim.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, access) &&
           addLinear(binary.getRHS(), factor, access);
  auto times = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && times &&
         addLinear(binary.getLHS(), factor * times.getValue(), access);
}

/// The access to `value` by `map`, or to any element of it without a map.
static std::optional<OpAccess> describeAccess(Value value,
                                              std::optional<AffineMap> map,
                                              ArrayRef<int64_t> extents,
                                              std::string &reason) {
  auto type = dyn_cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!type || !type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic)) {
    llvm::raw_string_ostream(reason)
        << "'" << value.getType() << "' is not static in shape and strides";
    return std::nullopt;
  }
  // Kernels see a buffer from its first element on.
  if (llvm::any_of(strides, [](int64_t stride) { return stride < 0; })) {
    llvm::raw_string_ostream(reason)
        << "'" << value.getType() << "' has a negative stride";
    return std::nullopt;
  }
  if (!kernelElementBytes(type.getElementType())) {
    llvm::raw_string_ostream(reason)
        << "kernels have no elements of type '" << type.getElementType() << "'";
    return std::nullopt;
  }
  ViewBase base = baseOf(value);
  OpAccess access;
  access.value = value;
  access.buffer = base.buffer;
  access.offset = base.offset;
  access.strides.assign(extents.size(), 0);
  access.isLinear = map.has_value();
  if (map)
    for (auto [expr, stride] : llvm::zip_equal(map->getResults(), strides))
      access.isLinear = access.isLinear && addLinear(expr, stride, access);
  for (auto [stride, extent] : llvm::zip_equal(access.strides, extents))
    if (extent == 1)
      stride = 0;
  return access;
}

/// Adds the loads in the body of `op`; false on what a body must not do.
static bool addBody(linalg::LinalgOp op, LocalOp &local, std::string &reason) {
  for (Operation &inner : *op.getBlock()) {
    if (isa<linalg::IndexOp>(inner))
      local.needsIndices = true;
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      std::optional<OpAccess> access =
          describeAccess(load.getMemRef(), std::nullopt, local.extents, reason);
      if (!access)
        return false;
      access->reads = true;
      local.accesses.push_back(*access);
      local.needsIndices = true;
    } else if (!inner.hasTrait<OpTrait::IsTerminator>() &&
               !isMemoryEffectFree(&inner)) {
      reason = ("its body has '" + inner.getName().getStringRef() +
                "', which has effects")
                   .str();
      return false;
    }
  }
  return true;
}

static std::optional<LocalOp> describeLinalg(linalg::LinalgOp op,
                                             std::string &reason) {
  if (op.getNumDpsInits() == 0) {
    reason = "it writes nothing";
    return std::nullopt;
  }
  LocalOp local;
  local.op = op;
  local.extents = op.getStaticLoopRanges();
  if (llvm::any_of(local.extents, ShapedType::isDynamic)) {
    reason = "the extent of a loop is dynamic";
    return std::nullopt;
  }
  for (utils::IteratorType type : op.getIteratorTypesArray())
    local.isParallel.push_back(type == utils::IteratorType::parallel);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType())) {
      if (isa<ShapedType>(operand.get().getType())) {
        reason = "it is not on buffers";
        return std::nullopt;
      }
      continue;
    }
    std::optional<OpAccess> access =
        describeAccess(operand.get(), op.getMatchingIndexingMap(&operand),
                       local.extents, reason);
    if (!access)
      return std::nullopt;
    access->operand = operand.getOperandNumber();
    access->writes = op.isDpsInit(&operand);
    // payloadUsesValueFromOperand() denies that a linalg.map reads its output.
    access->reads = !op.getMatchingBlockArgument(&operand).use_empty();
    local.needsIndices |= !access->isLinear;
    // Of iterations that write one element the last must be the last.
    if (access->writes && access->isLinear)
      for (auto [stride, isParallel] :
           llvm::zip_equal(access->strides, local.isParallel))
        isParallel &= stride != 0;
    local.accesses.push_back(*access);
  }
  if (!addBody(op, local, reason))
    return std::nullopt;
  return local;
}

std::optional<LocalOp> mercury::describeLocalOp(Operation *op,
                                                std::string &reason) {
  reason.clear();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return describeLinalg(linalgOp, reason);
  auto copy = dyn_cast<memref::CopyOp>(op);
  if (!copy) {
    reason = "it is neither a linalg op nor a copy";
    return std::nullopt;
  }
  LocalOp local;
  local.op = op;
  auto type = dyn_cast<MemRefType>(copy.getTarget().getType());
  if (!type || !type.hasStaticShape()) {
    reason = "the extent of a loop is dynamic";
    return std::nullopt;
  }
  local.extents = llvm::to_vector(type.getShape());
  local.isParallel.assign(type.getRank(), true);
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext());
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<OpAccess> access =
        describeAccess(operand.get(), map, local.extents, reason);
    if (!access)
      return std::nullopt;
    access->operand = operand.getOperandNumber();
    access->reads = operand.getOperandNumber() == 0;
    access->writes = !access->reads;
    local.accesses.push_back(*access);
  }
  return local;
}

int64_t LocalOp::size() const {
  int64_t size = 1;
  for (int64_t extent : extents)
    size *= extent;
  return size;
}

SmallVector<unsigned> LocalOp::parallelLoops() const {
  SmallVector<unsigned> loops;
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (isParallel[loop] && extent > 1)
      loops.push_back(loop);
  return loops;
}
