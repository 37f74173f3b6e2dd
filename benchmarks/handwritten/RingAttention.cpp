//===- RingAttention.cpp - Ring attention as a person writes it -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingAttention.h"

#include <algorithm>
#include <cmath>

using namespace mercury::bench;

RingAttention::RingAttention(TileSize block, int64_t ranks, CompiledTile tile)
    : GatheringRing(ranks, 2 * block.heads * block.keys * block.features),
      block(block), tile(tile), data(ranks) {
  int64_t rows = block.heads * block.queries;
  for (Rank &mine : data) {
    mine.query.resize(rows * block.features);
    mine.accumulator.resize(rows * block.features);
    mine.maximum.resize(rows);
    mine.sum.resize(rows);
  }
  start();
}

void RingAttention::setInputs(std::span<const float *const> inputs) {
  int64_t part = block.queries * block.features;
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (int64_t head = 0; head < block.heads; ++head) {
      int64_t from = (head * ranks + rank) * part, to = head * part;
      std::copy_n(inputs[0] + from, part, data[rank].query.data() + to);
      for (int64_t i : {0, 1})
        std::copy_n(inputs[1 + i] + from, part,
                    shard(rank) + i * block.heads * part + to);
    }
}

void RingAttention::getResult(float *result) const {
  int64_t part = block.queries * block.features;
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (int64_t head = 0; head < block.heads; ++head)
      std::copy_n(data[rank].accumulator.data() + head * part, part,
                  result + (head * ranks + rank) * part);
}

void RingAttention::compute(int64_t rank) {
  Rank &mine = data[rank];
  std::ranges::fill(mine.accumulator, 0.0f);
  std::ranges::fill(mine.maximum, -INFINITY);
  std::ranges::fill(mine.sum, 0.0f);
  int64_t size = block.heads * block.keys * block.features;
  overTiles(rank, [&](int64_t, const float *keys) {
    tile(mine.query.data(), keys, keys + size, mine.accumulator.data(),
         mine.maximum.data(), mine.sum.data());
  });
  float *out = mine.accumulator.data();
  for (float sum : mine.sum) {
    for (int64_t e = 0; e < block.features; ++e)
      out[e] /= sum;
    out += block.features;
  }
}
