//===- Topologies.cpp - (b) Shapes of the cluster -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Experiments.h"
#include "Tables.h"

using namespace mercury;
using namespace mercury::paper;

static constexpr std::pair<int64_t, int64_t> shapes[] = {
    {1, 4}, {4, 1}, {2, 4}, {4, 2}, {1, 8}, {4, 4}};

static bool printTopologies(llvm::raw_ostream &os, const Settings &settings,
                            std::string &error) {
  os << "    MHA, 32 heads of 128, batch 4, forward, bf16, without a mask; cut "
        "along the sequence; H100, 100 Gb/s\n";
  Gains gains;
  for (bool perGpu : {true, false}) {
    printHead(os, perGpu ? "4K tokens a GPU" : "32K tokens in all",
              attentionFamilies);
    for (auto [nodes, gpus] : shapes) {
      if (nodes * gpus > settings.maxRanks)
        continue;
      Cluster at = cluster("h100-sxm", "100Gbps-roce", nodes, gpus);
      int64_t tokens = perGpu ? 4096 * nodes * gpus : 32768;
      Workload w = attention({4, 32, 1, tokens, tokens, 128, 128}, at.topology);
      CompareOptions options;
      options.budget = settings.budget;
      Comparison c = compare(w, at.topology, options, error);
      std::string where = at.text + ", " + tokensText(tokens);
      printRow(os, where, attentionFamilies, c);
      if (!error.empty()) {
        error = where + ": " + error;
        return false;
      }
      addGains(gains, "all", where, attentionFamilies, c);
      addGains(gains, nodes > 1 && gpus > 1 ? "two levels" : "one level", where,
               attentionFamilies, c);
    }
  }
  os << "  Gain, geometric means\n";
  for (const char *key : {"one level", "two levels", "all"})
    if (Gains::Of of = gains.of(key); of.count)
      os << "    " << llvm::left_justify(key, 12) << "over the fastest "
         << gainText(of.mean()) << ", most " << gainText(of.most) << " ("
         << of.where << "); " << overFamilies(gains, key, attentionFamilies)
         << "\n";
  double mean = gains.of("all").mean(), flat = gains.of("one level").mean();
  os << "  Beside the published: mean " << gainText(mean) << ", "
     << beside(mean, 2.91) << " 2.91x; on one level " << gainText(flat)
     << (flat < 1.1 ? ", little as there" : ", more than little")
     << "\n  Why: as in (a). What the published mean is over is not known "
        "here; "
        "over the ring alone ours is "
     << gainText(gains.of("all/ring").mean()) << ".\n";
  return true;
}

const Experiment mercury::paper::topologiesExperiment = {
    "b", "Shapes of the cluster, nodes x GPUs",
    "2.91x on average, little gain on machines of one level", printTopologies};
