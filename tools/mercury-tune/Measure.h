//===- Measure.h - Schedules that were found, run ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_TUNE_MEASURE_H
#define MERCURY_TOOLS_MERCURY_TUNE_MEASURE_H

#include "CommandLine.h"
#include "Mercury/Tuning/Measurements.h"
#include "ProgressBar.h"
#include "mlir/IR/BuiltinOps.h"

namespace mercury::tune {

/// Compiles the first `count` schedules of `op` (of all operators, a line each,
/// where the function has several) for the ranks that `line` names
/// and runs them in turns, until each has run often, the budget ends (each at
/// least once) or someone interrupts. `runs` has those of before and gets the
/// new ones; it is saved after each. Medians are added to the rows
/// (addMeasured); rows that were not run stay behind them.
llvm::Error measureSchedules(mlir::ModuleOp module, const CommandLine &line,
                             ReportOperator &op, size_t count,
                             Measurements &runs, ProgressBar &bar);

/// The part of processes other than rank 0's: they do what that one says.
llvm::Error followMeasuring(mlir::ModuleOp module, const CommandLine &line);

} // namespace mercury::tune

#endif // MERCURY_TOOLS_MERCURY_TUNE_MEASURE_H
