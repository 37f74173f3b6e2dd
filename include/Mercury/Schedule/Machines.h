//===- Machines.h - Machines that are known by name -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machines that are known by name. Their figures stand in
// lib/Schedule/Machines, each with its source: what is called "vendor" there is
// NVIDIA's own figure, as several independent tables repeat it.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_MACHINES_H
#define MERCURY_SCHEDULE_MACHINES_H

#include "Mercury/Schedule/TopologyModel.h"

namespace mercury {

/// Nodes of one kind: the device, how devices of a node are joined, and the
/// network that such nodes usually have.
struct Machine {
  std::string_view name;    ///< "h100-sxm"
  int64_t gpus = 8;         ///< devices of a whole node
  std::string_view network; ///< of a whole node, as parseNetwork reads it
  DeviceModel device;
  /// The level `gpu` of a node with so many devices.
  Level (*joinDevices)(int64_t devices);
};

const std::vector<Machine> &machines();
/// Null where none has the name.
const Machine *findMachine(std::string_view name);
/// "a100-40, a100-80, ...", for messages.
std::string machineNames();

/// The network cards of a node.
struct Network {
  std::string kind;       ///< "ib", "roce", "efa"
  double lineRate = 0;    ///< bytes/s of one card and direction
  int64_t cards = 1;      ///< of a node
  bool saysCards = false; ///< the text said how many
};
/// Parses `400Gbps-ib`, `efa` (the usual rate of the kind) or `400Gbps-ib-x8`
/// (eight cards a node). On failure returns nothing and fills `error`.
std::optional<Network> parseNetwork(std::string_view text, std::string &error);
/// The text that parseNetwork reads as this network, `400Gbps-ib-x8`.
std::string print(const Network &network);
/// The level of `size` nodes that a network joins. `devices` of a node follow
/// each other and share its cards: as many ports as divide both evenly.
Level networkLevel(std::string name, int64_t size, const Network &network,
                   int64_t devices);

/// Parses what stands after the machine's name, `node=2,gpu=4,net=efa`: levels
/// from the outermost to `gpu`, which may be left out (a whole node); `net=` is
/// the network of the levels before and after it that have none yet, the
/// machine's usual one where there is no `net=`. The result is legal.
std::optional<TopologyModel> parseMachineLevels(const Machine &machine,
                                                std::string_view text,
                                                std::string &error);

} // namespace mercury

#endif // MERCURY_SCHEDULE_MACHINES_H
