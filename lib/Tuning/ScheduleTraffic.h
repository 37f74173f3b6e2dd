//===- ScheduleTraffic.h - What a schedule communicates ---------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule's communication as a list, read off its placements and factors.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_SCHEDULETRAFFIC_H
#define MERCURY_LIB_TUNING_SCHEDULETRAFFIC_H

#include "Mercury/Tuning/CostProblem.h"
#include "Mercury/Tuning/LinkTimes.h"

#include <unordered_map>

namespace mercury {

/// Of the strides that a fetched tile takes at most so many are looked at.
constexpr int64_t maxStrides = 16;

/// One communication of all ranks.
struct Transfer {
  bool isHop = false;
  Primitive primitive = Primitive::SendRecv;
  size_t shape = 0;  ///< of TrafficReader::groups or hops
  double bytes = 0;  ///< as LinkTimes counts them
  double copied = 0; ///< bytes that are packed before or unpacked behind it
};

/// What belongs to one time loop.
struct LoopTraffic {
  size_t loop = 0, factor = 0;
  int64_t steps = 0;
  std::vector<Transfer> passed; ///< inputs, for all steps but the first
  std::vector<Transfer> ahead;  ///< inputs, for all steps, one step ahead
  std::vector<Transfer> moved;  ///< partial results, after all but the last
};

struct Traffic {
  std::vector<Transfer> before, after;
  std::vector<LoopTraffic> loops; ///< outermost first
};

/// Extents of a schedule on a rank.
struct LocalExtents {
  std::vector<int64_t> padded;         ///< per loop
  std::vector<int64_t> tile;           ///< per loop, of one step
  std::vector<double> inputs, results; ///< bytes of a nest shard
  std::vector<double> partials; ///< bytes of results before they are reduced
  std::vector<double> inputTiles, resultTiles; ///< bytes of a step's tile
};

class TrafficReader {
public:
  TrafficReader(const CostProblem &problem, const LinkTimes &links);

  /// Of a legal schedule, forward or (reversed) backward.
  void read(const Schedule &schedule, bool backward);

  Traffic traffic;
  LocalExtents extents;

  const GroupShape &group(const Transfer &t) const { return groups[t.shape]; }
  const LinkTimes::Hop &hop(const Transfer &t) const { return hops[t.shape]; }

private:
  bool isDivided(const Schedule &s, size_t loop) const;
  void readExtents(const Schedule &s);
  void readInput(const Schedule &s, size_t input, bool backward);
  double leaving(size_t result, double bytes) const;
  void readResult(const Schedule &s, size_t result, const AxisList &reduced,
                  bool backward);
  void readLoopArrivals(const Schedule &s, size_t input, bool backward);
  void collective(std::vector<Transfer> &list, Primitive primitive,
                  const AxisList &axes, double bytes);
  void shift(std::vector<Transfer> &list, const AxisList &axes,
             const std::vector<int64_t> &strides, double bytes);
  /// Blocks along the dimension lie apart: others that are not one stand before
  /// it.
  bool isApart(const OperatorModel::Tensor &tensor,
               const std::vector<int64_t> &shape, const Placement &placement,
               size_t dim) const;
  double gradientScale(int64_t elementBytes) const;
  int64_t sizeOf(const AxisList &axes) const;
  /// The position of the time loop at which tiles over `axis` arrive.
  size_t timeLoopOf(const Schedule &s, size_t loop, const AxisRef &axis,
                    bool shifted) const;

  const CostProblem &problem;
  const LinkTimes &links;
  const TopologyModel &topology;
  int64_t numRanks;
  std::vector<GroupShape> groups;
  std::vector<LinkTimes::Hop> hops;
  std::vector<std::pair<AxisList, size_t>> groupOfAxes;
  struct HopKey {
    AxisList axes;
    std::vector<int64_t> strides;
    size_t hop;
  };
  std::vector<HopKey> hopKeys;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_SCHEDULETRAFFIC_H
