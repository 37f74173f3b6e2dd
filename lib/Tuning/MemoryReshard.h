//===- MemoryReshard.h - Buffers of a change of placement -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows lib/Transforms/Reshard.cpp, on shapes.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_MEMORYRESHARD_H
#define MERCURY_LIB_TUNING_MEMORYRESHARD_H

#include "MemoryTensor.h"

namespace mercury {

/// Axes by number.
using Axes = FixedList<uint8_t, maxAxes>;
using AxesOfDims = FixedList<Axes, maxRank + 1>;

/// The axes of one schedule and their sizes.
class AxisTable {
public:
  explicit AxisTable(const TopologyModel &topology) : topology(topology) {}
  int number(const AxisRef &axis);
  Axes numbers(const AxisList &axes);
  AxesOfDims numbers(const std::vector<AxisList> &dims);
  int64_t size(int axis) const { return sizes[axis]; }
  int64_t size(llvm::ArrayRef<uint8_t> axes) const;

private:
  const TopologyModel &topology;
  llvm::SmallVector<const AxisRef *, 8> axes;
  llvm::SmallVector<int64_t, 8> sizes;
};

/// Per dimension the order that it is stored in, null: its natural one.
using Orders = FixedList<const TokenOrder *, maxRank + 1>;

/// A tensor that ranks hold shards of.
struct Sharded {
  Tile tile;
  AxesOfDims axes; ///< per dimension
  Orders orders;   ///< per dimension; empty: all are natural
  Extents padded;  ///< global extents, padded
  Extents global;  ///< without padding

  Extents local(const AxisTable &table) const;
};

class ReshardOps {
public:
  ReshardOps(TileOps &ops, const AxisTable &table) : ops(ops), table(table) {}

  /// As Resharder::convert between placements in natural order; of `padded`, 0
  /// says nothing.
  Sharded convert(Sharded value, const AxesOfDims &target,
                  llvm::ArrayRef<int64_t> padded = {});
  /// The same where dimensions have an order, or get one.
  Sharded convert(Sharded value, const AxesOfDims &target,
                  const Orders &orders);
  /// As Resharder::reduce.
  Sharded reduce(Sharded partial, const AxesOfDims &target);
  /// False: ranks exchanged chunks of an order, which is counted as if they
  /// were packed and unpacked.
  bool isExact = true;

private:
  struct Move {
    size_t from, at, to;
    Axes axes;
    int64_t padded;
  };
  void copyBlock(Sharded &value, size_t dim, int64_t extent);
  void exchangeChunks(Sharded &value);
  Sharded gather(Sharded value, size_t dim, const Axes &axes);
  Sharded exchange(Sharded value, llvm::SmallVector<Move, 4> moves);
  Sharded slice(Sharded value, size_t dim, const Axes &axes, int64_t padded);
  size_t common(const Sharded &value, const AxesOfDims &target,
                llvm::ArrayRef<int64_t> padded, size_t dim) const;
  int64_t paddedIn(const Sharded &value, const AxesOfDims &target,
                   llvm::ArrayRef<int64_t> padded, size_t dim) const;
  llvm::SmallVector<Move, 4> findMoves(const Sharded &value,
                                       const AxesOfDims &target,
                                       llvm::ArrayRef<int64_t> padded) const;

  TileOps &ops;
  const AxisTable &table;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_MEMORYRESHARD_H
