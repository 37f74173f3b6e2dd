//===- ArrangePlacement.h - Placements across arrangements ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_ARRANGEPLACEMENT_H
#define MERCURY_ANALYSIS_ARRANGEPLACEMENT_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Mercury/Schedule/TopologyModel.h"

namespace mercury {

/// How ranks arrange a tensor: brought to `source`, what they hold of it is
/// what they hold of the result, placed `result`.
struct ArrangedPlacement {
  Placement source, result;
};

/// For an operand that is placed `placement`. The dimension keeps its axes
/// where these divide the order's extent, else every rank holds all of it.
ArrangedPlacement arrangedPlacement(commir::ArrangeOp arrange,
                                    const Placement &placement,
                                    const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_ANALYSIS_ARRANGEPLACEMENT_H
