//===- AttentionStaging.cpp - Tiles of attention in shared memory ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBlock.h"

using namespace mlir;
using namespace mercury;

TileSide AttentionBlock::featureSide(Value firstFeature) {
  return {shape.feature, tiling.featureSlice,
          firstFeature,  b.index(shape.d),
          shape.d,       shape.d % tiling.featureSlice != 0};
}

TileSide AttentionBlock::keySide(const KeyTile &tile, Value offset,
                                 int64_t extent) {
  return {shape.keyLoop,
          extent,
          b.add(tile.first, offset),
          keysEnd,
          keysVary ? 1 : shape.keys,
          !tile.isWhole && (keysVary || shape.keys % extent != 0)};
}

void AttentionBlock::stageQuery(Value firstFeature, Value firstColumn) {
  TileSide side{op.getQueryLoop(), tiling.getRows(),
                firstRow,          b.index(shape.rows),
                shape.rows,        shape.rows % tiling.getRows() != 0};
  stageTile(
      b, query, side, featureSide(firstFeature),
      [&](Value row, Value column) {
        Values position = withRow(row);
        position[shape.feature] = column;
        return position;
      },
      thread.number, tiling.threads, queries, firstColumn);
}

void AttentionBlock::stageKey(const KeyTile &tile, Value firstFeature) {
  stageTile(
      b, key, keySide(tile, b.index(0), tiling.getKeys()),
      featureSide(firstFeature),
      [&](Value row, Value column) {
        Values position = block;
        position[shape.keyLoop] = row;
        position[shape.feature] = column;
        return position;
      },
      thread.number, tiling.threads, keyTile, b.index(0));
}

void AttentionBlock::stageValue(const KeyTile &tile, Value offset,
                                Value firstValue) {
  TileSide columns{
      shape.valueFeature, tiling.valueSlice, firstValue,
      b.index(shape.e),   shape.e,           shape.e % tiling.valueSlice != 0};
  stageTile(
      b, value, keySide(tile, offset, tiling.valueKeys), columns,
      [&](Value row, Value column) {
        Values position = block;
        position[shape.keyLoop] = row;
        position[shape.valueFeature] = column;
        return position;
      },
      thread.number, tiling.threads, valueTile, b.index(0));
}
