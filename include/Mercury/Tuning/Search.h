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

/// What is best: of what schedules have least.
struct Objective {
  enum class Kind {
    Time,   ///< seconds
    Memory, ///< bytes that a rank holds
    Both,   ///< a weighted pair of these
    /// What the busiest port of the slowest level sends (slowestLevel()), in
    /// one direction. Sums that a switch adds count by the time they take.
    Bytes
  } kind = Kind::Time;
  /// Of Both: the logarithms of seconds and bytes count 1 - weight and weight.
  double weight = 0.5;
  /// Of Time: a level is so many times slower (slowedDown()); without a name
  /// the one that hurts most.
  struct Slowdown {
    std::string level;
    double factor = 2;
    bool operator==(const Slowdown &) const = default;
  };
  std::optional<Slowdown> slowdown;
  bool operator==(const Objective &) const = default;

  /// Of a schedule that takes at most `seconds` on any of machinesFor() and
  /// holds `bytes`; of Both a logarithm.
  double operator()(double seconds, int64_t bytes) const;
};

/// `time`, `memory`, `both`, `both:0.3`, `bytes`, `slowdown:node=2` or
/// `worst:2`, which is a slowdown of any level. On failure nothing, and `error`
/// says why.
std::optional<Objective> parseObjective(std::string_view text,
                                        std::string &error);
std::string print(const Objective &objective);
/// Legal: the topology has the level.
Verdict verify(const Objective &objective, const TopologyModel &topology);
/// The machines on which the objective's seconds are taken: the topology as it
/// is, with slower levels, or one on which nothing but a byte over the slowest
/// level takes time, a second.
std::vector<TopologyModel> machinesFor(const Objective &objective,
                                       const TopologyModel &topology);
/// What an objective makes of schedules of one problem.
class Goal {
public:
  Goal(const Objective &objective, const CostProblem &problem,
       const TopologyModel &topology);
  /// Of a legal schedule that takes `seconds` and holds `bytes`.
  double of(const Schedule &schedule, double seconds, int64_t bytes);
  /// Of machinesFor(), where they are not the topology as it is.
  std::vector<CostModel> &models() { return others; }

private:
  Objective objective;
  std::vector<CostModel> others;
};

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
  double best = 0;       ///< of the objective; 0: none yet
  double lowerBound = 0; ///< proven so far
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
  /// Schedules that are known: the search begins with the best of these that
  /// are legal and placed as asked, whether or not they are in its space.
  std::vector<Schedule> start;
  /// Prove the set of time and memory, too, which rules out less. Else it is
  /// that of the schedules that were looked at.
  bool pareto = false;
  /// Ends when the best is proven to be as near to the least, relative.
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
  double goal = 0;   ///< what the objective makes of it
};

struct SearchResult {
  /// Best first, `top` of them at most; of equal ones the fastest, smallest,
  /// with the shorter text, then the first in order of letters.
  std::vector<FoundSchedule> best;
  std::vector<FoundSchedule> pareto; ///< of time and memory, fastest first
  /// Where nothing fits: the schedule that takes least.
  std::optional<FoundSchedule> smallest;
  /// Schedules that were costed; parts of the space that were ruled out by
  /// their bound; costed ones that take more than the limit.
  int64_t visited = 0, pruned = 0, overLimit = 0;
  /// Looking at everything: schedules that beat the bound of a part of the
  /// space that they are in. Any is a fault of the bound.
  int64_t belowBound = 0;
  /// Of the objective what no schedule of the space can beat: seconds, bytes.
  double lowerBound = 0;
  bool isProven = false;    ///< the whole space was seen or ruled out
  bool isLogarithm = false; ///< of Both, `lowerBound` is one
  /// How much more the best may have than the least, relative; 0: proven.
  double gap() const;
  /// How much more a schedule may have of which the objective makes `goal`.
  double gapOf(double goal) const;
};

/// The same for the same input, on every machine, unless the budget ends it.
SearchResult findSchedules(CostModel &cost, const MemoryModel &memory,
                           const TopologyModel &topology,
                           const SearchOptions &options);

} // namespace mercury

#endif // MERCURY_TUNING_SEARCH_H
