//===- ReshapePlacement.h - Placements across reshapes ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_RESHAPEPLACEMENT_H
#define MERCURY_ANALYSIS_RESHAPEPLACEMENT_H

#include "Mercury/Schedule/TopologyModel.h"
#include "mlir/IR/Operation.h"

namespace mercury {

/// The placement of the result of a `tensor.expand_shape` or
/// `tensor.collapse_shape` whose source is placed as `source`: a sharded
/// dimension survives when it becomes, or is, the outermost of its group that
/// is larger than 1 and its axes divide it. Nothing where it does not survive.
/// The source is first brought to `placementToReshape`.
std::optional<Placement> reshapePlacement(mlir::Operation *op,
                                          const Placement &source,
                                          const TopologyModel &topology);

/// The source's placement without the orders of those dimensions that do not
/// stay by themselves.
Placement placementToReshape(mlir::Operation *op, const Placement &source);

/// The placement of the source from which `reshapePlacement` gives `result`,
/// without orders that do not come through.
std::optional<Placement> sourcePlacement(mlir::Operation *op,
                                         const Placement &result,
                                         const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_ANALYSIS_RESHAPEPLACEMENT_H
