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
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace mercury {

struct TopologyModel;

/// Multiplications followed by an addition into a reduction: the iteration
/// volume of every structured op that reduces products, times the trip counts
/// of the loops around it. Ops in loops or of shapes that are not static count
/// as if these had one iteration. What a mask excludes does not count, as far
/// as it is known: loops around masked ops are stepped.
int64_t countMultiplyAdds(mlir::Operation *root);

/// The same of each rank of the topology, whose coordinates are known.
std::vector<int64_t> countMultiplyAddsOfRanks(mlir::Operation *root,
                                              const TopologyModel &topology);

/// Whether some operator in `root` has a mask.
bool hasMask(mlir::Operation *root);

/// Iterations of the loops between `op` and `root` (a commir.rotate counts its
/// steps); loops that are not static count as one.
int64_t iterationsAround(mlir::Operation *op, mlir::Operation *root);

} // namespace mercury

#endif // MERCURY_ANALYSIS_WORKCOUNT_H
