//===- Experiments.h - The published experiments ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The experiments of "Mercury: Unlocking Multi-GPU Operator Optimization for
// LLMs via Remote Memory Scheduling" (SOSP 2025, DOI 10.1145/3731569.3764798)
// with the model in the place of the clusters.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_PAPER_EXPERIMENTS_H
#define MERCURY_BENCHMARKS_PAPER_EXPERIMENTS_H

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace mercury::paper {

/// Ranks of the smallest machine.
constexpr int64_t fewestRanks = 4;

struct Settings {
  double budget = 1;     ///< seconds of a search for the fastest
  int64_t maxRanks = 32; ///< larger machines are left out
};

struct Experiment {
  std::string_view name; ///< "a"
  std::string_view title, claim;
  /// Prints the tables; false, and the reason, where a known design beats the
  /// best that was found.
  bool (*print)(llvm::raw_ostream &os, const Settings &settings,
                std::string &error);
};

extern const Experiment operatorsExperiment, topologiesExperiment,
    lengthsExperiment, paretoExperiment;
const std::vector<const Experiment *> &experiments();

/// Prints the heading with the published claim, then the tables.
bool print(llvm::raw_ostream &os, const Experiment &experiment,
           const Settings &settings, std::string &error);

} // namespace mercury::paper

#endif // MERCURY_BENCHMARKS_PAPER_EXPERIMENTS_H
