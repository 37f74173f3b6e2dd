//===- Contraction.h - A contraction as plain data --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TRANSFORMS_LOCAL_CONTRACTION_H
#define MERCURY_TRANSFORMS_LOCAL_CONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <string>

namespace mercury {

/// A linalg op that computes, over static extents,
///   C[batch, m, n] += A[batch, m, k] * B[batch, k, n]
/// with any number of loops of each role, dimensions in any order, and inputs
/// extended to the type of C.
struct Contraction {
  enum class Role { Batch, M, N, K };
  /// A tensor or memref and the loop that each of its dimensions runs over.
  struct Operand {
    mlir::Value value;
    llvm::SmallVector<unsigned> loops;
    mlir::Type element() const {
      return mlir::getElementTypeOrSelf(value.getType());
    }
    /// The dimension that `loop` indexes.
    std::optional<unsigned> dimOf(unsigned loop) const;
    bool uses(unsigned loop) const { return dimOf(loop).has_value(); }
    /// The loop of the last dimension, the one contiguous in memory.
    std::optional<unsigned> lastLoop() const;
  };

  mlir::linalg::LinalgOp op;
  Operand a, b, c;
  llvm::SmallVector<Role> roles;      ///< per loop
  llvm::SmallVector<int64_t> extents; ///< per loop

  llvm::SmallVector<unsigned> loopsOf(Role role) const;
  /// The loop of `role` with the largest extent; the first of equals.
  std::optional<unsigned> largestLoop(Role role) const;
  /// Product of the extents of all loops of `role`; 1 if there is none.
  int64_t extentOf(Role role) const;
  /// 2 * batch * m * n * k.
  int64_t flops() const;
  /// Exchanges A with B and m with n: the product commutes.
  void swapInputs();
};

/// Matches `op` as a contraction of floats. On failure `reason`, if given, says
/// in a few words why.
mlir::FailureOr<Contraction> matchContraction(mlir::linalg::LinalgOp op,
                                              std::string *reason = nullptr);

} // namespace mercury

#endif // MERCURY_TRANSFORMS_LOCAL_CONTRACTION_H
