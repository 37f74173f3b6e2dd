//===- BufferEffects.h - What ops do to buffers -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_BUFFEREFFECTS_H
#define MERCURY_ANALYSIS_BUFFEREFFECTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace mercury {

/// The buffers that `buffer` may be or be a view of: looks through views,
/// selects, conditions and buffers that loops carry.
llvm::SmallSetVector<mlir::Value, 4> rootsOf(mlir::Value buffer);

/// Whether two buffers may share memory. Allocations, constants and arguments
/// of the function do not; anything else may.
bool mayOverlap(mlir::Value a, mlir::Value b);

/// Whether `op` (with everything inside) may write a buffer of `read`, may
/// touch one of `written`, or has effects that are not known. That it uses the
/// network does not count.
bool mayConflict(mlir::Operation *op, mlir::ArrayRef<mlir::Value> read,
                 mlir::ArrayRef<mlir::Value> written);

} // namespace mercury

#endif // MERCURY_ANALYSIS_BUFFEREFFECTS_H
