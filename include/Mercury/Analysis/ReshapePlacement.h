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
std::optional<Placement> reshapePlacement(mlir::Operation *op,
                                          const Placement &source,
                                          const TopologyModel &topology);

/// The placement of the source from which `reshapePlacement` gives `result`.
std::optional<Placement> sourcePlacement(mlir::Operation *op,
                                         const Placement &result,
                                         const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_ANALYSIS_RESHAPEPLACEMENT_H
