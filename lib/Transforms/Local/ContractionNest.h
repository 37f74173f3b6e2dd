//===- ContractionNest.h - Blocked contractions -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_LOCAL_CONTRACTIONNEST_H
#define MERCURY_LIB_TRANSFORMS_LOCAL_CONTRACTIONNEST_H

#include "Blocking.h"

namespace mercury {

/// Emits the loop nest of one contraction on tensors. Loops from the outside:
///   batch, other n, other k, blocks of k | blocks of n, packing of B |
///   other m, blocks of m, packing of A | panels of n, panels of m | kernel
/// The part after the first bar exists twice where columns do not fill whole
/// panels, the part after the second where rows do not: full panels are never
/// masked.
class ContractionNest {
public:
  ContractionNest(mlir::OpBuilder &b, const Contraction &contraction,
                  const Blocking &blocking);

  /// Returns the new value of C.
  mlir::Value emit();

private:
  using Value = mlir::Value;
  using Operand = Contraction::Operand;
  using Body = llvm::function_ref<Value(Value iv, Value carried)>;
  /// Columns [position of the n loop, ...) as `panels` panels of `width`, of
  /// which `valid` columns each exist.
  struct Columns {
    Value panels;
    int64_t width, valid;
    Value workspace;
    bool isFull() const { return width == valid; }
  };
  /// Rows from `start`: `panels` panels of `height`.
  struct Rows {
    Value start, panels;
    int64_t height;
    Value workspace;
  };

  // Arithmetic on indices, folded where constant.
  Value constant(int64_t value);
  Value add(Value lhs, Value rhs);
  Value mul(Value lhs, int64_t factor);
  /// min(block, extent - start): how much of `extent` a block holds.
  Value blockSize(Value start, int64_t block, int64_t extent);
  /// A loop that carries one tensor; none where it would run once.
  Value loop(Value upper, int64_t step, Value carried, Body body);
  Value overLoops(llvm::ArrayRef<unsigned> loops, Value carried,
                  llvm::function_ref<Value(Value)> body);

  // The levels of the nest.
  Value emitReductionBlocks(Value c);
  Value emitColumns(Value c, Columns columns);
  Value emitRows(Value c, const Columns &columns);
  Value emitPanels(Value c, const Columns &columns, const Rows &rows);
  Value emitKernel(Value c, const Columns &columns, const Rows &rows,
                   Value columnPanel, Value rowPanel);
  Value loadA(const Rows &rows, Value rowPanel, int64_t row, Value k);
  Value loadB(const Columns &columns, Value panel, Value k);

  // Packing.
  Value packB(const Columns &columns);
  Value packBVector(const Columns &columns);
  Value packBTurned(const Columns &columns);
  Value packBScalar(const Columns &columns);
  Value packA(const Rows &rows, bool masked);
  Value packAVector(const Rows &rows, bool masked);
  Value packATurned(const Rows &rows);
  Value packAScalar(const Rows &rows);

  /// Indices of `operand` at the current position, moved along some loops.
  llvm::SmallVector<Value>
  indices(const Operand &operand,
          llvm::ArrayRef<std::pair<unsigned, Value>> moves);
  /// A vector along the last dimension of `operand`.
  Value readVector(const Operand &operand, llvm::ArrayRef<Value> at,
                   int64_t width, bool inBounds);
  Value writeRow(Value vector, Value into, llvm::ArrayRef<Value> at,
                 bool inBounds);
  Value extend(Value value);
  mlir::VectorType vectorOf(int64_t width);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const Contraction &contraction;
  const Blocking &blocking;
  mlir::Type accumulator;
  /// Where each loop stands.
  llvm::SmallVector<Value> position;
  /// Steps of the current block of the reduction.
  Value kSize;
  Value workspaceA, workspaceB, workspaceTail;
  int64_t m, n, k;
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_LOCAL_CONTRACTIONNEST_H
