//===- LocalOp.h - Loops and accesses of a local op -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_LOCALOP_H
#define MERCURY_LIB_TRANSFORMS_GPU_LOCALOP_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace mercury {

/// What a static view of a buffer is counted from.
struct ViewBase {
  mlir::Value buffer;
  /// Elements from the first element of `buffer` to that of the view.
  int64_t offset = 0;
};

/// Looks through views that lie at a static distance from what they view.
ViewBase baseOf(mlir::Value view);

/// How one operand of a local op, or a load in its body, touches memory.
struct OpAccess {
  mlir::Value value;               ///< the memref in the op
  mlir::Value buffer;              ///< its base
  std::optional<unsigned> operand; ///< nothing for a load in the body
  bool reads = false, writes = false;
  /// Element `offset` + sum of strides[l] * (index of loop l), counted from the
  /// first element of `buffer`; when false, any element of `value`.
  bool isLinear = false;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;

  mlir::Type element() const {
    return llvm::cast<mlir::MemRefType>(value.getType()).getElementType();
  }
};

/// A linalg op or a copy on buffers, as plain data. Loops can be merged: then
/// `extents` and `strides` are no longer those of the op.
struct LocalOp {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<int64_t> extents;
  /// Loops whose iterations may run in any order and at once.
  llvm::SmallVector<bool> isParallel;
  llvm::SmallVector<OpAccess> accesses;
  /// Whether the values of loops themselves are needed, so that loops cannot be
  /// merged: linalg.index, accesses that are not linear.
  bool needsIndices = false;

  /// Iterations in all.
  int64_t size() const;
  /// Parallel loops of more than one iteration.
  llvm::SmallVector<unsigned> parallelLoops() const;
};

/// Describes `op`. Nothing, and why in a few words, when kernels of elementwise
/// and reducing ops do not take it.
std::optional<LocalOp> describeLocalOp(mlir::Operation *op,
                                       std::string &reason);

/// Bytes of an element in memory; 0 for types that kernels do not have.
int64_t kernelElementBytes(mlir::Type type);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_LOCALOP_H
