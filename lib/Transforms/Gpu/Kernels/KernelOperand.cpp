//===- KernelOperand.cpp - A buffer that device code indexes --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelOperand.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mercury;

static constexpr int64_t kVectorBytes = 16;

KernelOperand::KernelOperand(func::FuncOp kernel, Value operand, Value buffer,
                             AffineMap map)
    : buffer(buffer), map(map), alignment(getElementBytes()) {
  auto argument = dyn_cast<BlockArgument>(operand);
  if (!argument)
    return;
  if (auto known = kernel.getArgAttrOfType<IntegerAttr>(
          argument.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName()))
    alignment = std::max(alignment, known.getInt());
}

MemRefType KernelOperand::getType() const {
  return cast<MemRefType>(buffer.getType());
}

int64_t KernelOperand::getElementBytes() const {
  return getType().getElementTypeBitWidth() / 8;
}

bool KernelOperand::isContiguous(unsigned loop) const {
  auto at = map.getResultPosition(getAffineDimExpr(loop, buffer.getContext()));
  return at && getType().getStridesAndOffset().first[*at] == 1;
}

int64_t KernelOperand::getVectorWidth(unsigned loop) const {
  // vector.load goes along the last dimension.
  MemRefType type = getType();
  if (!isContiguous(loop) ||
      map.getResults().back() != getAffineDimExpr(loop, buffer.getContext()))
    return 1;
  auto layout = type.getStridesAndOffset();
  int64_t bytes = getElementBytes(), width = kVectorBytes / bytes;
  auto isProven = [&](int64_t width) {
    if (type.getShape().back() % width || layout.second % width ||
        alignment % (width * bytes))
      return false;
    for (auto [extent, stride] :
         llvm::drop_end(llvm::zip_equal(type.getShape(), layout.first)))
      if (extent > 1 && stride % width)
        return false;
    return true;
  };
  while (width > 1 && !isProven(width))
    width /= 2;
  return width;
}

SmallVector<Value> KernelOperand::indices(ArrayRef<Value> position) const {
  SmallVector<Value> result;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    result.push_back(position[map.getDimPosition(i)]);
  return result;
}

Value KernelOperand::loadElement(KernelBuilder &b,
                                 ArrayRef<Value> position) const {
  return memref::LoadOp::create(b, buffer, indices(position));
}

Value KernelOperand::load(KernelBuilder &b, ArrayRef<Value> position) const {
  return b.toF32(loadElement(b, position));
}

Value KernelOperand::loadVector(KernelBuilder &b, ArrayRef<Value> position,
                                int64_t width) const {
  auto type = VectorType::get(width, getType().getElementType());
  return b.toF32(vector::LoadOp::create(
      b, type, buffer, indices(position), /*nontemporal=*/false,
      llvm::Align(width * getElementBytes())));
}

void KernelOperand::store(KernelBuilder &b, Value value,
                          ArrayRef<Value> position) const {
  memref::StoreOp::create(b, value, buffer, indices(position));
}

void KernelOperand::storeVector(KernelBuilder &b, Value vector,
                                ArrayRef<Value> position) const {
  int64_t width = cast<VectorType>(vector.getType()).getNumElements();
  vector::StoreOp::create(b, vector, buffer, indices(position),
                          /*nontemporal=*/false,
                          llvm::Align(width * getElementBytes()));
}
