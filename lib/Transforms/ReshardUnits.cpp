//===- ReshardUnits.cpp - Units of a dimension inside a rank --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexTables.h"
#include "Reshard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <numeric>

using namespace mlir;
using namespace mercury;

using Table = std::vector<std::vector<int64_t>>;

/// More copies than this become a loop.
static constexpr size_t maxUnrolled = 8;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Where each row has numbers in a row, the first ones.
static std::optional<std::vector<int64_t>> firstOfRuns(const Table &slots) {
  std::vector<int64_t> first;
  for (const std::vector<int64_t> &row : slots) {
    for (size_t k = 1; k < row.size(); ++k)
      if (row[k] != row[k - 1] + 1)
        return std::nullopt;
    first.push_back(row[0]);
  }
  return first;
}

/// The number p of columns where every row has the numbers of a matrix of p
/// columns, column by column; 0 where there is none.
static int64_t columnsOf(const Table &slots) {
  int64_t count = slots[0].size(), columns = count > 1 ? slots[0][1] : 0;
  if (columns < 2 || count % columns != 0)
    return 0;
  int64_t rows = count / columns;
  for (const std::vector<int64_t> &row : slots)
    for (int64_t k = 0; k < count; ++k)
      if (row[k] != k % rows * columns + k / rows)
        return 0;
  return columns;
}

/// Copies, per rank, elements `from`[rank][k] ... of dimension `dim` of `value`
/// to `to`[rank][k] ... of `into`, `extent` for each k.
Value Resharder::copyParts(Location loc, Value value, Value into, size_t dim,
                           int64_t extent, const Table &from, const Table &to) {
  size_t count = from[0].size();
  auto copy = [&](Value target, size_t first, size_t number,
                  ArrayRef<int64_t> steps, ValueRange at) -> Value {
    auto offset = [&](const Table &table) {
      Table values;
      for (size_t k = first; k < first + number; ++k) {
        values.emplace_back();
        for (const std::vector<int64_t> &row : table)
          values.back().push_back(row[k]);
      }
      return buildFromTable(
          b, loc, values,
          TableContext{steps, SmallVector<Value>(at), topology});
    };
    RankedTensorType type = typeOf(value);
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), sizes,
        unit(type.getRank(), b.getIndexAttr(1));
    for (int64_t size : type.getShape())
      sizes.push_back(b.getIndexAttr(size));
    sizes[dim] = b.getIndexAttr(extent);
    offsets[dim] = offset(from);
    Value part =
        tensor::ExtractSliceOp::create(b, loc, value, offsets, sizes, unit);
    offsets[dim] = offset(to);
    return tensor::InsertSliceOp::create(b, loc, part, target, offsets, sizes,
                                         unit);
  };
  if (count <= maxUnrolled) {
    for (size_t k = 0; k < count; ++k)
      into = copy(into, k, 1, {}, {});
    return into;
  }
  auto constant = [&](int64_t number) {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  auto loop = scf::ForOp::create(b, loc, constant(0), constant(count),
                                 constant(1), into);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value copied = copy(loop.getRegionIterArg(0), 0, count,
                      {static_cast<int64_t>(count)}, loop.getInductionVar());
  scf::YieldOp::create(b, loc, copied);
  return loop.getResult(0);
}

static Table scaled(Table table, int64_t factor) {
  for (std::vector<int64_t> &row : table)
    for (int64_t &entry : row)
      entry *= factor;
  return table;
}

/// Per rank 0, 1, 2, ...
static Table counted(const Table &like) {
  Table table = like;
  for (std::vector<int64_t> &row : table)
    std::iota(row.begin(), row.end(), 0);
  return table;
}

/// The units `slots`[rank] of dimension `dim`, of `unit` elements each, one
/// behind the other.
Value Resharder::takeUnits(Location loc, Value value, size_t dim, int64_t unit,
                           const Table &slots) {
  RankedTensorType type = typeOf(value);
  int64_t count = slots[0].size();
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = count * unit;
  if (std::optional<std::vector<int64_t>> first = firstOfRuns(slots)) {
    if (shape[dim] == type.getDimSize(dim))
      return value;
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
        ones(type.getRank(), b.getIndexAttr(1));
    offsets[dim] = buildFromTable(b, loc, scaled({*first}, unit),
                                  TableContext{{}, {}, topology});
    return tensor::ExtractSliceOp::create(
        b, loc, value, offsets, getAsIndexOpFoldResult(b.getContext(), shape),
        ones);
  }
  int64_t columns = shape[dim] == type.getDimSize(dim) ? columnsOf(slots) : 0;
  if (columns) {
    value =
        split(loc, split(loc, value, dim, count / columns), dim + 1, columns);
    value = moveDim(loc, value, dim, dim + 1);
    return joinWithNext(loc, joinWithNext(loc, value, dim), dim);
  }
  return copyParts(loc, value, empty(loc, shape, type.getElementType()), dim,
                   unit, scaled(slots, unit), scaled(counted(slots), unit));
}

/// Puts units one behind the other at `slots`[rank] of `into`.
Value Resharder::putUnits(Location loc, Value units, Value into, size_t dim,
                          int64_t unit, const Table &slots) {
  if (std::optional<std::vector<int64_t>> first = firstOfRuns(slots)) {
    if (units.getType() == into.getType())
      return units;
    Table to, from;
    for (int64_t slot : *first) {
      to.push_back({slot * unit});
      from.push_back({0});
    }
    return copyParts(loc, units, into, dim, typeOf(units).getDimSize(dim), from,
                     to);
  }
  return copyParts(loc, units, into, dim, unit, scaled(counted(slots), unit),
                   scaled(slots, unit));
}
