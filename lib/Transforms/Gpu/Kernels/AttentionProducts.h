//===- AttentionProducts.h - Products of attention in registers -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONPRODUCTS_H
#define MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONPRODUCTS_H

#include "AttentionTiling.h"
#include "KernelBuilder.h"

namespace mercury {

/// Where a thread stands in its block.
struct AttentionThread {
  mlir::Value number;
  /// Of `kLanes`, those that share rows, and of `getRowThreads()`.
  mlir::Value lane, row;

  /// In the tile, of the thread's row `i`, key `i`, or group `i` of
  /// `valueWidth` features. Rows and keys are interleaved over the threads, so
  /// that those of a warp read neighbouring rows of shared memory.
  mlir::Value rowAt(KernelBuilder &b, const AttentionTiling &tiling,
                    int64_t i) const;
  mlir::Value keyAt(KernelBuilder &b, int64_t i) const;
  mlir::Value valueAt(KernelBuilder &b, const AttentionTiling &tiling,
                      int64_t i) const;
};

/// scores[row, key] += sum over a slice of features of query[row, first + f] *
/// key[key, f], both in shared memory; row major in the thread's own rows and
/// keys.
llvm::SmallVector<mlir::Value>
multiplyScores(KernelBuilder &b, const AttentionTiling &tiling,
               const AttentionThread &thread, mlir::Value query,
               mlir::Value firstFeature, mlir::Value key,
               mlir::ValueRange scores);

/// accumulator[row, feature] += sum over the staged keys of weights[row, first
/// + key] * value[key, feature], both in shared memory; row major in the
/// thread's own rows and features.
llvm::SmallVector<mlir::Value>
multiplyValues(KernelBuilder &b, const AttentionTiling &tiling,
               const AttentionThread &thread, mlir::Value weights,
               mlir::Value firstKey, mlir::Value value,
               mlir::ValueRange accumulator);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONPRODUCTS_H
