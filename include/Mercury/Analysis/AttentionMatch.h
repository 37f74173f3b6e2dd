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
#include "Mercury/Schedule/Mask.h"
#include <memory>

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

/// A term that is added to the scores, times a number.
struct AttentionMask {
  const Term *term;
  double factor = 1;
  /// 0, or what a select has in the place of scores.
  bool isReplacement = false;
  /// The tensors that it reads, in the order in which `getReads` has them.
  llvm::SmallVector<AttentionOperand, 1> operands;
};

/// For each row, one per point of `dims`, the keys [begin, end) that it sees.
struct AttentionRanges {
  llvm::SmallVector<unsigned> dims; ///< of the maps' domain
  std::vector<int32_t> begin, end;  ///< row-major
  /// Lengths of the documents whose keys these are, where they are that.
  llvm::SmallVector<int64_t> documents;
};

/// `root` computes what `commir.attention` computes from these.
struct AttentionMatch {
  mlir::linalg::LinalgOp root;   ///< weights times value
  mlir::linalg::LinalgOp scores; ///< query times key
  double scale = 1;
  /// Of the maps' domain: (parallel loops..., query, key, d, e).
  llvm::SmallVector<int64_t> extents;
  AttentionOperand query, key, value, result;
  /// Their sum is the additive mask.
  llvm::SmallVector<AttentionMask> masks;
  /// Masks as structure; they intersect.
  Mask visible;
  std::optional<int64_t> valid;
  std::optional<AttentionRanges> ranges;
  /// Rows that see no key by these: before, their weights were no numbers.
  int64_t rowsWithoutKeys = 0;
  /// What was not recognised, and why.
  llvm::SmallVector<std::string> remarks;
  /// Which digit each dimension of the domain is; none for one of one step that
  /// is made up.
  llvm::SmallVector<std::optional<unsigned>> digits;
  std::shared_ptr<TensorTerms> terms;

  unsigned getQueryDim() const { return extents.size() - 4; }
  unsigned getKeyDim() const { return extents.size() - 3; }
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
    const Term *term;
    double factor;
    bool isReplacement = false; ///< as in AttentionMask
  };
  const Term *read = nullptr; ///< an element of the contraction's result
  Reduction reduction;
  Product product;
  double scale = 1;
  llvm::SmallVector<Added> added;
};
std::optional<ScoreMatch> matchScores(TensorTerms &terms, const Term *scores,
                                      unsigned key, Refusal &refusal);

/// The tensors' elements that `term` is computed from.
llvm::SmallVector<const Term *> getReads(const Term *term);

/// Scores that are this, or have this added, have no weight beside others: -inf
/// and the lowest numbers of types, sums and large fractions of those. No score
/// of f32 or bf16 is seen beside 1e30.
bool isHiding(double value);

/// Turns what is known of the masks of `match` into structure, leaving in
/// `masks` what has to be added; fails with a refusal where scores are replaced
/// in a way that is neither.
mlir::LogicalResult matchMasks(AttentionMatch &match, Refusal &refusal);

} // namespace mercury

#endif // MERCURY_ANALYSIS_ATTENTIONMATCH_H
