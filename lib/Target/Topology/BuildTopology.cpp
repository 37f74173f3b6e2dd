//===- BuildTopology.cpp - A topology from what files tell ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Target/Topology/BuildTopology.h"
#include "Grouping.h"
#include "GuessMachine.h"
#include "Mercury/Schedule/LinkFigures.h"
#include "Mercury/Schedule/Machines.h"

#include <algorithm>

using namespace mercury;

/// Half intervals of links that nobody measured, over the size of the message.
static Curve unmeasured() {
  return {{{65536, 0.6}, {16777216, 0.4}, {1073741824, 0.3}}};
}

static void widen(Level &level) {
  if (!level.interval)
    level.interval = unmeasured();
  for (auto &[size, half] : level.interval.points)
    half *= 2;
}

/// What a level is called whose groups such paths join.
static std::string groupName(PathKind kind) {
  switch (kind) {
  case PathKind::NVLink:
    return "island";
  case PathKind::C2C:
    return "chip";
  case PathKind::PIX:
  case PathKind::PXB:
    return "switch";
  case PathKind::PHB:
  case PathKind::NODE:
    return "bridge";
  case PathKind::SYS:
    return "numa";
  }
  return "group";
}

static std::string portName(PathKind kind) {
  switch (kind) {
  case PathKind::NVLink:
    return "NVLink";
  case PathKind::C2C:
    return "NVLink-C2C";
  case PathKind::PIX:
    return "PCIe slot";
  case PathKind::PXB:
    return "PCIe switch";
  case PathKind::PHB:
    return "host bridge";
  case PathKind::NODE:
    return "host bridges";
  case PathKind::SYS:
    return "socket link";
  }
  return "";
}

namespace {
class TopologyBuilder {
public:
  TopologyBuilder(const NodeDescription &node, const BuildOptions &options,
                  std::string &error)
      : node(node), options(options), error(error) {
    built.remarks = node.remarks;
  }

  std::optional<BuiltTopology> build() {
    if (!chooseMachine() || !addNode() || !addAbove())
      return std::nullopt;
    if (Verdict verdict = built.model.verify(); !verdict) {
      error = verdict.reason();
      return std::nullopt;
    }
    return std::move(built);
  }

private:
  bool fail(std::string reason) {
    error = std::move(reason);
    return false;
  }
  void remark(std::string text) { built.remarks.push_back(std::move(text)); }

  bool chooseMachine() {
    std::string name = options.machine;
    if (name.empty()) {
      if (std::optional<MachineGuess> guess = guessMachine(node)) {
        name = guess->machine;
        isGuessed = !guess->isCertain;
        remark("the devices are taken for those of " + name + ": " +
               guess->reason);
      }
    }
    if (!name.empty() && !(machine = findMachine(name)))
      return fail("no machine is called '" + name + "'; known are " +
                  machineNames());
    if (machine)
      built.model.device = machine->device;
    else if (!node.gpus.empty() && !node.lacksNvlink)
      remark("nothing tells what the devices are: their memory and rates stay "
             "unknown (a machine of Mercury's is named with --machine)");
    return true;
  }

  bool hasNvlink() const {
    return machine && machine->joinDevices(2).peerAccess;
  }

  //===--------------------------------------------------------------------===//
  // Inside a node
  //===--------------------------------------------------------------------===//

  bool addNode() {
    if (node.gpus.empty() || node.lacksNvlink) {
      if (!machine)
        return fail(
            std::string(node.gpus.empty()
                            ? "the file lists no device"
                            : "the file does not say how devices are joined, "
                              "nor what they are") +
            ": name the machine that it describes (--machine); known are " +
            machineNames());
      if (hasNvlink() || node.gpus.empty())
        return addUsualNode();
    }
    return addTiers();
  }

  bool addUsualNode() {
    int64_t devices = int64_t(node.gpus.size()) / node.nodes;
    std::string name(machine->name);
    if (node.gpus.empty()) {
      devices = machine->gpus;
      remark("the file lists no device: " + std::to_string(devices) +
             " are assumed, as a node of " + name + " has");
    }
    Level level = machine->joinDevices(devices);
    widen(level);
    remark("the file does not say how devices are joined: as in " + name +
           ", intervals are doubled");
    built.model.levels = {level};
    return true;
  }

  bool addTiers() {
    Grouping grouping = groupDevices(node);
    for (std::string &text : grouping.remarks)
      remark(std::move(text));
    std::vector<Level> &levels = built.model.levels;
    int64_t inside = 1; // ranks in a coordinate of the tier
    for (size_t i = grouping.tiers.size(); i-- > 0;) {
      const Tier &tier = grouping.tiers[i];
      const Tier *inner =
          i + 1 < grouping.tiers.size() ? &grouping.tiers[i + 1] : nullptr;
      Level level = tier.path.kind == PathKind::NVLink
                        ? nvlinkLevel(tier)
                        : pcieLevel(tier, inner, inside);
      if (tier.isUneven) {
        widen(level);
        remark("devices that level '" + level.name +
               "' joins differ in what joins them: the worst counts, the "
               "interval is doubled");
      }
      inside *= tier.size;
      addTier(std::move(level), tier);
    }
    if (levels.empty())
      levels = {machine ? machine->joinDevices(1) : pcieLevel({}, nullptr, 1)};
    markFlattened(grouping);
    return true;
  }

  /// Puts a level around the others, or makes them one if nothing tells them
  /// apart.
  void addTier(Level level, const Tier &tier) {
    std::vector<Level> &levels = built.model.levels;
    if (!levels.empty()) {
      Level &inner = levels.front();
      bool isAlike = inner.bandwidth == level.bandwidth &&
                     inner.latency == level.latency && inner.sharedBy == 1 &&
                     level.sharedBy == 1 && inner.curves.empty() &&
                     level.curves.empty() &&
                     inner.peerAccess == level.peerAccess;
      if (isAlike) {
        inner.size *= level.size;
        inner.domain = level.domain;
        return;
      }
      level.name = groupName(tier.path.kind);
      for (int i = 2; built.model.find(level.name); ++i)
        level.name = groupName(tier.path.kind) + std::to_string(i);
    }
    levels.insert(levels.begin(), std::move(level));
  }

  Level plainLevel(const Tier &tier) {
    Level level;
    level.name = "gpu";
    level.size = tier.size;
    level.launch = collectiveLaunch;
    level.domain = portName(tier.path.kind);
    level.failureDomain = "node";
    level.interval = unmeasured();
    return level;
  }

  Level nvlinkLevel(const Tier &tier) {
    int64_t sm = node.sm   ? node.sm
                 : machine ? computeCapability(machine->name)
                           : 70;
    double links = double(tier.path.links) * nvlinkBandwidth(sm);
    Level level = plainLevel(tier);
    level.latency = nvlinkLatency;
    level.bandwidth = links;
    if (node.isSwitched && hasNvlink()) {
      level = machine->joinDevices(tier.size);
      // Curves are those of devices with so many links.
      if (links < 0.85 * level.bandwidth || links > 1.15 * level.bandwidth) {
        level.curves.clear();
        remark("devices have another number of NVLinks than those of " +
               std::string(machine->name) +
               ": its measured curves are left "
               "out");
      }
      level.bandwidth = links;
      if (isGuessed)
        widen(level);
    } else if (node.isSwitched) {
      level.domain = "NVLink port";
    } else if (!tier.isComplete) {
      widen(level);
      remark("NVLinks do not join all pairs of devices: level '" + level.name +
             "' counts neighbours, its interval is doubled");
    } else if (tier.size > 2) {
      addMeshCurves(level);
    }
    return level;
  }

  /// Where each pair has NVLinks of its own, a message has those of its pair
  /// and a collective those of all.
  static void addMeshCurves(Level &level) {
    double peers = double(level.size - 1), part = peers / double(level.size);
    for (auto [primitive, factor, steps] :
         {std::tuple(Primitive::AllReduce, 2 * part, 2 * peers),
          std::tuple(Primitive::AllGather, part, peers),
          std::tuple(Primitive::ReduceScatter, part, peers),
          std::tuple(Primitive::AllToAll, part, 1.0)})
      level.curves[primitive] = launchedAt(level.launch + steps * level.latency,
                                           peers * level.bandwidth, factor);
  }

  Level pcieLevel(const Tier &tier, const Tier *inner, int64_t inside) {
    Level level = plainLevel(tier);
    level.latency = pcieLatency;
    bool isSocket = tier.path.kind == PathKind::SYS && tier.size > 1;
    level.bandwidth =
        tier.path.bandwidth > 0
            ? tier.path.bandwidth
            : pcieBandwidth(pcieGeneration(machine ? machine->name : ""));
    if (isSocket && tier.path.bandwidth <= 0)
      level.bandwidth = std::min(level.bandwidth, socketBandwidth);
    // Over buffers of the host.
    if (machine && !hasNvlink()) {
      Level usual = machine->joinDevices(tier.size);
      level.peerAccess = usual.peerAccess;
      level.bandwidth = std::min(level.bandwidth, usual.bandwidth);
    } else if (node.deniesPeerAccess) {
      level.peerAccess = false;
      level.bandwidth /= 2;
    }
    // What leaves a socket, or a switch, goes through one link of it.
    bool isBehindSwitch = inner && (inner->path.kind == PathKind::PIX ||
                                    inner->path.kind == PathKind::PXB);
    if (isSocket || isBehindSwitch)
      level.sharedBy = inside;
    return level;
  }

  void markFlattened(const Grouping &grouping) {
    if (grouping.tiers.size() != 1 || grouping.tiers[0].size < 4 ||
        grouping.tiers[0].path.kind != PathKind::PHB)
      return;
    widen(built.model.levels.front());
    remark("all devices are joined by one host bridge, which virtual machines "
           "show whatever the machine is: intervals are doubled");
  }

  //===--------------------------------------------------------------------===//
  // Above the node
  //===--------------------------------------------------------------------===//

  bool addAbove() {
    std::vector<std::pair<std::string, int64_t>> above;
    if (!options.levels.empty()) {
      std::string reason;
      std::optional<TopologyModel> outer =
          options.levels.find_first_of(":-") == std::string::npos
              ? parseTopology(options.levels, reason)
              : std::nullopt;
      if (!outer)
        return fail(
            "levels '" + options.levels + "': " +
            (reason.empty() ? "expected as in 'rack=2,node=4'" : reason));
      for (const Level &level : outer->levels)
        above.emplace_back(level.name, level.size);
    }
    if (node.nodes > 1)
      above.emplace_back("node", node.nodes);
    if (above.empty()) {
      if (!options.network.empty())
        return fail("network '" + options.network +
                    "' joins no level: give those above the node, as in "
                    "--levels=node=2");
      return true;
    }
    std::optional<Network> network = chooseNetwork();
    if (!network)
      return false;
    int64_t devices = built.model.numRanks();
    std::vector<Level> levels;
    for (const auto &[name, size] : above) {
      levels.push_back(networkLevel(name, size, *network, devices));
      for (const NodeDescription::Card &card : node.cards)
        levels.back().latency = std::max(levels.back().latency, card.latency);
    }
    built.model.levels.insert(built.model.levels.begin(), levels.begin(),
                              levels.end());
    return true;
  }

  /// Cards that are at a device's switch; others serve storage and login. Where
  /// none is, all of them.
  std::vector<const NodeDescription::Card *> computeCards() const {
    std::vector<const NodeDescription::Card *> near, all;
    for (const NodeDescription::Card &card : node.cards) {
      all.push_back(&card);
      if (std::any_of(card.toGpu.begin(), card.toGpu.end(),
                      [](PathKind kind) { return kind <= PathKind::PXB; }))
        near.push_back(&card);
    }
    return near.empty() ? all : near;
  }

  std::optional<Network> chooseNetwork() {
    std::vector<const NodeDescription::Card *> cards = computeCards();
    std::string reason;
    if (!options.network.empty()) {
      std::optional<Network> network = parseNetwork(options.network, reason);
      if (!network) {
        fail(std::move(reason));
      } else if (!network->saysCards && !cards.empty()) {
        network->cards = int64_t(cards.size());
        remark("a node has " + std::to_string(cards.size()) +
               " network cards for its devices, as the file says");
      }
      return network;
    }
    std::optional<Network> network;
    if (machine)
      network = parseNetwork(machine->network, reason);
    bool saysRate = !cards.empty();
    for (const NodeDescription::Card *card : cards)
      saysRate &= card->lineRate > 0;
    if (!network && !saysRate) {
      fail("the file does not say how fast its network is: give it, as in "
           "--net=400Gbps-ib, or the machine");
      return std::nullopt;
    }
    if (!network)
      network = parseNetwork("ib", reason);
    if (saysRate) {
      network->lineRate = cards[0]->lineRate;
      for (const NodeDescription::Card *card : cards)
        network->lineRate = std::min(network->lineRate, card->lineRate);
    }
    if (!cards.empty()) {
      // Of unknown speed they are not taken for more than is usual.
      int64_t count = int64_t(cards.size());
      network->cards = saysRate ? count : std::min(count, network->cards);
      if (saysRate && !cards[0]->kind.empty())
        network->kind = cards[0]->kind;
    }
    if (!saysRate)
      remark(
          "the file does not say how fast its network is: " + print(*network) +
          " is assumed, as is usual for " + std::string(machine->name));
    return network;
  }

  const NodeDescription &node;
  const BuildOptions &options;
  std::string &error;
  const Machine *machine = nullptr;
  bool isGuessed = false;
  BuiltTopology built;
};
} // namespace

std::optional<BuiltTopology> mercury::buildTopology(const NodeDescription &node,
                                                    const BuildOptions &options,
                                                    std::string &error) {
  return TopologyBuilder(node, options, error).build();
}
