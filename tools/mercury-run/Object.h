//===- Object.h - Programs as object files ----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_OBJECT_H
#define MERCURY_TOOLS_MERCURY_RUN_OBJECT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mercury::run {

/// Writes a module of the llvm dialect as a relocatable, position-independent
/// object file. `optLevel` is LLVM's, 0 to 3. The code is for the CPU of this
/// machine, or, `portable`, for all CPUs of its architecture. Fails when the
/// file cannot be written.
llvm::Error emitObject(mlir::ModuleOp module, unsigned optLevel, bool portable,
                       llvm::StringRef path);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_OBJECT_H
