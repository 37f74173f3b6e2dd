//===- Pareto.cpp - (d) Time and memory -----------------------------------===//
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

#include <algorithm>

using namespace mercury;
using namespace mercury::paper;

/// The first of the known designs that takes as long and as much; null: none.
static const Contender *sameAs(const FoundSchedule &point,
                               const Comparison &c) {
  for (const Contender &one : c.contenders)
    if (one.bytes == point.bytes &&
        std::abs(one.seconds - point.seconds) <= 1e-9 * point.seconds)
      return &one;
  return nullptr;
}

static bool printSet(llvm::raw_ostream &os, int64_t tokens, const Cluster &at,
                     const Settings &settings, std::string &error) {
  Workload w = longAttention(tokens, at);
  CompareOptions options;
  // There is more to prove.
  options.budget = 10 * settings.budget;
  options.pareto = true;
  Comparison c = compare(w, at.topology, options, error);
  if (!error.empty())
    return false;
  os << "  " << tokensText(tokens) << " tokens"
     << (c.found.isProven ? "" : " (not proven)") << "\n";
  int known = 0;
  for (const FoundSchedule &point : c.found.pareto) {
    const Contender *design = sameAs(point, c);
    known += design != nullptr;
    os << "    " << llvm::left_justify(timeText(point.seconds), 10)
       << llvm::left_justify(bytesText(double(point.bytes)), 10)
       << (design ? "[" + design->design->name + "] " : "")
       << describe(point.schedule, w.cost.op, at.topology) << "\n";
  }
  os << "    Designs, with a point that is as fast and as small where there is "
        "one:\n";
  for (const Contender &one : c.contenders) {
    os << "    " << llvm::left_justify(timeText(one.seconds), 10)
       << llvm::left_justify(bytesText(double(one.bytes)), 10)
       << one.design->name;
    auto beats = [&](const FoundSchedule &point) {
      return point.seconds <= one.seconds && point.bytes <= one.bytes &&
             (point.seconds < one.seconds * (1 - 1e-9) ||
              point.bytes < one.bytes);
    };
    auto better =
        std::find_if(c.found.pareto.begin(), c.found.pareto.end(), beats);
    if (!one.fits)
      os << ": out of memory";
    else if (better != c.found.pareto.end())
      os << ": beaten by " << timeText(better->seconds) << ", "
         << bytesText(double(better->bytes));
    os << "\n";
  }
  os << "    Beside the published: " << known << " of " << c.found.pareto.size()
     << " points are of the family, of " << c.contenders.size() << " designs\n";
  return true;
}

static bool printPareto(llvm::raw_ostream &os, const Settings &settings,
                        std::string &error) {
  std::optional<Cluster> at = headLongAttention(os, settings.maxRanks);
  if (!at)
    return true;
  os << " Time, memory of a rank; ring, Ulysses and USP in brackets.\n";
  for (int64_t tokens : {32 << 10, 256 << 10})
    if (!printSet(os, tokens, *at, settings, error))
      return false;
  return true;
}

const Experiment mercury::paper::paretoExperiment = {
    "d", "The Pareto set of time and memory",
    "the set is wide, and ring, Ulysses and USP are a small part of it",
    printPareto};
