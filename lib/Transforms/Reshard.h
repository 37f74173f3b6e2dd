//===- Reshard.h - From one placement to another, on ranks ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_RESHARD_H
#define MERCURY_LIB_TRANSFORMS_RESHARD_H

#include "Mercury/Analysis/PlacementAnalysis.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/IR/Builders.h"

namespace mercury {

/// What a rank holds of a tensor.
struct LocalValue {
  mlir::Value value; ///< of the local shape
  PlacedShape shape;
  llvm::SmallVector<int64_t> global; ///< extents without padding
};

/// Builds the local ops that move, cut and reassemble tensors.
class Resharder {
public:
  Resharder(mlir::OpBuilder &builder, const TopologyModel &topology)
      : b(builder), topology(topology) {}

  /// `value` placed as `target` says, padded to `padded` in dimensions that are
  /// sharded or stand in an order (when given; else as is or to the next
  /// multiple).
  LocalValue convert(mlir::Location loc, LocalValue value,
                     const Placement &target,
                     llvm::ArrayRef<int64_t> padded = {});

  /// The reduction of `partial`, whose dimension 0 is sharded over axes and
  /// holds one slice per rank, placed as near to `target` as a reduction by
  /// `kind` can place it: reduce-scatter over its axes in `target`, all-reduce
  /// over the others. The value's dimension 0 is gone.
  LocalValue reduce(mlir::Location loc, LocalValue partial,
                    commir::ReductionKind kind, const Placement &target);

  /// Sets elements at and beyond `valid` of padded dimensions to `element`.
  mlir::Value refill(mlir::Location loc, const LocalValue &local,
                     llvm::ArrayRef<int64_t> valid, mlir::Value element);

  /// The coordinate of this rank on `axes`.
  mlir::Value coordinate(mlir::Location loc, const AxisList &axes);

  /// Sets the extent of dimension `dim` of a local tensor: cuts its end off or
  /// adds zeros.
  mlir::Value resize(mlir::Location loc, mlir::Value value, int64_t dim,
                     int64_t extent);
  mlir::Value empty(mlir::Location loc, llvm::ArrayRef<int64_t> shape,
                    mlir::Type element);
  /// The same elements in order in another shape; a fill is made anew.
  mlir::Value reshape(mlir::Location loc, mlir::Value value,
                      llvm::ArrayRef<int64_t> shape);
  /// Moves dimension `from` of a tensor to position `to`.
  mlir::Value moveDim(mlir::Location loc, mlir::Value value, int64_t from,
                      int64_t to);
  /// Cuts each dimension into `parts[dim]` of equal extent: a tensor of all
  /// parts, contiguous one after the other in row-major order.
  mlir::Value cut(mlir::Location loc, mlir::Value value,
                  llvm::ArrayRef<int64_t> parts);

private:
  /// `convert` between placements in natural order; of `padded`, 0 says
  /// nothing.
  LocalValue moveAxes(mlir::Location loc, LocalValue value,
                      const Placement &target, llvm::ArrayRef<int64_t> padded);
  /// Stores dimension `dim` in another order, under the same axes and padding.
  LocalValue reorder(mlir::Location loc, LocalValue value, size_t dim,
                     const TokenOrder &order);
  /// The block over `axes` of a dimension that ranks hold all of, in an order.
  LocalValue takeBlock(mlir::Location loc, LocalValue value, size_t dim,
                       const TokenOrder &order, const AxisList &axes);
  /// Tables have a row per rank (of `exchangeUnits`, per coordinate).
  using Table = std::vector<std::vector<int64_t>>;
  mlir::Value copyParts(mlir::Location loc, mlir::Value value, mlir::Value into,
                        size_t dim, int64_t extent, const Table &from,
                        const Table &to);
  mlir::Value takeUnits(mlir::Location loc, mlir::Value value, size_t dim,
                        int64_t unit, const Table &slots);
  mlir::Value putUnits(mlir::Location loc, mlir::Value units, mlir::Value into,
                       size_t dim, int64_t unit, const Table &slots);
  mlir::Value exchangeUnits(mlir::Location loc, mlir::Value value, size_t dim,
                            int64_t unit, const AxisList &axes,
                            const Table &send, const Table &receive);
  LocalValue gather(mlir::Location loc, LocalValue value, size_t dim,
                    const AxisList &axes);
  /// Axes that go from one dimension to another one: there position `at` and
  /// those behind, here the next ones.
  struct Move {
    size_t from, at, to;
    AxisList axes;
    int64_t padded; ///< the extent of `to` where it is held whole
  };
  LocalValue exchange(mlir::Location loc, LocalValue value,
                      llvm::SmallVector<Move> moves);
  LocalValue slice(mlir::Location loc, LocalValue value, size_t dim,
                   const AxisList &axes, int64_t padded);
  mlir::Value split(mlir::Location loc, mlir::Value value, int64_t dim,
                    int64_t parts);
  mlir::Value joinWithNext(mlir::Location loc, mlir::Value value, int64_t dim);

  mlir::OpBuilder &b;
  const TopologyModel &topology;
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_RESHARD_H
