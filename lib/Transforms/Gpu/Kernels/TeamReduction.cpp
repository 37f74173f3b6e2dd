//===- TeamReduction.cpp - Partial results of a team of threads -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TeamReduction.h"
#include "Mercury/Transforms/Gpu/Chip.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mercury;

static constexpr int64_t kWarp = Chip::kThreadsPerWarp;

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// Shuffles move 32 bits: others go in words of that size.
Value mercury::shuffleXor(OpBuilder &b, Location loc, Value value,
                          int32_t mask) {
  auto shuffle = [&](Value word) {
    return gpu::ShuffleOp::create(b, loc, word, mask, kWarp,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  Type type = value.getType(), i32 = b.getI32Type(), i64 = b.getI64Type();
  if (type.isF32() || type.isInteger(32))
    return shuffle(value);
  if (type.isIndex())
    return arith::IndexCastOp::create(
        b, loc, type,
        shuffleXor(b, loc, arith::IndexCastOp::create(b, loc, i64, value),
                   mask));
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(
        b, loc, type,
        shuffleXor(
            b, loc,
            arith::BitcastOp::create(b, loc, b.getIntegerType(bits), value),
            mask));
  if (bits < 32)
    return arith::TruncIOp::create(
        b, loc, type, shuffle(arith::ExtUIOp::create(b, loc, i32, value)));
  Value half = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  Value low = shuffle(arith::TruncIOp::create(b, loc, i32, value));
  Value high = shuffle(arith::TruncIOp::create(
      b, loc, i32, arith::ShRUIOp::create(b, loc, value, half)));
  high = arith::ShLIOp::create(b, loc,
                               arith::ExtUIOp::create(b, loc, i64, high), half);
  return arith::OrIOp::create(b, loc, high,
                              arith::ExtUIOp::create(b, loc, i64, low));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

int64_t TeamReduction::strideOfShared() const {
  if (!teams.lanesAreNeighbours)
    return teams.lanes > 1 ? teams.points : 0;
  return teams.lanes > kWarp ? kWarp : 0;
}

Value TeamReduction::sharedRow(unsigned number, Type element) {
  Value &row = shared[{number, element}];
  if (!row) {
    auto space = gpu::AddressSpaceAttr::get(
        function.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
    row = function.addWorkgroupAttribution(
        MemRefType::get({teams.lanes * teams.points}, element,
                        MemRefLayoutAttrInterface(), space),
        function.getLoc());
  }
  return row;
}

void TeamReduction::exchange(OpBuilder &b, ArrayRef<Combiner> combiners,
                             ValueRange partials) {
  Location loc = function.getLoc();
  values.assign(partials.begin(), partials.end());
  rows.clear();
  if (teams.lanesAreNeighbours)
    for (int64_t mask = std::min(teams.lanes, kWarp) / 2; mask > 0; mask /= 2)
      for (auto [value, combiner] : llvm::zip_equal(values, combiners))
        value = combine(b, combiner, value, shuffleXor(b, loc, value, mask));
  if (!usesSharedMemory())
    return;
  for (auto [number, value] : llvm::enumerate(values)) {
    rows.push_back(sharedRow(number, value.getType()));
    memref::StoreOp::create(b, loc, value, rows.back(), teams.thread);
  }
  gpu::BarrierOp::create(b, loc);
}

SmallVector<Value> TeamReduction::finish(OpBuilder &b,
                                         ArrayRef<Combiner> combiners) {
  if (!usesSharedMemory())
    return values;
  Location loc = function.getLoc();
  int64_t stride = strideOfShared();
  int64_t count = teams.lanesAreNeighbours ? teams.lanes / kWarp : teams.lanes;
  SmallVector<Value> results = values;
  for (int64_t i = 1; i < count; ++i) {
    Value distance = arith::ConstantIndexOp::create(b, loc, i * stride);
    Value at = arith::AddIOp::create(b, loc, teams.thread, distance);
    for (auto [result, row, combiner] :
         llvm::zip_equal(results, rows, combiners))
      result =
          combine(b, combiner, result, memref::LoadOp::create(b, loc, row, at));
  }
  return results;
}
