//===- Tune.h - Schedules for the operators of a function -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_TUNE_H
#define MERCURY_TUNING_TUNE_H

#include "Mercury/Dialect/CommIR/IR/CommIRInterfaces.h"
#include "Mercury/Tuning/Database.h"
#include "Mercury/Tuning/Report.h"
#include "Mercury/Tuning/Search.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury {

/// What the models need to know of an operator of static shape, beside the
/// schedule's view of it: element types, extents without a loop, and what
/// becomes of coupled results.
CostProblem costProblemOf(commir::DistributableOpInterface op);
MemoryProblem memoryProblemOf(commir::DistributableOpInterface op,
                              LocalKernel local);

struct TuneOptions {
  Objective objective;
  /// Bytes that a rank may hold; 0: what the device can reserve.
  int64_t memoryLimit = 0;
  size_t top = 5; ///< schedules that are reported
  /// Known designs that are reported beside them: names, or `all`.
  std::vector<std::string> against;
  double budget = 30; ///< seconds for each operator; 0: no limit
  /// Where inputs enter, and results leave, whose rank a placement has; all
  /// others, and all where nothing is said, as each schedule wants them.
  std::optional<Placement> inputs, results;
  LocalKernel local = LocalKernel::Generated;
  /// Registered kernels that a schedule may patch in where achieved rates of
  /// the device say that it is faster so.
  std::vector<std::string> kernels;
  std::string database; ///< file; "": none
  /// Called every so often during a search; false ends it with the best so far.
  std::function<bool(const SearchProgress &)> progress;
};

/// What is looked up in a database: two searches that agree in it are the same.
TuningKey tuningKeyOf(commir::DistributableOpInterface op,
                      const TopologyModel &topology,
                      const TuneOptions &options);

/// The operator with the kernels of the options that take it; `remarks` say of
/// the others why they are left out.
CostProblem costProblemOf(commir::DistributableOpInterface op,
                          const TuneOptions &options, const DeviceModel &device,
                          std::vector<std::string> &remarks);

/// Finds schedules for the contractions of `function` from which no other one
/// of it comes, and gives each the best one; operators that have a schedule
/// keep it. Adds what it found to `report`. Fails with a diagnostic, and leaves
/// the function as it was.
mlir::LogicalResult tuneFunction(mlir::func::FuncOp function,
                                 const TopologyModel &topology,
                                 const TuneOptions &options, Report &report);

} // namespace mercury

#endif // MERCURY_TUNING_TUNE_H
