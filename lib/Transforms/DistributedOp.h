//===- DistributedOp.h - An operator on its way into a nest --- -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_DISTRIBUTEDOP_H
#define MERCURY_LIB_TRANSFORMS_DISTRIBUTEDOP_H

#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "PlaceOperands.h"

namespace mercury {

/// An operator that a nest is built of, and what all steps of that share.
struct DistributedOp {
  DistributedOp(mlir::RewriterBase &b, commir::DistributableOpInterface op,
                const Schedule &s, const TopologyModel &topology);

  /// Where result `i` lives when the loops and reductions have ended.
  Placement atEnd(unsigned i) const;
  /// Where result `i` lives while the loops run: a partial result has one more
  /// dimension, which the partial axes shard.
  Placement inLoops(unsigned i) const;
  /// The neutral element of result `i` in a tensor of its padded shape.
  mlir::Value neutral(unsigned i);
  mlir::DestinationStyleOpInterface onPadded() const;

  mlir::RewriterBase &b;
  commir::DistributableOpInterface op;
  const Schedule &s;
  const TopologyModel &topology;
  OperatorModel model;
  mlir::Location loc;
  OperandPlacer placer;
  /// Axes that reduce into partial results, in order of loops and factors.
  AxisList partial;
  /// The operator on operands whose extents are whole tiles; erased in the end.
  mlir::Operation *padded = nullptr;
};

/// `axes` and placements without some axes.
AxisList without(AxisList axes, const AxisList &removed);
Placement without(Placement placement, const AxisList &removed);

/// The loops over time and ranks that compute the padded operator into
/// `destinations`. Fails, with a diagnostic, where it refuses to be tiled.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
buildLoops(DistributedOp &dist, mlir::ValueRange destinations);

/// Partial results are reduced by ordinary reductions, whose results are
/// placed.
llvm::SmallVector<mlir::Value> endReductions(DistributedOp &dist,
                                             mlir::ValueRange nestResults);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_DISTRIBUTEDOP_H
