//===- Search.h - The best schedules of the model ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch and bound over the candidates of an operator: axes are given out one
// after the other, those of the slowest level first, and what can no longer be
// among the best is left. docs/Rationale/Search.md has the bounds.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_SEARCH_H
#define MERCURY_TUNING_SEARCH_H

#include "Mercury/Schedule/Enumerator.h"
#include "Mercury/Tuning/CostModel.h"
#include "Mercury/Tuning/MemoryModel.h"

namespace mercury {

/// What is best.
struct Objective {
  enum class Kind { Time, Memory, Both } kind = Kind::Time;
  /// Of Both: the logarithms of seconds and bytes count 1 - weight and weight.
  double weight = 0.5;
  double operator()(double seconds, int64_t bytes) const;
};

/// `time`, `memory`, `both` or `both:0.3`. On failure nothing, and `error` says
/// why.
std::optional<Objective> parseObjective(std::string_view text,
                                        std::string &error);
/// `codegen`, `blas` or `loops`, as --local of mercury-run.
std::optional<LocalKernel> parseLocalKernel(std::string_view text,
                                            std::string &error);

/// The space that holds the known designs for the operator: of coupled results
/// (attention) also operands that are laid out anew together, and rings in both
/// directions.
EnumeratorOptions spaceFor(const OperatorModel &op);

/// How far a search is.
struct SearchProgress {
  int64_t visited = 0, pruned = 0;
  double best = 0;       ///< seconds; 0: none yet
  double lowerBound = 0; ///< proven so far, seconds
  double elapsed = 0;    ///< seconds
};

struct SearchOptions {
  Objective objective;
  int64_t memoryLimit = 0; ///< bytes of a rank; 0: none
  size_t top = 5;
  double budget = 0; ///< seconds; 0: none
  EnumeratorOptions space;
  /// Pieces that each step's communication may be cut into.
  std::vector<int64_t> chunks = {1};
  /// With a mask, each schedule also in zigzag where it gains by it.
  bool balance = true;
  /// Where inputs live and results are left, by number; free where nothing is
  /// said, or the list ends. Schedules whose inputs live elsewhere are left
  /// out; results that are elsewhere when loops end are moved.
  std::vector<std::optional<Placement>> entries, exits;
  /// Which dimensions they cut over which axes counts, the order of the axes
  /// does not: ranks may be numbered anew, for all tensors of a loop alike.
  bool anyOrder = false;
  /// Prove the set of time and memory, too, which rules out less. Else it is
  /// that of the schedules that were looked at.
  bool pareto = false;
  /// Ends when the best is proven to be as near to the fastest, relative.
  double gap = 0;
  /// Looks at every schedule, for comparison.
  bool exhaustive = false;
  /// Called every so often; false ends the search.
  std::function<bool(const SearchProgress &)> progress;
};

struct FoundSchedule {
  Schedule schedule;
  double seconds = 0;
  int64_t bytes = 0; ///< of a rank
};

struct SearchResult {
  /// Best first, `top` of them at most; of equal ones the shorter text, then
  /// the first in order of letters.
  std::vector<FoundSchedule> best;
  std::vector<FoundSchedule> pareto; ///< of time and memory, fastest first
  /// Where nothing fits: the schedule that takes least.
  std::optional<FoundSchedule> smallest;
  /// Schedules that were costed; parts of the space that were ruled out by
  /// their bound; costed ones that take more than the limit.
  int64_t visited = 0, pruned = 0, overLimit = 0;
  double lowerBound = 0; ///< seconds that no schedule of the space can beat
  bool isProven = false; ///< the whole space was seen or ruled out
  /// How much slower the best may be than the fastest, relative; 0: proven.
  double gap() const;
};

/// The same for the same input, on every machine, unless the budget ends it.
SearchResult findSchedules(CostModel &cost, const MemoryModel &memory,
                           const TopologyModel &topology,
                           const SearchOptions &options);

} // namespace mercury

#endif // MERCURY_TUNING_SEARCH_H
