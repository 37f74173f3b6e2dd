//===- LocalVariants.cpp - Ways to compute a rank's tile ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/LocalVariants.h"
#include "Mercury/Schedule/LocalTile.h"

#include <cmath>
#include <functional>
#include <unistd.h>

using namespace mercury;

CacheSizes mercury::hostCaches() {
  CacheSizes caches;
#ifdef _SC_LEVEL2_CACHE_SIZE
  if (long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0)
    caches.first = bytes;
  if (long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
    caches.second = bytes;
#endif
  return caches;
}

namespace {
/// A loop that generated code blocks.
struct Block {
  size_t loop = 0;
  int64_t extent = 0; ///< what a rank has of it in a step
  int64_t chosen = 0; ///< the generator's size
  int64_t unit = 1;   ///< what sizes are multiples of: its register blocks
};

/// Bytes of each cache that blocks of these sizes take.
using Footprint = std::function<CacheSizes(const std::vector<int64_t> &sizes)>;

struct Blocking {
  std::vector<Block> blocks;
  Footprint footprint;
};
} // namespace

/// Rows and columns of a register block of AVX-512 in f32, which those of
/// narrower ones divide.
static constexpr int64_t registerRows = 12, registerColumns = 32;

/// As lib/Transforms/Local/Blocking.cpp chooses its loops.
static std::optional<Blocking>
blockingOfContraction(const CostProblem &problem,
                      const std::vector<int64_t> &extents) {
  const OperatorModel &op = problem.op;
  if (op.inputs.size() < 2 || op.results.empty() ||
      op.results.front().loopOfDim.empty())
    return std::nullopt;
  int column = op.results.front().loopOfDim.back();
  if (column < 0)
    return std::nullopt;
  auto has = [&](size_t input, size_t loop) {
    return op.inputs[input].dimOfLoop(int(loop)).has_value();
  };
  if (has(0, column) && has(1, column))
    return std::nullopt; // a batch loop is last
  std::optional<size_t> row, depth;
  for (size_t l = 0; l < extents.size(); ++l) {
    if (op.loops[l].reduction) {
      if (!depth || extents[l] > extents[*depth])
        depth = l;
    } else if (has(0, l) != has(1, l) && has(0, l) != has(0, column) &&
               (!row || extents[l] > extents[*row])) {
      row = l;
    }
  }
  // The last dimension of an input, where it is summed over, is blocked.
  for (size_t i : {1, 0})
    if (!op.inputs[i].loopOfDim.empty())
      if (int last = op.inputs[i].loopOfDim.back();
          last >= 0 && op.loops[last].reduction)
        depth = last;
  if (!row || !depth)
    return std::nullopt;
  int64_t bytes = std::max<int64_t>(op.results.front().elementBytes, 4);
  ContractionBlockSizes chosen;
  return Blocking{
      {{*row, extents[*row], chosen.rows, registerRows},
       {size_t(column), extents[column], chosen.columns, registerColumns},
       {*depth, extents[*depth], chosen.depth, registerColumns}},
      [bytes](const std::vector<int64_t> &sizes) {
        // A panel of columns; the blocks of both operands.
        return CacheSizes{bytes * registerColumns * sizes[2],
                          bytes * sizes[2] * (sizes[0] + sizes[1])};
      }};
}

/// As lib/Transforms/Local/AttentionTile.cpp chooses its loops.
static std::optional<Blocking>
blockingOfAttention(const CostProblem &problem,
                    const std::vector<int64_t> &extents) {
  const OperatorModel &op = problem.op;
  std::optional<size_t> query, key;
  for (size_t l = 0; l < extents.size(); ++l) {
    if (op.loops[l].reduction)
      key = l;
    // Rows of other loops that keys lack stand outside of those of the last.
    else if (op.inputs.size() > 1 && !op.inputs[1].dimOfLoop(int(l)))
      query = l;
  }
  if (!query || !key)
    return std::nullopt;
  AttentionBlockSizes chosen;
  int64_t d = problem.headDim, e = problem.valueDim;
  return Blocking{{{*query, extents[*query], chosen.rows, registerRows},
                   {*key, extents[*key], chosen.keys, registerColumns}},
                  [d, e](const std::vector<int64_t> &sizes) {
                    // A panel of keys; Q, K, V, scores and the accumulator, in
                    // f32.
                    int64_t rows = sizes[0], keys = sizes[1];
                    return CacheSizes{
                        4 * registerColumns * d,
                        4 * ((rows + keys) * (d + e) + rows * keys)};
                  }};
}

std::vector<Schedule> mercury::localVariants(const Schedule &schedule,
                                             const CostProblem &problem,
                                             const TopologyModel &topology,
                                             const CacheSizes &caches,
                                             size_t most) {
  std::vector<Schedule> variants;
  if (most == 0 || !schedule.patch.empty() || !schedule.tile.empty())
    return variants;
  std::vector<int64_t> extents;
  for (size_t l = 0; l < problem.op.loops.size(); ++l)
    extents.push_back(paddedExtent(schedule, problem.op, l, topology) /
                      numTiles(schedule.loops[l], topology));
  std::optional<Blocking> blocking;
  if (problem.kind == LocalWork::Kind::Gemm)
    blocking = blockingOfContraction(problem, extents);
  else if (problem.kind == LocalWork::Kind::Attention)
    blocking = blockingOfAttention(problem, extents);
  if (!blocking)
    return variants;

  size_t count = blocking->blocks.size();
  std::vector<int64_t> usual;
  for (const Block &block : blocking->blocks)
    usual.push_back(std::min(
        balanceBlock(block.extent, block.chosen, block.unit), block.extent));
  CacheSizes least = blocking->footprint(usual);
  // Every loop's block times a power of two, those that change least first.
  constexpr int widest = 2;
  for (int distance = 1; distance <= widest * int(count); ++distance) {
    std::vector<int> powers(count, -widest);
    auto next = [&] {
      for (size_t b = count; b-- > 0; powers[b] = -widest)
        if (powers[b]++ < widest)
          return true;
      return false;
    };
    do {
      int sum = 0;
      for (int power : powers)
        sum += std::abs(power);
      if (sum != distance)
        continue;
      Schedule variant = schedule;
      variant.tile.assign(extents.size(), 0);
      std::vector<int64_t> sizes = usual;
      bool isOne = true;
      for (size_t b = 0; b < count; ++b) {
        const Block &block = blocking->blocks[b];
        if (powers[b] == 0)
          continue;
        int64_t wanted = int64_t(std::ldexp(double(block.chosen), powers[b]));
        sizes[b] = balanceBlock(block.extent, wanted, block.unit);
        // What is not cut more, or less, is the same program; register blocks
        // divide the sizes that are asked for.
        isOne &= sizes[b] != usual[b] && sizes[b] <= block.extent;
        variant.tile[block.loop] = sizes[b];
      }
      CacheSizes taken = blocking->footprint(sizes);
      if (!isOne || taken.first > std::max(caches.first, least.first) ||
          taken.second > std::max(caches.second, least.second) ||
          std::find(variants.begin(), variants.end(), variant) !=
              variants.end())
        continue;
      variants.push_back(std::move(variant));
      if (variants.size() >= most)
        return variants;
    } while (next());
  }
  return variants;
}
