//===- SearchBound.h - What no schedule of a part can beat ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_SEARCHBOUND_H
#define MERCURY_LIB_TUNING_SEARCHBOUND_H

#include "LinkBound.h"
#include "Mercury/Schedule/Candidates.h"
#include "Mercury/Tuning/Search.h"

namespace mercury {

/// A unit of a partial candidate: how many coordinates it has on each level,
/// and what it does.
struct PartialUnit {
  int64_t size = 1;
  LevelSizes levels;
  const Choice *choice = nullptr;
};

/// Some axes have been given out: `units` do what they do, and `idle` ranks
/// repeat each other's work.
struct PartialCandidate {
  FixedList<PartialUnit, 20> units;
  int64_t idle = 1;
  /// Ranks that take a loop, of which nothing else is known; outermost level
  /// first.
  struct Rest {
    size_t level = 0, loop = 0;
    int64_t size = 1;
  };
  FixedList<Rest, 20> rest;
  int64_t free = 1; ///< ranks of which nothing is known
  /// Coordinates over which each result is exchanged, and gathered, to leave as
  /// it is asked to.
  LevelSizes exchanged[maxTensors], gathered[maxTensors];
};

/// Bounds of all schedules below a partial candidate.
/// docs/Rationale/Search.md says why they hold.
class SearchBound {
public:
  SearchBound(const CostModel &cost, const MemoryModel &memory,
              const SearchOptions &options);

  /// Says which choices axes of a level may still have: none, then those that
  /// are allowed.
  void forbidAll();
  void allow(size_t level, const Choice &choice);

  double seconds(const PartialCandidate &part);
  /// Bytes that a rank holds while loops run.
  double bytes(const PartialCandidate &part);
  /// Of a whole candidate: what moving its results to where they are asked
  /// takes beyond everything else.
  double exitSeconds(const PartialCandidate &part);

private:
  /// What is known of a tensor.
  struct Part {
    double seen = 0;     ///< bytes of it that a rank's loops run over
    double shard = 0;    ///< that a rank has at least while loops run
    double arriving = 1; ///< ranks of `rest` that hold parts of `seen`
    double ownCut = 1;   ///< ranks that may hold different parts outside
    double nestCut = 1;  ///< the same, while loops run
  };
  /// A time loop that a unit asks for, and the least that its steps send.
  struct Loop {
    size_t unit = 0, loop = 0;
    int64_t steps = 1;
    uint32_t tensors = 0;
    bool bothWays = false;
    double passed = 0, passedBoth = 0, moved = 0; ///< bytes
    double fetched = 0, broadcast = 0;
    double fixed = 0, ahead = 0;    ///< seconds
    double alone = 0, shared = 0;   ///< of a step: all, and without broadcasts
    double level[20], ownLevel[20]; ///< streamed; by broadcasts
  };

  static constexpr size_t mostLoops = 8;
  static bool mayBeOne(const Loop &a, const Loop &b);
  void read(const PartialCandidate &part);
  void readLoops(const PartialCandidate &part);
  void sendLoops(const PartialCandidate &part);
  double before(const PartialCandidate &part);
  double after(const PartialCandidate &part);
  void addRest(const PartialCandidate &part);
  double readWork(const PartialCandidate &part);
  bool findStepsTaken() const;
  double maskedWork(const PartialCandidate &part) const;
  double leaf(double steps) const;
  double nested(double around, const size_t *list, size_t number) const;
  double withLoops(double around);
  double collective(Primitive primitive, const LevelSizes &sizes, double bytes,
                    const PartialCandidate &part);
  double byDimension(Primitive primitive, size_t tensor, double bytes,
                     const PartialCandidate &part);
  double allToAll(const LevelSizes &sizes, double bytes);

  /// Bytes of a result's shard that leave, where loops end with so many.
  double leaving(size_t result, double bytes) const;
  static uint32_t bit(Way way) { return 1u << static_cast<int>(way); }
  static const TensorChoice &choiceOf(const Choice &choice, size_t tensor) {
    size_t inputs = choice.inputs.size();
    return tensor < inputs ? choice.inputs[tensor]
                           : choice.results[tensor - inputs];
  }
  Way wayOf(const PartialUnit &unit, size_t tensor) const;
  const OperatorModel::Tensor &modelOf(size_t tensor) const {
    size_t inputs = op.inputs.size();
    return tensor < inputs ? op.inputs[tensor] : op.results[tensor - inputs];
  }
  const std::vector<int64_t> &shapeOf(size_t tensor) const {
    size_t inputs = op.inputs.size();
    return tensor < inputs ? problem.inputShapes[tensor]
                           : problem.resultShapes[tensor - inputs];
  }
  bool runsOver(size_t tensor, size_t loop) const {
    return runs[tensor * op.loops.size() + loop];
  }
  bool isInput(size_t tensor) const { return tensor < op.inputs.size(); }
  /// Ways that a tensor may go over axes of a level that take the loop.
  uint32_t &waysOf(size_t level, size_t loop, size_t tensor) {
    return ways[(level * op.loops.size() + loop) * count + tensor];
  }
  /// Parts of the tensor that its readers do not have come over such axes.
  bool mayArrive(const PartialCandidate::Rest &rest, size_t tensor);
  bool mustArrive(const PartialCandidate::Rest &rest, size_t tensor);

  const CostProblem &problem;
  const OperatorModel &op;
  const LinkTimes &links;
  LinkBound least;
  const MemoryProblem &memory;
  size_t levels = 0, count = 0; ///< of the topology; tensors
  bool isForward, hasMask, stages = false;
  bool takesAllSteps = true; ///< of loops, whatever the mask
  double pieces = 1;         ///< most chunks of a step
  double leastWork = 0;      ///< CostModel::lowerBound(): all axes divide
  double launch = 0, memoryRate = 1, share = 0;
  Rate rate;
  double fastest = 0; ///< operations/s that leastWork assumes
  size_t keyLoop = 0;
  std::vector<double> askedCut; ///< of tensors that are asked for; 0: free
  std::vector<bool> isBatch, runs;
  bool hasBatch = false, hasReduction = false;
  std::vector<uint32_t> ways;

  // Of the partial candidate.
  std::vector<Part> parts;    ///< inputs, then results
  std::vector<int64_t> ranks; ///< of each loop
  FixedList<Loop, 16> loops;
  /// Seconds that ports are busy: with communication around the loops, and with
  /// that of ranks of which little is known.
  double exposed[20], restBusy[20];
  double restSize = 1, products = 0, drained = 1;
  double keys = 1; ///< of a tile at most, without padding
  int kernels = 1;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_SEARCHBOUND_H
