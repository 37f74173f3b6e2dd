//===- LinkTimes.h - Seconds of communication -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What communication costs on a machine, from the figures of its levels: the
// measured curve where there is one, else launch, latency and bandwidth. All
// groups of a collective, and all ranks of a hop, communicate at once, as SPMD
// programs do. docs/Rationale/CostModel.md has the formulae.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_LINKTIMES_H
#define MERCURY_TUNING_LINKTIMES_H

#include "Mercury/Schedule/TopologyModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mercury {

/// How a collective runs.
enum class Algorithm {
  Nothing,   ///< a group of one rank, or no bytes
  Direct,    ///< each rank to its partners
  Ring,      ///< around all ranks of the group
  Hierarchy, ///< level by level, or a tree
  InSwitch   ///< the switch adds or copies
};
std::string_view stringify(Algorithm algorithm);

/// Where the ranks of a group are: how many coordinates it has on each level
/// (index as in TopologyModel::levels), 1 where it does not spread.
struct GroupShape {
  std::vector<int64_t> sizes;
  int64_t numRanks() const;
  /// Ranks of the group that agree on `level` and all outside of it.
  int64_t below(size_t level) const;
  bool operator==(const GroupShape &) const = default;
};

/// What one level's links carry.
struct LinkLoad {
  size_t level = 0;
  double bytes = 0;   ///< through the port that carries most, one direction
  double seconds = 0; ///< that these take, without launch and latency
};

/// Time of one communication.
struct LinkTime {
  double seconds = 0; ///< all included
  double fixed = 0;   ///< of which launch and latency
  double launch = 0;  ///< of which launch
  Algorithm algorithm = Algorithm::Nothing;
  /// Half of the interval that `seconds` lies in, relative.
  double interval = 0;
  bool assumed = false; ///< a level without bandwidth: the default was used
  llvm::SmallVector<LinkLoad, 2> loads; ///< of the levels that are crossed
};

/// Times of communication on one machine.
class LinkTimes {
public:
  explicit LinkTimes(TopologyModel topology);

  const TopologyModel &topology() const { return machine; }

  GroupShape shapeOf(const AxisList &axes) const;
  GroupShape shapeOf(const std::vector<int64_t> &ranks) const;

  /// A collective of `bytes` as NVIDIA/nccl-tests counts them: of the whole
  /// tensor; of what each rank sends in all_to_all (its own part included); of
  /// one message in send_recv. Of the algorithms that the levels allow the
  /// fastest, as NCCL would choose.
  LinkTime collective(Primitive primitive, const GroupShape &group,
                      double bytes) const;

  /// Partners of a hop: every rank sends to the one `stride` behind it on
  /// `axes`, so that what a rank has next comes from `stride` further. Computed
  /// once, priced often.
  struct Hop {
    /// Per level the messages through the port that carries most, in the
    /// direction that carries more; 0 where nothing crosses.
    std::vector<double> messages;
  };
  Hop hopOf(const AxisList &axes, int64_t stride) const {
    return hopOf(axes, std::vector<int64_t>{stride});
  }
  /// The same with a message for each of the strides.
  Hop hopOf(const AxisList &axes, const std::vector<int64_t> &strides) const;
  /// One message along several lists of axes at once, by a stride on each.
  struct Offset {
    AxisList axes;
    int64_t stride = 0;
    bool operator==(const Offset &) const = default;
  };
  Hop hopOf(llvm::ArrayRef<Offset> offsets) const;
  /// Every rank sends `bytes` along the hop.
  LinkTime hop(const Hop &hop, double bytes) const;

  /// The link of a message between two ranks: that of the outermost level on
  /// which they differ, and the ports at both ends.
  struct Link {
    size_t level = 0;
    int64_t fromPort = 0, toPort = 0; ///< equal numbers: the same port
  };
  /// Nothing for a rank and itself.
  std::optional<Link> linkBetween(int64_t from, int64_t to) const;
  /// A message of `bytes` alone on a level's links.
  LinkTime message(size_t level, double bytes) const;

  /// Bytes/s of a port and direction, less what others are expected to take.
  double bandwidth(size_t level) const;
  /// Seconds of a hop, and to start an operation, where no curve says more.
  double latency(size_t level) const;
  double launch(size_t level) const;
  /// Consecutive ranks that share a port of the level.
  int64_t sharing(size_t level) const { return ports[level].sharing; }
  /// Levels with the same number use the same ports.
  size_t domainOf(size_t level) const { return ports[level].domain; }

private:
  /// Every rank sends to each of the ranks that `receivers` appends.
  Hop hopOf(llvm::function_ref<void(int64_t rank,
                                    llvm::SmallVectorImpl<int64_t> &receivers)>
                receivers) const;

  struct Port {
    int64_t sharing = 1;
    size_t domain = 0;
  };
  TopologyModel machine;
  std::vector<Port> ports;
};

/// What one rank of a group of `ranks` sends of an operation of 1 byte, as
/// nccl-tests counts it: 2 (n - 1) / n of all_reduce, (n - 1) / n of
/// all_gather, reduce_scatter and all_to_all, 1 else.
double busFactor(Primitive primitive, int64_t ranks);

} // namespace mercury

#endif // MERCURY_TUNING_LINKTIMES_H
