//===- RingAttention.h - Ring attention as a person writes it ---*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_HANDWRITTEN_RINGATTENTION_H
#define MERCURY_BENCHMARKS_HANDWRITTEN_RINGATTENTION_H

#include "../CompiledTile.h"
#include "Ring.h"

namespace mercury::bench {

/// Ring attention in f32: rank r owns block r of the sequence of Q, K, V and
/// the result; the blocks of K and V travel. The local work is `tile`, for the
/// extents of a rank's block. Inputs are Q, K and V: heads x sequence x
/// features.
class RingAttention : public GatheringRing {
public:
  /// `block`: the extents of what one rank holds; as many keys as queries.
  RingAttention(TileSize block, int64_t ranks, CompiledTile tile);
  ~RingAttention() override { stop(); }
  void setInputs(std::span<const float *const> inputs) override;
  void getResult(float *result) const override;

private:
  struct Rank {
    std::vector<float> query, accumulator, maximum, sum;
  };
  void compute(int64_t rank) override;
  TileSize block;
  CompiledTile tile;
  std::vector<Rank> data;
};

} // namespace mercury::bench

#endif // MERCURY_BENCHMARKS_HANDWRITTEN_RINGATTENTION_H
