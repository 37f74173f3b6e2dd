//===- NestAnalysis.h - Accesses of a nest ----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_NESTANALYSIS_H
#define MERCURY_ANALYSIS_NESTANALYSIS_H

#include "Mercury/Analysis/CommunicationRules.h"
#include "Mercury/Analysis/PlacementAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mercury {

/// A time loop nest around one rank loop, at stage 2.
struct DistributedNest {
  llvm::SmallVector<mlir::scf::ForOp> timeLoops; ///< outermost first
  mlir::scf::ForallOp rankLoop;
  llvm::SmallVector<mlir::Value> inits; ///< of the outermost loop
  AxisList axes;                        ///< the rank loop's mapping

  mlir::Operation *outermost() {
    return timeLoops.empty() ? rankLoop.getOperation()
                             : timeLoops.front().getOperation();
  }
  llvm::SmallVector<int64_t> steps() const; ///< of each time loop
};

/// The nest whose outermost loop is `op`. Emits an error that says what is not
/// of the form when it is none.
mlir::FailureOr<DistributedNest> matchNest(mlir::Operation *op,
                                           const TopologyModel &topology);

/// The boxes that one slice (or the use of a whole tensor) touches.
struct Access {
  mlir::Operation *op; ///< extract_slice, parallel_insert_slice or another user
  mlir::Value base;    ///< the tensor outside of the nest, for outputs its init
  std::optional<unsigned> output; ///< number of the nest's output
  bool isWrite = false;
  llvm::SmallVector<int64_t> sizes;
  /// offsets[step][rank][dimension]; steps count row-major over time loops.
  std::vector<std::vector<std::vector<int64_t>>> offsets;
};

/// All accesses of the nest, in order. Emits an error for what cannot be
/// evaluated.
mlir::FailureOr<std::vector<Access>>
collectAccesses(DistributedNest &nest, const TopologyModel &topology);

/// Checks that at each step tiles written by different iterations of the rank
/// loop are disjoint, and that a read of an output is of the tile written.
mlir::LogicalResult verifyNoRace(DistributedNest &nest,
                                 llvm::ArrayRef<Access> accesses,
                                 const TopologyModel &topology);

/// The placement under which each access of `base` touches a single block: the
/// innermost axes of dimensions that are touched across blocks are taken off.
Placement gatherFor(llvm::ArrayRef<const Access *> accesses,
                    const PlacedShape &placed, const TopologyModel &topology);

/// Coordinates, on the axes of the placement, of the rank that owns the block
/// that the access touches: owners[step][rank][axis].
OwnerTable ownersOf(const Access &access, const PlacedShape &placed,
                    const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_ANALYSIS_NESTANALYSIS_H
