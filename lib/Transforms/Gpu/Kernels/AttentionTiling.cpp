//===- AttentionTiling.cpp - Tiles of attention on a GPU ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionTiling.h"
#include "Mercury/Transforms/Gpu/Chip.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mercury;

/// Features of query and key that a slice has at most.
static constexpr int64_t kFeatureSlice = 32;
/// Features of the value that a block accumulates at most.
static constexpr int64_t kValueSlice = 256;
static constexpr int64_t kRowsPerThread = 4, kKeysPerThread = 4;
/// Accumulators and scores that a thread has at most. Operands, maxima, sums
/// and the addresses of rows (64 bits each) of mask and state come on top, and
/// a thread has 255 registers.
static constexpr int64_t kRegisterTile = 48;

/// The row length from `columns` (a multiple of 4) on that is an odd multiple
/// of 16 bytes: 8 neighbouring rows then start in different banks.
static int64_t padRow(int64_t columns) {
  return columns / 4 % 2 ? columns : columns + 4;
}

int64_t AttentionTiling::getQueryStride() const {
  return padRow(keepsQuery ? featureSlice * featureSlices : featureSlice);
}
int64_t AttentionTiling::getKeyStride() const { return padRow(featureSlice); }
int64_t AttentionTiling::getWeightStride() const { return padRow(getKeys()); }

int64_t AttentionTiling::getSharedBytes() const {
  return sizeof(float) * (getRows() * (getQueryStride() + getWeightStride()) +
                          getKeys() * getKeyStride() + valueKeys * valueSlice);
}

/// Slices of equal length, no longer than `limit`, of a multiple of `unit`.
static int64_t sliceEvenly(int64_t extent, int64_t limit, int64_t unit) {
  return alignTo(divideCeil(extent, divideCeil(extent, limit)), unit);
}

static void chooseValueSlice(AttentionTiling &tiling, int64_t e) {
  int64_t slice = sliceEvenly(e, kValueSlice, 1);
  tiling.valueSlice = INT64_MAX;
  for (int64_t width : {4, 2, 1}) {
    int64_t padded = alignTo(slice, AttentionTiling::kLanes * width);
    if (padded >= tiling.valueSlice)
      continue;
    tiling.valueSlice = padded;
    tiling.valueWidth = width;
  }
  tiling.valueSlices = divideCeil(e, tiling.valueSlice);
}

AttentionTiling mercury::chooseAttentionTiling(int64_t rows, int64_t keys,
                                               int64_t d, int64_t e) {
  AttentionTiling tiling;
  chooseValueSlice(tiling, e);
  tiling.keysPerThread =
      std::min<int64_t>(kKeysPerThread, divideCeil(keys, tiling.getKeys()));
  int64_t perRow = tiling.getValuesPerThread() + tiling.keysPerThread;
  while (tiling.getRows() < rows && tiling.rowsPerThread < kRowsPerThread &&
         2 * tiling.rowsPerThread * perRow <= kRegisterTile)
    tiling.rowsPerThread *= 2;
  if (tiling.getRows() < rows)
    tiling.threads *= 2;
  // Of 8: the features of 16 bytes of a half type, too.
  tiling.featureSlice = sliceEvenly(d, kFeatureSlice, d < 8 ? 4 : 8);
  tiling.featureSlices = divideCeil(d, tiling.featureSlice);

  for (bool keepsQuery : {true, false})
    for (int64_t keys = tiling.getKeys(); keys % 4 == 0; keys /= 2) {
      tiling.keepsQuery = keepsQuery;
      tiling.valueKeys = keys;
      if (tiling.getSharedBytes() <= Chip::kStaticSharedBytes)
        return tiling;
    }
  llvm_unreachable("slices are small enough for shared memory");
}
