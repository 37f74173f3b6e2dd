//===- Jit.h - Machine code in this process ---------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_JIT_H
#define MERCURY_TOOLS_MERCURY_RUN_JIT_H

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

namespace mercury::run {

/// Compiles a module of the llvm dialect. `optLevel` is LLVM's, 0 to 3: 0 skips
/// its optimizer and selects instructions fast. Symbols that the module does
/// not define are those of this process, and the conversions between f32, f64,
/// f16 and bf16 and the strided copy that lowered code calls.
llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>>
createEngine(mlir::ModuleOp module, unsigned optLevel);

/// While `on`, mercury_alloc gives memory full of ones (NaN) to programs that
/// createEngine compiled.
void setPoisonAllocations(bool on);

/// Loads a shared library so that programs find its symbols.
llvm::Error loadSymbols(llvm::StringRef library);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_JIT_H
