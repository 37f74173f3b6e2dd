//===- RowEvaluation.h - What tensors are along a row -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_ROWEVALUATION_H
#define MERCURY_ANALYSIS_ROWEVALUATION_H

#include "Mercury/Analysis/RowValues.h"
#include "Mercury/Analysis/TensorTerms.h"

namespace mercury {

/// Computes elements of tensors for all keys of a row at once, exactly, from
/// constants, loop indices and whatever folds; nothing where an element depends
/// on anything else, or the work would exceed the limit.
class RowEvaluator {
public:
  /// `limit`: runs and elements of constants, over the evaluator's life.
  explicit RowEvaluator(int64_t limit) : work(limit) {}
  ~RowEvaluator();

  /// What `term` is for keys [0, numKeys), digit `key`, with all other digits
  /// at these values. The rows of floats have floats, others integers.
  std::optional<Row> evaluate(const TensorTerms &terms, const Term *term,
                              unsigned key, int64_t numKeys,
                              const llvm::DenseMap<unsigned, int64_t> &digits);

  /// Whether nothing is returned any more because of the limit.
  bool isExhausted() const { return work < 0; }

private:
  /// A body with loops that are known, and what was computed in it.
  struct Scope {
    explicit Scope(mlir::Block *body, llvm::ArrayRef<Row> loops = {})
        : body(body), loops(loops) {}
    mlir::Block *body; ///< null outside of any
    llvm::ArrayRef<Row> loops;
    llvm::DenseMap<mlir::Value, std::optional<Row>> values;
  };
  using Result = std::optional<Row>;

  bool charge(int64_t amount) { return (work -= amount) >= 0; }
  Result read(mlir::Value tensor, llvm::ArrayRef<Row> at, Span keys);
  Result readConstant(mlir::ElementsAttr attr, llvm::ArrayRef<Row> at,
                      Span keys);
  Result readLinalg(mlir::linalg::LinalgOp op, unsigned result,
                    llvm::ArrayRef<Row> at, Span keys);
  Result readView(mlir::Operation *op, llvm::ArrayRef<Row> at, Span keys);
  /// Of the source where all of `at` are in [0, shape), else of `other`.
  Result readInside(mlir::Value source, llvm::ArrayRef<Row> at, Span keys,
                    llvm::function_ref<Result(Span)> other);
  Result evaluate(mlir::Value scalar, Scope &scope, Span keys);
  Result evaluateArgument(mlir::BlockArgument argument, Scope &scope,
                          Span keys);
  Result evaluate(mlir::AffineExpr expr, llvm::ArrayRef<Row> loops, Span keys);
  Result index(llvm::ArrayRef<Row> digits, llvm::ArrayRef<int64_t> extents,
               Span keys);
  Result apply(mlir::Operation *op, llvm::ArrayRef<Row> args, Span keys);
  bool apply(mlir::Operation *op, Span keys, llvm::ArrayRef<Piece> args,
             Row &result);
  Result applyLinear(mlir::Operation *op, Span keys,
                     llvm::ArrayRef<Piece> args);
  std::optional<Piece> fold(mlir::Operation *op, Span keys,
                            llvm::ArrayRef<Piece> args);

  int64_t work;
  unsigned depth = 0;
  /// Of scalars that nothing is known of, so that folders see the constants
  /// that they are given and nothing behind them.
  mlir::Block scratch;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> scalarOps;
};

} // namespace mercury

#endif // MERCURY_ANALYSIS_ROWEVALUATION_H
