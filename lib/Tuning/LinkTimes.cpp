//===- LinkTimes.cpp - Seconds of communication ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/LinkTimes.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace mercury;

// Used where a level gives no figure, and then the time is `assumed`: 100 Gb/s
// less protocol, and what NCCL sees of one hop over a network
// (NVIDIA/nccl src/graph/tuning.cc @5067397: 14 us, base 6.6 to 8.4 us).
static constexpr double defaultBandwidth = 12e9;
static constexpr double defaultLatency = 14e-6;
static constexpr double defaultLaunch = 8e-6;
/// Half interval of a time that no curve and no interval stands behind: alpha
/// and beta alone are wrong by up to 39% of measured curves in the mid sizes.
static constexpr double priorInterval = 0.4;
/// Bandwidth of a tree beside that of a ring (tuning.cc: 0.92).
static constexpr double treeEfficiency = 0.92;
/// NCCL takes the switch where its own estimate gains so much over the ring: it
/// leaves groups of 4 of 8 H200 and 5 of 8 B200 to the ring
/// (stas00/ml-engineering network/README.md, all_reduce of 8 GiB by ranks).
static constexpr double switchMargin = 0.88;
/// Bytes of a tensor per second that a switch adds, beside the bandwidth of a
/// port: 8 H200 480 and 8 B200 838 GB/s of bus bandwidth, so 274 of 370 and 479
/// of 680 (same source).
static constexpr double switchEfficiency = 0.74;
/// What an operation in the switch waits, in latencies of a hop: 25 us (NCCL's
/// tuning.cc) of 2.2 us.
static constexpr double switchHops = 11;

std::string_view mercury::stringify(Algorithm algorithm) {
  switch (algorithm) {
  case Algorithm::Nothing:
    return "nothing";
  case Algorithm::Direct:
    return "direct";
  case Algorithm::Ring:
    return "ring";
  case Algorithm::Hierarchy:
    return "hierarchy";
  case Algorithm::InSwitch:
    return "in_switch";
  }
  return "";
}

double mercury::busFactor(Primitive primitive, int64_t ranks) {
  double others = double(ranks - 1) / ranks;
  switch (primitive) {
  case Primitive::AllReduce:
    return 2 * others;
  case Primitive::AllGather:
  case Primitive::ReduceScatter:
  case Primitive::AllToAll:
    return others;
  case Primitive::SendRecv:
  case Primitive::Broadcast:
    return 1;
  }
  return 1;
}

int64_t GroupShape::numRanks() const {
  return sizes.empty() ? 1 : below(0) * sizes[0];
}

int64_t GroupShape::below(size_t level) const {
  int64_t ranks = 1;
  for (size_t l = level + 1; l < sizes.size(); ++l)
    ranks *= sizes[l];
  return ranks;
}

LinkTimes::LinkTimes(TopologyModel topology) : machine(std::move(topology)) {
  size_t count = machine.levels.size();
  ports.resize(count);
  for (size_t l = 0; l < count; ++l) {
    const Level &level = machine.levels[l];
    size_t domain = l;
    for (size_t other = 0; !level.domain.empty() && other < l; ++other)
      if (machine.levels[other].domain == level.domain) {
        domain = other;
        break;
      }
    ports[l] = {std::max<int64_t>(level.sharedBy, 1), domain};
  }
}

/// A level of which nothing is known; where something is, what is 0 is none.
static bool isUnknown(const Level &level) {
  return level.bandwidth <= 0 && level.latency <= 0 && level.launch <= 0 &&
         level.curves.empty();
}
static double launchOf(const Level &level) {
  return isUnknown(level) ? defaultLaunch : level.launch;
}
static double latencyOf(const Level &level) {
  return isUnknown(level) ? defaultLatency : level.latency;
}

double LinkTimes::bandwidth(size_t level) const {
  const Level &l = machine.levels[level];
  double all = l.bandwidth > 0 ? l.bandwidth : defaultBandwidth;
  return all * std::max(1 - l.contention, 0.01);
}

double LinkTimes::latency(size_t level) const {
  return latencyOf(machine.levels[level]);
}

double LinkTimes::launch(size_t level) const {
  return launchOf(machine.levels[level]);
}

//===----------------------------------------------------------------------===//
// Groups and hops
//===----------------------------------------------------------------------===//

GroupShape LinkTimes::shapeOf(const AxisList &axes) const {
  GroupShape shape;
  for (const Level &level : machine.levels) {
    int64_t size = 1;
    for (const AxisRef &axis : axes)
      if (axis.level == level.name)
        size *= machine.sizeOf(axis);
    shape.sizes.push_back(size);
  }
  return shape;
}

GroupShape LinkTimes::shapeOf(const std::vector<int64_t> &ranks) const {
  GroupShape shape;
  for (const Level &level : machine.levels) {
    std::set<int64_t> coordinates;
    for (int64_t rank : ranks)
      coordinates.insert(machine.coordinate(rank, AxisRef{level.name, 1, 0}));
    shape.sizes.push_back(std::max<int64_t>(coordinates.size(), 1));
  }
  return shape;
}

std::optional<LinkTimes::Link> LinkTimes::linkBetween(int64_t from,
                                                      int64_t to) const {
  int64_t inner = machine.numRanks();
  for (size_t l = 0; l < machine.levels.size(); ++l) {
    inner /= machine.levels[l].size;
    if (from / inner != to / inner)
      return Link{l, from / ports[l].sharing, to / ports[l].sharing};
  }
  return std::nullopt;
}

/// Where a message of `rank` goes that is sent `stride` behind.
static int64_t behind(const TopologyModel &machine, int64_t rank,
                      const AxisList &axes, int64_t stride) {
  int64_t size = machine.sizeOf(axes),
          to = machine.coordinate(rank, axes) - stride;
  return machine.withCoordinate(rank, axes, (to % size + size) % size);
}

LinkTimes::Hop LinkTimes::hopOf(const AxisList &axes,
                                const std::vector<int64_t> &strides) const {
  return hopOf([&](int64_t rank, llvm::SmallVectorImpl<int64_t> &receivers) {
    for (int64_t stride : strides)
      receivers.push_back(behind(machine, rank, axes, stride));
  });
}

LinkTimes::Hop LinkTimes::hopOf(llvm::ArrayRef<Offset> offsets) const {
  return hopOf([&](int64_t rank, llvm::SmallVectorImpl<int64_t> &receivers) {
    int64_t to = rank;
    for (const Offset &offset : offsets)
      to = behind(machine, to, offset.axes, offset.stride);
    receivers.push_back(to);
  });
}

LinkTimes::Hop LinkTimes::hopOf(
    llvm::function_ref<void(int64_t, llvm::SmallVectorImpl<int64_t> &)>
        receivers) const {
  size_t count = machine.levels.size();
  int64_t ranks = machine.numRanks();
  Hop hop{std::vector<double>(count, 0)};
  // Messages out of and into each port; levels of one domain add up.
  std::vector<std::vector<int64_t>> out(count), in(count);
  std::vector<bool> crossed(count, false);
  llvm::SmallVector<int64_t, 16> to;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    to.clear();
    receivers(rank, to);
    for (int64_t receiver : to) {
      std::optional<Link> link = linkBetween(rank, receiver);
      if (!link)
        continue;
      size_t domain = ports[link->level].domain;
      crossed[link->level] = true;
      out[domain].resize(ranks);
      in[domain].resize(ranks);
      ++out[domain][link->fromPort];
      ++in[domain][link->toPort];
    }
  }
  for (size_t l = 0; l < count; ++l) {
    size_t domain = ports[l].domain;
    if (!crossed[l])
      continue;
    for (size_t p = 0; p < out[domain].size(); ++p) {
      int64_t messages = machine.levels[l].fullDuplex
                             ? std::max(out[domain][p], in[domain][p])
                             : out[domain][p] + in[domain][p];
      hop.messages[l] = std::max<double>(hop.messages[l], messages);
    }
  }
  return hop;
}

//===----------------------------------------------------------------------===//
// Parts of a time
//===----------------------------------------------------------------------===//

namespace {
/// One level's part in an operation.
struct Part {
  size_t level = 0;
  double launch = 0, latency = 0;
  double bytes = 0;   ///< through a port
  double seconds = 0; ///< that they take
};
} // namespace

/// Streamed seconds without a curve. The best number of pieces that a message
/// is cut into takes (sqrt(a) + sqrt(b))^2 of a fixed and b streamed seconds;
/// half of the mixed term fits measured curves (docs/Rationale/CostModel.md).
static double mixed(double fixed, double streamed) {
  return std::sqrt(fixed * streamed);
}
static double pieced(double fixed, double streamed) {
  return streamed + mixed(fixed, streamed);
}

/// Runs parts of one operation together: they stream at the same time, their
/// latencies follow each other.
static LinkTime together(const TopologyModel &machine,
                         llvm::ArrayRef<Part> parts, Algorithm algorithm,
                         double bytes) {
  LinkTime time;
  double streamed = 0;
  for (const Part &part : parts) {
    const Level &level = machine.levels[part.level];
    time.launch = std::max(time.launch, part.launch);
    time.fixed += part.latency;
    streamed = std::max(streamed, part.seconds);
    time.loads.push_back({part.level, part.bytes, part.seconds});
    time.assumed |= level.bandwidth <= 0 && level.curves.empty();
    time.interval =
        std::max(time.interval,
                 level.interval ? level.interval.at(bytes) : priorInterval);
  }
  if (parts.empty())
    return time;
  time.fixed += time.launch;
  time.seconds = time.fixed + streamed;
  time.algorithm = algorithm;
  return time;
}

/// What a level's curve says of an operation whose ranks send `sent` of its
/// `bytes`: launch and latency are inside, so what is left of them streams.
static double byCurve(const Curve &curve, double sent, double bytes,
                      double fixed) {
  double fastest = 0;
  for (auto [size, rate] : curve.points)
    fastest = std::max(fastest, rate);
  return std::max(sent / curve.at(bytes) - fixed, sent / fastest / 2);
}

static const Curve *curveOf(const Level &level, Primitive primitive) {
  auto it = level.curves.find(primitive);
  return it != level.curves.end() && it->second ? &it->second : nullptr;
}

static double log2Up(int64_t value) {
  return std::ceil(std::log2(double(std::max<int64_t>(value, 1))));
}

/// The part of one level, of which `ranks` take part, in an operation of
/// `bytes` through each port: the fastest of ring, tree and switch, or what was
/// measured.
static Part levelPart(const LinkTimes &times, Primitive primitive, size_t l,
                      int64_t ranks, double bytes, Algorithm &algorithm) {
  const Level &level = times.topology().levels[l];
  bool reduces = primitive == Primitive::AllReduce;
  double passes = reduces ? 2 : 1, latency = latencyOf(level),
         bandwidth = times.bandwidth(l);
  Part part{l, launchOf(level), passes * (ranks - 1) * latency,
            busFactor(primitive, ranks) * bytes, 0};
  const Curve *curve = curveOf(level, primitive);
  if (curve) {
    // The curve is that of all ranks, by whichever algorithm was fastest.
    double rate = 1 - level.contention;
    algorithm = level.inSwitchReduction && reduces ? Algorithm::InSwitch
                                                   : Algorithm::Ring;
    if (algorithm == Algorithm::InSwitch) {
      part.latency = 2 * latency;
      double inSwitch = curve->at(bytes) * busFactor(primitive, ranks) /
                        busFactor(primitive, level.size);
      double ring = std::min(curve->at(bytes), bandwidth);
      if (ranks == level.size || inSwitch * switchMargin > ring) {
        rate *= inSwitch / curve->at(bytes);
      } else {
        rate *= ring / curve->at(bytes);
        algorithm = Algorithm::Ring;
      }
    }
    // A few of the ranks wait for each other less often.
    part.latency = std::min(part.latency, part.bytes / curve->at(bytes) / 2);
    part.seconds =
        byCurve(*curve, part.bytes, bytes, part.launch + part.latency) / rate;
    return part;
  }
  algorithm = Algorithm::Ring;
  part.seconds = pieced(part.launch + part.latency, part.bytes / bandwidth);
  auto take = [&](Algorithm other, double wait, double sent, double rate) {
    double seconds = pieced(part.launch + wait, sent / rate);
    if (wait + seconds < part.latency + part.seconds) {
      part = {l, part.launch, wait, sent, seconds};
      algorithm = other;
    }
  };
  if (reduces || primitive == Primitive::Broadcast)
    take(Algorithm::Hierarchy, passes * log2Up(ranks) * latency, part.bytes,
         treeEfficiency * bandwidth);
  if (reduces && level.inSwitchReduction)
    take(Algorithm::InSwitch, switchHops * latency, bytes,
         switchEfficiency * bandwidth);
  return part;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Level by level: inside of each, then between what has been gathered there.
static LinkTime hierarchy(const LinkTimes &times, Primitive primitive,
                          const GroupShape &group, double bytes) {
  llvm::SmallVector<Part, 4> parts;
  Algorithm algorithm = Algorithm::Nothing;
  for (size_t l = 0; l < group.sizes.size(); ++l)
    if (group.sizes[l] > 1)
      parts.push_back(levelPart(
          times, primitive, l, group.sizes[l],
          bytes * times.sharing(l) / double(group.below(l)), algorithm));
  return together(times.topology(), parts,
                  parts.size() > 1 ? Algorithm::Hierarchy : algorithm, bytes);
}

/// Around all ranks: as many rings as a group has ports on a level leave it in
/// different places, so that all of its ports are used.
static LinkTime ring(const LinkTimes &times, Primitive primitive,
                     const GroupShape &group, double bytes) {
  llvm::SmallVector<Part, 4> parts;
  int64_t ranks = group.numRanks(), outside = 1;
  double passes = primitive == Primitive::AllReduce ? 2 : 1;
  for (size_t l = 0; l < group.sizes.size(); ++l) {
    if (group.sizes[l] == 1)
      continue;
    const Level &level = times.topology().levels[l];
    int64_t crossings = outside * (group.sizes[l] - 1);
    outside *= group.sizes[l];
    double scale = times.sharing(l) / double(group.below(l));
    Part part{l, launchOf(level), passes * crossings * latencyOf(level),
              busFactor(primitive, ranks) * bytes * scale, 0};
    part.seconds =
        pieced(part.launch + part.latency, part.bytes / times.bandwidth(l));
    parts.push_back(part);
  }
  return together(times.topology(), parts, Algorithm::Ring, bytes);
}

static LinkTime allToAll(const LinkTimes &times, const GroupShape &group,
                         double bytes) {
  llvm::SmallVector<Part, 4> parts;
  double latency = 0;
  for (size_t l = 0; l < group.sizes.size(); ++l) {
    if (group.sizes[l] == 1)
      continue;
    const Level &level = times.topology().levels[l];
    // What goes to ranks that differ from the sender here and not outside.
    double here = bytes * double(group.below(l) * group.sizes[l]) /
                  group.numRanks() * times.sharing(l);
    Part part{l, launchOf(level), latencyOf(level),
              here * busFactor(Primitive::AllToAll, group.sizes[l]), 0};
    double fixed = part.launch + part.latency;
    const Curve *curve = curveOf(level, Primitive::AllToAll);
    part.seconds =
        curve
            ? byCurve(*curve, part.bytes, here, fixed) / (1 - level.contention)
            : part.bytes / times.bandwidth(l) +
                  mixed(fixed, bytes / group.numRanks() / times.bandwidth(l));
    // All messages are on their way at once, and each is cut into pieces.
    latency = std::max(latency, part.latency);
    parts.push_back(part);
  }
  LinkTime time = together(times.topology(), parts, Algorithm::Direct, bytes);
  double streamed = time.seconds - time.fixed;
  time.fixed = time.launch + latency;
  time.seconds = time.fixed + streamed;
  return time;
}

LinkTime LinkTimes::collective(Primitive primitive, const GroupShape &group,
                               double bytes) const {
  if (group.numRanks() <= 1 || bytes <= 0)
    return LinkTime();
  if (primitive == Primitive::AllToAll)
    return allToAll(*this, group, bytes);
  if (primitive == Primitive::SendRecv) {
    // To the next rank of the group: of each level's subtree one crosses it.
    Hop around{std::vector<double>(machine.levels.size(), 0)};
    for (size_t l = 0; l < group.sizes.size(); ++l)
      if (group.sizes[l] > 1)
        around.messages[l] = std::max(1.0, sharing(l) / double(group.below(l)));
    return hop(around, bytes);
  }
  LinkTime best = hierarchy(*this, primitive, group, bytes);
  if (best.loads.size() > 1) {
    LinkTime flat = ring(*this, primitive, group, bytes);
    if (flat.seconds < best.seconds)
      best = flat;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

LinkTime LinkTimes::hop(const Hop &hop, double bytes) const {
  LinkTime time;
  if (bytes <= 0)
    return time;
  double streamed = 0, latency = 0;
  for (size_t l = 0; l < hop.messages.size(); ++l) {
    if (hop.messages[l] == 0)
      continue;
    const Level &level = machine.levels[l];
    double sent = hop.messages[l] * bytes,
           fixed = launchOf(level) + latencyOf(level);
    const Curve *curve = curveOf(level, Primitive::SendRecv);
    // Measured with a message from each of the ranks that share a port.
    double seconds = curve ? byCurve(*curve, bytes, bytes, fixed) *
                                 hop.messages[l] / sharing(l) /
                                 (1 - level.contention)
                           : pieced(fixed, sent / bandwidth(l));
    time.launch = std::max(time.launch, launchOf(level));
    latency = std::max(latency, latencyOf(level));
    streamed = std::max(streamed, seconds);
    time.loads.push_back({l, sent, seconds});
    time.assumed |= level.bandwidth <= 0 && !curve;
    time.interval =
        std::max(time.interval,
                 level.interval ? level.interval.at(bytes) : priorInterval);
  }
  if (time.loads.empty())
    return time;
  time.fixed = time.launch + latency;
  time.seconds = time.fixed + streamed;
  time.algorithm = Algorithm::Direct;
  return time;
}

LinkTime LinkTimes::message(size_t level, double bytes) const {
  Hop alone{std::vector<double>(machine.levels.size(), 0)};
  alone.messages[level] = 1;
  return hop(alone, bytes);
}
