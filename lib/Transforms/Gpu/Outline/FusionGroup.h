//===- FusionGroup.h - Local ops that one kernel runs -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group of local ops has common loops: parallel loops that each op has, of
// the same extents. All that the ops do at one point of the common loops is
// independent of what they do at another: a block of threads takes some points
// and runs the ops one after the other, with a barrier between.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_FUSIONGROUP_H
#define MERCURY_LIB_TRANSFORMS_GPU_FUSIONGROUP_H

#include "LocalOp.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace mercury {

/// Whether two buffers, neither of them a view of the other at a static
/// distance, may share memory.
using MayAlias = llvm::function_ref<bool(mlir::Value, mlir::Value)>;

struct FusionGroup {
  std::vector<LocalOp> ops;
  /// Of the common loops.
  llvm::SmallVector<int64_t> extents;
  /// Per op: which of its loops is which common loop.
  llvm::SmallVector<llvm::SmallVector<unsigned>> loops;

  /// Points of the common loops.
  int64_t points() const;
  /// The largest number of iterations that an op has at one point.
  int64_t sizeOfPoint() const;
  /// Whether `loop` of op number `number` is a common loop.
  bool isCommon(unsigned number, unsigned loop) const;
  bool hasReduction(unsigned number) const;
};

/// The buffer by which iterations of `op` are seen to depend on each other (one
/// writes what another reads); null: there is none. Operands that are no views
/// of one buffer are different buffers, or are accessed alike.
mlir::Value findOwnConflict(const LocalOp &op);

/// Appends `op` to the group, with fewer common loops if need be. False (and
/// the group as it was) if it depends on the other ops in another way, or if
/// too little would be left to run at once. The first op always fits.
bool extendGroup(FusionGroup &group, LocalOp op, MayAlias mayAlias);

/// Merges loops that together run over memory as one loop would: common ones
/// with common ones, and of the others those of one kind.
void mergeLoops(FusionGroup &group);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_FUSIONGROUP_H
