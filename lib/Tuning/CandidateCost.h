//===- CandidateCost.h - Seconds of candidates ------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CostModel::seconds() without a schedule: the same formulae on axes that are
// bits, with the times of communication, and what masks leave of tiles, kept.
// Forward only; for all else there is the cost model.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_CANDIDATECOST_H
#define MERCURY_LIB_TUNING_CANDIDATECOST_H

#include "CandidateMask.h"
#include "Flights.h"
#include "Mercury/Tuning/CostModel.h"
#include "Stretch.h"

#include <array>
#include <map>
#include <optional>
#include <unordered_map>

namespace mercury {

/// More levels than this are left to the cost model.
constexpr size_t maxCostLevels = 6;

/// What takes part in a communication, as CostModel adds it up.
struct LinkSeconds {
  double seconds = 0, fixed = 0, launch = 0;
  double level[maxCostLevels] = {}; ///< streamed
};

class CandidateCost {
public:
  CandidateCost(const CostProblem &problem, const LinkTimes &links);

  /// Whether the problem is one for which seconds() is that of the cost model.
  bool isExact() const { return exact; }
  /// Reads what does not depend on the order of time loops. Tokens keep their
  /// natural order.
  void enter(const Division &division, const Candidate &candidate);
  /// The candidate that was entered, with its time loops as they now stand, and
  /// the order of tokens that balance() gives, or the natural one again. False
  /// where that is none, or does not lessen the work of the rank with most.
  bool order(const Candidate &candidate, bool isBalanced);
  /// The kernels that may compute tiles, by name; "" first.
  const std::vector<std::string> &kernels() const { return patches; }
  /// Of the candidate with its time loops as they now stand, and a kernel by
  /// number. Infinite where its blocks are larger than a tile.
  double seconds(const Candidate &candidate, int64_t chunks, size_t kernel = 0);
  /// Bytes of the shards that a rank holds of inputs, and of results that are
  /// returned as they are: what no program does without.
  double ownBytes() const { return held; }

private:
  /// Communications of one kind of a time loop; what goes the same way in one
  /// message.
  struct Bundle {
    double fixed = 0, launch = 0, streamed = 0;
    double level[maxCostLevels] = {};
    bool empty() const { return fixed + streamed == 0; }
  };
  /// Ways of messages beside collectives, whose way is their primitive.
  static constexpr int passOn = 16, passBothWays = 17, fetchFromOwner = 18;
  struct Message {
    uint64_t axes = 0;
    int way = 0;
    double bytes = 0;
  };
  struct Loop {
    int64_t steps = 1;
    FixedList<Message, maxTensors * 2> passed, moved;
    double movedBytes = 0;
  };
  /// As TrafficReader has it.
  struct Arrived {
    Message message;
    bool firstIsOwn = false, lastIsOwn = false, isUnread = false;
    double part = 1;
  };
  /// As LoopUse has it.
  struct Times {
    Bundle first, waited, waitedOwn, passed, moved, both, late;
    double fill = 0, merge = 0, add = 0;
    bool moves = false, startsEarly = false;
  };

  bool isMasked(size_t loop) const {
    return masks &&
           (loop == problem.op.mask->query || loop == problem.op.mask->key);
  }
  uint64_t namesOf(AxisMask mask) const;
  void readExtents(const Candidate &c);
  void readInput(const Candidate &c, size_t i);
  void readLoops(const Candidate &c, size_t i);
  void readResult(const Candidate &c, size_t r);
  /// Blocks along the dimension lie apart: others that are not one stand before
  /// it.
  bool isApart(const Candidate &c, size_t tensor, size_t dim) const;
  void copy(double bytes);
  void readWork(const Candidate &c);
  /// Seconds of a step's work by the kernel, of the loops' steps that
  /// `combination` numbers.
  double leaf(size_t kernel, size_t combination) const;
  /// The loops from `depth` inwards once.
  Stretch run(const Candidate &c, size_t depth, size_t combination,
              size_t kernel, double pieces) const;
  /// The innermost time loop, by the present order, whose steps change the
  /// shards over an axis of a dimension; their number where none does.
  size_t timeOf(const Candidate &c, size_t loop, const AxisSequence &list,
                size_t index) const;
  const Candidate::Time::Member *shiftOver(const Candidate::Time &time,
                                           uint8_t axis) const;
  /// As TrafficReader has it.
  struct Offset {
    uint64_t axes;
    int64_t stride;
    auto operator<=>(const Offset &) const = default;
  };
  struct Skew {
    llvm::SmallVector<Offset, 4> offsets;
    double part = 0;
    bool isEqual = true;
  };
  bool isOwn(const Candidate::Time &time, const Candidate::Time::Member &shift,
             bool atLast) const;
  void addSkew(Skew &skew, const Candidate::Time &time,
               const Candidate::Time::Member &shift, AxisMask group,
               bool atLast) const;
  /// Seconds of a message of each tile that lies elsewhere than it is needed.
  double putRight(Skew skew, double bytes);
  /// The axes of a message, in the order of the topology.
  AxisList listOf(uint64_t axes) const;
  /// As TrafficReader::partsOf().
  double partsOf(const Candidate &c, size_t i, size_t depth, AxisMask broadcast,
                 bool &liesApart) const;
  bool isShared(AxisMask axes) const;
  /// Of time loop `depth` - 1 by the present order.
  void arrive(size_t depth, AxisMask axes, int way, double bytes,
              bool isOutside, Arrived how);
  Communicators flightOf(AxisMask axes);
  void follow(Bundle &bundle, const Message &message);
  void addTimes(const Candidate &c, size_t t);
  void send(FixedList<Message, maxTensors * 2> &list, AxisMask axes, int way,
            double bytes);
  const LinkSeconds &timeOf(const Message &message);
  void add(Bundle &bundle, const FixedList<Message, maxTensors * 2> &list);
  void readTimes(const Candidate &c);

  const CostProblem &problem;
  const LinkTimes &links;
  const TopologyModel &topology;
  bool exact = true;
  std::vector<std::string> patches;
  /// Of each kernel: of whole tiles, and of those that a mask cuts.
  std::vector<std::array<Rate, 2>> rates;
  double memoryRate = 1;
  std::vector<bool> isBatch;
  size_t keyLoop = 0;
  bool fillsFirst = false; ///< what is added to; see CostProblem::isForeign

  std::optional<CandidateMask> masks;

  const Division *division = nullptr;
  AxisList axes; ///< of the division for which `names` holds
  /// Every axis that was met has a bit.
  std::vector<AxisRef> known;
  uint64_t names[20] = {};
  struct Key {
    uint64_t axes;
    int way;
    double bytes;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &key) const;
  };
  std::unordered_map<Key, LinkSeconds, Hash> times;
  std::unordered_map<Key, LinkTimes::Hop, Hash> hops;
  std::map<llvm::SmallVector<Offset, 4>, LinkTimes::Hop> hopOfOffsets;

  // Of the candidate.
  AxisMask shifts[maxLoops], partial = 0;
  int64_t padded[maxLoops], tile[maxLoops];
  double shard[maxTensors], tileBytes[maxTensors];
  double before = 0, after = 0; ///< seconds of communication around the loops
  /// What generated code does around the loops: seconds of memory, and numbers
  /// of kernels.
  double fill = 0, finish = 0;
  int fills = 0, finishes = 0;
  int halves = 1; ///< a step's work is done in so many
  double held = 0;
  std::vector<std::vector<int64_t>> blocks; ///< per kernel: blocksPerLoop()
  /// Of a step's work: seconds of a pair that a mask leaves, or of all of it,
  /// per kernel and whether a mask cuts, infinite where the kernel's blocks are
  /// larger than a tile; of memory; of merging all rows.
  std::vector<std::array<double, 2>> pairSeconds;
  double memorySeconds = 0, mergeSeconds = 0, queryRows = 1;
  int64_t parts = 1;                ///< of the order of tokens
  int64_t balanced = 1;             ///< parts of the one that balances
  bool isPadded = false;            ///< extents are rounded up for that order
  const StepTable *table = nullptr; ///< of the mask, or null
  double entering = 0; ///< seconds of messages before the first step
  /// Bytes: of results before they are reduced; that copies move.
  double added = 0, cut = 0, copied = 0;
  bool isPartial = false; ///< results are reduced over ranks after the loops
  Loop loops[maxTimes];
  Times loopTimes[maxTimes];
  // By the order of loops that was read last.
  uint8_t readOrders[maxTimes] = {};
  FlightLoop flights[maxTimes];
  FixedList<Arrived, maxTensors * 2> arrivals[maxTimes];
  FixedList<AxisMask, 64> communicators;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_CANDIDATECOST_H
