//===- PlayFunction.h - What a function enqueues ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_PLAYFUNCTION_H
#define MERCURY_LIB_TRANSFORMS_GPU_PLAYFUNCTION_H

#include "Mercury/Analysis/StreamTrace.h"

namespace mercury {

/// A function that has been played on its topology.
struct PlayedFunction {
  TopologyModel topology;
  StreamTrace trace;
};

/// Plays a function on streams. Nothing: it is a kernel, or enqueues nothing.
/// Failure, with diagnostics, where it cannot be played.
mlir::FailureOr<std::optional<PlayedFunction>>
playFunction(mlir::func::FuncOp function, int64_t budget);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_PLAYFUNCTION_H
