//===- RankLoop.h - Loops over ranks -------------------------- -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_RANKLOOP_H
#define MERCURY_LIB_TRANSFORMS_RANKLOOP_H

#include "Mercury/Schedule/TopologyModel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mercury {

/// A loop over the coordinates of axes, which an scf.forall with a mapping is.
struct RankLoop {
  /// Over `axes`, in the order of the topology; the builder stands at the end
  /// of the body then.
  RankLoop(mlir::OpBuilder &b, mlir::Location loc,
           const TopologyModel &topology, AxisList axes,
           mlir::ValueRange outputs);

  /// The flat coordinate along some of its axes, major first.
  mlir::Value linearCoordinate(mlir::OpBuilder &b, const AxisList &some);

  mlir::scf::ForallOp op;
  AxisList axes;
  const TopologyModel &topology;
};

/// A tensor, and what ranks hold of it.
struct Placed {
  mlir::Value value;
  Placement placement;
  /// A partial value: each rank holds one slice of its first dimension, which
  /// is not a dimension of its part.
  bool isPartial = false;
};

using ShardsBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ValueRange, mlir::ValueRange)>;

/// A rank loop that computes on shards: `body` takes what a rank holds of each
/// output and input and returns the new parts of the outputs. Returns the
/// outputs that are made of these.
llvm::SmallVector<mlir::Value> onShards(mlir::OpBuilder &b, mlir::Location loc,
                                        const TopologyModel &topology,
                                        llvm::ArrayRef<Placed> outputs,
                                        llvm::ArrayRef<Placed> inputs,
                                        ShardsBody body);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_RANKLOOP_H
