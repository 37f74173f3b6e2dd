//===- AttentionMatch.h - Attention in linalg's operators -------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_ATTENTIONMATCH_H
#define MERCURY_ANALYSIS_ATTENTIONMATCH_H

#include "Mercury/Analysis/TensorTerms.h"

namespace mercury {

/// Why something is no attention, and the op where this shows. No op: nothing
/// there looks like attention.
struct Refusal {
  mlir::Operation *op = nullptr;
  std::string reason;
};

/// A tensor that attention reads or writes.
struct AttentionOperand {
  mlir::Value tensor;
  /// What each dimension is after a reshape to the extents of these dimensions
  /// of the maps' domain.
  llvm::SmallVector<unsigned> dims;
};

/// A term of an additive mask, and the number that it is multiplied by.
struct AttentionMask {
  AttentionOperand operand;
  double factor = 1;
};

/// `root` computes what `commir.attention` computes from these.
struct AttentionMatch {
  mlir::linalg::LinalgOp root;   ///< weights times value
  mlir::linalg::LinalgOp scores; ///< query times key
  double scale = 1;
  /// Of the maps' domain: (parallel loops..., query, key, d, e).
  llvm::SmallVector<int64_t> extents;
  AttentionOperand query, key, value, result;
  /// Their sum is the mask.
  llvm::SmallVector<AttentionMask> masks;
};

/// True where `op` sums products of elements of two tensors.
bool isSumOfProducts(mlir::linalg::LinalgOp op);

/// True where `op` is `linalg.softmax` or sums exponentials.
bool isSoftmaxAnchor(mlir::Operation *op);

/// Proves that `root` is the second contraction of an attention, or says in
/// `refusal` what it could not prove. Changes nothing.
std::optional<AttentionMatch> matchAttention(mlir::linalg::LinalgOp root,
                                             Refusal &refusal);

//===----------------------------------------------------------------------===//
// Parts of the match
//===----------------------------------------------------------------------===//

/// The two elements that `reduction` multiplies, and a constant factor.
struct Product {
  const Term *lhs, *rhs;
  double factor;
};
std::optional<Product> getProduct(TensorTerms &terms,
                                  const Reduction &reduction);

/// Proves that `weights` are the softmax over digit `key` of what is returned,
/// in any of the forms that compilers emit.
const Term *matchSoftmax(TensorTerms &terms, const Term *weights, unsigned key,
                         Refusal &refusal);

/// scale * the product that `product` sums + terms that are added.
struct ScoreMatch {
  struct Added {
    const Term *read;
    double factor;
  };
  const Term *read = nullptr; ///< an element of the contraction's result
  Reduction reduction;
  Product product;
  double scale = 1;
  llvm::SmallVector<Added> added;
};
std::optional<ScoreMatch> matchScores(TensorTerms &terms, const Term *scores,
                                      unsigned key, Refusal &refusal);

} // namespace mercury

#endif // MERCURY_ANALYSIS_ATTENTIONMATCH_H
