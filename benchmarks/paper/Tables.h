//===- Tables.h - What the tables share -------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_PAPER_TABLES_H
#define MERCURY_BENCHMARKS_PAPER_TABLES_H

#include "Comparison.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace mercury::paper {

/// A published cluster: `nodes` of `gpus`, one network card a node.
struct Cluster {
  std::string text; ///< "2x4"
  TopologyModel topology;
};
Cluster cluster(const std::string &device, const std::string &network,
                int64_t nodes, int64_t gpus);

/// The machine of (c) and (d), H100 2x4. Prints what runs on it: MHA, 32 heads
/// of 128, bf16, batch 4; or that it has more than `maxRanks`, and gives none.
std::optional<Cluster> headLongAttention(llvm::raw_ostream &os,
                                         int64_t maxRanks);
/// That attention, cut along the sequence.
Workload longAttention(int64_t tokens, const Cluster &at);

/// The families of designs, in the order of columns.
extern const std::vector<std::string> attentionFamilies, gemmFamilies;

/// The columns' names: what a row is, a family each, the best, the gain.
void printHead(llvm::raw_ostream &os, const std::string &what,
               const std::vector<std::string> &families);
void printRow(llvm::raw_ostream &os, const std::string &what,
              const std::vector<std::string> &families,
              const Comparison &comparison);

/// Adds the gain over the fastest design to `key`, and that over each family to
/// `key` and its name behind a slash.
void addGains(Gains &gains, const std::string &key, const std::string &where,
              const std::vector<std::string> &families,
              const Comparison &comparison);

/// "over ring 1.20x, USP 1.05x": geometric means over each family under `key`.
std::string overFamilies(const Gains &gains, const std::string &key,
                         const std::vector<std::string> &families);

/// "less than", "about" or "more than" the published figure, by 10%.
std::string beside(double ours, double published);

} // namespace mercury::paper

#endif // MERCURY_BENCHMARKS_PAPER_TABLES_H
