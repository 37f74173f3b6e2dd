//===- RaisedOperands.h - Operands of an attention to be built --*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_RAISEDOPERANDS_H
#define MERCURY_LIB_TRANSFORMS_RAISEDOPERANDS_H

#include "Mercury/Analysis/AttentionMatch.h"

namespace mercury {

/// A tensor and how the maps' domain indexes it.
struct Indexed {
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// Extents of dimensions of the domain, and how it indexes a tensor of those.
llvm::SmallVector<int64_t> shapeOf(const AttentionMatch &match,
                                   llvm::ArrayRef<unsigned> dims);
mlir::AffineMap mapOf(mlir::OpBuilder &b, const AttentionMatch &match,
                      llvm::ArrayRef<unsigned> dims);

Indexed makeOperand(mlir::OpBuilder &b, const AttentionMatch &match,
                    const AttentionOperand &operand);

/// The sum of all masks that are added: of one that stands in a tensor that,
/// else computed in the state's type over the dimensions that any of them has.
Indexed makeMask(mlir::OpBuilder &b, const AttentionMatch &match);

/// Where the keys of each row begin and end, i32.
std::pair<Indexed, Indexed> makeKeyRange(mlir::OpBuilder &b,
                                         const AttentionMatch &match);

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_RAISEDOPERANDS_H
