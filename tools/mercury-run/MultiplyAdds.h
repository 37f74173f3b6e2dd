//===- MultiplyAdds.h - Work of a function, counted -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_MULTIPLYADDS_H
#define MERCURY_TOOLS_MERCURY_RUN_MULTIPLYADDS_H

#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace mercury::run {

/// Multiplications followed by an addition into a reduction: the iteration
/// volume of every structured op that reduces products, times the trip counts
/// of the loops around it. Ops in loops or of shapes that are not static count
/// as if these had one iteration.
int64_t countMultiplyAdds(mlir::Operation *root);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_MULTIPLYADDS_H
