//===- ContractionStaging.cpp - Tiles of inputs in shared memory ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionStaging.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mercury;

using Role = Contraction::Role;

static Value createIsLess(ImplicitLocOpBuilder &b, Value index, int64_t bound) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index,
                               createIndex(b, bound));
}

Value mercury::createAnd(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, x, y);
}

Value mercury::createFlatView(ImplicitLocOpBuilder &b,
                              const StridedContraction::Buffer &buffer) {
  Attribute space = cast<MemRefType>(buffer.value.getType()).getMemorySpace();
  auto type =
      MemRefType::get({buffer.span}, buffer.element, AffineMap(), space);
  return memref::ReinterpretCastOp::create(b, type, buffer.value, /*offset=*/0,
                                           {buffer.span}, {1});
}

StagedOperand::StagedOperand(ImplicitLocOpBuilder &b, gpu::GPUFuncOp function,
                             const StridedContraction &shape,
                             StridedContraction::Operand operand,
                             const ContractionTiling &tiling,
                             const BlockPosition &position, FloatType element)
    : shape(shape), operand(operand), tiling(tiling), element(element) {
  bool isA = operand == StridedContraction::A;
  Role rowRole = isA ? Role::M : Role::N;
  int64_t rows = isA ? tiling.m : tiling.n;
  int64_t pitch =
      ContractionTiling::stagedPitch(rows, element.getIntOrFloatBitWidth() / 8);
  auto workgroup = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  shared = function.addWorkgroupAttribution(
      MemRefType::get({tiling.stages(shape), tiling.k, pitch}, element,
                      AffineMap(), workgroup),
      b.getLoc());
  function.setWorkgroupAttributionAttr(
      function.getNumWorkgroupAttributions() - 1,
      LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(16));
  flat = createFlatView(b, shape.buffers[operand]);

  // Neighbouring threads take neighbouring elements: along the index whose step
  // in memory is the shorter.
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  alongK = shape.innerStride(operand, Role::K).value_or(kFar) <=
           shape.innerStride(operand, rowRole).value_or(kFar);
  width = shape.vectorWidth(operand, alongK ? Role::K : rowRole);

  Value start = createOffset(b, shape, operand, Role::Batch, position.batch);
  Value firstRow = isA ? position.firstRow : position.firstColumn;
  // A row of the tile's vectors is a power of two, and so are the threads: a
  // thread stays in its place of a row, and goes on by whole rows.
  int64_t length = (alongK ? tiling.k : rows) / width;
  int64_t vectors = rows * tiling.k / width, threads = tiling.threads();
  assert(threads % length == 0 && "rows of vectors must divide the threads");
  Value ofRow = createIndex(b, length);
  Value along = b.createOrFold<arith::MulIOp>(
      arith::RemUIOp::create(b, position.thread, ofRow), createIndex(b, width));
  Value firstAcross = b.createOrFold<arith::DivUIOp>(position.thread, ofRow);
  for (int64_t first = 0; first < vectors; first += threads) {
    Value across = b.createOrFold<arith::AddIOp>(
        firstAcross, createIndex(b, first / length));
    Slot slot;
    slot.k = alongK ? along : across;
    slot.row = alongK ? across : along;
    if (first + threads > vectors)
      slot.inTile = createIsLess(b, position.thread, vectors - first);
    Value row = arith::AddIOp::create(b, firstRow, slot.row);
    if (shape.extent(rowRole) % rows != 0)
      slot.inRows = createIsLess(b, row, shape.extent(rowRole));
    slot.offset = arith::AddIOp::create(
        b, start, createOffset(b, shape, operand, rowRole, row));
    slots.push_back(slot);
  }
}

SmallVector<Value> StagedOperand::load(ImplicitLocOpBuilder &b,
                                       Value firstK) const {
  Type own = shape.buffers[operand].element;
  auto type = VectorType::get({width}, own);
  SmallVector<Value> vectors;
  for (const Slot &slot : slots) {
    Value k = arith::AddIOp::create(b, firstK, slot.k);
    Value offset = arith::AddIOp::create(
        b, slot.offset, createOffset(b, shape, operand, Role::K, k));
    Value guard = createAnd(b, slot.inTile, slot.inRows);
    if (shape.extent(Role::K) % tiling.k != 0)
      guard = createAnd(b, guard, createIsLess(b, k, shape.extent(Role::K)));
    // No branch: the first element can always be read, and is then dropped.
    if (guard)
      offset = arith::SelectOp::create(b, guard, offset, createIndex(b, 0));
    Value vector = vector::LoadOp::create(
        b, type, flat, offset, /*nontemporal=*/false,
        llvm::Align(width * own.getIntOrFloatBitWidth() / 8));
    if (guard)
      vector = arith::SelectOp::create(
          b, guard, vector, arith::ConstantOp::create(b, b.getZeroAttr(type)));
    vectors.push_back(vector);
  }
  return vectors;
}

void StagedOperand::store(ImplicitLocOpBuilder &b, Value stage,
                          ValueRange vectors) const {
  auto type = VectorType::get({width}, element);
  auto put = [&](const Slot &slot, Value vector) {
    if (vector.getType() != type)
      vector = arith::ExtFOp::create(b, type, vector);
    if (!alongK) {
      int64_t bytes = width * element.getIntOrFloatBitWidth() / 8;
      vector::StoreOp::create(
          b, vector, shared, ValueRange{stage, slot.k, slot.row},
          /*nontemporal=*/false, llvm::Align(std::min<int64_t>(bytes, 16)));
      return;
    }
    for (int64_t i = 0; i != width; ++i) {
      Value k = b.createOrFold<arith::AddIOp>(slot.k, createIndex(b, i));
      memref::StoreOp::create(b, vector::ExtractOp::create(b, vector, i),
                              shared, ValueRange{stage, k, slot.row});
    }
  };
  for (auto [slot, vector] : llvm::zip_equal(slots, vectors)) {
    if (!slot.inTile) {
      put(slot, vector);
      continue;
    }
    auto guarded = scf::IfOp::create(b, slot.inTile);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(guarded.thenBlock());
    put(slot, vector);
  }
}
