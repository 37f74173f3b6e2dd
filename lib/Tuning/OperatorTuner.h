//===- OperatorTuner.h - Schedules for one operator -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_OPERATORTUNER_H
#define MERCURY_LIB_TUNING_OPERATORTUNER_H

#include "Mercury/Tuning/ScheduleFigures.h"
#include "Mercury/Tuning/Tune.h"

#include <map>

namespace mercury {

using Placements = std::vector<std::optional<Placement>>;

/// "[{gpu}, {}] -": placements as text, a dash where there is none; "" where
/// there is none at all.
std::string print(const Placements &placements);

/// Everything that is asked of one contraction.
class OperatorTuner {
public:
  /// All arguments outlive this. `isLast`: no other contraction follows, so
  /// that results leave where the options say. `isAlone`: there is no other
  /// one, so that one search has the budget that else several share.
  OperatorTuner(commir::DistributableOpInterface op,
                const TopologyModel &topology, const TuneOptions &options,
                bool isLast, bool isAlone);

  const CostProblem &problem() const { return cost.problem(); }
  const MemoryModel &memoryModel() const { return memory; }
  /// How the search is asked where inputs live as `known` says, and results
  /// leave as `wished` does, where it says anything and the options do not.
  SearchOptions searchOptions(const Placements &known,
                              const Placements &wished = {}) const;
  /// Where the options let inputs enter that others do not make, and results
  /// leave.
  const Placements &givenInputs() const { return entries; }
  const Placements &givenResults() const { return exits; }

  /// The best schedules for inputs that live as `known` says, each from where
  /// they live, with different placements of results: those of `wishes`, and
  /// the best `several` of all; of each the best `each`. Empty where none is or
  /// fits: see fail().
  std::vector<FoundSchedule>
  alternatives(const Placements &known, size_t several, size_t each = 1,
               const std::vector<Placements> &wishes = {});
  /// The best one for each way of placing inputs, wherever they live: of those
  /// `several` that are best. Best first.
  std::vector<Schedule> favourites(size_t several);
  /// The schedule for inputs that live as `known` says, else as the options do;
  /// nothing where it is illegal for them or does not fit.
  std::optional<FoundSchedule> enter(Schedule schedule,
                                     const Placements &known);
  bool isWithinLimit(int64_t bytes) const {
    return limit() <= 0 || bytes <= limit();
  }
  double score(const FoundSchedule &found) const { return found.goal; }

  /// What is said of the one that was chosen, beside what the search found.
  void report(const FoundSchedule &chosen, const Placements &known,
              ReportOperator &report);
  /// The same where it was not searched for.
  void reportKnown(const FoundSchedule &chosen, const Placements &known,
                   ReportOperator &report);
  /// Why there are no alternatives, as a diagnostic.
  mlir::LogicalResult fail(const Placements &known);

  ReportRow rowOf(const Schedule &schedule);

private:
  const SearchResult &search(const Placements &known,
                             const Placements &wished = {});
  Placements entriesFor(const Placements &known) const;
  void addDesigns(const Placements &known, ReportOperator &report);
  int64_t limit() const;

  commir::DistributableOpInterface op;
  const TopologyModel &topology;
  const TuneOptions &options;
  std::vector<std::string> remarks; ///< on kernels
  CostModel cost;
  MemoryModel memory;
  std::optional<Sensitivity> sensitivity; ///< made with the first row
  Placements entries, exits;
  Goal goal;
  bool isAlone;
  double spent = 0; ///< seconds
  std::map<std::string, SearchResult> searches;
};

/// "commir.online_attention: batch 4, heads 32, queries 4096, keys 4096, bf16".
std::string titleOf(const CostProblem &problem);

} // namespace mercury

#endif // MERCURY_LIB_TUNING_OPERATORTUNER_H
