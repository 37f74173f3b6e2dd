//===- ContractionOutput.cpp - Adds to the output of a contraction --------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionOutput.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mercury;

using Role = Contraction::Role;

OutputTile::OutputTile(ImplicitLocOpBuilder &b, const StridedContraction &shape,
                       const ContractionTiling &tiling,
                       const BlockPosition &position)
    : shape(shape), tiling(tiling), position(position),
      flat(createFlatView(b, shape.buffers[StridedContraction::C])),
      start(createOffset(b, shape, StridedContraction::C, Role::Batch,
                         position.batch)) {}

/// Elements `first` to `first + width` of `vector`.
static Value createSlice(ImplicitLocOpBuilder &b, Value vector, int64_t first,
                         int64_t width) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getNumElements() == width)
    return vector;
  SmallVector<Value> elements;
  for (int64_t i = 0; i != width; ++i)
    elements.push_back(vector::ExtractOp::create(b, vector, first + i));
  return vector::FromElementsOp::create(
      b, VectorType::get({width}, type.getElementType()), elements);
}

/// buffer[offset ...] += sums
static void createUpdate(ImplicitLocOpBuilder &b, Value buffer, Value offset,
                         Value sums) {
  auto wide = cast<VectorType>(sums.getType());
  Type own = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get(wide.getShape(), own);
  llvm::Align alignment(type.getNumElements() * own.getIntOrFloatBitWidth() /
                        8);
  Value old = vector::LoadOp::create(b, type, buffer, offset,
                                     /*nontemporal=*/false, alignment);
  if (type != wide)
    old = arith::ExtFOp::create(b, wide, old);
  Value sum = arith::AddFOp::create(b, old, sums);
  if (type != wide)
    sum = arith::TruncFOp::create(b, type, sum);
  vector::StoreOp::create(b, sum, buffer, offset, /*nontemporal=*/false,
                          alignment);
}

void OutputTile::add(ImplicitLocOpBuilder &b, Value row, Value column,
                     Value sums) const {
  auto index = [&](Value first, Value inTile, Role role, int64_t tile,
                   Value &guard) {
    Value at = arith::AddIOp::create(b, first, inTile);
    int64_t extent = shape.extent(role);
    if (extent % tile != 0)
      guard = createAnd(b, guard,
                        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at,
                                              createIndex(b, extent)));
    return createOffset(b, shape, StridedContraction::C, role, at);
  };
  Value inRows;
  Value rowOffset = arith::AddIOp::create(
      b, start, index(position.firstRow, row, Role::M, tiling.m, inRows));

  int64_t length = cast<VectorType>(sums.getType()).getNumElements();
  int64_t width =
      std::min(length, shape.vectorWidth(StridedContraction::C, Role::N));
  for (int64_t first = 0; first != length; first += width) {
    Value guard = inRows;
    Value from = b.createOrFold<arith::AddIOp>(column, createIndex(b, first));
    Value offset = arith::AddIOp::create(
        b, rowOffset,
        index(position.firstColumn, from, Role::N, tiling.n, guard));
    Value part = createSlice(b, sums, first, width);
    if (!guard) {
      createUpdate(b, flat, offset, part);
      continue;
    }
    auto guarded = scf::IfOp::create(b, guard);
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(guarded.thenBlock());
    createUpdate(b, flat, offset, part);
  }
}
