//===- Arguments.h - Inputs, shards and results -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_ARGUMENTS_H
#define MERCURY_TOOLS_MERCURY_RUN_ARGUMENTS_H

#include "HostTensor.h"
#include "Mercury/Schedule/TopologyModel.h"

namespace mercury::run {

/// Where a global tensor lives: the type before sharding, its placement, and
/// the shape of every rank's shard: block b of a dimension starts at index
/// b * localShape of its order, which has as many elements as all blocks
/// together; positions beyond the global extent are padding.
struct ShardSpec {
  TensorSpec global;
  Placement placement;
  std::vector<int64_t> localShape;
  bool isNumber = false; ///< passed by value, not held in memory of the rank
  int64_t localBytes() const;
};

/// The input at position `index`: normal random numbers for floats, integers of
/// [-4, 4], random bits for i1, rounded to the element type. Depends on nothing
/// but `seed`, `index` and the spec.
HostTensor makeArgument(const TensorSpec &spec, uint64_t seed, unsigned index);
std::vector<HostTensor> makeArguments(const std::vector<TensorSpec> &specs,
                                      uint64_t seed);

/// Copies the shard of `rank` into `local` (localBytes()); what lies beyond the
/// global extents is zero.
void sliceShard(const HostTensor &global, const ShardSpec &shard,
                const TopologyModel &topology, int64_t rank, void *local);

/// Puts shards together again. The shards of rank 0, 1, ... are `locals[0]`,
/// `locals[1]`, ...; padding is dropped. Ranks that hold the same block must
/// agree bit by bit: each that does not is described in `divergences`
/// ("result 0: ranks 0 and 3 hold different values at [2, 1]: 1.5 and nan").
HostTensor assembleShards(const std::vector<const void *> &locals,
                          const ShardSpec &shard, const TopologyModel &topology,
                          unsigned resultIndex,
                          std::vector<std::string> &divergences);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_ARGUMENTS_H
