//===- Networks.cpp - Networks that join nodes ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Figures.h"

#include <cstdio>
#include <numeric>

using namespace mercury;

namespace {
struct Kind {
  std::string_view name;
  double usualRate; ///< of a card, Gb/s
  double latency;   ///< that NCCL sees from node to node
};
} // namespace

/// NCCL sees 5 to 14 us a hop (verbs alone have 1 to 2). InfiniBand is taken
/// for the low end, EFA for the high one, RoCE for their geometric mean. Usual
/// rates: NDR; the RoCE and EFA cards of cloud machines.
static constexpr Kind kinds[] = {
    {"ib", 400, 5e-6}, {"roce", 100, 8.4e-6}, {"efa", 100, 14e-6}};

/// Messages of 4 KiB and more get 95.4 to 96.7 Gb/s of EDR's 100
/// (linux-rdma/perftest PR #98), 48 to 49 GB/s of NDR's 50.
static constexpr double payloadPart = 0.96;

static const Kind *findKind(std::string_view name) {
  for (const Kind &kind : kinds)
    if (kind.name == name)
      return &kind;
  return nullptr;
}

/// Takes a number without a sign off the front of `text`.
static std::optional<double> takeNumber(std::string_view &text) {
  size_t length = 0;
  while (length < text.size() &&
         ((text[length] >= '0' && text[length] <= '9') || text[length] == '.'))
    ++length;
  double value = 0, place = 0;
  for (char c : text.substr(0, length)) {
    if (c == '.' && place != 0)
      return std::nullopt;
    if (c == '.') {
      place = 1;
      continue;
    }
    value = value * 10 + (c - '0');
    place *= 10;
  }
  if (length == 0 || text.substr(0, length) == ".")
    return std::nullopt;
  text.remove_prefix(length);
  return place > 1 ? value / place : value;
}

std::optional<Network> mercury::parseNetwork(std::string_view text,
                                             std::string &error) {
  auto fail = [&](const std::string &reason) {
    std::string known;
    for (const Kind &kind : kinds)
      known += (known.empty() ? "" : ", ") + std::string(kind.name);
    error = "network '" + std::string(text) + "' " + reason +
            ", expected one as '100Gbps-roce', 'efa' or '400Gbps-ib-x8' (cards "
            "of a node); known kinds are " +
            known;
    return std::nullopt;
  };
  Network network;
  std::string_view rest = text;
  if (size_t at = rest.rfind("-x"); at != std::string_view::npos) {
    std::string_view cards = rest.substr(at + 2);
    std::optional<double> count = takeNumber(cards);
    if (!count || !cards.empty() || *count < 1 || *count > 1024 ||
        *count != double(int64_t(*count)))
      return fail("has '" + std::string(rest.substr(at + 1)) +
                  "' for its cards, of which there are 1 to 1024");
    network.cards = int64_t(*count);
    network.saysCards = true;
    rest = rest.substr(0, at);
  }
  std::optional<double> rate;
  if (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
    rate = takeNumber(rest);
    constexpr std::string_view unit = "Gbps-";
    if (!rate || *rate <= 0 || *rate > 1e6 || rest.substr(0, 5) != unit)
      return fail("has no rate in Gbps");
    rest.remove_prefix(unit.size());
  }
  const Kind *kind = findKind(rest);
  if (!kind)
    return fail("is of kind '" + std::string(rest) + "'");
  network.kind = kind->name;
  network.lineRate = rate.value_or(kind->usualRate) * 1e9 / 8;
  return network;
}

std::string mercury::print(const Network &network) {
  char rate[32];
  std::snprintf(rate, sizeof(rate), "%.10g", network.lineRate * 8 / 1e9);
  return std::string(rate) + "Gbps-" + network.kind +
         (network.cards > 1 ? "-x" + std::to_string(network.cards) : "");
}

Level mercury::networkLevel(std::string name, int64_t size,
                            const Network &network, int64_t devices) {
  Level level;
  level.name = std::move(name);
  level.size = size;
  int64_t ports = std::gcd(network.cards, devices);
  level.bandwidth =
      network.lineRate * payloadPart * (double(network.cards) / double(ports));
  level.sharedBy = devices / ports;
  level.domain = print(network);
  const Kind *kind = findKind(network.kind);
  level.latency = kind ? kind->latency : kinds[0].latency;
  level.launch = collectiveLaunch;
  // Small messages: from 5 to 14 us, whatever the kind. Large ones: 46 to 48
  // GB/s of NDR in NCCL (nccl-tests#290).
  level.interval = {{{65536, 0.6}, {16777216, 0.1}, {1073741824, 0.04}}};
  return level;
}
