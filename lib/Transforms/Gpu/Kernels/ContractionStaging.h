//===- ContractionStaging.h - Tiles of inputs in shared memory  -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONSTAGING_H
#define MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONSTAGING_H

#include "ContractionTiling.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mercury {

/// Where a block, and a thread in it, are. All are of type index.
struct BlockPosition {
  mlir::Value thread;      ///< 0 <= thread < threads of the block
  mlir::Value batch;       ///< the linear batch index
  mlir::Value firstRow;    ///< the first m of the block
  mlir::Value firstColumn; ///< the first n of the block
};

/// `buffer` as one dimension that spans it.
mlir::Value createFlatView(mlir::ImplicitLocOpBuilder &b,
                           const StridedContraction::Buffer &buffer);

/// Both or the one that is there; a null guard holds always.
mlir::Value createAnd(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                      mlir::Value y);

/// Loads tiles of A or B with all threads of a block, and stages them in shared
/// memory as `tile[stage][k][row]`, a row being an m of A or an n of B. What
/// lies outside of the operand reads as zero, and is not accessed.
class StagedOperand {
public:
  /// Adds the shared memory to `function`, and writes what does not depend on
  /// k. `element` is what is staged: the type of the operand or a wider one.
  StagedOperand(mlir::ImplicitLocOpBuilder &b, mlir::gpu::GPUFuncOp function,
                const StridedContraction &shape,
                StridedContraction::Operand operand,
                const ContractionTiling &tiling, const BlockPosition &position,
                mlir::FloatType element);

  /// Loads this thread's part of the tile that begins at `firstK`, a vector for
  /// each slot, in the type of the operand.
  llvm::SmallVector<mlir::Value> load(mlir::ImplicitLocOpBuilder &b,
                                      mlir::Value firstK) const;

  /// Puts what `load` gave into stage `stage`. The caller puts barriers.
  void store(mlir::ImplicitLocOpBuilder &b, mlir::Value stage,
             mlir::ValueRange vectors) const;

  /// memref<stages x k x pitch x element, workgroup>
  mlir::Value tile() const { return shared; }

private:
  /// A vector that a thread loads of each tile.
  struct Slot {
    mlir::Value k;      ///< in the tile
    mlir::Value row;    ///< in the tile
    mlir::Value offset; ///< in the operand, of its row at k = 0
    mlir::Value inTile; ///< null: always
    mlir::Value inRows; ///< null: always
  };

  const StridedContraction &shape;
  StridedContraction::Operand operand;
  const ContractionTiling &tiling;
  mlir::FloatType element;
  mlir::Value flat, shared;
  /// Vectors lie along k; otherwise along the rows.
  bool alongK;
  int64_t width;
  llvm::SmallVector<Slot> slots;
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONSTAGING_H
