//===- StageTile.cpp - Tiles that a block copies to shared memory ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mercury;

/// What a thread reads before it writes: more hides more of memory's latency,
/// and costs more registers.
static constexpr int64_t kElementsInFlight = 16;

namespace {
/// Where a thread reads along one side.
struct Access {
  Value at;     ///< in the operand, moved inside of it
  Value inside; ///< null where the tile cannot go beyond
};
} // namespace

/// `width` elements from `offset` of the tile on.
static Access access(KernelBuilder &b, const TileSide &side, Value offset,
                     int64_t width) {
  Value at = b.add(side.start, offset);
  if (!side.mayExceed)
    return {at, Value()};
  return {b.min(at, b.sub(side.limit, b.index(width))),
          b.isLess(at, side.limit)};
}

/// Elements that a thread reads at a time along `side`.
static int64_t vectorWidth(const KernelOperand &operand, const TileSide &side) {
  int64_t width = operand.getVectorWidth(side.loop);
  while (side.extent % width || side.wholeVector % width)
    width /= 2;
  return width;
}

void mercury::stageTile(KernelBuilder &b, const KernelOperand &operand,
                        const TileSide &rows, const TileSide &columns,
                        function_ref<SmallVector<Value>(Value, Value)> goTo,
                        Value thread, int64_t threads, Value target,
                        Value firstColumn) {
  bool alongRows =
      operand.isContiguous(rows.loop) && !operand.isContiguous(columns.loop);
  int64_t width = vectorWidth(operand, alongRows ? rows : columns);
  int64_t rowStep = alongRows ? width : 1, columnStep = alongRows ? 1 : width;
  int64_t rowCount = rows.extent / rowStep,
          columnCount = columns.extent / columnStep;
  int64_t count = rowCount * columnCount;

  // Reads, and gives back what writes.
  struct Piece {
    Value element, row, column;
  };
  auto read = [&](Value number) -> Piece {
    Value row =
        alongRows ? b.rem(number, rowCount) : b.div(number, columnCount);
    Value column =
        alongRows ? b.div(number, rowCount) : b.rem(number, columnCount);
    row = b.mul(row, rowStep);
    column = b.mul(column, columnStep);
    Access ofRow = access(b, rows, row, rowStep),
           ofColumn = access(b, columns, column, columnStep);
    SmallVector<Value> position = goTo(ofRow.at, ofColumn.at);
    Value element = width > 1 ? operand.loadVector(b, position, width)
                              : operand.load(b, position);
    if (Value inside = b.both(ofRow.inside, ofColumn.inside)) {
      Value zero = arith::ConstantOp::create(
          b, cast<TypedAttr>(b.getZeroAttr(element.getType())));
      element = arith::SelectOp::create(b, inside, element, zero);
    }
    return {element, row, b.add(firstColumn, column)};
  };
  auto write = [&](const Piece &piece) {
    auto [element, row, column] = piece;
    if (width == 1) {
      memref::StoreOp::create(b, element, target, ValueRange{row, column});
    } else if (alongRows) {
      for (int64_t i = 0; i < width; ++i)
        memref::StoreOp::create(b, b.extract(element, i), target,
                                ValueRange{b.add(row, i), column});
    } else {
      // Rows are padded to 16 bytes.
      vector::StoreOp::create(
          b, element, target, ValueRange{row, column}, /*nontemporal=*/false,
          llvm::Align(std::min<int64_t>(16, width * sizeof(float))));
    }
  };

  int64_t inFlight = 1;
  for (int64_t pieces : {2, 3, 4})
    if (count % (pieces * threads) == 0 && pieces * width <= kElementsInFlight)
      inFlight = pieces;
  b.loop(
      b.index(count), inFlight * threads, {},
      [&](Value first, ValueRange) {
        Value number = b.add(first, thread);
        Value inside =
            count % threads == 0 ? Value() : b.isLess(number, b.index(count));
        b.guarded(inside, [&] {
          SmallVector<Piece> pieces;
          for (int64_t i = 0; i < inFlight; ++i)
            pieces.push_back(read(b.add(number, i * threads)));
          llvm::for_each(pieces, write);
        });
        return SmallVector<Value>();
      },
      /*unrolls=*/false);
}
