//===- KernelMemory.cpp - Buffers and numbers in device code --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelMemory.h"
#include "Outline/Alignment.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mercury;

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

static Value constantIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value mercury::addProduct(OpBuilder &b, Location loc, Value sum, Value index,
                          int64_t factor) {
  if (!index || factor == 0)
    return sum;
  if (factor != 1)
    index = b.createOrFold<arith::MulIOp>(loc, index,
                                          constantIndex(b, loc, factor));
  return sum ? b.createOrFold<arith::AddIOp>(loc, sum, index) : index;
}

SmallVector<Value> mercury::splitIndex(OpBuilder &b, Location loc, Value index,
                                       ArrayRef<int64_t> extents) {
  SmallVector<Value> indices(extents.size());
  for (size_t i = extents.size(); i-- > 1;) {
    Value extent = constantIndex(b, loc, extents[i]);
    indices[i] = b.createOrFold<arith::RemUIOp>(loc, index, extent);
    index = b.createOrFold<arith::DivUIOp>(loc, index, extent);
  }
  if (!indices.empty())
    indices[0] = index;
  return indices;
}

//===----------------------------------------------------------------------===//
// Widths
//===----------------------------------------------------------------------===//

bool mercury::canVectorize(const LocalOp &op, const OpAccess &access,
                           unsigned loop, int64_t width) {
  Type element = access.element();
  int64_t size = kernelElementBytes(element), bytes = size * width;
  if (!access.isLinear || access.strides[loop] != 1 ||
      !element.isIntOrFloat() || element.isInteger(1) || bytes > kMostAlignment)
    return false;
  auto argument = dyn_cast<BlockArgument>(access.buffer);
  if (!argument)
    return false;
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto alignment = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                        "llvm.align");
  if (!alignment || alignment.getInt() % bytes != 0 ||
      access.offset * size % bytes != 0)
    return false;
  for (auto [other, stride] : llvm::enumerate(access.strides))
    if (other != loop && stride * size % bytes != 0)
      return false;
  return true;
}

int64_t mercury::vectorWidth(ArrayRef<const LocalOp *> ops,
                             ArrayRef<std::optional<unsigned>> loops) {
  for (int64_t size : {8, 4, 2, 1}) { // the longest elements decide
    int64_t candidate = std::min(kMostAlignment / size, int64_t(8));
    for (auto [op, loop] : llvm::zip_equal(ops, loops))
      for (const OpAccess &access : op->accesses)
        if (loop && kernelElementBytes(access.element()) == size &&
            canVectorize(*op, access, *loop, candidate))
          return candidate;
  }
  return 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// `buffer` as one row: memref<4x8xf32, strided<[16, 1]>> -> memref<56xf32>.
static Value makeRow(OpBuilder &b, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset, length = 1;
  (void)type.getStridesAndOffset(strides, offset);
  for (auto [extent, stride] : llvm::zip_equal(type.getShape(), strides))
    length += (extent - 1) * stride;
  auto row =
      MemRefType::get({length}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  if (type == row)
    return buffer;
  return memref::ReinterpretCastOp::create(b, buffer.getLoc(), row, buffer,
                                           /*offset=*/0, ArrayRef(length),
                                           ArrayRef<int64_t>{1});
}

/// The element of a constant that is the same everywhere; null if none is.
static TypedAttr splatOf(memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  auto values =
      global ? dyn_cast_or_null<SplatElementsAttr>(global.getInitialValueAttr())
             : nullptr;
  return values ? values.getSplatValue<TypedAttr>() : nullptr;
}

KernelMemory::KernelMemory(func::FuncOp kernel, gpu::GPUFuncOp function) {
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  for (auto [outside, inside] : llvm::zip_equal(
           kernel.getArguments(),
           function.getArguments().take_front(kernel.getNumArguments()))) {
    mapping.map(outside, inside);
    if (isa<MemRefType>(outside.getType()))
      rows[outside] = makeRow(b, inside);
  }
  for (Operation &op : kernel.front()) {
    if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
      if (TypedAttr splat = splatOf(get))
        splats[get] = arith::ConstantOp::create(b, op.getLoc(), splat);
      else
        rows[get] = makeRow(b, b.clone(op)->getResult(0));
    } else if (op.hasTrait<OpTrait::ConstantLike>()) {
      b.clone(op, mapping);
    }
  }
}

/// Null stands for 0.
static Value addressOf(OpBuilder &b, const LocalOp &op, const OpAccess &access,
                       const LoopPoint &point, int64_t further = 0) {
  Location loc = op.op->getLoc();
  Value address;
  if (access.isLinear) {
    for (auto [index, stride] : llvm::zip_equal(point.indices, access.strides))
      address = addProduct(b, loc, address, index, stride);
    further =
        point.vectorLoop ? access.strides[*point.vectorLoop] * further : 0;
  } else {
    auto linalgOp = cast<linalg::LinalgOp>(op.op);
    AffineMap map =
        linalgOp.getMatchingIndexingMap(&op.op->getOpOperand(*access.operand));
    SmallVector<Value> indices;
    for (auto [loop, index] : llvm::enumerate(point.indices)) {
      Value at = index ? index : constantIndex(b, loc, 0);
      if (point.vectorLoop == loop)
        at = b.createOrFold<arith::AddIOp>(loc, at,
                                           constantIndex(b, loc, further));
      indices.push_back(at);
    }
    SmallVector<int64_t> strides;
    int64_t offset;
    (void)cast<MemRefType>(access.value.getType())
        .getStridesAndOffset(strides, offset);
    for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides))
      address = addProduct(b, loc, address,
                           affine::expandAffineExpr(b, loc, expr, indices, {}),
                           stride);
    further = 0;
  }
  Value constant = constantIndex(b, loc, access.offset + further);
  return address ? b.createOrFold<arith::AddIOp>(loc, address, constant)
                 : constant;
}

static bool moves(const OpAccess &access, const LoopPoint &point) {
  return point.vectorLoop &&
         (!access.isLinear || access.strides[*point.vectorLoop] != 0);
}

Value KernelMemory::loadAt(OpBuilder &b, Value buffer, Value address) const {
  if (Value splat = splats.lookup(buffer))
    return splat;
  return memref::LoadOp::create(b, address.getLoc(), row(buffer), address);
}

SmallVector<Value> KernelMemory::load(OpBuilder &b, const LocalOp &op,
                                      const OpAccess &access,
                                      const LoopPoint &point) const {
  Location loc = op.op->getLoc();
  SmallVector<Value> elements;
  int64_t width = moves(access, point) ? point.width : 1;
  if (width > 1 && canVectorize(op, access, *point.vectorLoop, width)) {
    auto type = VectorType::get({width}, access.element());
    Value vector = vector::LoadOp::create(
        b, loc, type, row(access.buffer), addressOf(b, op, access, point),
        /*nontemporal=*/false,
        b.getI64IntegerAttr(width * kernelElementBytes(access.element())));
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(vector::ExtractOp::create(b, loc, vector, i));
    return elements;
  }
  for (int64_t i = 0; i < width; ++i)
    elements.push_back(
        loadAt(b, access.buffer, addressOf(b, op, access, point, i)));
  return elements;
}

void KernelMemory::store(OpBuilder &b, const LocalOp &op,
                         const OpAccess &access, const LoopPoint &point,
                         ValueRange elements) const {
  Location loc = op.op->getLoc();
  int64_t width = elements.size();
  if (width > 1 && canVectorize(op, access, *point.vectorLoop, width)) {
    Value vector = vector::FromElementsOp::create(
        b, loc, VectorType::get({width}, access.element()), elements);
    vector::StoreOp::create(
        b, loc, vector, row(access.buffer), addressOf(b, op, access, point),
        /*nontemporal=*/false,
        b.getI64IntegerAttr(width * kernelElementBytes(access.element())));
    return;
  }
  for (auto [i, element] : llvm::enumerate(elements))
    memref::StoreOp::create(b, loc, element, row(access.buffer),
                            addressOf(b, op, access, point, i));
}

Value KernelMemory::loadElement(OpBuilder &b, Value memref,
                                ValueRange indices) const {
  Location loc = memref.getLoc();
  ViewBase base = baseOf(memref);
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)cast<MemRefType>(memref.getType()).getStridesAndOffset(strides, offset);
  Value address = constantIndex(b, loc, base.offset);
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    address = addProduct(b, loc, address, index, stride);
  return loadAt(b, base.buffer, address);
}
