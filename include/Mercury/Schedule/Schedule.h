//===- Schedule.h - Everything chosen for one operator ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule is data: cheap to copy, compare and hash. It names parts (axes,
// factors, numbers of steps), never extents. How an operand arrives and how a
// reduction ends is not stored but follows from the data; see arrivalOf() and
// endingOf().
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_SCHEDULE_H
#define MERCURY_SCHEDULE_SCHEDULE_H

#include "Mercury/Schedule/Mask.h"
#include "Mercury/Schedule/TopologyModel.h"

namespace mercury {

/// What a schedule needs to know of an operator: the DistributableOpInterface
/// as plain data.
struct OperatorModel {
  struct Loop {
    bool reduction = false;
    int64_t extent = 0;
  };
  /// The loop that each dimension of a tensor runs over; negative where the
  /// dimension is not indexed by exactly one loop: `loopExpression` (Balance.h)
  /// where an expression of loops indexes it, -1 where none does.
  struct Tensor {
    std::vector<int> loopOfDim;
    /// False: the access depends on data, the tensor is needed whole.
    bool mapped = true;
    int64_t elementBytes = 4;
    std::optional<size_t> dimOfLoop(int loop) const;
  };
  std::string name; ///< "linalg.matmul", for messages
  std::vector<Loop> loops;
  std::vector<Tensor> inputs;
  /// One per result, in order; the init has the same access.
  std::vector<Tensor> results;
  /// Per result: its reduction has a known combiner (or it has no reduction).
  std::vector<bool> hasCombiner;
  /// Per result: a collective combines alike; true where nothing is said.
  std::vector<bool> hasCollective;
  /// Per result: its init is a neutral fill, so that nothing enters with it.
  std::vector<bool> neutralInit;
  /// Results that are reduced together by one combiner, where there are
  /// several: they are placed alike.
  std::vector<std::vector<size_t>> coupled;
  std::optional<LoopMask> mask;

  /// True when a collective makes one value of the partial ones that ranks have
  /// of each result, so that a rule may parallelize a reduction.
  bool combines() const;
};

/// One stagger of a time loop: the index is (t + stride * coordinate(axes) +
/// offset) mod steps.
struct Shift {
  AxisList axes;
  int64_t stride = 1;
  int64_t offset = 0;
  bool operator==(const Shift &) const = default;
};

/// A part of an operator's loop.
struct Factor {
  enum class Kind { Rank, Time };
  Kind kind = Kind::Rank;
  /// Rank: the axes that take this factor, major first. Time: the axes whose
  /// size is the number of steps; empty when `steps` says it.
  AxisList axes;
  int64_t steps = 0;         ///< Time without axes: number of steps
  std::vector<Shift> shifts; ///< Time: several staggers add up
  int64_t order = 0; ///< Time: position among the time loops, 0 outermost
  /// Time, the last factor of a reduction loop: each tile in two halves, of
  /// which the second takes the steps backwards, so that what travels uses both
  /// directions of its links.
  bool bidirectional = false;
  /// Time: at step t the index is (-t + stride * coordinate + offset) mod
  /// steps.
  bool backwards = false;
  bool operator==(const Factor &) const = default;
  int64_t count(const TopologyModel &topology) const;
};

/// The factors of one loop, outermost first. What is left is the local tile.
using LoopPlan = std::vector<Factor>;

/// An input: where it lives, where it lives when the loops start (a reshard
/// lies between when they differ), and over which of its axes each step's tile
/// comes from the owner instead of being passed on.
struct OperandPlan {
  Placement entry;
  Placement nest;
  AxisList fetch;
  bool operator==(const OperandPlan &) const = default;
};

/// A result: its placement when the loops (and reductions) have ended, and its
/// placement on exit (a reshard lies between when they differ).
struct ResultPlan {
  Placement nest;
  Placement exit;
  bool operator==(const ResultPlan &) const = default;
};

/// How an operand's shards over one axis reach their readers.
enum class Arrival { Local, Gather, Broadcast, AllToAll, Rotate, Fetch };
/// How a reduction that an axis parallelizes ends.
enum class Ending { AllReduce, ReduceScatter, Moving };
std::string_view stringify(Arrival arrival);
std::string_view stringify(Ending ending);

struct Schedule {
  std::vector<LoopPlan> loops;
  /// Per loop the order in which its iterations are divided, empty where all
  /// are natural: iteration x stands for that at position(x). Dimensions that
  /// run over the loop have this order in `nest` placements.
  std::vector<TokenOrder> tokens;
  std::vector<OperandPlan> inputs;
  std::vector<ResultPlan> results;
  /// Per loop the block that generated code computes in inside a rank, 0: the
  /// code generator's choice; empty: all of them are.
  std::vector<int64_t> tile;
  int64_t chunks = 1; ///< pieces that each step's communication is cut into
  std::string
      patch; ///< registered kernel for the local tile; "": generated code
  /// Ranks it runs on: a coordinate range of an axis; nothing: all. Legality
  /// refuses a range at present.
  struct Range {
    AxisRef axis;
    int64_t begin = 0, end = 0;
    bool operator==(const Range &) const = default;
  };
  std::optional<Range> ranks;
  bool operator==(const Schedule &) const = default;

  TokenOrder orderOf(size_t loop) const {
    return loop < tokens.size() ? tokens[loop] : TokenOrder();
  }
  /// Axes that some loop is parallelized over, in order of loops and factors.
  AxisList rankAxes() const;
  /// A schedule in which every loop is local and all is replicated.
  static Schedule replicated(const OperatorModel &op);
};

/// The schedule's text. Lossless: parseSchedule(print(s)) == s.
///   loops [rank gpu, -, time {gpu} shift {gpu} stride 1 offset 0 order 0]
///   inputs [[{gpu}, {}], [{gpu}, {}] -> [{}, {}] fetch {node}]
///   results [[{gpu}, {}]] tile [8, 8, 8] chunks 2 patch blas
/// Factors of one loop are separated by `/`; `time 4` gives steps by number;
/// `stride`, `offset` and `order` are printed when they differ from 1, 0, 0;
/// `bidirectional` and `backwards` stand behind the shifts;
/// `tokens [zigzag 4, -, -]` stands behind the loops where an order is not
/// natural;
/// `rank {node, gpu}` where several axes take one factor; `ranks gpu 0 to 2`
/// at the end is the coordinate range [0, 2).
std::string print(const Schedule &schedule);
std::optional<Schedule> parseSchedule(std::string_view text,
                                      std::string &error);
size_t hashValue(const Schedule &schedule);

/// Legal for this operator on this topology; the reason names both things that
/// clash. Extents need not divide (they are padded). The axes of one schedule
/// are equal or disjoint: where a factor of a level is named, the level is not.
/// Owners, readers and writers are compared by evaluating tiles for all steps
/// and ranks; docs/Rationale/Schedules.md has the rules.
Verdict verify(const Schedule &schedule, const OperatorModel &op,
               const TopologyModel &topology);

/// For a legal schedule: how the shards of input `input` over `axis` (an axis
/// of its entry or nest placement) arrive. An axis of nest alone is sliced off
/// a replica before the loops and then counts as if it had entered there; an
/// axis of neither is Local.
Arrival arrivalOf(const Schedule &schedule, const OperatorModel &op,
                  size_t input, const AxisRef &axis);
/// For a legal schedule: how the reduction into result `result` over `axis`
/// (an axis of a rank factor of a reduction loop) ends.
Ending endingOf(const Schedule &schedule, const OperatorModel &op,
                size_t result, const AxisRef &axis);

/// Axes of the rank factors of reduction loops: over these every result is a
/// partial value before the reductions.
AxisList reductionAxes(const Schedule &schedule, const OperatorModel &op);

/// Product of the counts of all factors of a loop, twice where one runs in both
/// directions: the number of tiles.
int64_t numTiles(const LoopPlan &loop, const TopologyModel &topology);
/// The loop's extent rounded up to a multiple of numTiles().
int64_t paddedExtent(int64_t extent, const LoopPlan &loop,
                     const TopologyModel &topology);
/// As above, and a multiple of the sizes of all placements of the tensors that
/// run over the loop: what every shard and every tile of the loop divides.
int64_t paddedExtent(const Schedule &schedule, const OperatorModel &op,
                     size_t loop, const TopologyModel &topology);
/// Index of one factor at its step `step` (Time; not read for Rank) on `rank`.
int64_t factorIndex(const Factor &factor, int64_t step, int64_t rank,
                    const TopologyModel &topology);
/// Index of the tile of a loop at the steps `time` (one per time loop, in
/// `order`) on `rank`; of the first half where a factor runs in both
/// directions, in units of whole tiles.
int64_t tileIndex(const Schedule &schedule, size_t loop,
                  const std::vector<int64_t> &time, int64_t rank,
                  const TopologyModel &topology);
/// The time factors in the order of their loops, outermost first: (loop,
/// factor) pairs.
std::vector<std::pair<size_t, size_t>> timeLoops(const Schedule &schedule);

} // namespace mercury

#endif // MERCURY_SCHEDULE_SCHEDULE_H
