//===- LowerCopies.cpp - Strided memref copies as loops -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Transforms/Local/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mercury {
#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "Mercury/Transforms/Local/Passes.h.inc"

namespace {
/// True if the elements of a buffer of `type` lie side by side in memory.
bool isContiguous(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref::isStaticShapeAndContiguousRowMajor(memref);
}

/// A row of fewer elements is not worth a call.
constexpr int64_t minRow = 64;

/// The leading dimensions behind which elements of both lie side by side, at
/// least `minRow` of them; nothing where there are too few.
std::optional<int64_t> dimsOutsideRows(MemRefType from, MemRefType to) {
  int64_t inside = std::min(from.getNumContiguousTrailingDims(),
                            to.getNumContiguousTrailingDims());
  int64_t outside = from.getRank() - inside, row = 1;
  for (int64_t extent : from.getShape().drop_front(outside)) {
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    row *= extent;
  }
  return row >= minRow ? std::optional(outside) : std::nullopt;
}

/// Row `at` of a buffer, of the dimensions behind `at`.
Value rowOf(OpBuilder &b, Location loc, Value buffer, ValueRange at) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      sizes(type.getRank(), b.getIndexAttr(1)),
      strides(type.getRank(), b.getIndexAttr(1));
  for (auto [dim, index] : llvm::enumerate(at))
    offsets[dim] = index;
  ArrayRef<int64_t> row = type.getShape().drop_front(at.size());
  for (auto [size, extent] : llvm::zip(llvm::drop_begin(sizes, at.size()), row))
    size = b.getIndexAttr(extent);
  MemRefType view = memref::SubViewOp::inferRankReducedResultType(
      row, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, view, buffer, offsets, sizes,
                                   strides);
}

/// A loop over rows, each of which is copied at once.
void copyRows(OpBuilder &b, memref::CopyOp op, int64_t outside) {
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  SmallVector<Value> lower(outside, constant(0)), step(outside, constant(1)),
      upper;
  for (int64_t dim = 0; dim < outside; ++dim)
    upper.push_back(b.createOrFold<memref::DimOp>(loc, op.getSource(), dim));
  scf::buildLoopNest(b, loc, lower, upper, step,
                     [&](OpBuilder &b, Location loc, ValueRange at) {
                       Value from = rowOf(b, loc, op.getSource(), at),
                             to = rowOf(b, loc, op.getTarget(), at);
                       memref::CopyOp::create(b, loc, from, to);
                     });
}

struct LowerCopiesPass : impl::LowerCopiesPassBase<LowerCopiesPass> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp op) {
      Type from = op.getSource().getType(), to = op.getTarget().getType();
      if (isa<MemRefType>(from) && isa<MemRefType>(to) &&
          !(isContiguous(from) && isContiguous(to)))
        copies.push_back(op);
    });
    for (memref::CopyOp op : copies) {
      OpBuilder b(op);
      if (std::optional<int64_t> outside =
              dimsOutsideRows(cast<MemRefType>(op.getSource().getType()),
                              cast<MemRefType>(op.getTarget().getType())))
        copyRows(b, op, *outside);
      else
        linalg::makeMemRefCopyOp(b, op.getLoc(), op.getSource(),
                                 op.getTarget());
      op.erase();
    }
  }
};
} // namespace
} // namespace mercury
