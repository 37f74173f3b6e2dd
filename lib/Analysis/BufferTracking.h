//===- BufferTracking.h - Buffers of a rank in play -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_ANALYSIS_BUFFERTRACKING_H
#define MERCURY_LIB_ANALYSIS_BUFFERTRACKING_H

#include "Mercury/Analysis/BufferRef.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace mercury {

/// A use of a buffer that must not be.
struct BufferConflict {
  std::string message;
  mlir::Operation *other; ///< the op that stands against it
  std::string note;       ///< what that does
};

/// A communication that has started and is not waited for.
struct Flight {
  mlir::Operation *op = nullptr;
  size_t event = 0; ///< its number in the trace
  size_t group = 0; ///< of its items, see StreamItem
  llvm::SmallVector<unsigned> communicators;
  llvm::SmallVector<BufferRef> sources, targets;
};

/// Allocations and what is in flight on one rank.
class BufferTracking {
public:
  /// A new allocation of the memref's static shape; `origin` is the value that
  /// stands for it in the IR.
  BufferRef allocate(mlir::Value origin);
  /// What the allocation stands for in the IR, the same on all ranks.
  mlir::Value origin(const BufferRef &ref) const {
    return allocations[ref.allocation].origin;
  }

  /// Why `op` must not read or write the part now.
  std::optional<BufferConflict> access(const BufferRef &ref, bool writes) const;
  /// Frees the allocation, if that may be done. `forSure`: on every path.
  std::optional<BufferConflict> release(const BufferRef &ref,
                                        mlir::Operation *op, bool forSure);

  /// By request, in order of start.
  llvm::MapVector<int32_t, Flight> flights;

private:
  struct Allocation {
    mlir::Value origin;
    mlir::Operation *freedBy = nullptr;
  };
  std::vector<Allocation> allocations;
};

} // namespace mercury

#endif // MERCURY_LIB_ANALYSIS_BUFFERTRACKING_H
