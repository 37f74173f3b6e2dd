//===- ResolveNest.h - One distributed nest onto ranks ----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_RESOLVENEST_H
#define MERCURY_LIB_TRANSFORMS_RESOLVENEST_H

#include "Mercury/Analysis/NestAnalysis.h"
#include "Reshard.h"
#include "mlir/IR/IRMapping.h"

namespace mercury {

/// Emits at the builder's point what each rank runs of `nest`: rotations,
/// broadcasts, fetches and lists as the accesses need them. `locals` gives what
/// ranks hold of every tensor that is read, with the placement under which the
/// nest uses it, `inits` the same of the outputs; `neutral[i]` says that output
/// i starts from neutral elements. Returns what ranks hold of the nest's
/// results.
mlir::FailureOr<llvm::SmallVector<LocalValue>>
resolveNest(mlir::OpBuilder &builder, DistributedNest &nest,
            llvm::ArrayRef<Access> accesses,
            llvm::DenseMap<mlir::Value, LocalValue> locals,
            llvm::ArrayRef<LocalValue> inits, llvm::ArrayRef<bool> neutral,
            const mlir::IRMapping &scalars, const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_RESOLVENEST_H
