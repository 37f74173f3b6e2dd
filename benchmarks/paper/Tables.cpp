//===- Tables.cpp - What the tables share ---------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tables.h"
#include "../Support.h"
#include "Mercury/Tuning/Report.h"

using namespace mercury;
using namespace mercury::paper;

const std::vector<std::string> mercury::paper::attentionFamilies = {
    "ring", "double ring", "Ulysses", "USP"};
const std::vector<std::string> mercury::paper::gemmFamilies = {
    "synchronous", "shifted", "async TP"};

Cluster mercury::paper::cluster(const std::string &device,
                                const std::string &network, int64_t nodes,
                                int64_t gpus) {
  std::string text = device + ":gpu=" + std::to_string(gpus), error;
  if (nodes > 1)
    text = device + ":node=" + std::to_string(nodes) +
           ",gpu=" + std::to_string(gpus) + ",net=" + network;
  std::optional<TopologyModel> topology = parseTopology(text, error);
  if (!topology)
    bench::fail(error);
  return {std::to_string(nodes) + "x" + std::to_string(gpus), *topology};
}

std::optional<Cluster> mercury::paper::headLongAttention(llvm::raw_ostream &os,
                                                         int64_t maxRanks) {
  if (maxRanks < 8) {
    os << "  left out: it needs 8 ranks\n";
    return std::nullopt;
  }
  Cluster at = cluster("h100-sxm", "100Gbps-roce", 2, 4);
  os << "    MHA, 32 heads of 128, bf16, batch 4, forward, without a mask; cut "
        "along the sequence;\n    H100 2x4, 100 Gb/s, "
     << bytesText(double(availableBytes(at.topology.device))) << " a device.";
  return at;
}

Workload mercury::paper::longAttention(int64_t tokens, const Cluster &at) {
  return attention({4, 32, 1, tokens, tokens, 128, 128}, at.topology);
}

static llvm::FormattedString left(llvm::StringRef text, unsigned width) {
  return llvm::left_justify(text, width);
}

constexpr unsigned whatWidth = 28, cellWidth = 15;

void mercury::paper::printHead(llvm::raw_ostream &os, const std::string &what,
                               const std::vector<std::string> &families) {
  os << "  " << left(what, whatWidth);
  for (const std::string &family : families)
    os << left(family, cellWidth);
  os << left("best found", cellWidth) << "gain\n";
}

void mercury::paper::printRow(llvm::raw_ostream &os, const std::string &what,
                              const std::vector<std::string> &families,
                              const Comparison &comparison) {
  os << "  " << left(what, whatWidth);
  for (const std::string &family : families)
    os << left(timeOf(comparison, family), cellWidth);
  const SearchResult &found = comparison.found;
  std::string best = "nothing fits";
  if (comparison.best())
    best = timeText(comparison.best()->seconds);
  else if (found.smallest)
    best = "OOM " + bytesText(double(found.smallest->bytes));
  os << left(best, cellWidth);
  if (comparison.fastest())
    os << gainText(comparison.gain(comparison.fastest()));
  else
    os << (comparison.best() ? "alone" : "-");
  if (!found.isProven)
    os << " (not proven)";
  os << "\n";
}

void mercury::paper::addGains(Gains &gains, const std::string &key,
                              const std::string &where,
                              const std::vector<std::string> &families,
                              const Comparison &comparison) {
  gains.add(key, comparison.gain(comparison.fastest()), where);
  for (const std::string &family : families)
    gains.add(key + "/" + family, comparison.gain(comparison.fastest(family)),
              where);
}

std::string
mercury::paper::overFamilies(const Gains &gains, const std::string &key,
                             const std::vector<std::string> &families) {
  std::string text;
  for (const std::string &family : families)
    if (Gains::Of of = gains.of(key + "/" + family); of.count)
      text +=
          (text.empty() ? "over " : ", ") + family + " " + gainText(of.mean());
  return text;
}

std::string mercury::paper::beside(double ours, double published) {
  return ours < 0.9 * published   ? "less than"
         : ours > 1.1 * published ? "more than"
                                  : "about";
}
