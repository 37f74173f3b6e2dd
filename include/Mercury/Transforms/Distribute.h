//===- Distribute.h - Schedules into loop nests -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_DISTRIBUTE_H
#define MERCURY_TRANSFORMS_DISTRIBUTE_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/IR/PatternMatch.h"

namespace mercury {

/// Replaces `op` by the distributed loop nest that `schedule` describes, with
/// the placement ops, the padding and the reductions of partial results around
/// it. Emits an error and leaves the IR unchanged when the schedule is illegal.
/// Returns the values that replaced the results.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
distribute(mlir::RewriterBase &rewriter, commir::DistributableOpInterface op,
           const Schedule &schedule, const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_TRANSFORMS_DISTRIBUTE_H
