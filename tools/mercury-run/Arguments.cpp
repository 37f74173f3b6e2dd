//===- Arguments.cpp - Inputs, shards and results -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <numbers>

namespace mercury::run {

namespace {
/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA 2014): the same numbers on every platform.
class Generator {
public:
  explicit Generator(uint64_t state) : state(state) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In (0, 1].
  double uniform() { return ((next() >> 11) + 1) * 0x1p-53; }
  /// Standard normal, by Box and Muller's transform.
  double normal() {
    if (hasSpare) {
      hasSpare = false;
      return spare;
    }
    double radius = std::sqrt(-2 * std::log(uniform()));
    double angle = 2 * std::numbers::pi * uniform();
    spare = radius * std::sin(angle);
    hasSpare = true;
    return radius * std::cos(angle);
  }

private:
  uint64_t state;
  double spare = 0;
  bool hasSpare = false;
};

/// One contiguous run of elements of a shard, or of one of its dimensions, that
/// lie inside the global tensor.
struct Run {
  int64_t global, local, count; ///< first elements and number of elements
};
} // namespace

int64_t ShardSpec::localBytes() const {
  return TensorSpec{global.element, localShape}.bytes();
}

HostTensor makeArgument(const TensorSpec &spec, uint64_t seed, unsigned index) {
  // Two steps, so that neighbouring seeds and indices share nothing.
  Generator mixer(seed);
  Generator generator(mixer.next() + index * 0xd1342543de82ef95);
  Generator values(generator.next());
  HostTensor tensor(spec);
  for (int64_t i = 0, e = spec.numElements(); i < e; ++i) {
    if (isFloat(spec.element))
      tensor.set(i, values.normal());
    else if (spec.element == ElementKind::I1)
      tensor.set(i, values.next() >> 63);
    else
      tensor.set(i, static_cast<double>(values.next() % 9) - 4);
  }
  return tensor;
}

std::vector<HostTensor> makeArguments(const std::vector<TensorSpec> &specs,
                                      uint64_t seed) {
  std::vector<HostTensor> arguments;
  for (size_t i = 0; i < specs.size(); ++i)
    arguments.push_back(makeArgument(specs[i], seed, i));
  return arguments;
}

/// Runs of dimension `dim` of the shard of `rank`, one element each or, where
/// neighbours stay neighbours, several.
static std::vector<Run> runsOf(const ShardSpec &shard, size_t dim, int64_t rank,
                               const TopologyModel &topology) {
  int64_t local = shard.localShape[dim], global = shard.global.shape[dim];
  int64_t start = blockOf(shard.placement, dim, rank, topology) * local;
  int64_t padded = local * topology.sizeOf(shard.placement.dims[dim]);
  TokenOrder order = shard.placement.orderOf(dim);
  int64_t chunk = order.chunkExtent(padded);
  std::vector<Run> runs;
  for (int64_t at = 0; at < local;) {
    int64_t index = start + at;
    int64_t count = std::min(chunk - index % chunk, local - at);
    int64_t position = order.position(index, padded);
    if (int64_t valid = std::min(count, global - position); valid > 0)
      runs.push_back({position, at, valid});
    at += count;
  }
  return runs;
}

/// Calls `visit` for every run of elements that `rank` holds.
static void forEachRun(const ShardSpec &shard, const TopologyModel &topology,
                       int64_t rank, llvm::function_ref<void(Run)> visit) {
  size_t dims = shard.localShape.size();
  if (!dims)
    return visit({0, 0, 1});
  // Per dimension but the last, single elements.
  std::vector<std::vector<Run>> runs(dims);
  for (size_t dim = 0; dim < dims; ++dim) {
    for (Run run : runsOf(shard, dim, rank, topology))
      if (dim + 1 == dims)
        runs[dim].push_back(run);
      else
        for (int64_t i = 0; i < run.count; ++i)
          runs[dim].push_back({run.global + i, run.local + i, 1});
    if (runs[dim].empty())
      return;
  }
  std::vector<size_t> at(dims, 0);
  while (true) {
    Run run{0, 0, runs.back()[at.back()].count};
    for (size_t dim = 0; dim < dims; ++dim) {
      const Run &part = runs[dim][at[dim]];
      run.global = run.global * shard.global.shape[dim] + part.global;
      run.local = run.local * shard.localShape[dim] + part.local;
    }
    visit(run);
    size_t dim = dims;
    while (dim > 0 && ++at[dim - 1] == runs[dim - 1].size())
      at[--dim] = 0;
    if (dim == 0)
      return;
  }
}

void sliceShard(const HostTensor &global, const ShardSpec &shard,
                const TopologyModel &topology, int64_t rank, void *local) {
  std::memset(local, 0, shard.localBytes());
  size_t size = elementBytes(shard.global.element);
  forEachRun(shard, topology, rank, [&](Run run) {
    std::memcpy(static_cast<uint8_t *>(local) + run.local * size,
                global.data.data() + run.global * size, run.count * size);
  });
}

static std::string describe(unsigned resultIndex, int64_t holder, int64_t rank,
                            const HostTensor &global, int64_t at,
                            const void *other) {
  std::string text;
  llvm::raw_string_ostream(text)
      << "result " << resultIndex << ": ranks " << holder << " and " << rank
      << " hold different values at " << printIndex(global.spec.shape, at)
      << ": " << llvm::format("%.9g", global.get(at)) << " and "
      << llvm::format("%.9g", loadElement(global.spec.element, other));
  return text;
}

HostTensor assembleShards(const std::vector<const void *> &locals,
                          const ShardSpec &shard, const TopologyModel &topology,
                          unsigned resultIndex,
                          std::vector<std::string> &divergences) {
  HostTensor global(shard.global, 0xff);
  size_t size = elementBytes(shard.global.element);
  // Which rank has filled in a block, by the block's coordinates.
  std::map<std::vector<int64_t>, int64_t> holders;
  for (size_t rank = 0; rank < locals.size(); ++rank) {
    std::vector<int64_t> block;
    for (size_t dim = 0; dim < shard.localShape.size(); ++dim)
      block.push_back(blockOf(shard.placement, dim, rank, topology));
    auto [holder, first] = holders.try_emplace(block, rank);
    bool diverges = false;
    forEachRun(shard, topology, rank, [&](Run run) {
      uint8_t *to = global.data.data() + run.global * size;
      const uint8_t *from =
          static_cast<const uint8_t *>(locals[rank]) + run.local * size;
      if (first) {
        std::memcpy(to, from, run.count * size);
        return;
      }
      if (diverges || !std::memcmp(to, from, run.count * size))
        return;
      diverges = true;
      int64_t i = 0;
      while (!std::memcmp(to + i * size, from + i * size, size))
        ++i;
      divergences.push_back(describe(resultIndex, holder->second, rank, global,
                                     run.global + i, from + i * size));
    });
  }
  return global;
}

} // namespace mercury::run
