//===- ContractionTiling.cpp - How blocks and threads share a contraction -===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Per step of K, a block of m x n does 2 m n flops for each k, and loads m + n
// elements from memory: 128 x 128 does 128 flops for an element, 64 x 64 half
// of that. A thread of 8 x 8 does 128 flops for 16 elements read from shared
// memory, one of 4 x 4 does 32 for 8.
//
//===----------------------------------------------------------------------===//

#include "ContractionTiling.h"
#include "Mercury/Transforms/Gpu/Chip.h"
#include "llvm/Support/MathExtras.h"

using namespace mercury;
using llvm::divideCeil;

using Role = Contraction::Role;

/// Rows and columns of a block, and of a thread. The larger first: of equals in
/// cost, the one that loads less from memory is taken.
static constexpr ContractionTiling kTilings[] = {
    {128, 128, 16, 8, 8}, {128, 64, 16, 8, 4}, {64, 128, 16, 4, 8},
    {64, 64, 16, 4, 4},   {64, 32, 16, 4, 4},  {32, 64, 16, 4, 4},
    {128, 16, 16, 4, 4},  {16, 128, 16, 4, 4}, {32, 32, 16, 4, 2},
    {128, 8, 16, 4, 2},   {8, 128, 16, 2, 4},  {16, 16, 16, 2, 1},
};

/// Multiprocessors of a large GPU: 108 of an A100, 132 of an H100, 142 of an
/// L40, 148 of a B200.
static constexpr int64_t kProcessors = 128;
/// Accumulators of a thread, bytes: 64 registers of the 255 there are.
static constexpr int64_t kAccumulatorBytes = 256;

int64_t ContractionTiling::blocksM(const StridedContraction &shape) const {
  return divideCeil(shape.extent(Role::M), m);
}
int64_t ContractionTiling::blocksN(const StridedContraction &shape) const {
  return divideCeil(shape.extent(Role::N), n);
}
int64_t ContractionTiling::blocks(const StridedContraction &shape) const {
  return blocksM(shape) * blocksN(shape) * shape.extent(Role::Batch);
}
int64_t ContractionTiling::steps(const StridedContraction &shape) const {
  return divideCeil(shape.extent(Role::K), k);
}
int64_t ContractionTiling::stages(const StridedContraction &shape) const {
  return steps(shape) > 1 ? 2 : 1;
}
int64_t ContractionTiling::sharedBytes(const StridedContraction &shape,
                                       int64_t elementBytes) const {
  return stages(shape) * k * elementBytes *
         (stagedPitch(m, elementBytes) + stagedPitch(n, elementBytes));
}

/// Instructions of all threads of a multiprocessor for one k: those of a thread
/// are its multiply-adds, its reads of shared memory, which has a quarter of
/// the lanes, and a share of the loop; blocks beyond the first on each
/// multiprocessor wait or share its lanes.
static int64_t cost(const ContractionTiling &tiling,
                    const StridedContraction &shape) {
  int64_t thread = tiling.threadM * tiling.threadN +
                   2 * (tiling.threadM + tiling.threadN) + 4;
  return int64_t(divideCeil(tiling.blocks(shape), kProcessors)) *
         tiling.threads() * thread;
}

ContractionTiling mercury::chooseTiling(const StridedContraction &shape) {
  int64_t bytes = shape.accumulator.getIntOrFloatBitWidth() / 8;
  std::optional<ContractionTiling> best;
  for (ContractionTiling tiling : kTilings) {
    if (shape.extent(Role::K) <= tiling.k / 2)
      tiling.k /= 2;
    if (tiling.threadM * tiling.threadN * bytes > kAccumulatorBytes ||
        tiling.sharedBytes(shape, bytes) > Chip::kStaticSharedBytes)
      continue;
    if (!best || cost(tiling, shape) < cost(*best, shape))
      best = tiling;
  }
  return *best;
}
