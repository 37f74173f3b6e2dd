//===- MemoryReshard.cpp - Buffers of a change of placement ---------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryReshard.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <optional>

using namespace mercury;
using llvm::ArrayRef;

int AxisTable::number(const AxisRef &axis) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (*axes[i] == axis)
      return static_cast<int>(i);
  axes.push_back(&axis);
  sizes.push_back(topology.sizeOf(axis));
  return static_cast<int>(axes.size()) - 1;
}

Axes AxisTable::numbers(const AxisList &list) {
  Axes result;
  for (const AxisRef &axis : list)
    result.push_back(number(axis));
  return result;
}

AxesOfDims AxisTable::numbers(const std::vector<AxisList> &dims) {
  AxesOfDims result;
  for (const AxisList &list : dims)
    result.push_back(numbers(list));
  return result;
}

int64_t AxisTable::size(ArrayRef<uint8_t> list) const {
  int64_t product = 1;
  for (int axis : list)
    product *= sizes[axis];
  return product;
}

Extents Sharded::local(const AxisTable &table) const {
  Extents shape = padded;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    shape[dim] /= table.size(axes[dim]);
  return shape;
}

static std::optional<size_t> dimOf(const AxesOfDims &dims, int axis) {
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (llvm::is_contained(dims[dim], axis))
      return dim;
  return std::nullopt;
}

Sharded ReshardOps::gather(Sharded v, size_t dim, const Axes &axes) {
  Extents shape = v.tile.shape;
  shape.insert(shape.begin(), table.size(axes));
  Tile pieces = ops.make(shape, v.tile.elementBytes);
  ops.communicate(v.tile, pieces);
  v.tile = ops.joinWithNext(ops.moveDim(pieces, 0, dim), dim);
  v.axes[dim].resize(v.axes[dim].size() - axes.size());
  return v;
}

Sharded ReshardOps::exchange(Sharded v, llvm::SmallVector<Move, 4> moves) {
  llvm::SmallVector<int64_t, 4> sizes;
  Tile tile = v.tile;
  int64_t front = 0; // dimensions that count pieces
  for (const Move &move : moves) {
    int64_t dim = front + static_cast<int64_t>(move.to);
    Axes &now = v.axes[move.to];
    if (now.empty()) {
      tile = ops.resize(tile, dim, move.padded);
      v.padded[move.to] = move.padded;
    }
    sizes.push_back(table.size(move.axes));
    tile = ops.moveDim(ops.split(tile, dim, sizes.back()), dim, front++);
    now.append(move.axes.begin(), move.axes.end());
  }
  for (; front > 1; --front)
    tile = ops.joinWithNext(tile, 0);
  Tile received = ops.make(tile.shape, tile.elementBytes);
  ops.communicate(tile, received);
  tile = received;
  for (; front < static_cast<int64_t>(moves.size()); ++front)
    tile = ops.split(tile, front - 1, sizes[front - 1]);
  // What has come stands in front of what was there, inner axes first.
  while (!moves.empty()) {
    auto *inner = llvm::max_element(
        moves, [](const Move &x, const Move &y) { return x.at < y.at; });
    int64_t dim = --front + static_cast<int64_t>(inner->from);
    tile = ops.joinWithNext(ops.moveDim(tile, inner - moves.begin(), dim), dim);
    v.axes[inner->from].resize(inner->at);
    moves.erase(inner);
  }
  v.tile = tile;
  return v;
}

Sharded ReshardOps::slice(Sharded v, size_t dim, const Axes &axes,
                          int64_t padded) {
  Axes &list = v.axes[dim];
  int64_t before = table.size(list), parts = table.size(axes);
  int64_t extent = list.empty() ? padded : v.tile.shape[dim];
  v.tile = ops.slice(ops.resize(v.tile, dim, extent), dim, extent / parts);
  v.padded[dim] = extent * before;
  list.append(axes.begin(), axes.end());
  return v;
}

/// How many axes of a dimension stay.
size_t ReshardOps::common(const Sharded &v, const AxesOfDims &target,
                          ArrayRef<int64_t> padded, size_t dim) const {
  const Axes &have = v.axes[dim], &want = target[dim];
  size_t n = 0;
  while (n < have.size() && n < want.size() && have[n] == want[n])
    ++n;
  if (n == 0)
    return 0;
  if (!padded.empty() && padded[dim] && v.padded[dim] != padded[dim])
    return 0;
  int64_t block =
      v.padded[dim] / table.size(ArrayRef<uint8_t>(have).take_front(n));
  return block % table.size(ArrayRef<uint8_t>(want).drop_front(n)) == 0 ? n : 0;
}

int64_t ReshardOps::paddedIn(const Sharded &v, const AxesOfDims &target,
                             ArrayRef<int64_t> padded, size_t dim) const {
  return !padded.empty() && padded[dim]
             ? padded[dim]
             : static_cast<int64_t>(
                   llvm::alignTo(v.global[dim], table.size(target[dim])));
}

llvm::SmallVector<ReshardOps::Move, 4>
ReshardOps::findMoves(const Sharded &v, const AxesOfDims &target,
                      ArrayRef<int64_t> padded) const {
  llvm::SmallVector<Move, 4> moves;
  AxesOfDims left = v.axes, made = v.axes;
  auto addMoves = [&](size_t dim, size_t first) {
    const Axes &have = left[dim];
    llvm::SmallVector<Move, 4> added;
    AxesOfDims next = made;
    for (size_t i = first; i < have.size();) {
      std::optional<size_t> to = dimOf(target, have[i]);
      if (!to || *to == dim ||
          common(v, target, padded, *to) != v.axes[*to].size())
        return false;
      Move move{dim, i, *to, {}, paddedIn(v, target, padded, *to)};
      Axes &list = next[*to];
      while (i < have.size() && list.size() < target[*to].size() &&
             have[i] == target[*to][list.size()]) {
        list.push_back(have[i]);
        move.axes.push_back(have[i++]);
      }
      if (move.axes.empty())
        return false;
      added.push_back(move);
    }
    left[dim].resize(first);
    made = next;
    llvm::append_range(moves, added);
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t dim = 0; dim < target.size(); ++dim)
      for (size_t first = common(v, target, padded, dim);
           first < left[dim].size(); ++first)
        if (addMoves(dim, first))
          changed = true;
  }
  return moves;
}

Sharded ReshardOps::convert(Sharded v, const AxesOfDims &target,
                            ArrayRef<int64_t> padded) {
  size_t rank = target.size();
  for (bool changed = true; changed;) {
    llvm::SmallVector<Move, 4> moves = findMoves(v, target, padded);
    changed = !moves.empty();
    if (changed)
      v = exchange(std::move(v), std::move(moves));
    for (size_t dim = 0; dim < rank && !changed; ++dim) {
      size_t keep = common(v, target, padded, dim);
      const Axes &now = v.axes[dim];
      if (now.size() == keep)
        continue;
      changed = true;
      Axes axes;
      while (now.size() - axes.size() > keep) {
        int axis = now[now.size() - axes.size() - 1];
        std::optional<size_t> other = dimOf(target, axis);
        if (!axes.empty() && other && *other != dim)
          break;
        axes.insert(axes.begin(), axis);
      }
      v = gather(std::move(v), dim, axes);
    }
  }
  for (size_t dim = 0; dim < rank; ++dim) {
    size_t have = v.axes[dim].size();
    if (have == 0) {
      // Held whole: padding goes before anything else.
      v.tile = ops.resize(v.tile, dim, v.global[dim]);
      v.padded[dim] = v.global[dim];
    }
    if (have == target[dim].size())
      continue;
    Axes axes(target[dim].begin() + have, target[dim].end());
    v = slice(std::move(v), dim, axes, paddedIn(v, target, padded, dim));
  }
  return v;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// Chunks of a dimension that ranks hold all of are copied side by side.
void ReshardOps::copyBlock(Sharded &v, size_t dim, int64_t extent) {
  Extents shape = v.tile.shape;
  shape[dim] = extent;
  Tile block = ops.make(shape, v.tile.elementBytes);
  ops.compute({&v.tile}, block);
  v.tile = block;
}

void ReshardOps::exchangeChunks(Sharded &v) {
  isExact = false;
  Tile packed = ops.make(v.tile.shape, v.tile.elementBytes),
       received = ops.make(v.tile.shape, v.tile.elementBytes),
       unpacked = ops.make(v.tile.shape, v.tile.elementBytes);
  ops.compute({&v.tile}, packed);
  ops.communicate(packed, received);
  ops.compute({&received}, unpacked);
  v.tile = unpacked;
}

Sharded ReshardOps::convert(Sharded v, const AxesOfDims &target,
                            const Orders &orders) {
  auto isNatural = [](const Orders &list) {
    return llvm::all_of(list, [](const TokenOrder *order) { return !order; });
  };
  if (isNatural(v.orders) && isNatural(orders))
    return convert(std::move(v), target);
  size_t rank = target.size();
  v.orders.resize(rank, nullptr);
  enum Change { None, Keep, Before, After, Anew };
  llvm::SmallVector<Change, 6> changes;
  Extents global = v.global, extents;
  AxesOfDims first = target;
  for (size_t dim = 0; dim < rank; ++dim) {
    const TokenOrder *have = v.orders[dim], *want = orders[dim];
    Change change = None;
    int64_t present = v.padded[dim], extent = 0;
    if (have || want) {
      bool isWhole = v.axes[dim].empty() && !have;
      int64_t multiple = std::lcm(table.size(target[dim]),
                                  want ? want->granularity() : int64_t(1));
      extent = present % multiple == 0 && !isWhole
                   ? present
                   : static_cast<int64_t>(llvm::alignTo(global[dim], multiple));
      bool isSame = have && want && *have == *want;
      if (target[dim].empty() && !want)
        change = After;
      else if (isWhole)
        change = Before;
      else if (present != extent)
        change = Anew;
      else if (isSame)
        change = Keep;
      else
        change = v.axes[dim].empty() ? Before : After;
    }
    changes.push_back(change);
    extents.push_back(extent);
    if (change == Anew)
      first[dim].clear();
  }
  for (size_t dim = 0; dim < rank; ++dim) {
    if (changes[dim] != Before)
      continue;
    if (v.axes[dim].empty() && !v.orders[dim]) {
      v.tile = ops.resize(v.tile, dim, extents[dim]);
      v.padded[dim] = extents[dim];
    }
    // Axes that shard another dimension still come later.
    bool isFree = llvm::none_of(
        target[dim], [&](int axis) { return dimOf(v.axes, axis).has_value(); });
    if (isFree)
      v.axes[dim] = target[dim];
    copyBlock(v, dim, v.padded[dim] / table.size(v.axes[dim]));
  }
  auto moveTo = [&](const AxesOfDims &axes) {
    for (size_t dim = 0; dim < rank; ++dim) {
      bool isFixed = changes[dim] != None;
      if (isFixed)
        extents[dim] = v.padded[dim];
      v.global[dim] = isFixed ? v.padded[dim] : global[dim];
    }
    v = convert(std::move(v), axes, ArrayRef<int64_t>(extents));
    v.global = global;
  };
  Extents wanted = extents;
  moveTo(first);
  for (size_t dim = 0; dim < rank; ++dim) {
    if (changes[dim] == After && v.axes[dim].empty())
      copyBlock(v, dim, v.tile.shape[dim]);
    else if (changes[dim] == After)
      exchangeChunks(v);
    if (changes[dim] == Anew) {
      isExact = false;
      copyBlock(v, dim, wanted[dim]);
      v.padded[dim] = wanted[dim];
    }
  }
  if (llvm::is_contained(changes, Anew))
    moveTo(target);
  for (size_t dim = 0; dim < rank; ++dim)
    if (target[dim].empty() && !orders[dim]) {
      v.tile = ops.resize(v.tile, dim, global[dim]);
      v.padded[dim] = global[dim];
    }
  v.orders = orders;
  return v;
}

Sharded ReshardOps::reduce(Sharded v, const AxesOfDims &target) {
  Axes axes = v.axes[0];
  // [1, ...] -> [...]
  v.tile = ops.reshape(v.tile, ArrayRef<int64_t>(v.tile.shape).drop_front());
  v.axes.erase(v.axes.begin());
  v.padded.erase(v.padded.begin());
  v.global.erase(v.global.begin());
  for (size_t dim = 0; dim < target.size(); ++dim) {
    Axes &now = v.axes[dim];
    const Axes &want = target[dim];
    if (want.size() <= now.size() ||
        !std::equal(now.begin(), now.end(), want.begin()))
      continue;
    Axes scattered;
    for (size_t i = now.size();
         i < want.size() && llvm::is_contained(axes, want[i]); ++i)
      scattered.push_back(want[i]);
    int64_t parts = table.size(scattered);
    if (scattered.empty() || (!now.empty() && v.tile.shape[dim] % parts != 0))
      continue;
    int64_t extent = llvm::alignTo(v.tile.shape[dim], parts);
    v.tile = ops.resize(v.tile, dim, extent);
    v.padded[dim] = extent * table.size(now);
    Tile pieces = ops.moveDim(ops.split(v.tile, dim, parts), dim, 0);
    Tile part = ops.make(ArrayRef<int64_t>(pieces.shape).drop_front(),
                         pieces.elementBytes);
    ops.communicate(pieces, part);
    v.tile = part;
    now.append(scattered.begin(), scattered.end());
    llvm::erase_if(
        axes, [&](int axis) { return llvm::is_contained(scattered, axis); });
  }
  if (!axes.empty()) {
    v.tile.isPinned |= v.tile.isReshaped;
    ops.communicate(v.tile, v.tile);
  }
  return v;
}
