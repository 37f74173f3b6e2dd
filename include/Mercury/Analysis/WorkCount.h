//===- WorkCount.h - Work of a function, counted ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_WORKCOUNT_H
#define MERCURY_ANALYSIS_WORKCOUNT_H

#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace mercury {

/// Multiplications followed by an addition into a reduction: the iteration
/// volume of every structured op that reduces products, times the trip counts
/// of the loops around it. Ops in loops or of shapes that are not static count
/// as if these had one iteration.
int64_t countMultiplyAdds(mlir::Operation *root);

/// Iterations of the loops between `op` and `root` (a commir.rotate counts its
/// steps); loops that are not static count as one.
int64_t iterationsAround(mlir::Operation *op, mlir::Operation *root);

} // namespace mercury

#endif // MERCURY_ANALYSIS_WORKCOUNT_H
