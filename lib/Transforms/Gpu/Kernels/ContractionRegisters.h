//===- ContractionRegisters.h - Inner products in registers --- -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONREGISTERS_H
#define MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONREGISTERS_H

#include "ContractionOutput.h"

namespace mercury {

/// The part of a block's tile of C that a thread keeps in registers, and the
/// fused multiply-adds that make it from staged tiles of A and B.
///
/// Threads lie in rows of `threadsN` over the tile. A thread has groups of at
/// most four rows, and of at most four columns, side by side; groups lie apart
/// so that the threads of a warp read consecutive shared memory.
class RegisterTile {
public:
  RegisterTile(mlir::ImplicitLocOpBuilder &b, const ContractionTiling &tiling,
               const BlockPosition &position, mlir::FloatType accumulator);

  /// Accumulators that are zero: a vector for each row and group of columns.
  llvm::SmallVector<mlir::Value> zeros(mlir::ImplicitLocOpBuilder &b) const;

  /// `sums` plus the products over all k of stage `stage`; the tiles are staged
  /// in the type of the accumulators.
  llvm::SmallVector<mlir::Value> multiply(mlir::ImplicitLocOpBuilder &b,
                                          const StagedOperand &lhs,
                                          const StagedOperand &rhs,
                                          mlir::Value stage,
                                          mlir::ValueRange sums) const;

  /// Adds `sums` to C.
  void addTo(mlir::ImplicitLocOpBuilder &b, const OutputTile &output,
             mlir::ValueRange sums) const;

private:
  const ContractionTiling &tiling;
  mlir::VectorType columnsType; ///< of a group
  /// The first row (column) of each group, in the tile.
  llvm::SmallVector<mlir::Value> rowGroups, columnGroups;
  int64_t rowsOfGroup;
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONREGISTERS_H
