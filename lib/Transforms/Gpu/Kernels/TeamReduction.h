//===- TeamReduction.h - Partial results of a team of threads ---*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_TEAMREDUCTION_H
#define MERCURY_LIB_TRANSFORMS_GPU_TEAMREDUCTION_H

#include "OpBody.h"

namespace mercury {

/// How the threads of a block are shared out: a team of `lanes` threads to each
/// of `points` points; both are powers of two, and their product is the block.
struct Teams {
  int64_t lanes = 1, points = 1;
  /// Whether the lanes of a team are neighbours, or the teams' lanes of one
  /// number are.
  bool lanesAreNeighbours = true;
  mlir::Value thread, lane, point; ///< numbers in the block (index)
};

/// Reduces what the lanes of each team have.
class TeamReduction {
public:
  TeamReduction(mlir::gpu::GPUFuncOp function, const Teams &teams)
      : function(function), teams(teams) {}

  /// First step, by all threads of the block: brings together `partials`.
  void exchange(mlir::OpBuilder &b, llvm::ArrayRef<Combiner> combiners,
                mlir::ValueRange partials);
  /// Second step, by lane 0 of a team: the team's results.
  llvm::SmallVector<mlir::Value> finish(mlir::OpBuilder &b,
                                        llvm::ArrayRef<Combiner> combiners);
  /// Whether a barrier must stand before the next exchange.
  bool usesSharedMemory() const { return strideOfShared() != 0; }

private:
  /// Threads from one partial result in shared memory to the next of the team;
  /// 0: shuffles alone are enough.
  int64_t strideOfShared() const;
  mlir::Value sharedRow(unsigned number, mlir::Type element);

  mlir::gpu::GPUFuncOp function;
  const Teams &teams;
  /// By number of the output, of one type each.
  llvm::DenseMap<std::pair<unsigned, mlir::Type>, mlir::Value> shared;
  llvm::SmallVector<mlir::Value> values, rows;
};

/// `value` of the lane whose number differs in the bits of `mask`, of any type
/// that kernels have.
mlir::Value shuffleXor(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value, int32_t mask);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_TEAMREDUCTION_H
