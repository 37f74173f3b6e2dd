//===- Balance.h - Work under masks, and its balance ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much of an operator's iterations a mask leaves to each rank, which steps
// of a schedule nobody needs, and token orders that make ranks' work equal. A
// mask that is partly dynamic counts as what is known of it.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_BALANCE_H
#define MERCURY_SCHEDULE_BALANCE_H

#include "Mercury/Schedule/Schedule.h"

namespace mercury {

/// Iterations that each rank executes of a legal schedule, over all steps: of
/// the loops of `op.mask` those pairs that the mask lets through, without
/// padding; all iterations where there is no mask.
std::vector<int64_t> workOfRanks(const Schedule &schedule,
                                 const OperatorModel &op,
                                 const TopologyModel &topology);

/// Pairs of a chunk of queries and one of keys, over all steps of one rank: of
/// tiles that the mask lets through whole, in part (cut), or not at all. Chunks
/// are those of the loops' token orders, whole tiles where they are natural.
struct ChunkCount {
  int64_t whole = 0, cut = 0, excluded = 0;
  bool operator==(const ChunkCount &) const = default;
};
ChunkCount countChunks(const Schedule &schedule, const OperatorModel &op,
                       const TopologyModel &topology, int64_t rank);

/// The steps that are taken of a time factor of `count` steps: first, first + 1,
/// ..., mod count; the fewest in a row that hold all which some rank needs.
struct Steps {
  int64_t first = 0, taken = 0;
  bool operator==(const Steps &) const = default;
};
/// Of factor `factor` of loop `loop`, a time factor.
Steps neededSteps(const Schedule &schedule, const OperatorModel &op,
                  const TopologyModel &topology, size_t loop, size_t factor);

/// Parts of an order that fits the schedule: the largest number of shards or
/// tiles of a loop of the mask.
int64_t balanceParts(const Schedule &schedule, const OperatorModel &op,
                     const TopologyModel &topology);

/// Gives the order to those loops of the operator's mask that the schedule
/// divides, and to all placements along both loops that are sharded; natural
/// takes orders away. Nothing where there is no mask.
Verdict setOrder(Schedule &schedule, const OperatorModel &op,
                 const TopologyModel &topology, const TokenOrder &order);

/// Zigzag where it lessens the work of the rank that has most, else nothing.
Verdict balance(Schedule &schedule, const OperatorModel &op,
                const TopologyModel &topology);

/// The order that an option names: `none`, `zigzag`, `striped`, `striped:16`
/// (the extent of a stripe, 1 where it is left out) or `table:0,3,1,2`, for
/// `parts` parts. On failure nothing, and `error` says why.
std::optional<TokenOrder> parseBalance(std::string_view text, int64_t parts,
                                       std::string &error);

} // namespace mercury

#endif // MERCURY_SCHEDULE_BALANCE_H
