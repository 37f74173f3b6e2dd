//===- Links.h - The machine's levels and their emulated links --*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_LINKS_H
#define MERCURY_LIB_RUNTIME_HOST_LINKS_H

#include "Support.h"

#include <vector>

namespace mercury::host {

/// One level of the machine; the figures are those of mercury_host_level.
struct Level {
  std::string name;
  int64_t size = 1;
  double bandwidth = 0;
  double latency = 0;
};

/// The ranks that communicate over some levels.
struct Members {
  /// Names of the levels, "node,gpu".
  std::string name;
  /// Their ranks in the launch; which of them the asking rank is.
  std::vector<int64_t> ranks;
  int mine = 0;
};

/// The levels, outermost first. A rank is the row-major number of its
/// coordinates.
class Topology {
public:
  explicit Topology(std::vector<Level> levels);
  /// The levels, outermost first.
  const std::vector<Level> &getLevels() const { return levels; }
  /// Product of the sizes.
  int64_t getNumRanks() const { return numRanks; }
  /// Coordinate of `rank` on `level`.
  int64_t coordinate(int64_t rank, int level) const {
    return rank / strides[level] % levels[level].size;
  }
  /// The outermost level on which the coordinates differ, -1 when equal.
  int differingLevel(int64_t from, int64_t to) const;
  /// `rank` and those that differ from it only on `members`, level numbers in
  /// the order that ranks are counted in, first = major.
  Members membersOf(int64_t rank, const std::vector<int> &members) const;

private:
  std::vector<Level> levels;
  std::vector<int64_t> strides;
  int64_t numRanks = 1;
};

/// Collectives whose time is emulated.
enum class RingCost { Gather, ReduceScatter, AllReduce, Broadcast };

/// Computes when emulated transfers end. All calls under the domain's lock.
///
/// A message of B bytes over a level with bandwidth W and latency L ends at
///   max(ready, port free) + L + B / W
/// and keeps the sender's port of that level busy for B / W (the alpha-beta
/// model of Hockney, Parallel Computing 20(3), 1994, with one port a level).
/// The level is the outermost one on which sender and receiver differ.
///
/// Collectives on P ranks follow the ring algorithms (Thakur, Rabenseifner and
/// Gropp, IJHPCA 19(1), 2005; Patarasuk and Yuan, JPDC 69(2), 2009), with b
/// the bytes per step and the level the slowest (largest L + b / W) of those
/// on which members differ:
///   all-gather, reduce-scatter  (P - 1) (L + b / W), b = one rank's shard
///   all-reduce                2 (P - 1) (L + b / W), b = bytes / P
///   broadcast                   (P - 1) L + b / W,   b = bytes (pipelined)
/// They start when all ranks have arrived and every member's port of that
/// level is free, and keep these ports busy for the time without latency.
/// All times are multiplied by the time scale.
class Links {
public:
  Links(const Topology &topology, bool emulate, double timeScale);
  /// End of a message that both sides were ready for at `ready`.
  TimePoint message(int64_t from, int64_t to, size_t bytes, TimePoint ready);
  /// End of a collective; `stepBytes` is b above.
  TimePoint collective(RingCost cost, const std::vector<int64_t> &ranks,
                       double stepBytes, TimePoint ready);

private:
  /// When the port of `rank` on `level` has sent what it accepted.
  TimePoint &freeAt(int64_t rank, int level);

  const Topology &topology;
  bool emulate;
  double timeScale;
  std::vector<TimePoint> ports;
};

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_LINKS_H
