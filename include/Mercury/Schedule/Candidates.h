//===- Candidates.h - Schedules in short form -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search looks at far more schedules than it keeps. Here they are small
// values of fixed size, in which axes are bits, and whether they are legal is
// decided without looking at every step and rank. The schedule itself is built
// of those that are kept.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_CANDIDATES_H
#define MERCURY_SCHEDULE_CANDIDATES_H

#include "Mercury/Schedule/FixedList.h"
#include "Mercury/Schedule/UnitChoices.h"

#include <functional>
#include <memory>

namespace mercury {

/// A set of axes of a division; a topology has at most 20.
using AxisMask = uint32_t;
/// Numbers of axes of a division, major first.
using AxisSequence = FixedList<uint8_t, 20>;

/// Axes that are cut from a topology, and those of them that do everything
/// together: one flat ring, one collective.
struct Division {
  AxisList axes; ///< in the order of the topology, none of size 1
  std::vector<int64_t> sizes;
  std::vector<AxisMask> units; ///< disjoint, in the order of their first axes

  int64_t sizeOf(AxisMask mask) const;
  int64_t sizeOf(const AxisSequence &axes) const;
};

/// Operators with more tensors, dimensions or loops than this have no
/// candidates, and none has more time loops.
constexpr size_t maxTensors = 16, maxDims = 8, maxLoops = 16, maxTimes = 16;

/// Everything that follows from a choice for every unit.
struct Candidate {
  /// A time factor.
  struct Time {
    /// A unit whose shards its steps run over.
    struct Member {
      uint8_t unit = 0;
      bool shifted = false;
      uint8_t offset = 0;
      uint32_t tensors = 0; ///< that ask for it: inputs, then results
    };
    uint8_t loop = 0;
    uint8_t order = 0; ///< among all time loops, 0 outermost
    bool bothDirections = false;
    /// One, or several of the same size; the first gives the steps.
    FixedList<Member, 2> members;
    uint32_t tensors() const;
  };
  struct Tensor {
    AxisSequence entry[maxDims], nest[maxDims]; ///< of results both are alike
    AxisMask fetch = 0;
  };
  AxisMask ranks[maxLoops] = {};   ///< of the rank factor of each loop
  FixedList<Time, maxTimes> times; ///< by loop, outer factors first
  Tensor tensors[maxTensors];      ///< inputs, then results
};

/// The schedule in full.
Schedule scheduleOf(const OperatorModel &op, const Division &division,
                    const Candidate &candidate);

/// The candidates of an operator on a topology.
class Candidates {
public:
  Candidates(const OperatorModel &op, const TopologyModel &topology,
             const EnumeratorOptions &options);
  ~Candidates();

  /// What a unit may do.
  const std::vector<Choice> &choices() const { return all; }
  /// Whether the choices, one per unit, do not describe a schedule again that
  /// other choices stand for, nor one that the options leave out. Once they do,
  /// more units do not mend it.
  bool isListed(const std::vector<const Choice *> &picked) const;
  /// Calls `visit(candidate, picked)` for all that is listed of a division.
  /// False when `visit` returned it.
  bool
  forEach(const Division &division,
          const std::function<bool(
              Candidate &, const std::vector<const Choice *> &)> &visit) const;
  /// Calls `visit(candidate)` for every way in which factors that the choices
  /// ask for are shared; time loops stand in the order of their loops. Whether
  /// the candidate is legal is not asked. False when `visit` returned it.
  bool forEachSharing(const Division &division,
                      const std::vector<const Choice *> &picked,
                      const std::function<bool(Candidate &)> &visit) const;
  /// Calls `visit()` with the candidate's time loops in every order, of orders
  /// with the same messages one. False when `visit` returned it.
  bool forEachOrder(Candidate &candidate,
                    const std::vector<const Choice *> &picked,
                    const std::function<bool()> &visit) const;
  /// What verify() says of the schedule.
  bool isLegal(const Division &division, const Candidate &candidate);
  Schedule build(const Division &division, const Candidate &candidate) const {
    return scheduleOf(op, division, candidate);
  }

private:
  class Legality;
  const OperatorModel &op;
  const TopologyModel &topology;
  EnumeratorOptions options;
  std::vector<Choice> all;
  std::unique_ptr<Legality> legality;
};

/// Every division of the topology's axes that differs from the others, coarse
/// ones first.
std::vector<Division> divisions(const TopologyModel &topology,
                                const EnumeratorOptions &options);

} // namespace mercury

#endif // MERCURY_SCHEDULE_CANDIDATES_H
