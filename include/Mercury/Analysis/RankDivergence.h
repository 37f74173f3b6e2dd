//===- RankDivergence.h - What differs between ranks ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_RANKDIVERGENCE_H
#define MERCURY_ANALYSIS_RANKDIVERGENCE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace mercury {

/// Which numbers (index, integer, float) of a module differ between ranks: what
/// depends on a `commir.rank_coord` or on elements of tensors and buffers that
/// are no constants. Arguments of functions that are not called are the same on
/// all ranks.
class RankDivergence {
public:
  explicit RankDivergence(mlir::Operation *module);

  /// The op by which `value` differs; null when it is the same on all ranks.
  mlir::Operation *cause(mlir::Value value) const {
    return causes.lookup(value);
  }

  /// Control flow that ranks do not take alike.
  struct Control {
    mlir::Operation *op;    ///< a loop, a condition or a branch
    mlir::Operation *cause; ///< null: nothing says that ranks run it alike
  };
  /// The innermost such op that decides whether, or how often, `op` runs.
  std::optional<Control> divergentControl(mlir::Operation *op) const;

private:
  void mark(mlir::Value value, mlir::Operation *cause);
  void markAll(mlir::ValueRange values, mlir::Operation *cause);
  void propagate(mlir::OpOperand &use, mlir::Operation *cause);
  void propagateYield(mlir::OpOperand &use, mlir::Operation *cause);
  bool propagateCall(mlir::OpOperand &use, mlir::Operation *cause);

  llvm::DenseMap<mlir::Value, mlir::Operation *> causes;
  llvm::SmallVector<mlir::Value> worklist;
};

} // namespace mercury

#endif // MERCURY_ANALYSIS_RANKDIVERGENCE_H
