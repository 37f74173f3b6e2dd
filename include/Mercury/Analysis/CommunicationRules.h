//===- CommunicationRules.h - How tiles reach their readers -----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the owner of a tile with its reader (or writer) at every step and
// rank. Plain data in, plain data out.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_COMMUNICATIONRULES_H
#define MERCURY_ANALYSIS_COMMUNICATIONRULES_H

#include "Mercury/Schedule/TopologyModel.h"

namespace mercury {

/// owners[step][rank][axis]: coordinates of the owner on the axes of a
/// placement.
using OwnerTable = std::vector<std::vector<std::vector<int64_t>>>;

/// A uniform permutation: the rank at coordinate c on `axes` (row-major)
/// receives from c + stride.
struct Hop {
  AxisList axes;
  int64_t stride = 0;
  bool operator==(const Hop &) const = default;
};

/// How one tensor's tiles reach the ranks of a nest.
struct Movement {
  enum class Kind {
    Local,  ///< reader = owner at every step
    Rotate, ///< passed on by a hop per step of some time loops
    Fetch,  ///< each step one permutation from the owners
    Lists   ///< each step some ranks send to some
  };
  Kind kind = Kind::Local;
  /// Axes of which all ranks read the same tile at every step: it is broadcast
  /// over them from the owner (after rotation over the other axes).
  AxisList broadcast;
  /// Axes that tiles cross otherwise, and those of them over which each step's
  /// tile comes from its owner (after rotation over the others).
  AxisList moving, fetched;
  /// Rotate: per time loop the hop, if any.
  std::vector<std::optional<Hop>> hops;
  /// Rotate: source rank of each rank before the first step; empty when every
  /// rank starts with its own. For writers: the rank that holds each rank's own
  /// tile after the last step; empty when that is the owner.
  std::vector<int64_t> start;
  /// Per step and rank the rank that owns what it needs, on ranks that differ
  /// from it in `moving` and `broadcast` only.
  std::vector<std::vector<int64_t>> source;
};

/// Movement of a tensor that is read. `axes` are the placement's; `fetch` those
/// over which the schedule asks for fetches; `steps` the time loops' extents.
Movement movementOfRead(const OwnerTable &owners, const AxisList &axes,
                        const AxisList &fetch,
                        const std::vector<int64_t> &steps,
                        const TopologyModel &topology);

/// Movement of an output: Local or Rotate (a moving accumulator); the verdict
/// says why it is neither.
Verdict movementOfWrite(const OwnerTable &owners, const AxisList &axes,
                        const std::vector<int64_t> &steps,
                        const TopologyModel &topology, Movement &movement);

} // namespace mercury

#endif // MERCURY_ANALYSIS_COMMUNICATIONRULES_H
