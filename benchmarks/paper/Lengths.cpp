//===- Lengths.cpp - (c) Until nothing else fits --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Experiments.h"
#include "Mercury/Schedule/Describe.h"
#include "Mercury/Tuning/Report.h"
#include "Tables.h"

using namespace mercury;
using namespace mercury::paper;

static bool printLengths(llvm::raw_ostream &os, const Settings &settings,
                         std::string &error) {
  std::optional<Cluster> at = headLongAttention(os, settings.maxRanks);
  if (!at)
    return true;
  os << " OOM: the least that one of the column needs a rank.\n";
  printHead(os, "tokens", attentionFamilies);
  bool isFeasible = false;
  std::string plans, fitting; // the latter at the greatest length
  for (int64_t tokens = 32 << 10; tokens <= 2 << 20; tokens *= 2) {
    Workload w = longAttention(tokens, *at);
    CompareOptions options;
    options.budget = settings.budget;
    Comparison c = compare(w, at->topology, options, error);
    printRow(os, tokensText(tokens), attentionFamilies, c);
    if (!error.empty()) {
      error = tokensText(tokens) + ": " + error;
      return false;
    }
    if (const FoundSchedule *best = c.best())
      plans += "    " + tokensText(tokens) + ": " + timeText(best->seconds) +
               ", " + bytesText(double(best->bytes)) + ": " +
               describe(best->schedule, w.cost.op, at->topology) + "\n";
    isFeasible = c.best() != nullptr;
    fitting.clear();
    for (const Contender &one : c.contenders)
      if (one.fits)
        fitting += (fitting.empty() ? "" : ", ") + one.design->name + " (" +
                   bytesText(double(one.bytes)) + ")";
  }
  os << "  Plans, time and memory of a rank\n"
     << plans << "  Beside the published: at 2M tokens "
     << (isFeasible ? "a plan was found, as there"
                    : "no plan was found, other than there")
     << "; "
     << (fitting.empty() ? "no known design fits, as there"
                         : "other than there " + fitting + " fits")
     << "\n";
  if (!fitting.empty())
    os << "  Why: a buffer is freed after its last use, and nothing is held "
          "beside the operator's own.\n";
  return true;
}

const Experiment mercury::paper::lengthsExperiment = {
    "c", "Lengths up to 2M tokens",
    "every baseline is out of memory at 2M, a feasible plan is found",
    printLengths};
