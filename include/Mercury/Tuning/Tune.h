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
#include "Mercury/Tuning/TuneOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury {

/// What the models need to know of an operator of static shape that reads a
/// tensor, beside the schedule's view of it: element types, extents without a
/// loop, and what becomes of coupled results.
CostProblem costProblemOf(commir::DistributableOpInterface op);
MemoryProblem memoryProblemOf(commir::DistributableOpInterface op,
                              LocalKernel local);

/// What is looked up in a database for an operator whose inputs no other one
/// makes: two searches that agree in it are the same.
TuningKey tuningKeyOf(commir::DistributableOpInterface op,
                      const TopologyModel &topology,
                      const TuneOptions &options);

/// The operator with the kernels of the options that take it; `remarks` say of
/// the others why they are left out.
CostProblem costProblemOf(commir::DistributableOpInterface op,
                          const TuneOptions &options, const DeviceModel &device,
                          std::vector<std::string> &remarks);

/// What got a schedule, in the order in which it stands in the function.
struct TunedOperators {
  /// That were searched for, or found in a database.
  llvm::SmallVector<commir::DistributableOpInterface> contractions;
  llvm::SmallVector<mlir::Operation *> followers;
};

/// Gives every operator of `function` a schedule; those that have one keep it.
/// Contractions get those with which all of them together are best, of what the
/// search finds for each where its inputs are left by others; all else follows
/// (mercury-set-schedule). Adds what it found to `report`. Fails with a
/// diagnostic, and leaves the function as it was.
mlir::FailureOr<TunedOperators> tuneFunction(mlir::func::FuncOp function,
                                             const TopologyModel &topology,
                                             const TuneOptions &options,
                                             Report &report);

/// Gives the contractions other schedules, one each, lets the operators that
/// follow them follow these, and keeps them in the database of `options`.
/// `measured`: seconds of a run of them all, kept beside a schedule that is
/// alone. Fails with a diagnostic.
mlir::LogicalResult
setSchedules(const TunedOperators &tuned, mlir::func::FuncOp function,
             const TopologyModel &topology, const TuneOptions &options,
             const std::string &machine, llvm::ArrayRef<Schedule> schedules,
             double measured);

} // namespace mercury

#endif // MERCURY_TUNING_TUNE_H
