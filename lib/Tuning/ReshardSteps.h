//===- ReshardSteps.h - Collectives between two placements ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_RESHARDSTEPS_H
#define MERCURY_LIB_TUNING_RESHARDSTEPS_H

#include "Mercury/Schedule/Candidates.h"

namespace mercury {

/// One collective: all-to-all over `axes`, or they are gathered along `dim`.
struct ReshardStep {
  bool isExchange = false;
  size_t dim = 0; ///< of an exchange, the last one that axes leave
  AxisSequence axes;
};
using ReshardSteps = FixedList<ReshardStep, 16>;

/// As lib/Transforms/Reshard.cpp does it: what can move to where it is wanted
/// does so, all at once; else one dimension is gathered. Axes by number; what
/// is only sliced needs no step.
ReshardSteps reshardSteps(const AxisSequence *from, const AxisSequence *to,
                          size_t dims);

} // namespace mercury

#endif // MERCURY_LIB_TUNING_RESHARDSTEPS_H
