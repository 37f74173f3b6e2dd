//===- MeasureFunction.h - A tuned function, measured -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_TUNE_MEASUREFUNCTION_H
#define MERCURY_TOOLS_MERCURY_TUNE_MEASUREFUNCTION_H

#include "CommandLine.h"
#include "ProgressBar.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury::tune {

/// Runs what was found for the operators of `function` that were tuned, for
/// several of them the plans, as `line` asks (measureSchedules), from `module`,
/// the input. The fastest becomes what they get, and that of the database; the
/// topology is written as the runs correct it, where that is asked for.
llvm::Error measureFunction(mlir::ModuleOp module, const CommandLine &line,
                            mlir::func::FuncOp function,
                            const TunedOperators &tuned, Report &report,
                            ProgressBar &bar);

} // namespace mercury::tune

#endif // MERCURY_TOOLS_MERCURY_TUNE_MEASUREFUNCTION_H
