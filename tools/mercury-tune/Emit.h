//===- Emit.h - Schedules of a tuned function as text -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_TUNE_EMIT_H
#define MERCURY_TOOLS_MERCURY_TUNE_EMIT_H

#include "Mercury/Schedule/TopologyModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury::tune {

/// The schedules of the function's contractions, a line each, as --schedule of
/// mercury-run reads them.
void emitSchedules(llvm::raw_ostream &os, mlir::func::FuncOp function);

/// A module with `machine` as the topology @`name`, below comments.
void emitTopology(llvm::raw_ostream &os, mlir::MLIRContext &context,
                  llvm::StringRef name, const TopologyModel &machine,
                  llvm::ArrayRef<std::string> comments);

/// A transform script that prepares operators as the pipeline does, and gives
/// those that have a schedule in `function` the same one.
void emitTransform(llvm::raw_ostream &os, mlir::func::FuncOp function);

} // namespace mercury::tune

#endif // MERCURY_TOOLS_MERCURY_TUNE_EMIT_H
