//===- AttentionTiling.h - Tiles of attention on a GPU ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONTILING_H
#define MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONTILING_H

#include <cstdint>

namespace mercury {

/// How a block of threads cuts attention of `rows` x `keys` with features `d`
/// (of query and key) and `e` (of value). Lane t of the `kLanes` that share a
/// row has the keys t, t + kLanes, ... of each tile of keys; what they need of
/// each other goes through shuffles, so they lie in one warp.
struct AttentionTiling {
  static constexpr int64_t kLanes = 16;

  /// Of a block.
  int64_t threads = 128;
  int64_t rowsPerThread = 1, keysPerThread = 1;
  /// Features of query and key that are staged at a time, a multiple of 4.
  int64_t featureSlice = 4, featureSlices = 1;
  /// The tile of queries stays in shared memory, all of its slices.
  bool keepsQuery = true;
  /// Features of the value that a block accumulates at a time. With more than
  /// one slice, scores are computed for each.
  int64_t valueSlice = kLanes, valueSlices = 1;
  /// Neighbouring features of the value that a thread has together: 1, 2, 4.
  int64_t valueWidth = 1;
  /// Rows of the value that are staged at a time.
  int64_t valueKeys = 4;

  /// Threads that have different rows.
  int64_t getRowThreads() const { return threads / kLanes; }
  int64_t getRows() const { return getRowThreads() * rowsPerThread; }
  int64_t getKeys() const { return kLanes * keysPerThread; }
  int64_t getValuesPerThread() const { return valueSlice / kLanes; }

  // Rows in shared memory, in elements: read 16 bytes at a time by lanes whose
  // rows are neighbours, these fall into different banks.
  int64_t getQueryStride() const;
  int64_t getKeyStride() const;
  int64_t getWeightStride() const;
  /// Shared memory of a block, bytes.
  int64_t getSharedBytes() const;
};

/// All extents are positive. The tiles fit into `Chip::kStaticSharedBytes`.
AttentionTiling chooseAttentionTiling(int64_t rows, int64_t keys, int64_t d,
                                      int64_t e);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_ATTENTIONTILING_H
