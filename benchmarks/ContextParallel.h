//===- ContextParallel.h - Heads and a ring over any ranks ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_BENCHMARKS_CONTEXTPARALLEL_H
#define MERCURY_BENCHMARKS_CONTEXTPARALLEL_H

#include "Mercury/Schedule/Schedule.h"

namespace mercury::bench {

/// The named schedules ring, usp and ulysses on axes of the caller's choice: a
/// flat ring over `ring`, inside each rank of which heads are exchanged over
/// `heads`. Sequences enter and leave over `ring`, then `heads`. The lists are
/// disjoint; either may be empty. Fails where factors of the heads do not fit
/// the axes.
Verdict contextParallel(Schedule &s, const OperatorModel &op,
                        const TopologyModel &topology, const AxisList &ring,
                        const AxisList &heads);

} // namespace mercury::bench

#endif // MERCURY_BENCHMARKS_CONTEXTPARALLEL_H
