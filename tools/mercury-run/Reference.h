//===- Reference.h - The function on one rank -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The yardstick: the stage 0 function on one rank, every contraction and
// reduction accumulated in f64. A function of stage 2 is erased first.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_REFERENCE_H
#define MERCURY_TOOLS_MERCURY_RUN_REFERENCE_H

#include "HostTensor.h"
#include "Signature.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"

namespace mercury::run {

struct ReferenceOptions {
  std::string entry;
  /// Accumulate in f64. Without it the function is run as it is written (to
  /// run an erased schedule, for example).
  bool promote = true;
  unsigned optLevel = 2; ///< LLVM's, see createEngine
};

/// A function compiled for one rank; thread-safe to run.
struct OneRankProgram {
  std::string entry;
  Signature signature;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  void (*packed)(void **) = nullptr;
};

/// Compiles a copy of the entry function of `module` (stage 0, 1 or 2).
llvm::Expected<OneRankProgram> compileOneRank(mlir::ModuleOp module,
                                              const ReferenceOptions &options);

/// Runs it on copies of `arguments`; results hold NaN before.
llvm::Expected<std::vector<HostTensor>>
runOneRank(const OneRankProgram &program,
           const std::vector<HostTensor> &arguments);

/// Both.
llvm::Expected<std::vector<HostTensor>>
computeReference(mlir::ModuleOp module, const ReferenceOptions &options,
                 const std::vector<HostTensor> &arguments);

/// Arguments must have the types that the signature says.
llvm::Error checkArguments(const std::vector<TensorSpec> &specs,
                           const std::vector<HostTensor> &arguments);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_REFERENCE_H
