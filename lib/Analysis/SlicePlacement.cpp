//===- SlicePlacement.cpp - Placements across slices ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/SlicePlacement.h"
#include "Mercury/Analysis/PlacementAnalysis.h"

using namespace mlir;
using namespace mercury;

static bool hasWholeDims(RankedTensorType whole, RankedTensorType part,
                         const Placement &placement) {
  if (whole.getRank() != part.getRank())
    return false;
  for (int64_t dim = 0; dim < whole.getRank(); ++dim)
    if (!isWhole(placement, dim) &&
        part.getDimSize(dim) != whole.getDimSize(dim))
      return false;
  return true;
}

bool mercury::keepsBlocks(tensor::ExtractSliceOp slice,
                          const Placement &placement) {
  if (!slice.getType().hasStaticShape())
    return false;
  bool trims =
      slice.getType().getRank() == slice.getSourceType().getRank() &&
      llvm::all_of(slice.getMixedOffsets(),
                   [](OpFoldResult o) { return isConstantIntValue(o, 0); }) &&
      llvm::all_of(slice.getMixedStrides(),
                   [](OpFoldResult s) { return isConstantIntValue(s, 1); });
  return trims ||
         hasWholeDims(slice.getSourceType(), slice.getType(), placement);
}

bool mercury::keepsBlocks(tensor::InsertSliceOp slice,
                          const Placement &placement) {
  return slice.getSourceType().hasStaticShape() &&
         hasWholeDims(slice.getType(), slice.getSourceType(), placement);
}

Placement mercury::slicePlacement(tensor::ExtractSliceOp slice,
                                  const Placement &source) {
  return keepsBlocks(slice, source)
             ? source
             : Placement::replicated(slice.getType().getRank());
}

Placement mercury::slicePlacement(tensor::InsertSliceOp slice,
                                  const Placement *dest,
                                  const Placement *source) {
  for (const Placement *placement : {dest, source})
    if (placement && !(placement->isReplicated() && placement->isNatural()) &&
        placement->dims.size() == size_t(slice.getType().getRank()) &&
        keepsBlocks(slice, *placement))
      return *placement;
  return Placement::replicated(slice.getType().getRank());
}
