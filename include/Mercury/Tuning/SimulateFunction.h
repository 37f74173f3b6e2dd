//===- SimulateFunction.h - Simulation of compiled functions ----*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TUNING_SIMULATEFUNCTION_H
#define MERCURY_TUNING_SIMULATEFUNCTION_H

#include "Mercury/Tuning/Simulator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury {

/// What every rank does in `function`, a program for devices: computation
/// stands in kernels that it enqueues, and events tie streams
/// (mercury-insert-events). The order of work comes from playing it, the
/// seconds of kernels from what they count. Failure, with diagnostics, where it
/// cannot be played.
mlir::FailureOr<SimulatedProgram>
buildSimulatedProgram(mlir::func::FuncOp function,
                      const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_TUNING_SIMULATEFUNCTION_H
