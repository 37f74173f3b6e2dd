//===- TileArrival.cpp - How tiles of a step arrive -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileArrival.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

/// Part `part`[step][rank] of a tile that is cut.
Value TileArrival::takePart(Value tile, const RankTable &part,
                            ArrayRef<Value> times) {
  auto type = cast<RankedTensorType>(tile.getType());
  ArrayRef<int64_t> shape = type.getShape().drop_front();
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), sizes,
      unit(type.getRank(), b.getIndexAttr(1));
  offsets[0] =
      buildFromTable(b, loc, part, TableContext{steps, times, topology});
  sizes.push_back(b.getIndexAttr(1));
  for (int64_t extent : shape)
    sizes.push_back(b.getIndexAttr(extent));
  return tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), tile,
      offsets, sizes, unit);
}

/// One permutation: every rank receives the tile of rank source[step][rank], or
/// of one that is cut the part that it reads.
Value TileArrival::permute(Value tile, const AxisList &axes,
                           const RankTable &source, ArrayRef<Value> times,
                           ArrayRef<int64_t> extents, const Source *cut) {
  if (cut) {
    RankTable part = cut->part; // of the rank that is served
    for (auto [t, row] : llvm::enumerate(source))
      for (auto [r, holder] : llvm::enumerate(row))
        if (holder >= 0)
          part[t][holder] = cut->part[t][r];
    tile = takePart(tile, part, times);
  }
  RankTable from = source, to = source;
  for (auto [t, row] : llvm::enumerate(source)) {
    for (int64_t &c : to[t])
      c = -1;
    for (auto [r, holder] : llvm::enumerate(row)) {
      from[t][r] = holder < 0 ? -1 : topology.coordinate(holder, axes);
      if (holder >= 0)
        to[t][holder] = topology.coordinate(r, axes);
    }
  }
  TableContext context{extents, times, topology};
  auto index = [&](const RankTable &table) {
    OpFoldResult value = buildFromTable(b, loc, table, context);
    if (auto attr = dyn_cast<Attribute>(value))
      return arith::ConstantIndexOp::create(b, loc,
                                            cast<IntegerAttr>(attr).getInt())
          .getResult();
    return cast<Value>(value);
  };
  auto type = cast<RankedTensorType>(tile.getType());
  Value init = resharder.empty(loc, type.getShape(), type.getElementType());
  Value destination = index(to), origin = index(from);
  return PermuteOp::create(b, loc, type, tile, init,
                           toArrayAttr(b.getContext(), axes), IntegerAttr(),
                           destination, origin)
      .getResult();
}

/// Explicit lists: in round i every owner serves its i-th reader.
Value TileArrival::lists(Value tile, const Source &source,
                         ArrayRef<Value> times) {
  const AxisList &axes = source.movement.moving;
  Value result;
  RankTable left = source.movement.source;
  TableContext context{steps, times, topology};
  while (true) {
    RankTable from(left.size()), to(left.size()), part = source.part;
    bool any = false;
    for (size_t t = 0; t < left.size(); ++t) {
      from[t].assign(left[t].size(), -1);
      to[t].assign(left[t].size(), -1);
      for (size_t r = 0; r < left[t].size(); ++r) {
        int64_t owner = left[t][r];
        if (owner < 0 || to[t][owner] >= 0)
          continue;
        to[t][owner] = topology.coordinate(r, axes);
        from[t][r] = topology.coordinate(owner, axes);
        part[t][owner] = source.part[t][r];
        left[t][r] = -1;
        any = true;
      }
    }
    if (!any)
      return result;
    auto index = [&](const RankTable &table) {
      return getValueOrCreateConstantIndexOp(
          b, loc, buildFromTable(b, loc, table, context));
    };
    Value sent = source.isCut() ? takePart(tile, part, times) : tile;
    auto type = cast<RankedTensorType>(sent.getType());
    if (!result)
      result = resharder.empty(loc, type.getShape(), type.getElementType());
    Value destination = index(to), origin = index(from);
    result = PermuteOp::create(b, loc, type, sent, result,
                               toArrayAttr(b.getContext(), axes), IntegerAttr(),
                               destination, origin)
                 .getResult();
  }
}

Value TileArrival::arrive(const Source &source, Value tile,
                          ArrayRef<Value> times) {
  const Movement &m = source.movement;
  if (m.kind == Movement::Kind::Lists)
    return lists(tile, source, times);
  if (!m.fetched.empty()) {
    // Sources differ from readers in `fetched` only: tiles have rotated over
    // other axes, and are broadcast afterwards.
    RankTable holders = m.source;
    for (auto &row : holders)
      for (auto [r, owner] : llvm::enumerate(row))
        owner = topology.withCoordinate(r, m.fetched,
                                        topology.coordinate(owner, m.fetched));
    tile = permute(tile, m.fetched, holders, times, steps,
                   source.isCut() ? &source : nullptr);
  }
  if (m.broadcast.empty())
    return tile;
  if (m.fetched.empty() && source.isCut())
    tile = takePart(tile, source.part, times);
  RankTable root = m.source;
  for (auto &row : root)
    for (int64_t &owner : row)
      owner = topology.coordinate(owner, m.broadcast);
  Value at = getValueOrCreateConstantIndexOp(
      b, loc,
      buildFromTable(b, loc, root, TableContext{steps, times, topology}));
  auto type = cast<RankedTensorType>(tile.getType());
  Value init = resharder.empty(loc, type.getShape(), type.getElementType());
  return BroadcastOp::create(b, loc, type, tile, init,
                             toArrayAttr(b.getContext(), m.broadcast),
                             IntegerAttr(), at)
      .getResult();
}
