//===- TuneDatabase.h - Problems of a function as keys ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_TUNEDATABASE_H
#define MERCURY_LIB_TUNING_TUNEDATABASE_H

#include "Mercury/Tuning/Database.h"
#include "OperatorTuner.h"

#include <set>

namespace mercury {

/// What a file has for the operators of one function. Without a file it has
/// nothing and keeps nothing.
class TuneDatabase {
public:
  /// All arguments outlive this.
  TuneDatabase(const TopologyModel &topology, const TuneOptions &options,
               const std::string &machine);

  /// A remark at `function` where the file is none of ours; failure where it
  /// can neither be read nor moved.
  mlir::LogicalResult open(mlir::func::FuncOp function);
  /// Schedules of several operators are chosen for each other: that they stand
  /// in this function is then part of their keys.
  void setOperators(llvm::ArrayRef<commir::DistributableOpInterface> ops);

  struct Hit {
    FoundSchedule found;
    std::string source; ///< where it comes from, as a remark
  };
  /// Of operator `number`; with a remark where an entry is refused.
  std::optional<Hit> find(commir::DistributableOpInterface op, size_t number,
                          OperatorTuner &tuner, const Placements &known);
  /// Keeps what was found; failure, with a diagnostic, where the options ask
  /// for a range over a loop that the operator does not have. What was measured
  /// (seconds) is for these extents alone.
  mlir::LogicalResult add(commir::DistributableOpInterface op, size_t number,
                          OperatorTuner &tuner, const Placements &known,
                          const FoundSchedule &found, double measured = 0);
  /// A remark at `function` where it cannot be written.
  void save(mlir::func::FuncOp function);

private:
  TuningKey keyOf(const CostProblem &problem, size_t number,
                  const Placements &known) const;
  mlir::LogicalResult findRange(commir::DistributableOpInterface op,
                                OperatorTuner &tuner, const Placements &known,
                                const FoundSchedule &found, TuningEntry &entry);

  const TopologyModel &topology;
  const TuneOptions &options;
  const std::string &machine;
  bool isUsed;
  TuningDatabase file;
  std::string machineKey, goal, others;
  std::set<std::pair<size_t, std::string>> said; ///< remarks of operators
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_TUNEDATABASE_H
