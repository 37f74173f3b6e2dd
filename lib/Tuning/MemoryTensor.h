//===- MemoryTensor.h - What a rank holds of a tensor -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_MEMORYTENSOR_H
#define MERCURY_LIB_TUNING_MEMORYTENSOR_H

#include "MemoryLedger.h"
#include "Mercury/Schedule/FixedList.h"

namespace mercury {

/// What is not smaller is not followed; see MemoryModel::estimate.
constexpr unsigned maxRank = 8, maxAxes = 12, maxTimes = 8;

/// Of a tensor, of which parts may be counted in front.
using Extents = FixedList<int64_t, maxRank + 4>;

/// A buffer or a view of one.
struct Tile {
  MemoryLedger::Buffer buffer = MemoryLedger::callers;
  int64_t elementBytes = 4;
  Extents shape, strides;
  bool isSlice = false; ///< a part of the buffer
  /// Reshaped since it was computed; written after that, so that it is not
  /// computed where it is returned.
  bool isReshaped = false, isPinned = false;
  /// Computed without its first dimension, of extent 1.
  bool isExpanded = false;

  int64_t bytes() const;
  /// Row-major without gaps, extents of 1 aside.
  bool isContiguous() const;
  bool isWholeBuffer() const { return !isSlice && isContiguous(); }
};

/// Strides of a row-major buffer.
Extents rowMajor(llvm::ArrayRef<int64_t> shape);

/// Records what ops on tiles do to memory. Results that are views take the
/// buffer of their operand.
class TileOps {
public:
  explicit TileOps(MemoryLedger &ledger) : ledger(ledger) {}

  /// A new buffer, not used yet.
  Tile make(llvm::ArrayRef<int64_t> shape, int64_t elementBytes,
            MemoryClass memoryClass = MemoryClass::Workspace);
  /// One op that reads `from` and writes `to`.
  void compute(llvm::ArrayRef<const Tile *> from, const Tile &to);
  /// One communication; what is sent is copied first where it has gaps.
  void communicate(Tile from, const Tile &to);

  Tile split(Tile tile, int64_t dim, int64_t parts) const;
  Tile joinWithNext(Tile tile, int64_t dim);
  Tile moveDim(const Tile &tile, int64_t from, int64_t to);
  Tile reshape(const Tile &tile, llvm::ArrayRef<int64_t> shape);
  Tile resize(const Tile &tile, int64_t dim, int64_t extent);
  /// Part of dimension `dim`.
  Tile slice(Tile tile, int64_t dim, int64_t extent) const;
  /// All parts of each dimension one after the other.
  Tile cut(Tile tile, llvm::ArrayRef<int64_t> parts);

  MemoryLedger &ledger;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_MEMORYTENSOR_H
