//===- ElementwisePlan.h - Threads for elementwise and reducing ops -*- C++
//-*-//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_ELEMENTWISEPLAN_H
#define MERCURY_LIB_TRANSFORMS_GPU_ELEMENTWISEPLAN_H

#include "Outline/FusionGroup.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mercury {

/// How the threads of a grid share out a group.
struct ElementwisePlan {
  enum class Kind {
    /// All loops are common: a thread has points of its own.
    Flat,
    /// A team of neighbouring threads to a point: memory is contiguous along
    /// loops that are not common.
    Rows,
    /// Neighbouring threads are at neighbouring points: memory is contiguous
    /// along a common loop; several such threads share a point.
    Columns,
  };
  /// How one op goes through its loops at a point.
  struct Nest {
    /// Not common, in the order from slow to fast.
    llvm::SmallVector<unsigned> parallel, reductions;
    std::optional<unsigned> vectorLoop;
    int64_t width = 1;
    /// A team brings its partial results together; else one thread reduces.
    bool isShared = false;
    /// Each iteration of a reduction stores: its outputs lie along the loop.
    bool writesEach = false;
  };

  Kind kind = Kind::Flat;
  FusionGroup group; ///< loops merged, the fastest common loop last
  llvm::SmallVector<Nest> nests;
  /// Flat: elements along the last common loop that a thread takes at once.
  int64_t width = 1;
  /// Flat: how often a thread takes them.
  int64_t repeats = 1;
  /// Else: threads to a point, and points of a block.
  int64_t lanes = 1, points = 1;
  int64_t blocks = 1;

  static constexpr int64_t kThreads = 256;
  /// Flat: how often `width` goes into the common loops.
  llvm::SmallVector<int64_t> flatExtents() const;
};

/// The plan for a kernel of linalg ops and copies. Nothing if it has other ops,
/// or ops that do not form a group.
std::optional<ElementwisePlan> planElementwise(mlir::func::FuncOp kernel);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_ELEMENTWISEPLAN_H
