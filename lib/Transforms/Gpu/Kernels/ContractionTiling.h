//===- ContractionTiling.h - How blocks and threads share a contraction  -*- C++
//-*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONTILING_H
#define MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONTILING_H

#include "ContractionShape.h"

namespace mercury {

/// The part of C that a block computes, the part of K that it stages at once,
/// and the part of a thread, which it keeps in registers.
struct ContractionTiling {
  int64_t m, n, k;
  int64_t threadM, threadN;

  int64_t threadsM() const { return m / threadM; }
  int64_t threadsN() const { return n / threadN; }
  int64_t threads() const { return threadsM() * threadsN(); }
  /// Blocks of all rows, all columns, of the whole.
  int64_t blocksM(const StridedContraction &shape) const;
  int64_t blocksN(const StridedContraction &shape) const;
  int64_t blocks(const StridedContraction &shape) const;
  /// Steps over K.
  int64_t steps(const StridedContraction &shape) const;
  /// Tiles of A and B held at a time: two where one is filled while the other
  /// is used.
  int64_t stages(const StridedContraction &shape) const;
  /// Shared memory of a block in bytes, if elements of `elementBytes` are
  /// staged.
  int64_t sharedBytes(const StridedContraction &shape,
                      int64_t elementBytes) const;
  /// Elements from one k to the next of a staged tile with `extent` rows or
  /// columns: 16 bytes more than it has, so that a column spreads over banks
  /// and every row starts aligned to a vector.
  static int64_t stagedPitch(int64_t extent, int64_t elementBytes) {
    return extent + 16 / elementBytes;
  }
};

/// The tiling with the least estimated time for inner products in registers
/// (ContractionRegisters.h).
ContractionTiling chooseTiling(const StridedContraction &shape);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONTILING_H
