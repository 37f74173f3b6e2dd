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
// mask that is partly dynamic counts as what is known of it. Schedules are
// legal unless something else is said.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_BALANCE_H
#define MERCURY_SCHEDULE_BALANCE_H

#include "Mercury/Schedule/Schedule.h"

namespace mercury {

/// In OperatorModel::Tensor::loopOfDim: an expression of loops (d0 + d1, 2 *
/// d0) indexes the dimension, so that none of the operator's can have an order.
constexpr int loopExpression = -2;

/// The extent that a loop's nest runs over: whole tiles and, where the loop has
/// an order, whole blocks of all placements, so that each has blocks of it.
int64_t nestExtent(const Schedule &schedule, const OperatorModel &op,
                   size_t loop, const TopologyModel &topology);

/// Iterations that each rank executes, over all steps: of the loops of
/// `op.mask` those pairs that the mask lets through, without padding; all
/// iterations where there is no mask.
std::vector<int64_t> workOfRanks(const Schedule &schedule,
                                 const OperatorModel &op,
                                 const TopologyModel &topology);
/// The largest of them.
int64_t slowestWork(const Schedule &schedule, const OperatorModel &op,
                    const TopologyModel &topology);

/// Pairs of a chunk of queries and one of keys, over all steps of one rank: of
/// tiles that the mask lets through whole, in part (cut), or not at all. Chunks
/// are those of the loops' token orders, cut where a tile ends; whole tiles
/// where the order is natural. Takes time for every pair.
struct ChunkCount {
  int64_t whole = 0, cut = 0, excluded = 0;
  bool operator==(const ChunkCount &) const = default;
};
ChunkCount countChunks(const Schedule &schedule, const OperatorModel &op,
                       const TopologyModel &topology, int64_t rank);

/// The steps that are taken of a time factor of `count` steps: first, first +
/// 1,
/// ..., mod count; the fewest in a row that hold all which some rank needs, at
/// least one. Of equal choices the one with the smallest `first`.
struct Steps {
  int64_t first = 0, taken = 0;
  bool operator==(const Steps &) const = default;
};
/// Of factor `factor` of loop `loop`, a time factor: all where the loop is none
/// of the mask's. Whatever the other factors do, a step that is left out has no
/// work for any rank.
Steps neededSteps(const Schedule &schedule, const OperatorModel &op,
                  const TopologyModel &topology, size_t loop, size_t factor);

/// Lets each shifted time factor of the mask's loops run in the direction in
/// which its needed steps begin with the own tile or, where results travel,
/// end with it.
void directRings(Schedule &schedule, const OperatorModel &op,
                 const TopologyModel &topology);

/// Parts of an order that fits the schedule: the least common multiple of the
/// numbers of shards of the mask's loops, among ranks and in all placements.
int64_t balanceParts(const Schedule &schedule, const OperatorModel &op,
                     const TopologyModel &topology);

/// Gives the order to those loops of the operator's mask that ranks divide, and
/// to all placements along both loops that are sharded; natural takes orders
/// away. Nothing where there is no mask. On failure nothing changes.
Verdict setOrder(Schedule &schedule, const OperatorModel &op,
                 const TopologyModel &topology, const TokenOrder &order);

/// The same, whether or not what comes of it is legal for reasons other than
/// the operator's.
Verdict placeOrder(Schedule &schedule, const OperatorModel &op,
                   const TokenOrder &order);

/// Zigzag where it is legal and lessens the work of the rank that has most,
/// else nothing.
void balance(Schedule &schedule, const OperatorModel &op,
             const TopologyModel &topology);

/// The order that an option names: `none`, `zigzag`, `striped`, `striped:16`
/// (the extent of a stripe, 1 where it is left out) or `table:0,3,1,2`, for
/// `parts` parts. On failure nothing, and `error` says why.
std::optional<TokenOrder> parseBalance(std::string_view text, int64_t parts,
                                       std::string &error);

} // namespace mercury

#endif // MERCURY_SCHEDULE_BALANCE_H
