//===- MemoryTensor.cpp - What a rank holds of a tensor -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryTensor.h"

using namespace mercury;

int64_t Tile::bytes() const {
  int64_t count = elementBytes;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

bool Tile::isContiguous() const {
  int64_t running = 1;
  size_t dim = shape.size();
  while (dim > 0 && strides[dim - 1] == running)
    running *= shape[--dim];
  while (dim > 0 && shape[dim - 1] == 1)
    --dim;
  return dim == 0;
}

Extents mercury::rowMajor(llvm::ArrayRef<int64_t> shape) {
  Extents strides(shape.size(), 1);
  int64_t running = 1;
  for (size_t dim = shape.size(); dim-- > 0; running *= shape[dim])
    strides[dim] = running;
  return strides;
}

Tile TileOps::make(llvm::ArrayRef<int64_t> shape, int64_t elementBytes,
                   MemoryClass memoryClass) {
  Tile tile;
  tile.elementBytes = elementBytes;
  tile.shape.assign(shape.begin(), shape.end());
  tile.strides = rowMajor(shape);
  tile.buffer = ledger.make(tile.bytes(), memoryClass);
  return tile;
}

void TileOps::compute(llvm::ArrayRef<const Tile *> from, const Tile &to) {
  for (const Tile *tile : from)
    ledger.read(tile->buffer);
  ledger.write(to.buffer);
  ledger.end(MemoryLedger::Op::Work);
}

void TileOps::communicate(Tile from, const Tile &to) {
  if (!from.isContiguous()) {
    Tile packed = make(from.shape, from.elementBytes);
    compute({&from}, packed);
    from = packed;
  }
  for (MemoryLedger::Buffer buffer : {from.buffer, to.buffer})
    ledger.markCommunicated(buffer);
  ledger.read(from.buffer);
  ledger.write(to.buffer);
  ledger.end(MemoryLedger::Op::Communication);
}

Tile TileOps::split(Tile tile, int64_t dim, int64_t parts) const {
  int64_t inner = tile.shape[dim] / parts;
  tile.shape[dim] = inner;
  tile.shape.insert(tile.shape.begin() + dim, parts);
  tile.strides.insert(tile.strides.begin() + dim, tile.strides[dim] * inner);
  tile.isReshaped = true;
  return tile;
}

Tile TileOps::joinWithNext(Tile tile, int64_t dim) {
  bool joins = tile.shape[dim] == 1 || tile.shape[dim + 1] == 1 ||
               tile.strides[dim] == tile.strides[dim + 1] * tile.shape[dim + 1];
  if (!joins) {
    Tile packed = make(tile.shape, tile.elementBytes);
    compute({&tile}, packed);
    tile = packed;
  }
  int64_t stride =
      tile.shape[dim + 1] == 1 ? tile.strides[dim] : tile.strides[dim + 1];
  tile.shape[dim] *= tile.shape[dim + 1];
  tile.strides[dim] = stride;
  tile.shape.erase(tile.shape.begin() + dim + 1);
  tile.strides.erase(tile.strides.begin() + dim + 1);
  tile.isReshaped = true;
  return tile;
}

Tile TileOps::moveDim(const Tile &tile, int64_t from, int64_t to) {
  if (from == to)
    return tile;
  llvm::SmallVector<int64_t, 8> order;
  for (size_t dim = 0; dim < tile.shape.size(); ++dim)
    order.push_back(dim);
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  Tile moved = tile;
  bool moves = false; // dimensions of extent 1 move for nothing
  int64_t last = -1;
  for (size_t i = 0; i < order.size(); ++i) {
    moved.shape[i] = tile.shape[order[i]];
    moved.strides[i] = tile.strides[order[i]];
    if (moved.shape[i] == 1)
      continue;
    moves |= order[i] < last;
    last = order[i];
  }
  if (!moves) {
    if (tile.isContiguous())
      moved.strides = rowMajor(moved.shape);
    moved.isReshaped = true;
    return moved;
  }
  Tile target = make(moved.shape, tile.elementBytes);
  compute({&tile}, target);
  return target;
}

Tile TileOps::reshape(const Tile &tile, llvm::ArrayRef<int64_t> shape) {
  if (llvm::ArrayRef<int64_t>(tile.shape) == shape)
    return tile;
  Tile result = tile;
  if (!tile.isContiguous()) {
    result = make(tile.shape, tile.elementBytes);
    compute({&tile}, result);
  }
  result.shape.assign(shape.begin(), shape.end());
  result.strides = rowMajor(shape);
  result.isReshaped = !tile.isExpanded;
  result.isExpanded = false;
  return result;
}

Tile TileOps::resize(const Tile &tile, int64_t dim, int64_t extent) {
  if (tile.shape[dim] == extent)
    return tile;
  if (extent < tile.shape[dim])
    return slice(tile, dim, extent);
  Extents shape = tile.shape;
  shape[dim] = extent;
  Tile padded = make(shape, tile.elementBytes);
  compute({}, padded); // filled, also while what is copied is on its way
  compute({&tile}, padded);
  return padded;
}

Tile TileOps::slice(Tile tile, int64_t dim, int64_t extent) const {
  if (tile.shape[dim] == extent)
    return tile;
  tile.shape[dim] = extent;
  tile.isSlice = true;
  tile.isPinned = true;
  return tile;
}

Tile TileOps::cut(Tile tile, llvm::ArrayRef<int64_t> parts) {
  int64_t front = 0; // dimensions that count parts
  for (size_t dim = 0; dim < parts.size(); ++dim) {
    if (parts[dim] == 1)
      continue;
    int64_t at = front + static_cast<int64_t>(dim);
    tile = moveDim(split(tile, at, parts[dim]), at, front++);
  }
  for (; front > 1; --front)
    tile = joinWithNext(tile, 0);
  return tile;
}
