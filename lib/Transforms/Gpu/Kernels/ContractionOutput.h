//===- ContractionOutput.h - Adds to the output of a contraction  -*- C++
//-*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONOUTPUT_H
#define MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONOUTPUT_H

#include "ContractionStaging.h"

namespace mercury {

/// The tile of C that a block adds to, whatever threads hold of it.
class OutputTile {
public:
  OutputTile(mlir::ImplicitLocOpBuilder &b, const StridedContraction &shape,
             const ContractionTiling &tiling, const BlockPosition &position);

  /// Adds `sums`, a vector of accumulators, to the columns from `column` on of
  /// `row` (indices in the tile), as far as they lie in C. `column` is a
  /// multiple of the vector's length. Accumulates in the type of `sums`.
  void add(mlir::ImplicitLocOpBuilder &b, mlir::Value row, mlir::Value column,
           mlir::Value sums) const;

private:
  const StridedContraction &shape;
  const ContractionTiling &tiling;
  BlockPosition position;
  mlir::Value flat, start;
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_CONTRACTIONOUTPUT_H
