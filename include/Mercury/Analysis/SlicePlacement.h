//===- SlicePlacement.h - Placements across slices --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_SLICEPLACEMENT_H
#define MERCURY_ANALYSIS_SLICEPLACEMENT_H

#include "Mercury/Schedule/TopologyModel.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mercury {

/// True where the slice leaves the blocks of a tensor that is placed so where
/// they are: it has all of each dimension that is sharded or stands in an
/// order, or only cuts ends off.
bool keepsBlocks(mlir::tensor::ExtractSliceOp slice,
                 const Placement &placement);
/// True where the slice has all of each dimension that is sharded or stands in
/// an order.
bool keepsBlocks(mlir::tensor::InsertSliceOp slice, const Placement &placement);

/// The placement of the result: that of the source where blocks stay.
Placement slicePlacement(mlir::tensor::ExtractSliceOp slice,
                         const Placement &source);
/// The placement of the result: that of the destination or else of the source,
/// null where open, whose blocks stay and which is sharded.
Placement slicePlacement(mlir::tensor::InsertSliceOp slice,
                         const Placement *dest, const Placement *source);

} // namespace mercury

#endif // MERCURY_ANALYSIS_SLICEPLACEMENT_H
