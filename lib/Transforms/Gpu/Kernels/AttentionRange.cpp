//===- AttentionRange.cpp - Which keys the rows of a block see ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRange.h"
#include "OnlineSoftmax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace mercury;
using arith::CmpIPredicate;

static constexpr int64_t kWarp = 32;

static Value larger(KernelBuilder &b, Value lhs, Value rhs) {
  return arith::MaxSIOp::create(b, lhs, rhs);
}

static Value constant(KernelBuilder &b, int32_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

/// Ranges end at the greatest i32 at the latest.
static Value toI32(KernelBuilder &b, Value index) {
  Value cut = b.min(index, b.index(std::numeric_limits<int32_t>::max()));
  return b.createOrFold<arith::IndexCastOp>(b.getI32Type(), cut);
}

Value AttentionRange::Row::sees(KernelBuilder &b, Value at) const {
  // One that is too great for i32 is negative here, and seen by no row.
  Value key = arith::IndexCastOp::create(b, b.getI32Type(), at);
  return b.both(arith::CmpIOp::create(b, CmpIPredicate::sle, begin, key),
                b.isLess(key, end));
}

AttentionRange::Row AttentionRange::load(KernelBuilder &b,
                                         ArrayRef<Value> position,
                                         Value keys) const {
  return {larger(b, begin.loadElement(b, position), constant(b, 0)),
          b.min(end.loadElement(b, position), toI32(b, keys))};
}

AttentionRange::Bounds
AttentionRange::measure(KernelBuilder &b, int64_t rows, Value thread,
                        function_ref<SmallVector<Value>(Value)> position,
                        Value keys) const {
  auto smaller = [&](Value lhs, Value rhs) { return b.min(lhs, rhs); };
  auto greater = [&](Value lhs, Value rhs) { return larger(b, lhs, rhs); };
  int64_t lanes = std::min(rows, kWarp);
  Value lane = b.rem(thread, lanes);
  Bounds bounds;
  for (int64_t first = 0; first < rows; first += lanes) {
    Row row = load(b, position(b.add(lane, first)), keys);
    // A row without keys widens nothing, and cuts all tiles.
    Value isEmpty =
        arith::CmpIOp::create(b, CmpIPredicate::sge, row.begin, row.end);
    row.begin = arith::SelectOp::create(b, isEmpty, toI32(b, keys), row.begin);
    row.end = arith::SelectOp::create(b, isEmpty, constant(b, 0), row.end);
    if (first == 0)
      bounds = {row.begin, row.end, row.begin, row.end};
    else
      bounds = {smaller(bounds.someBegin, row.begin),
                greater(bounds.someEnd, row.end),
                greater(bounds.allBegin, row.begin),
                smaller(bounds.allEnd, row.end)};
  }
  auto finish = [&](Value value, auto combine) -> Value {
    return arith::IndexCastOp::create(
        b, b.getIndexType(), reduceOverLanes(b, value, lanes, combine));
  };
  return {finish(bounds.someBegin, smaller), finish(bounds.someEnd, greater),
          finish(bounds.allBegin, greater), finish(bounds.allEnd, smaller)};
}
