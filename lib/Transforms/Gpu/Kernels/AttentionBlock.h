//===- AttentionBlock.h - A block of threads that computes attention -*- C++
//-*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONBLOCK_H
#define MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONBLOCK_H

#include "AttentionProducts.h"
#include "AttentionRange.h"
#include "AttentionTiling.h"
#include "KernelOperand.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "OnlineSoftmax.h"
#include "StageTile.h"

namespace mercury {

/// The loops of online attention on buffers of static shape. Parallel loops
/// that neither key nor value has (the query's, and that of a group of query
/// heads) are rows of one tile, which shares keys and values.
struct AttentionShape {
  explicit AttentionShape(commir::OnlineAttentionOp op);

  llvm::SmallVector<int64_t> extents; ///< of the maps' domain
  unsigned keyLoop, feature, valueFeature;
  llvm::SmallVector<unsigned> batchLoops, rowLoops;
  int64_t batches = 1, rows = 1, keys, d, e;
};

/// Writes one `commir.online_attention` into a device function. A block has a
/// tile of rows, whose accumulators, maxima and sums it keeps in registers:
///   state | tiles of keys: slices of Q and K staged, scores = Q K^T; mask,
///   maxima, weights and factors; weights to shared memory; slices of V staged,
///   accumulators = factor * accumulators + weights * V | state
/// Beyond the last row, key or feature nothing is read or written. With a range
/// of keys for each row, tiles go over the keys that some row of the block
/// sees, and those that all rows see are computed as without ranges.
class AttentionBlock {
public:
  AttentionBlock(mlir::func::FuncOp kernel, commir::OnlineAttentionOp op,
                 const AttentionShape &shape, const AttentionTiling &tiling,
                 mlir::gpu::GPUFuncOp function, mlir::IRMapping &mapping,
                 KernelBuilder &b);

  void emit();

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  /// What a thread carries from one tile of keys to the next; row major.
  struct State {
    Values accumulators, maxima, sums;
    Values pack() const;
    static State unpack(mlir::ValueRange values, int64_t rows);
  };

  void placeThread();
  void emitValueSlice(Value firstValue);
  State loadState(Value firstValue);
  void storeState(const State &state, Value firstValue);
  /// `access` for each piece of the accumulators that memory is accessed by:
  /// where it is, the first of its accumulators, its width, and the condition
  /// that it is inside, null for always.
  void forAccumulators(
      Value firstValue,
      llvm::function_ref<void(llvm::ArrayRef<Value> position, int64_t at,
                              int64_t width, Value inside)>
          access);
  /// A tile of keys; a whole one has no key that a row does not see.
  struct KeyTile {
    Value first;
    bool isWhole;
  };
  Values emitKeys(Value firstKey, Value firstValue, mlir::ValueRange carried);
  void emitKeyTile(const KeyTile &tile, Value firstValue, State &state);
  Values emitScores(const KeyTile &tile);
  /// Mask and missing keys.
  void finishScores(const KeyTile &tile, Values &scores);
  void stageQuery(Value firstFeature, Value firstColumn);
  void stageKey(const KeyTile &tile, Value firstFeature);
  /// Those of the tile from its key `offset` on.
  void stageValue(const KeyTile &tile, Value offset, Value firstValue);
  TileSide featureSide(Value firstFeature);
  TileSide keySide(const KeyTile &tile, Value offset, int64_t extent);
  /// Where the thread's row `i` is, with `key` and `feature` of the value.
  Values rowPosition(int64_t i, Value key = {}, Value valueAt = {});
  Values withRow(Value row);

  KernelBuilder &b;
  commir::OnlineAttentionOp op;
  mlir::gpu::GPUFuncOp function;
  const AttentionShape &shape;
  const AttentionTiling &tiling;
  KernelOperand query, key, value, accumulator, maximum, sum;
  std::optional<KernelOperand> mask;
  std::optional<AttentionRange> range;
  AttentionRange::Bounds seen; ///< of `range`

  AttentionThread thread;
  Value firstKey, keysEnd; ///< of the keys that count
  bool keysVary;           ///< known at run time only
  Value firstRow;          ///< of the block
  /// Per loop, where all of the block's elements stand; null elsewhere.
  Values block;
  /// Per row of the thread: inside of the rows, and whether it is (null: yes).
  Values rows, isRow;
  Value queries, keyTile, valueTile, weights; ///< shared
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONBLOCK_H
