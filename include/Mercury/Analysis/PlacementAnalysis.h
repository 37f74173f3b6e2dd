//===- PlacementAnalysis.h - Where values live ------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_PLACEMENTANALYSIS_H
#define MERCURY_ANALYSIS_PLACEMENTANALYSIS_H

#include "Mercury/Schedule/TopologyModel.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace mercury {

/// A tensor's placement, and its extents rounded up so that every axis holds
/// equal blocks, and orders whole chunks.
struct PlacedShape {
  Placement placement;
  llvm::SmallVector<int64_t> padded;
  /// Axes over which a loop nest fetches each step's tile from its owner.
  AxisList fetch;

  /// Extents of the block that each rank holds.
  llvm::SmallVector<int64_t> local(const TopologyModel &topology) const;
};

/// `shape` rounded up for `placement`.
PlacedShape placedShape(llvm::ArrayRef<int64_t> shape,
                        const Placement &placement,
                        const TopologyModel &topology);

/// Whether ranks hold all of dimension `dim` as it stands in the program: no
/// axis shards it and its order is natural. Such a dimension has no padding.
bool isWhole(const Placement &placement, size_t dim);
/// The placement with every dimension in its natural order.
Placement inNaturalOrder(Placement placement);

/// The value that result `result` of an scf.for or scf.forall starts from.
mlir::Value loopInitOf(mlir::OpResult result);

/// The placement of every tensor at the top level of a function at stage 2.
class PlacementAnalysis {
public:
  PlacementAnalysis(mlir::Operation *function, const TopologyModel &topology);

  /// Null for values that have no placement yet (fills, constants, unused
  /// arguments): every rank can make or holds all of them.
  const PlacedShape *lookup(mlir::Value value) const {
    auto it = shapes.find(value);
    return it == shapes.end() ? nullptr : &it->second;
  }

private:
  void visit(mlir::Operation *op);

  const TopologyModel &topology;
  llvm::DenseMap<mlir::Value, PlacedShape> shapes;
};

} // namespace mercury

#endif // MERCURY_ANALYSIS_PLACEMENTANALYSIS_H
