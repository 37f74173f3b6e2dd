//===- TileArrival.h - How tiles of a step arrive ------------- -*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_TILEARRIVAL_H
#define MERCURY_LIB_TRANSFORMS_TILEARRIVAL_H

#include "IndexTables.h"
#include "NestPlan.h"

namespace mercury {

/// Builds the communication of tiles that do not rotate, in a nest whose time
/// loops take `steps`. Times are those of all loops.
class TileArrival {
public:
  TileArrival(mlir::OpBuilder &b, mlir::Location loc,
              const TopologyModel &topology, llvm::ArrayRef<int64_t> steps)
      : b(b), loc(loc), topology(topology), resharder(b, topology),
        steps(steps) {}

  /// The tile that a source reads at this step, of what its rank holds; it
  /// comes by lists, fetch or broadcast, or is there.
  mlir::Value arrive(const Source &source, mlir::Value tile,
                     llvm::ArrayRef<mlir::Value> times);
  /// One permutation over `axes` outside of all loops: every rank receives the
  /// tile of rank source[rank].
  mlir::Value permuteOnce(mlir::Value tile, const AxisList &axes,
                          const std::vector<int64_t> &source) {
    return permute(tile, axes, RankTable{source}, {}, {});
  }

private:
  mlir::Value takePart(mlir::Value tile, const RankTable &part,
                       llvm::ArrayRef<mlir::Value> times);
  mlir::Value permute(mlir::Value tile, const AxisList &axes,
                      const RankTable &source,
                      llvm::ArrayRef<mlir::Value> times,
                      llvm::ArrayRef<int64_t> extents,
                      const Source *cut = nullptr);
  mlir::Value lists(mlir::Value tile, const Source &source,
                    llvm::ArrayRef<mlir::Value> times);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const TopologyModel &topology;
  Resharder resharder;
  llvm::ArrayRef<int64_t> steps;
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_TILEARRIVAL_H
