//===- SearchPlacements.h - Where tensors are asked to be -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_SEARCHPLACEMENTS_H
#define MERCURY_LIB_TUNING_SEARCHPLACEMENTS_H

#include "Mercury/Schedule/UnitChoices.h"
#include "Mercury/Tuning/Search.h"

namespace mercury {

/// Where inputs and results of a search are asked to be.
class SearchPlacements {
public:
  SearchPlacements(const OperatorModel &op, const TopologyModel &topology,
                   const SearchOptions &options)
      : op(op), topology(topology), options(options) {}

  /// Whether the axis may go to a unit with the choice.
  bool allow(const Choice &choice, const AxisRef &axis) const;
  /// Whether the axis may idle: it cuts no input.
  bool mayIdle(const AxisRef &axis) const;
  /// Whether inputs and results of the schedule are where they are asked to be.
  bool fit(const Schedule &schedule) const;
  /// Lets results leave as they are asked to where loops end with them
  /// elsewhere.
  void moveResults(Schedule &schedule) const;

private:
  std::optional<Placement> exitOf(const Schedule &schedule, size_t r) const;
  bool enterAlike(const Schedule &schedule) const;
  size_t numEntries() const {
    return std::min(op.inputs.size(), options.entries.size());
  }

  const OperatorModel &op;
  const TopologyModel &topology;
  const SearchOptions &options;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_SEARCHPLACEMENTS_H
