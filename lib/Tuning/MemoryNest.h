//===- MemoryNest.h - How the tiles of a schedule move ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lib/Analysis/CommunicationRules.cpp finds by evaluating tiles for every
// step and rank follows here from the schedule's factors: an axis of a
// placement and a factor of the loop are digits of one number, the tile's.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_MEMORYNEST_H
#define MERCURY_LIB_TUNING_MEMORYNEST_H

#include "MemoryReshard.h"

namespace mercury {

/// Time loops as a set of bits, the outermost is bit 0.
using TimeSet = uint32_t;

/// How the tiles of one input arrive. Axes in the order of its dimensions.
struct InputMotion {
  Axes rotating, fetched, broadcast;
  FixedList<Axes, maxTimes> hops; ///< per time loop
  bool rotates = false;
  bool needsStart = false; ///< the first tile is not the own one
  size_t depth = 0;        ///< time loops that fetch and broadcast depend on
  /// Of the block that is held: the extents that travel, and into how many
  /// parts of which one travels these are cut.
  Extents extents, parts;
  bool isCut() const;
  Extents partShape() const;
};

/// How one result's tiles move.
struct ResultMotion {
  FixedList<Axes, maxTimes> hops; ///< per time loop
  bool moves = false;
  bool needsHome = false; ///< the last holder is not the owner
};

/// The loops of a schedule.
class NestModel {
public:
  NestModel(const OperatorModel &op, const Schedule &s,
            const TopologyModel &topology);

  struct Time {
    size_t loop, factor;
    int64_t taken, first;
  };
  bool isDivided() const { return divided; }
  int64_t extent(size_t loop) const { return extents[loop]; }
  int64_t tileExtent(size_t loop) const { return tiles[loop]; }
  bool isBidirectional(size_t loop) const;

  /// Of an input that ranks hold blocks of `local` extents of, over `nest`.
  InputMotion motionOf(size_t input, const AxesOfDims &nest,
                       llvm::ArrayRef<int64_t> local,
                       llvm::ArrayRef<int64_t> tile) const;
  /// The placement without the axes over which a tile lies in several blocks.
  AxesOfDims gatheredFor(size_t input, const Sharded &value) const;
  ResultMotion motionOfResult(size_t result) const;
  /// Axes that reduce into partial results.
  Axes partialAxes() const;

  AxisTable axes;
  llvm::SmallVector<Time, 4> times;
  /// Placements by number.
  llvm::SmallVector<AxesOfDims, 4> inputEntry, inputNest;
  llvm::SmallVector<Axes, 4> inputFetch;
  llvm::SmallVector<AxesOfDims, 4> resultNest, resultExit;
  llvm::SmallVector<Orders, 4> inputEntryOrders, inputNestOrders,
      resultNestOrders, resultExitOrders;

private:
  struct Digit {
    bool isRank;
    int64_t inner, outer; ///< strides in tiles
    Axes axes;
    FixedList<Axes, maxAxes> shifts;
    size_t time = 0; ///< position among the time loops
    bool dependsOn(int axis) const;
  };
  struct Range {
    int64_t inner, outer;
  };
  Range rangeOf(llvm::ArrayRef<uint8_t> list, size_t index,
                int64_t tiles) const;
  TimeSet timesIn(size_t loop, Range range) const;
  Orders inOrders(const OperatorModel::Tensor &tensor) const;
  bool isShifted(size_t loop, int axis) const;
  bool isRank(size_t loop, int axis) const;
  /// Whether a rank has its own tile of these axes at its first step, or at the
  /// last one.
  bool isOwn(size_t loop, const Axes &moving, bool atLast) const;

  const OperatorModel &op;
  const Schedule &s;
  bool divided = false;
  llvm::SmallVector<int64_t, 8> extents, tiles, counts;
  llvm::SmallVector<llvm::SmallVector<Digit, 3>, 8> digits;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_MEMORYNEST_H
