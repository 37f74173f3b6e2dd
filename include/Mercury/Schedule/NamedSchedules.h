//===- NamedSchedules.h - Known designs as points of the space --*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_NAMEDSCHEDULES_H
#define MERCURY_SCHEDULE_NAMEDSCHEDULES_H

#include "Mercury/Schedule/Schedule.h"

namespace mercury {

/// A known design: a name, what it is, and the function that fills in the data
/// for an operator on a topology (or says why it cannot).
struct NamedSchedule {
  std::string_view name;
  std::string_view summary;
  Verdict (*fill)(Schedule &schedule, const OperatorModel &op,
                  const TopologyModel &topology);
  /// What it schedules; other operators of a function follow the default rule.
  enum class Scope { Any, Contraction, Attention } scope;
};

/// All of them, in the order of documentation.
const std::vector<NamedSchedule> &namedSchedules();

/// The schedule called `name`, or null.
const NamedSchedule *findNamedSchedule(std::string_view name);

/// Whether the schedule is meant for the operator: attention in its online form
/// (see mercury-expand-attention) or any other contraction.
bool concerns(const NamedSchedule &schedule, const OperatorModel &op);

/// Fills in the schedule called `name`, for an operator with a mask balanced
/// and with the directions of its rings chosen (Balance.h); a misspelt name's
/// verdict suggests the nearest.
Verdict makeNamedSchedule(std::string_view name, Schedule &schedule,
                          const OperatorModel &op,
                          const TopologyModel &topology);

/// Fills in a schedule under which the operator runs where its inputs live: the
/// axes of the input that is sharded most go to the loops that run over its
/// dimensions, the others take what is left, inits last. `inputs[i]` is where
/// input i lives, nothing where that is open; open inputs are placed as the
/// loops need them; `inits` the same for inits. A reduction over ranks ends in
/// all-reduce. Loops run in the order of the input that they follow, or
/// balanced where a mask gains by it. Illegal when nothing is sharded.
Verdict makeFollowingSchedule(Schedule &schedule, const OperatorModel &op,
                              const TopologyModel &topology,
                              std::vector<std::optional<Placement>> inputs,
                              std::vector<std::optional<Placement>> inits);

} // namespace mercury

#endif // MERCURY_SCHEDULE_NAMEDSCHEDULES_H
