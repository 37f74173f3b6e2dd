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

#include "Flights.h"
#include "Mercury/Tuning/CostProblem.h"
#include "Mercury/Tuning/LinkTimes.h"
#include "ReshardSteps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
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
  std::vector<Transfer> passed;  ///< inputs, for all steps but the first
  std::vector<Transfer> fetched; ///< the same, of owners, a step ahead
  std::vector<Transfer> ahead;   ///< inputs, for all steps, a step ahead
  std::vector<Transfer> moved;   ///< partial results, after all but the last
  std::vector<Transfer> entered; ///< inputs, before the first step
  /// Inputs, for all steps (but the first), where nothing runs beside them: one
  /// after the other.
  std::vector<Transfer> waited, waitedFetched;
  /// What is passed on or moved starts when it is waited for.
  bool isLate = false;
  double movedBytes = 0; ///< of a rank
};

struct Traffic {
  std::vector<Transfer> before, after;
  std::vector<LoopTraffic> loops; ///< outermost first
  double cut = 0;    ///< bytes that copies move which cut blocks into parts
  double summed = 0; ///< bytes that copies of all-reduced results move
  bool isPartial = false; ///< results are reduced over ranks after the loops
};

/// Extents of a schedule on a rank.
struct LocalExtents {
  std::vector<int64_t> padded;         ///< per loop
  std::vector<int64_t> tile;           ///< per loop, of one step
  std::vector<double> inputs, results; ///< bytes of a nest shard
  std::vector<double> partials; ///< bytes of results before they are reduced
  std::vector<double> inputTiles, resultTiles; ///< bytes of a step's tile
};

inline bool contains(const AxisList &axes, const AxisRef &axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

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
  /// Into how many parts the block of an input is cut of which a reader gets
  /// one, where tiles come at `depth` and by `broadcast`.
  bool isShared(const AxisList &axes) const;
  /// Messages of tiles that lie on other ranks than they are needed.
  struct Skew {
    std::vector<LinkTimes::Offset> offsets;
    double part = 0;     ///< of the tiles
    bool isEqual = true; ///< for all ranks
  };
  void putRight(std::vector<Transfer> &list, Skew skew, double bytes);
  void addSkew(Skew &skew, const Factor &factor, const Shift &shift,
               const AxisList &axes, bool atLast) const;
  void reshard(const Placement &from, const Placement &to,
               llvm::function_ref<void(Primitive, const AxisList &, size_t)>
                   visit) const;
  double partsOf(const Schedule &s, size_t input, size_t depth,
                 const AxisList &broadcast, bool &liesApart) const;
  /// What arrives in a loop.
  struct Arrived {
    Transfer transfer;
    bool firstIsOwn = false; ///< the first step needs none
    bool lastIsOwn = false;  ///< the last step needs none
    bool isUnread = false;   ///< it is for another communication
    double part = 1;         ///< of ranks that need one in a later step
  };
  void arrive(size_t depth, Primitive primitive, AxisList axes, double bytes,
              bool isOutside, Arrived how);
  static const Shift *shiftOver(const Factor &factor, const AxisRef &axis);
  static int64_t hopStride(const Factor &factor, const Shift &shift,
                           int64_t steps);
  bool isOwn(const Factor &factor, const Shift &shift, bool atLast) const;
  void sortArrivals();
  Communicators communicator(const AxisList &axes);
  bool isBefore(const AxisRef &a, const AxisRef &b) const;
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
  /// The innermost time loop whose steps change the shards over an axis of a
  /// dimension that runs over `loop`; their number where none does.
  size_t timeLoopOf(const Schedule &s, size_t loop, const AxisList &axes,
                    size_t index) const;

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
  std::vector<std::pair<std::vector<LinkTimes::Offset>, size_t>> hopOfOffsets;
  std::vector<HopKey> hopKeys;

  // Of the schedule at hand.
  llvm::SmallVector<FlightLoop, 4> flights;
  llvm::SmallVector<llvm::SmallVector<Arrived, 4>, 4> arrivals;
  llvm::SmallVector<AxisList, 8> communicators;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_SCHEDULETRAFFIC_H
