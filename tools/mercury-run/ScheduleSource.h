//===- ScheduleSource.h - Where a schedule comes from -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_SCHEDULESOURCE_H
#define MERCURY_TOOLS_MERCURY_RUN_SCHEDULESOURCE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mercury::run {

/// What --schedule comes to.
struct ScheduleChoice {
  /// For the distribute pipeline: a name, a text, or "" when every operator has
  /// its schedule already.
  std::string option;
  std::string label; ///< for people: the name, or where the schedules are from
};

/// Resolves `schedule` for the operators of `function` in `module`:
/// - "": what the input says or suggests, else the rule "default";
/// - a name of namedSchedules(); the nearest is suggested otherwise;
/// - the text of one schedule, for every contraction that has none;
/// - a file *.mlir: a transform script, applied to the module;
/// - any other file: one schedule a line, for the contractions in order (or for
///   every operator that reduces, or every operator, when that is the number of
///   lines; of the input as it is, else as the pipeline prepares it, where
///   attention is a contraction, too, and `promote` is as there; where that
///   number is another one, of those that have no schedule). `//` starts a
///   comment. One line serves all contractions;
/// - several lines: as if a file had them.
llvm::Expected<ScheduleChoice> resolveSchedule(mlir::ModuleOp module,
                                               mlir::func::FuncOp function,
                                               llvm::StringRef schedule,
                                               bool promote);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_SCHEDULESOURCE_H
