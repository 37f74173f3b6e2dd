//===- StageTile.h - Tiles that a block copies to shared memory -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_STAGETILE_H
#define MERCURY_LIB_TRANSFORMS_GPU_STAGETILE_H

#include "KernelOperand.h"

namespace mercury {

/// One dimension of a tile of an operand.
struct TileSide {
  /// The loop whose elements a vector has.
  unsigned loop;
  int64_t extent; ///< of the tile
  /// In the operand; a multiple of `extent`, or `wholeVector` is 1.
  mlir::Value start;
  /// Elements from here on are not read, but zero in the tile.
  mlir::Value limit;
  /// The widest vector that `limit` does not cut when it starts at a multiple
  /// of that.
  int64_t wholeVector = 1;
  /// Whether the tile may go beyond `limit`.
  bool mayExceed = true;
};

/// What `threads` threads of a block do to copy a tile of `operand`, in f32,
/// to the rows of `target`, from column `firstColumn` on. Neighbouring threads
/// read what is contiguous, 16 bytes each where that is proven. The caller puts
/// barriers around it. `position` is where the operand's other loops stand;
/// `goTo` moves it to a row and a column.
void stageTile(KernelBuilder &b, const KernelOperand &operand,
               const TileSide &rows, const TileSide &columns,
               llvm::function_ref<llvm::SmallVector<mlir::Value>(
                   mlir::Value row, mlir::Value column)>
                   goTo,
               mlir::Value thread, int64_t threads, mlir::Value target,
               mlir::Value firstColumn);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_STAGETILE_H
