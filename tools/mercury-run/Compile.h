//===- Compile.h - From a module to a program for every rank ----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_COMPILE_H
#define MERCURY_TOOLS_MERCURY_RUN_COMPILE_H

#include "Arguments.h"
#include "Mercury/Pipelines/Pipelines.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <functional>

struct mercury_context;

namespace mercury::run {

enum class Stage { Scheduled = 1, Distributed, SPMD, Gpu, LLVM };

/// What a program is compiled for.
enum class Target {
  CPU,      ///< ranks on CPUs
  CUDA,     ///< ranks on CUDA devices
  Emulated, ///< devices, its kernels and streams emulated by ranks on CPUs
};

struct CompileOptions {
  std::string entry;    ///< see findEntry
  std::string topology; ///< as readTopology, or @symbol; "": the module's
  /// Name or text of a schedule, or a file; see resolveSchedule.
  std::string schedule;
  std::string balance = "auto"; ///< see mercury-set-schedule
  Target target = Target::CPU;
  std::string local = "codegen"; ///< codegen, blas or loops; CUDA: library
  EmulatedKernels kernels = EmulatedKernels::CPU; ///< of an emulated target
  std::string chip = "sm_90a"; ///< that device code is written for
  int64_t chunks = 1;
  bool promote = true;   ///< accumulate f16 and bf16 in f32
  unsigned optLevel = 3; ///< LLVM's, see createEngine
  /// Verify the IR after every pass, or only where stages 3 and 4 end: a third
  /// of the time for small programs.
  bool verifyEach = true;
  /// Called with the module at the end of each stage that it passes.
  std::function<void(Stage, mlir::Operation *)> observer;
  /// Called with what is being done now.
  std::function<void(llvm::StringRef)> phase;
};

/// One communicator: its axes, the first is major.
using Communicator = AxisList;

/// A program that every rank runs.
/// The largest error bound of the types of tensors that ops of the function
/// compute (not of those that they only make); see verifyResults.
double leastBoundOf(mlir::Operation *function);

struct CompiledProgram {
  std::string entry;
  std::string schedule; ///< its name, or where it comes from
  TopologyModel topology;
  std::vector<ShardSpec> arguments, results;
  std::vector<Communicator> communicators;
  /// See countMultiplyAdds: of each rank, counted in stage 3, of the one that
  /// has most, and of the whole function, at stage 1.
  std::vector<int64_t> multiplyAddsOfRanks;
  int64_t multiplyAdds = 0, inputMultiplyAdds = 0;
  bool isMasked = false; ///< a whole function, some operator has a mask
  /// Bytes per rank that the program is known to hold at most.
  int64_t staticPeakBytes = 0;
  double leastBound = 0; ///< leastBoundOf the input
  /// Attention was raised, and rows see no key: NaN in the reference.
  bool hasRowsWithoutKeys = false;
  double distributeSeconds = 0, lowerSeconds = 0, jitSeconds = 0;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  int (*packed)(mercury_context *, void **) = nullptr;

  std::vector<TensorSpec> globalArguments() const;
};

/// Lowers a copy of `module` to stage 3, then to the llvm dialect, then to
/// machine code. Passes report what is wrong as diagnostics before the error.
llvm::Expected<CompiledProgram> compileProgram(mlir::ModuleOp module,
                                               const CompileOptions &options);

/// The first steps only, up to `last` (SPMD or a later one, with Gpu as with
/// LLVM): returns the module and fills in what is known of the program.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
lowerProgram(mlir::ModuleOp module, const CompileOptions &options, Stage last,
             CompiledProgram &program);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_COMPILE_H
