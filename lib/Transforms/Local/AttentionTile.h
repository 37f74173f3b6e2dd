//===- AttentionTile.h - A fused tile of online attention -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_LOCAL_ATTENTIONTILE_H
#define MERCURY_LIB_TRANSFORMS_LOCAL_ATTENTIONTILE_H

#include "Blocking.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"

namespace mercury {

/// What the caller fixes; 0 leaves the choice.
struct AttentionBlocking {
  unsigned vectorBits = 0;
  int64_t blockQueries = 0, blockKeys = 0;
};

/// Emits one `commir.online_attention` on buffers. Parallel loops that key or
/// value have are batch loops; the others (the query's, and that of a group of
/// query heads) together are the rows. From the outside:
///   batch, blocks of keys, packing of K and V | blocks of rows |
///   packing of Q, scores = Q K^T | maxima, exponentials and sums, row by row |
///   accumulator * factor + exponentials * V
/// Where rows see a range of keys each, these bound the loops over blocks; see
/// AttentionTileMask.cpp.
/// Edges are dealt with where operands are packed, so that neither kernel ever
/// masks: rows and keys beyond the end repeat the last one, features beyond the
/// end are padding. Scores of keys that do not exist become -inf.
class AttentionTile {
public:
  AttentionTile(mlir::OpBuilder &b, commir::OnlineAttentionOp op,
                const AttentionBlocking &blocking);

  /// True if the op has static extents, a state in f32, no positions but ranges
  /// of keys, and as many multiply-adds as pay:
  /// 2 * rows * keys * (d + e) >= `minFlops`.
  static bool canEmit(commir::OnlineAttentionOp op, int64_t minFlops);

  /// Emits the loops, and their workspace before them.
  void emit();

private:
  using Value = mlir::Value;
  using Loops = llvm::SmallVector<unsigned, 4>;

  /// Of what the op's `commir.tile` asks for, or `asked`, at most so much, up
  /// to whole panels; rows are those of all row loops that it names.
  void chooseBlocks(const AttentionBlocking &asked);

  // Arithmetic on indices, folded where constant.
  Value constant(int64_t value);
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, int64_t factor);
  Value div(Value value, int64_t factor);
  Value min(Value lhs, Value rhs);
  Value max(Value lhs, Value rhs);
  /// ceil(value / factor).
  Value ceilDiv(Value value, int64_t factor);
  Value alignDown(Value value, int64_t factor);
  /// A loop from 0 to `upper`; none where it would run once.
  void loop(Value upper, int64_t step, llvm::function_ref<void(Value)> body);
  /// From `lower`, which may be beyond `upper`.
  void loop(Value lower, Value upper, int64_t step,
            llvm::function_ref<void(Value)> body);
  /// One over the keys of the block that carries a value.
  Value reduceKeys(Value initial, llvm::function_ref<Value(Value, Value)> body);
  /// The least of each value that `body` gives for 0 to `upper`, or the
  /// greatest.
  llvm::SmallVector<Value>
  reduceAll(Value upper, mlir::ValueRange initial,
            llvm::function_ref<llvm::SmallVector<Value>(Value)> body,
            llvm::ArrayRef<bool> takesLeast);
  /// Over the keys of the block, and over its panels.
  void overKeys(int64_t step, llvm::function_ref<void(Value)> body);
  void overPanels(llvm::function_ref<void(Value)> body);
  /// `body` for all of `extent` in steps of `width`; the last, incomplete one
  /// is told apart.
  void chunks(int64_t extent, int64_t width,
              llvm::function_ref<void(Value at, bool isWhole)> body);
  void overLoops(llvm::ArrayRef<unsigned> loops,
                 llvm::function_ref<void()> body);

  // Operands, at the current position.
  llvm::SmallVector<Value> indices(mlir::OpOperand &operand);
  /// True if a vector along `dim` is contiguous.
  bool isContiguous(mlir::OpOperand &operand, unsigned dim);
  /// In f32.
  Value readScalar(mlir::OpOperand &operand);
  Value readVector(mlir::OpOperand &operand, int64_t width, bool inBounds);
  void writeVector(Value vector, mlir::OpOperand &operand, bool inBounds);
  Value toState(Value value);

  // Workspace.
  Value workspace(llvm::ArrayRef<int64_t> shape);
  Value loadVector(Value buffer, llvm::ArrayRef<Value> at, int64_t width);
  void storeVector(Value vector, Value buffer, llvm::ArrayRef<Value> at);
  Value splat(Value scalar, int64_t width);
  Value splat(double number, int64_t width);
  Value number(double value);

  // The levels of the nest.
  void emitKeyBlocks();
  void packKeys();
  void packKeysTurned();
  void packValues();
  void goToRowBlock(Value row);
  void emitRowBlock();
  /// Moves the loops of the rows to row `row` of all.
  void goToRow(Value row);
  void packQuery();
  void emitScores();
  void emitSoftmax();
  void addMask(Value row);
  void hideMissingKeys(Value row);
  void emitSoftmaxRow(Value row);
  void scaleAccumulator();
  void emitOutput();
  void storeAccumulator();

  // Where rows see a range of keys each.
  bool isRangeAlong(unsigned dim);
  int64_t numRowBlocks() const { return (rows + blockRows - 1) / blockRows; }
  /// That of the current row, between 0 and `keysThere`.
  std::pair<Value, Value> readRange();
  /// What blocks of rows see, into `reach`.
  void measureReach();
  Value readReach(Value block, int which);
  void emitSeenKeyBlocks();
  void emitSeenRowBlock(Value row, Value last);
  void hideUnseen(Value row);

  mlir::OpBuilder &b;
  mlir::Location loc;
  commir::OnlineAttentionOp op;
  mlir::OpOperand &query, &key, &value, &accumulator, &maximum, &sum;
  llvm::SmallVector<int64_t> extents; ///< of the maps' domain
  unsigned keyLoop, feature, valueFeature;
  Loops batchLoops, rowLoops;
  int64_t rows = 1, keys, d, e;
  RegisterBlock registers;
  int64_t height;               ///< rows of the kernels
  int64_t blockRows, blockKeys; ///< multiples of height, registers.nr
  bool packsValues, hasRange;

  /// Where each dimension of the maps' domain stands.
  llvm::SmallVector<Value> position;
  Value keysThere;           ///< how many keys count
  Value firstKey, blockSize; ///< of the current block of keys
  Value blockFrom;           ///< its first panel that is seen
  bool isBlockWhole = false; ///< blockSize is a known multiple of registers.nr
  Value firstRow, rowCount;  ///< of the current block of rows
  Value packedQuery, packedKeys, packedValues, scores, output;
  Value changes, factors, rowSums; ///< per row of a block
  Value reach;                     ///< per block of rows
  Value hiddenRows;                ///< rows of a block that a range may cut
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_LOCAL_ATTENTIONTILE_H
