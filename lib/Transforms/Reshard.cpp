//===- Reshard.cpp - From one placement to another, on ranks --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reshard.h"
#include "Mercury/Schedule/AxisSpelling.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value Resharder::empty(Location loc, ArrayRef<int64_t> shape, Type element) {
  return tensor::EmptyOp::create(b, loc, shape, element);
}

Value Resharder::coordinate(Location loc, const AxisList &axes) {
  return RankCoordOp::create(b, loc, b.getIndexType(),
                             toArrayAttr(b.getContext(), axes));
}

Value Resharder::resize(Location loc, Value value, int64_t dim,
                        int64_t extent) {
  RankedTensorType type = typeOf(value);
  int64_t present = type.getDimSize(dim);
  if (present == extent)
    return value;
  SmallVector<OpFoldResult> zero(type.getRank(), b.getIndexAttr(0));
  if (extent < present) {
    SmallVector<OpFoldResult> sizes, unit(type.getRank(), b.getIndexAttr(1));
    for (int64_t size : type.getShape())
      sizes.push_back(b.getIndexAttr(size));
    sizes[dim] = b.getIndexAttr(extent);
    return tensor::ExtractSliceOp::create(b, loc, value, zero, sizes, unit);
  }
  SmallVector<OpFoldResult> high = zero;
  high[dim] = b.getIndexAttr(extent - present);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = extent;
  Value element = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
  return tensor::PadOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), value, zero,
      high, element);
}

Value Resharder::reshape(Location loc, Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(value);
  auto target = RankedTensorType::get(shape, type.getElementType());
  if (type == target)
    return value;
  auto fill = value.getDefiningOp<linalg::FillOp>();
  if (fill && fill.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>())
    return linalg::FillOp::create(b, loc, fill.getInputs()[0],
                                  empty(loc, shape, type.getElementType()))
        .getResult(0);
  if (value.getDefiningOp<tensor::EmptyOp>())
    return empty(loc, shape, type.getElementType());
  // Dropping or adding dimensions of extent 1 is one op; else through one line.
  if (std::optional<SmallVector<ReassociationIndices>> groups =
          getReassociationIndicesForReshape(type, target)) {
    if (type.getRank() > target.getRank())
      return tensor::CollapseShapeOp::create(b, loc, target, value, *groups);
    return tensor::ExpandShapeOp::create(b, loc, target, value, *groups);
  }
  auto all = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups(1);
    for (int64_t dim = 0; dim < rank; ++dim)
      groups[0].push_back(dim);
    return groups;
  };
  auto line =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  Value flat = type.getRank() == 1
                   ? value
                   : tensor::CollapseShapeOp::create(b, loc, line, value,
                                                     all(type.getRank()))
                         .getResult();
  return tensor::ExpandShapeOp::create(b, loc, target, flat,
                                       all(target.getRank()));
}

Value Resharder::moveDim(Location loc, Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  SmallVector<int64_t> shape;
  bool moves = false; // dimensions of extent 1 move for nothing
  int64_t last = -1;
  for (int64_t dim : order) {
    shape.push_back(type.getDimSize(dim));
    if (type.getDimSize(dim) == 1)
      continue;
    moves |= dim < last;
    last = dim;
  }
  if (!moves) {
    return reshape(loc, value, shape);
  }
  Value init = empty(loc, shape, type.getElementType());
  return linalg::TransposeOp::create(b, loc, value, init, order).getResult()[0];
}

Value Resharder::refill(Location loc, const LocalValue &local,
                        ArrayRef<int64_t> valid, Value element) {
  auto type = cast<RankedTensorType>(local.value.getType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  SmallVector<std::pair<int64_t, Value>> limits;
  struct Ordered {
    size_t dim;
    Value start; ///< index of the block's first element
    TokenOrderAttr order;
  };
  SmallVector<Ordered> ordered;
  for (auto [dim, axes] : llvm::enumerate(local.shape.placement.dims)) {
    int64_t padded = local.shape.padded[dim];
    if (valid[dim] == padded)
      continue;
    if (TokenOrder order = local.shape.placement.orderOf(dim);
        !order.isNatural()) {
      OpFoldResult start = b.getIndexAttr(0);
      if (!axes.empty())
        start = affine::makeComposedFoldedAffineApply(
            b, loc, b.getAffineDimExpr(0) * type.getDimSize(dim),
            {OpFoldResult(coordinate(loc, axes))});
      ordered.push_back({dim, getValueOrCreateConstantIndexOp(b, loc, start),
                         TokenOrderAttr::get(b.getContext(), order, padded)});
      continue;
    }
    if (axes.empty()) { // held whole
      limits.push_back(
          {dim, arith::ConstantIndexOp::create(b, loc, valid[dim])});
      continue;
    }
    // Local index below valid - coordinate * block.
    AffineExpr left = b.getAffineConstantExpr(valid[dim]) -
                      b.getAffineDimExpr(0) * type.getDimSize(dim);
    Value coordinate = this->coordinate(loc, axes);
    limits.push_back(
        {dim, affine::AffineApplyOp::create(b, loc, AffineMap::get(1, 0, left),
                                            coordinate)});
  }
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange(), local.value, ArrayRef<AffineMap>{identity},
      loops, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value result = args[0];
        for (auto [dim, limit] : limits) {
          Value index = linalg::IndexOp::create(b, loc, dim);
          Value inside = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::slt, index, limit);
          result = arith::SelectOp::create(b, loc, inside, result, element);
        }
        for (const Ordered &each : ordered) {
          Value index = arith::AddIOp::create(
              b, loc, linalg::IndexOp::create(b, loc, each.dim), each.start);
          Value position = PositionOp::create(b, loc, index, each.order);
          Value inside = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::slt, position,
              arith::ConstantIndexOp::create(b, loc, valid[each.dim]));
          result = arith::SelectOp::create(b, loc, inside, result, element);
        }
        linalg::YieldOp::create(b, loc, result);
      });
  return generic.getResult(0);
}

/// [.., n, ..] -> [.., parts, n / parts, ..]
Value Resharder::split(Location loc, Value value, int64_t dim, int64_t parts) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= parts;
  shape.insert(shape.begin() + dim, parts);
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (d < dim)
      groups.push_back({d});
    else if (d == dim)
      groups.push_back({d, d + 1});
    else
      groups.push_back({d + 1});
  }
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), value,
      groups);
}

/// [.., p, n, ..] -> [.., p * n, ..]
Value Resharder::joinWithNext(Location loc, Value value, int64_t dim) {
  RankedTensorType type = typeOf(value);
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (d == dim) {
      groups.push_back({d, d + 1});
      ++d;
    } else {
      groups.push_back({d});
    }
  }
  return tensor::CollapseShapeOp::create(b, loc, value, groups);
}

Value Resharder::cut(Location loc, Value value, ArrayRef<int64_t> parts) {
  int64_t front = 0; // dimensions that count parts
  for (auto [dim, count] : llvm::enumerate(parts)) {
    if (count == 1)
      continue;
    int64_t at = front + static_cast<int64_t>(dim);
    value = moveDim(loc, split(loc, value, at, count), at, front++);
  }
  for (; front > 1; --front)
    value = joinWithNext(loc, value, 0);
  return value;
}

/// Takes the innermost axes off dimension `dim`: all ranks of theirs receive
/// all of their blocks.
LocalValue Resharder::gather(Location loc, LocalValue v, size_t dim,
                             const AxisList &axes) {
  RankedTensorType type = typeOf(v.value);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), topology.sizeOf(axes));
  Value init = empty(loc, shape, type.getElementType());
  Value pieces =
      AllGatherOp::create(b, loc, init.getType(), v.value, init,
                          toArrayAttr(b.getContext(), axes), IntegerAttr())
          .getResult();
  v.value = joinWithNext(loc, moveDim(loc, pieces, 0, dim), dim);
  AxisList &list = v.shape.placement.dims[dim];
  list.resize(list.size() - axes.size());
  return v;
}

/// The innermost axes of some dimensions become those of others, by one
/// all-to-all. Dimensions that are held whole are padded first.
LocalValue Resharder::exchange(Location loc, LocalValue v,
                               SmallVector<Move> moves) {
  AxisList axes;
  SmallVector<int64_t> sizes;
  Value value = v.value;
  int64_t front = 0; // dimensions that count pieces
  for (const Move &move : moves) {
    int64_t dim = front + static_cast<int64_t>(move.to);
    AxisList &now = v.shape.placement.dims[move.to];
    if (now.empty()) {
      value = resize(loc, value, dim, move.padded);
      v.shape.padded[move.to] = move.padded;
    }
    sizes.push_back(topology.sizeOf(move.axes));
    value = moveDim(loc, split(loc, value, dim, sizes.back()), dim, front++);
    llvm::append_range(now, move.axes);
    llvm::append_range(axes, move.axes);
  }
  for (; front > 1; --front)
    value = joinWithNext(loc, value, 0);
  RankedTensorType type = typeOf(value);
  Value init = empty(loc, type.getShape(), type.getElementType());
  value = AllToAllOp::create(b, loc, type, value, init,
                             toArrayAttr(b.getContext(), axes), IntegerAttr())
              .getResult();
  for (; front < static_cast<int64_t>(moves.size()); ++front)
    value = split(loc, value, front - 1, sizes[front - 1]);
  // What has come stands in front of what was there, inner axes first.
  while (!moves.empty()) {
    auto inner = llvm::max_element(
        moves, [](const Move &x, const Move &y) { return x.at < y.at; });
    int64_t dim = --front + static_cast<int64_t>(inner->from);
    value =
        joinWithNext(loc, moveDim(loc, value, inner - moves.begin(), dim), dim);
    v.shape.placement.dims[inner->from].resize(inner->at);
    moves.erase(inner);
  }
  v.value = value;
  return v;
}

/// Each rank keeps its block of a dimension that it holds whole (then padded to
/// `padded`), or of the block that it holds.
LocalValue Resharder::slice(Location loc, LocalValue v, size_t dim,
                            const AxisList &axes, int64_t padded) {
  AxisList &list = v.shape.placement.dims[dim];
  int64_t before = topology.sizeOf(list), parts = topology.sizeOf(axes);
  int64_t extent = list.empty() ? padded : typeOf(v.value).getDimSize(dim);
  v.value = resize(loc, v.value, dim, extent);
  RankedTensorType type = typeOf(v.value);
  int64_t block = extent / parts;
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), sizes,
      unit(type.getRank(), b.getIndexAttr(1));
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  sizes[dim] = b.getIndexAttr(block);
  offsets[dim] = affine::makeComposedFoldedAffineApply(
      b, loc, b.getAffineDimExpr(0) * block, {coordinate(loc, axes)});
  v.value =
      tensor::ExtractSliceOp::create(b, loc, v.value, offsets, sizes, unit);
  v.shape.padded[dim] = extent * before;
  list.insert(list.end(), axes.begin(), axes.end());
  return v;
}

LocalValue Resharder::moveAxes(Location loc, LocalValue v,
                               const Placement &wanted,
                               ArrayRef<int64_t> padded) {
  Placement &now = v.shape.placement, target = wanted;
  spellAlike({&now, &target}, topology);
  size_t rank = target.dims.size();
  auto isGiven = [&](size_t dim) { return !padded.empty() && padded[dim]; };
  // How many axes of a dimension stay. Blocks that start elsewhere are other
  // blocks: they are gathered and cut anew.
  auto common = [&](size_t dim) -> size_t {
    const AxisList &have = now.dims[dim], &want = target.dims[dim];
    size_t n = 0;
    while (n < have.size() && n < want.size() && have[n] == want[n])
      ++n;
    if (n == 0)
      return 0;
    if (isGiven(dim) && v.shape.padded[dim] != padded[dim])
      return 0;
    int64_t block = v.shape.padded[dim] /
                    topology.sizeOf(AxisList(have.begin(), have.begin() + n));
    int64_t parts = topology.sizeOf(AxisList(want.begin() + n, want.end()));
    return block % parts == 0 ? n : 0;
  };
  auto paddedIn = [&](size_t dim) -> int64_t {
    return isGiven(dim) ? padded[dim]
                        : llvm::alignTo(v.global[dim],
                                        topology.sizeOf(target.dims[dim]));
  };
  // Inner axes of dimensions that come next, in this order, in other ones: one
  // exchange moves them all there.
  auto findMoves = [&]() {
    SmallVector<Move> moves;
    Placement left = now, made = now;
    auto addMoves = [&](size_t dim, size_t first) {
      const AxisList &have = left.dims[dim];
      SmallVector<Move> added;
      Placement next = made;
      for (size_t i = first; i < have.size();) {
        std::optional<size_t> to = target.dimOf(have[i]);
        if (!to || *to == dim || common(*to) != now.dims[*to].size())
          return false;
        Move move{dim, i, *to, {}, paddedIn(*to)};
        AxisList &list = next.dims[*to];
        while (i < have.size() && list.size() < target.dims[*to].size() &&
               have[i] == target.dims[*to][list.size()]) {
          list.push_back(have[i]);
          move.axes.push_back(have[i++]);
        }
        if (move.axes.empty())
          return false;
        added.push_back(move);
      }
      left.dims[dim].resize(first);
      made = next;
      llvm::append_range(moves, added);
      return true;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t dim = 0; dim < rank; ++dim)
        for (size_t first = common(dim); first < left.dims[dim].size(); ++first)
          if (addMoves(dim, first))
            changed = true;
    }
    return moves;
  };
  for (bool changed = true; changed;) {
    SmallVector<Move> moves = findMoves();
    changed = !moves.empty();
    if (changed)
      v = exchange(loc, v, std::move(moves));
    for (size_t dim = 0; dim < rank && !changed; ++dim) {
      size_t keep = common(dim);
      if (now.dims[dim].size() == keep)
        continue;
      changed = true;
      // Every axis behind the common ones goes; those that an exchange can take
      // one by one.
      AxisList axes;
      while (now.dims[dim].size() - axes.size() > keep) {
        AxisRef axis = now.dims[dim][now.dims[dim].size() - axes.size() - 1];
        std::optional<size_t> other = target.dimOf(axis);
        if (!axes.empty() && other && *other != dim)
          break;
        axes.insert(axes.begin(), axis);
      }
      v = gather(loc, v, dim, axes);
    }
  }
  for (size_t dim = 0; dim < rank; ++dim) {
    size_t have = now.dims[dim].size();
    if (have == 0) {
      // Held whole: padding goes before anything else.
      v.value = resize(loc, v.value, dim, v.global[dim]);
      v.shape.padded[dim] = v.global[dim];
    }
    if (have == target.dims[dim].size())
      continue;
    AxisList axes(target.dims[dim].begin() + have, target.dims[dim].end());
    v = slice(loc, v, dim, axes, paddedIn(dim));
  }
  now = wanted;
  return v;
}

LocalValue Resharder::reduce(Location loc, LocalValue v, ReductionKind kind,
                             const Placement &target) {
  AxisList axes = v.shape.placement.dims[0];
  // [1, ...] -> [...]
  RankedTensorType type = typeOf(v.value);
  SmallVector<int64_t> shape(type.getShape().drop_front());
  v.value = reshape(loc, v.value, shape);
  v.shape.placement.dims.erase(v.shape.placement.dims.begin());
  if (auto &orders = v.shape.placement.orders; !orders.empty())
    orders.erase(orders.begin());
  v.shape.padded.erase(v.shape.padded.begin());
  v.global.erase(v.global.begin());

  auto kindAttr = ReductionKindAttr::get(b.getContext(), kind);
  for (size_t dim = 0; dim < target.dims.size(); ++dim) {
    AxisList &now = v.shape.placement.dims[dim];
    const AxisList &want = target.dims[dim];
    if (want.size() <= now.size() ||
        !std::equal(now.begin(), now.end(), want.begin()))
      continue;
    AxisList scattered;
    for (size_t i = now.size(); i < want.size(); ++i) {
      if (!llvm::is_contained(axes, want[i]))
        break;
      scattered.push_back(want[i]);
    }
    int64_t parts = topology.sizeOf(scattered);
    // Blocks that do not divide would be cut elsewhere than the target's.
    if (scattered.empty() ||
        (!now.empty() && typeOf(v.value).getDimSize(dim) % parts != 0))
      continue;
    int64_t extent = llvm::alignTo(typeOf(v.value).getDimSize(dim), parts);
    v.value = resize(loc, v.value, dim, extent);
    v.shape.padded[dim] = extent * topology.sizeOf(now);
    Value pieces = moveDim(loc, split(loc, v.value, dim, parts), dim, 0);
    RankedTensorType whole = typeOf(pieces);
    Value init =
        empty(loc, whole.getShape().drop_front(), whole.getElementType());
    v.value = ReduceScatterOp::create(
                  b, loc, init.getType(), kindAttr, pieces, init,
                  toArrayAttr(b.getContext(), scattered), IntegerAttr())
                  .getResult();
    now.insert(now.end(), scattered.begin(), scattered.end());
    llvm::erase_if(axes, [&](const AxisRef &axis) {
      return llvm::is_contained(scattered, axis);
    });
  }
  if (!axes.empty())
    v.value =
        AllReduceOp::create(b, loc, v.value.getType(), kindAttr, v.value,
                            toArrayAttr(b.getContext(), axes), IntegerAttr())
            .getResult();
  return v;
}
