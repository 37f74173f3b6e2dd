//===- MachineText.cpp - A machine's name and levels as text --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Schedule/Machines.h"

#include <algorithm>
#include <charconv>

using namespace mercury;

static std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

namespace {
/// A level as it was written, and its network, where one was.
struct WrittenLevel {
  std::string name;
  int64_t size;
  std::optional<Network> network;
};
} // namespace

/// The network that a node of fewer devices than usual has where the text does
/// not name one: cards leave with their devices.
static Network usualNetwork(const Machine &machine, int64_t devices) {
  std::string error;
  Network network = *parseNetwork(machine.network, error);
  if (network.cards > 1)
    network.cards = std::max<int64_t>(
        1, network.cards * devices / std::max<int64_t>(machine.gpus, 1));
  return network;
}

static bool parseItem(std::string_view item, std::vector<WrittenLevel> &levels,
                      std::string &error) {
  size_t equal = item.find('=');
  std::string_view name = trimmed(item.substr(0, equal));
  std::string_view value =
      equal == std::string_view::npos ? "" : trimmed(item.substr(equal + 1));
  if (equal == std::string_view::npos || name.empty() || value.empty()) {
    error = "expected a level and its size or a network, as in "
            "'node=2,gpu=4,net=100Gbps-roce', got '" +
            std::string(item) + "'";
    return false;
  }
  if (name == "net") {
    std::optional<Network> network = parseNetwork(value, error);
    if (!network)
      return false;
    bool isUsed = false;
    for (WrittenLevel &level : levels)
      if (level.name != "gpu" && !level.network) {
        level.network = network;
        isUsed = true;
      }
    if (!isUsed)
      error = "network '" + std::string(value) +
              "' joins no level: expected one that is not 'gpu' and has no "
              "network yet before it";
    return isUsed;
  }
  int64_t size = 0;
  auto [end, fault] =
      std::from_chars(value.data(), value.data() + value.size(), size);
  if (fault != std::errc() || end != value.data() + value.size()) {
    error = "expected the size of level '" + std::string(name) + "', got '" +
            std::string(value) + "'";
    return false;
  }
  if (!levels.empty() && levels.back().name == "gpu") {
    error = "level '" + std::string(name) +
            "' stands inside 'gpu', which is the innermost level of a machine";
    return false;
  }
  levels.push_back({std::string(name), size, std::nullopt});
  return true;
}

std::optional<TopologyModel> mercury::parseMachineLevels(const Machine &machine,
                                                         std::string_view text,
                                                         std::string &error) {
  std::vector<WrittenLevel> written;
  for (std::string_view rest = trimmed(text); !rest.empty();) {
    size_t comma = rest.find(',');
    if (!parseItem(trimmed(rest.substr(0, comma)), written, error))
      return std::nullopt;
    if (comma == std::string_view::npos)
      break;
    rest = trimmed(rest.substr(comma + 1));
    if (rest.empty()) {
      error = "expected a level after the last ','";
      return std::nullopt;
    }
  }
  if (written.empty() || written.back().name != "gpu")
    written.push_back({"gpu", machine.gpus, std::nullopt});

  TopologyModel topology;
  topology.device = machine.device;
  int64_t devices = written.back().size;
  // Sizes first: figures are made for sizes that are legal.
  for (const WrittenLevel &level : written) {
    Level plain;
    plain.name = level.name;
    plain.size = level.size;
    topology.levels.push_back(std::move(plain));
  }
  if (Verdict verdict = topology.verify(); !verdict) {
    error = verdict.reason();
    return std::nullopt;
  }
  for (size_t i = 0; i < written.size(); ++i)
    topology.levels[i] = written[i].name == "gpu"
                             ? machine.joinDevices(devices)
                             : networkLevel(written[i].name, written[i].size,
                                            written[i].network.value_or(
                                                usualNetwork(machine, devices)),
                                            devices);
  if (Verdict verdict = topology.verify(); !verdict) {
    error = verdict.reason();
    return std::nullopt;
  }
  return topology;
}
