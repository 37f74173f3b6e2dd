//===- NestPlan.h - What each tensor of a nest needs ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_NESTPLAN_H
#define MERCURY_LIB_TRANSFORMS_NESTPLAN_H

#include "Mercury/Analysis/NestAnalysis.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "Reshard.h"

namespace mercury {

/// A tensor that the nest reads, and how its tiles arrive.
struct Source {
  mlir::Value base;
  Movement movement;
  size_t depth = 0; ///< time loops that its broadcast or fetch stands inside
  /// The part of the held block that travels, where no step reads more of it:
  /// offsets and extents per dimension, else empty.
  std::vector<int64_t> from, extents;
  /// For tiles that come by broadcast, fetch or lists: into how many parts per
  /// dimension a reader takes only one of, and per step and rank the one that
  /// it takes, counted row-major. Else 1 each, and 0.
  std::vector<int64_t> parts;
  std::vector<std::vector<int64_t>> part;
  bool isCut() const {
    return llvm::any_of(parts, [](int64_t n) { return n > 1; });
  }
};

/// A tensor that the nest writes.
struct Output {
  Movement movement;
  /// For one that moves: the operator that writes it, for its combiner, and
  /// the number and group of the operator's result.
  commir::DistributableOpInterface combiner;
  unsigned result = 0, group = 0;
  /// The nest's outputs that the group's members are written to, in order.
  llvm::SmallVector<unsigned> members;
  bool moves() const { return movement.kind == Movement::Kind::Rotate; }
  bool movesAt(size_t loop) const {
    return moves() && movement.hops[loop].has_value();
  }
};

/// How all tensors of a nest reach those who read and own them.
struct NestPlan {
  std::vector<Source> sources;
  llvm::DenseMap<const Access *, size_t> sourceOfAccess;
  llvm::SmallVector<Output> outputs;
};

/// Decides for each read how its tiles arrive, and for each output whether it
/// stays or moves; arguments as of resolveNest. Emits an error for outputs that
/// can do neither.
mlir::FailureOr<NestPlan>
planNest(DistributedNest &nest, llvm::ArrayRef<Access> accesses,
         const llvm::DenseMap<mlir::Value, LocalValue> &locals,
         llvm::ArrayRef<LocalValue> inits, const TopologyModel &topology);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_NESTPLAN_H
