//===- UnitChoices.h - What tensors do over the axes of a loop --*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_UNITCHOICES_H
#define MERCURY_SCHEDULE_UNITCHOICES_H

#include "Mercury/Schedule/Enumerator.h"

namespace mercury {

/// How a tensor's shards over a unit meet the loops.
enum class Way {
  Local,      ///< the unit's loop runs over it, or it is replicated
  Gather,     ///< inputs, over `dim`
  Broadcast,  ///< inputs, a time factor of the loop of `dim`
  Rotate,     ///< inputs, a shifted time factor
  RotateBoth, ///< inputs, a shifted time factor in both directions
  Fetch,      ///< inputs, a shifted time factor
  AllToAll,   ///< inputs, enters sharded over `dim`
  Scatter,    ///< results, onto `dim`
  Moving      ///< results, a shifted time factor of the loop of `dim`
};

struct TensorChoice {
  Way way = Way::Local;
  size_t dim = 0;
  bool operator==(const TensorChoice &) const = default;
};

struct Choice {
  size_t loop = 0;
  std::vector<TensorChoice> inputs, results;
  /// Groups of inputs that run over the loop, and those of them that are placed
  /// elsewhere on entry.
  size_t running = 0, relays = 0;
  /// Groups of inputs that do not arrive locally.
  size_t arriving = 0;
  bool operator==(const Choice &) const = default;
};

/// The way needs a time factor of the loop of its dimension.
bool needsTime(Way way);
/// Some tensor is passed on in a ring.
bool travels(const Choice &choice);
/// Appends all choices for axes that take `loop`. Coupled results do the same.
void addChoices(const OperatorModel &op, size_t loop,
                const EnumeratorOptions &options, std::vector<Choice> &choices);

} // namespace mercury

#endif // MERCURY_SCHEDULE_UNITCHOICES_H
