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
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mercury::tune {

/// Compiles the first `line.measure` schedules of `op` for ranks that are
/// threads of this process, runs them in turns until the budget ends (each at
/// least once), and adds medians and intervals to their rows. The fastest comes
/// first then; rows that were not run stay behind them in their order.
llvm::Error
measureSchedules(mlir::ModuleOp module, const CommandLine &line,
                 ReportOperator &op,
                 llvm::function_ref<void(llvm::StringRef)> progress);

} // namespace mercury::tune

#endif // MERCURY_TOOLS_MERCURY_TUNE_MEASURE_H
