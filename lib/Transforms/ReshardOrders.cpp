//===- ReshardOrders.cpp - From one token order to another, on ranks ------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two orders cut a dimension into units that both keep together. Where every
// rank owes every other one as many units, an all-to-all exchanges them; else
// permutations do, each of one number of units on all ranks.
//
//===----------------------------------------------------------------------===//

#include "IndexTables.h"
#include "Reshard.h"
#include "UnitRounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <numeric>

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

using Table = std::vector<std::vector<int64_t>>;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A row per rank, of the rows per coordinate on `axes`.
static Table perRank(const Table &rows, const AxisList &axes,
                     const TopologyModel &topology) {
  Table result;
  for (int64_t rank = 0; rank < topology.numRanks(); ++rank)
    result.push_back(rows[topology.coordinate(rank, axes)]);
  return result;
}

//===----------------------------------------------------------------------===//
// Units between ranks
//===----------------------------------------------------------------------===//

namespace {
/// How a dimension changes its order: per block and slot of the new order, in
/// units, the block and slot of the old one.
struct UnitMap {
  int64_t unit = 1, blocks = 1, perBlock = 1;
  Table block, slot;

  UnitMap(const TokenOrder &from, const TokenOrder &to, int64_t extent,
          int64_t blocks);
};
} // namespace

UnitMap::UnitMap(const TokenOrder &from, const TokenOrder &to, int64_t extent,
                 int64_t blocks)
    : blocks(blocks) {
  int64_t whole = extent / blocks;
  unit = std::gcd(std::gcd(from.chunkExtent(extent), to.chunkExtent(extent)),
                  whole);
  perBlock = whole / unit;
  block.resize(blocks);
  slot.resize(blocks);
  for (int64_t b = 0; b < blocks; ++b)
    for (int64_t k = 0; k < perBlock; ++k) {
      int64_t position = to.position((b * perBlock + k) * unit, extent);
      int64_t index = from.index(position, extent) / unit;
      block[b].push_back(index / perBlock);
      slot[b].push_back(index % perBlock);
    }
}

/// Every rank owes every rank as many units.
Value Resharder::exchangeUnits(Location loc, Value value, size_t dim,
                               int64_t unit, const AxisList &axes,
                               const Table &send, const Table &receive) {
  int64_t ranks = topology.sizeOf(axes);
  value = takeUnits(loc, value, dim, unit, perRank(send, axes, topology));
  value = moveDim(loc, split(loc, value, dim, ranks), dim, 0);
  RankedTensorType type = typeOf(value);
  Value init = empty(loc, type.getShape(), type.getElementType());
  value = AllToAllOp::create(b, loc, type, value, init,
                             toArrayAttr(b.getContext(), axes), IntegerAttr())
              .getResult();
  value = joinWithNext(loc, moveDim(loc, value, 0, dim), dim);
  return takeUnits(loc, value, dim, unit, perRank(receive, axes, topology));
}

LocalValue Resharder::takeBlock(Location loc, LocalValue v, size_t dim,
                                const TokenOrder &order, const AxisList &axes) {
  Placement &placement = v.shape.placement;
  UnitMap map(placement.orderOf(dim), order, v.shape.padded[dim],
              topology.sizeOf(axes));
  Table slots = map.slot;
  for (auto [row, blocks] : llvm::zip(slots, map.block))
    for (auto [slot, block] : llvm::zip(row, blocks))
      slot += block * map.perBlock;
  v.value =
      takeUnits(loc, v.value, dim, map.unit, perRank(slots, axes, topology));
  placement.dims[dim] = axes;
  placement.setOrder(dim, order);
  return v;
}

LocalValue Resharder::reorder(Location loc, LocalValue v, size_t dim,
                              const TokenOrder &order) {
  Placement &placement = v.shape.placement;
  const AxisList axes = placement.dims[dim];
  if (axes.empty())
    return takeBlock(loc, std::move(v), dim, order, axes);
  UnitMap map(placement.orderOf(dim), order, v.shape.padded[dim],
              topology.sizeOf(axes));
  placement.setOrder(dim, order);
  // Per pair of blocks the slots here and there, by those there.
  std::vector<std::vector<UnitList>> owed(map.blocks,
                                          std::vector<UnitList>(map.blocks));
  bool isSame = true;
  for (int64_t to = 0; to < map.blocks; ++to)
    for (int64_t k = 0; k < map.perBlock; ++k) {
      owed[map.block[to][k]][to].push_back({map.slot[to][k], k});
      isSame &= map.block[to][k] == to && map.slot[to][k] == k;
    }
  if (isSame)
    return v;
  bool isEven = llvm::all_of(owed, [&](const auto &row) {
    return llvm::all_of(row, [&](const UnitList &units) {
      return units.size() == owed[0][0].size();
    });
  });
  if (isEven) {
    Table send(map.blocks),
        receive(map.blocks, std::vector<int64_t>(map.perBlock));
    for (int64_t from = 0; from < map.blocks; ++from)
      for (int64_t to = 0; to < map.blocks; ++to)
        for (auto [i, unit] : llvm::enumerate(owed[from][to])) {
          send[from].push_back(unit.from);
          receive[to][unit.to] = from * owed[from][to].size() + i;
        }
    v.value = exchangeUnits(loc, v.value, dim, map.unit, axes, send, receive);
    return v;
  }
  RankedTensorType type = typeOf(v.value);
  Value result;
  for (const UnitRound &round : makeRounds(std::move(owed))) {
    Value units = takeUnits(loc, v.value, dim, map.unit,
                            perRank(round.send, axes, topology));
    if (!round.isLocal()) {
      auto index = [&](const std::vector<int64_t> &ofBlock) {
        std::vector<int64_t> row;
        for (int64_t rank = 0; rank < topology.numRanks(); ++rank)
          row.push_back(ofBlock[topology.coordinate(rank, axes)]);
        return getValueOrCreateConstantIndexOp(
            b, loc,
            buildFromTable(b, loc, {row}, TableContext{{}, {}, topology}));
      };
      RankedTensorType part = typeOf(units);
      Value init = empty(loc, part.getShape(), part.getElementType());
      Value destination = index(round.to), source = index(round.from);
      units = PermuteOp::create(b, loc, part, units, init,
                                toArrayAttr(b.getContext(), axes),
                                IntegerAttr(), destination, source)
                  .getResult();
    }
    if (!result)
      result = empty(loc, type.getShape(), type.getElementType());
    result = putUnits(loc, units, result, dim, map.unit,
                      perRank(round.receive, axes, topology));
  }
  v.value = result;
  return v;
}

//===----------------------------------------------------------------------===//
// Placements with orders
//===----------------------------------------------------------------------===//

namespace {
/// What happens to one dimension.
struct OrderChange {
  enum Kind {
    None,   ///< it has no order and gets none
    Keep,   ///< it moves as it stands
    Before, ///< ranks that hold all of it reorder it, then it moves
    After,  ///< it moves, then changes its order
    Anew    ///< its padded extent changes: it is gathered and cut anew
  } kind = None;
  int64_t extent = 0; ///< the padded extent that it gets, 0: open
};
} // namespace

LocalValue Resharder::convert(Location loc, LocalValue v,
                              const Placement &target,
                              ArrayRef<int64_t> padded) {
  Placement &now = v.shape.placement;
  if (now.isNatural() && target.isNatural())
    return moveAxes(loc, std::move(v), target, padded);
  SmallVector<int64_t> global = v.global;
  SmallVector<OrderChange> changes;
  Placement first = inNaturalOrder(target);
  for (size_t dim = 0; dim < target.dims.size(); ++dim) {
    OrderChange change;
    TokenOrder have = now.orderOf(dim), want = target.orderOf(dim);
    int64_t present = v.shape.padded[dim];
    change.extent = padded.empty() ? 0 : padded[dim];
    if (!have.isNatural() || !want.isNatural()) {
      int64_t multiple = granularity(target, dim, topology);
      bool fits = present % multiple == 0 && !isWhole(now, dim);
      if (!change.extent)
        change.extent = fits ? present : llvm::alignTo(global[dim], multiple);
      if (isWhole(target, dim))
        change.kind = OrderChange::After;
      else if (isWhole(now, dim))
        change.kind = OrderChange::Before;
      else if (present != change.extent)
        change.kind = OrderChange::Anew;
      else if (have == want)
        change.kind = OrderChange::Keep;
      else
        change.kind =
            now.dims[dim].empty() ? OrderChange::Before : OrderChange::After;
    }
    changes.push_back(change);
    if (change.kind == OrderChange::Anew)
      first.dims[dim].clear();
  }
  auto resizeTo = [&](size_t dim, int64_t extent) {
    v.value = resize(loc, v.value, dim, extent);
    v.shape.padded[dim] = extent;
  };
  // Blocks of an order move like those of a tensor that stands in it.
  auto moveTo = [&](const Placement &placement) {
    std::vector<TokenOrder> orders = std::move(now.orders);
    now.orders.clear();
    SmallVector<int64_t> extents;
    for (auto [dim, change] : llvm::enumerate(changes)) {
      bool isFixed = change.kind != OrderChange::None;
      extents.push_back(isFixed ? v.shape.padded[dim] : change.extent);
      v.global[dim] = isFixed ? v.shape.padded[dim] : global[dim];
    }
    v = moveAxes(loc, std::move(v), placement, extents);
    now.orders = std::move(orders);
    v.global = global;
  };
  for (auto [dim, change] : llvm::enumerate(changes))
    if (change.kind == OrderChange::Before) {
      if (isWhole(now, dim))
        resizeTo(dim, change.extent);
      // Of what all ranks hold, each takes its block; axes that shard another
      // dimension still come later.
      AxisList used = now.axes(), axes = target.dims[dim];
      for (const AxisRef &axis : target.dims[dim])
        if (llvm::any_of(used, [&](const AxisRef &other) {
              return topology.overlap(axis, other);
            }))
          axes.clear();
      v = takeBlock(loc, std::move(v), dim, target.orderOf(dim), axes);
    }
  moveTo(first);
  bool isAnew = false;
  for (auto [dim, change] : llvm::enumerate(changes)) {
    if (change.kind == OrderChange::After)
      v = reorder(loc, std::move(v), dim, target.orderOf(dim));
    if (change.kind == OrderChange::Anew) {
      v = reorder(loc, std::move(v), dim, TokenOrder());
      resizeTo(dim, global[dim]);
      resizeTo(dim, change.extent);
      v = reorder(loc, std::move(v), dim, target.orderOf(dim));
      isAnew = true;
    }
  }
  if (isAnew)
    moveTo(inNaturalOrder(target));
  for (size_t dim = 0; dim < target.dims.size(); ++dim)
    if (isWhole(target, dim))
      resizeTo(dim, global[dim]);
  now = target;
  return v;
}
