//===- Comparison.h - The best schedule beside known designs ----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_PAPER_COMPARISON_H
#define MERCURY_BENCHMARKS_PAPER_COMPARISON_H

#include "Mercury/Tuning/Search.h"
#include "Workloads.h"

#include <map>

namespace mercury::paper {

/// A design with what it takes.
struct Contender {
  const Design *design = nullptr; ///< of the workload
  double seconds = 0;
  int64_t bytes = 0; ///< of a rank
  bool fits = true;
};

struct Comparison {
  std::vector<Contender> contenders;
  SearchResult found;
  std::vector<std::string> assumptions; ///< of the cost model
  /// The fastest design that fits, of all or of one family; null: none does.
  const Contender *fastest(const std::string &family = "") const;
  /// The one of a family that takes least memory; null: there is none.
  const Contender *smallest(const std::string &family) const;
  /// Null where nothing fits.
  const FoundSchedule *best() const {
    return found.best.empty() ? nullptr : &found.best.front();
  }
  /// Seconds of `other` over those of the best; 0 where one of both is missing.
  double gain(const Contender *other) const;
};

struct CompareOptions {
  double budget = 0;         ///< seconds of the search; 0: none
  bool pareto = false;       ///< prove the set of time and memory, too
  bool placesFreely = false; ///< the search takes inputs wherever it likes
};

/// Searches, and costs the designs. None may live elsewhere, nor be faster than
/// a best that is proven: `error` names it then. Of a search that the budget
/// ended the best is the fastest of what it found and the designs.
Comparison compare(const Workload &workload, const TopologyModel &topology,
                   const CompareOptions &options, std::string &error);

/// Geometric means and maxima of gains, by key.
class Gains {
public:
  void add(const std::string &key, double gain, const std::string &where);
  struct Of {
    double logs = 0, most = 0;
    int count = 0;
    std::string where; ///< of the most
    double mean() const;
  };
  const std::map<std::string, Of> &all() const { return list; }
  Of of(const std::string &key) const;

private:
  std::map<std::string, Of> list;
};

/// "1.43x"
std::string gainText(double gain);
/// "4K", "2M".
std::string tokensText(int64_t tokens);
/// A family's time, "OOM (91.2 GiB)" where none of it fits, "-" where there is
/// none.
std::string timeOf(const Comparison &comparison, const std::string &family);

} // namespace mercury::paper

#endif // MERCURY_BENCHMARKS_PAPER_COMPARISON_H
