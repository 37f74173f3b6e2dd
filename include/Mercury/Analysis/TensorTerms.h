//===- TensorTerms.h - What an element of a tensor is -----------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a tensor as a term over elements of other tensors, opened one
// operator at a time. However a computation is cut into operators, reshaped,
// transposed or broadcast on its way, equal elements become equal terms.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_TENSORTERMS_H
#define MERCURY_ANALYSIS_TENSORTERMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <deque>
#include <map>
#include <set>

namespace mercury {

/// A loop of an operator, or one factor of it in mixed radix. Indices name
/// digits by number.
struct Digit {
  mlir::Operation *op;
  unsigned loop;
  unsigned part;  ///< which factor of the loop, the most significant is 0
  int64_t extent; ///< dynamic extents are ShapedType::kDynamic
};

/// An index into one dimension: digits, most significant first, whose extents
/// multiply to that of the dimension. Digits of extent 1 say nothing and may be
/// missing.
using DigitIndex = llvm::SmallVector<unsigned, 2>;

/// A number as it is computed: a float, or what selects one. Conversions
/// between floats of at most 32 bits do not appear.
struct Term {
  enum class Kind {
    Constant, ///< a float
    Read,
    Index, ///< of a loop
    Add,
    Sub,
    Mul,
    Div,
    Exp,
    Log,
    Apply ///< selects, and what has or takes no float
  };
  Kind kind;
  double constant = 0;    ///< of Constant
  mlir::Value value = {}; ///< of Read: a tensor or a scalar
  /// Of Read, one per dimension; of Index, the loop's.
  llvm::SmallVector<DigitIndex, 4> at = {};
  const Term *lhs = nullptr, *rhs = nullptr;    ///< operands of floats
  mlir::Operation *op = nullptr;                ///< of Apply
  llvm::SmallVector<const Term *, 3> args = {}; ///< of Apply

  bool isRead() const { return kind == Kind::Read; }
  bool isSelect() const;
  /// The terms that this one is computed from.
  llvm::SmallVector<const Term *, 3> getOperands() const;
};

/// An element that a linalg operator reduces to: init + sum of body over
/// loops, or the maximum of those.
struct Reduction {
  enum class Kind { Sum, Maximum, MaximumIgnoringNaN };
  Kind kind;
  mlir::linalg::LinalgOp op;
  DigitIndex over; ///< digits of its reduction loops
  const Term *body;
  const Term *init;
};

/// Makes terms and owns them.
class TensorTerms {
public:
  /// An element of `value`, indexed by `at`.
  const Term *read(mlir::Value value, llvm::ArrayRef<DigitIndex> at);

  /// The element of an operator's result that its own parallel loops compute;
  /// null where its indexing map is no projected permutation of those.
  const Term *readResult(mlir::linalg::LinalgOp op, unsigned result = 0);

  /// What the operator that defines the element of `read` computes it from;
  /// null for reductions and for whatever cannot be told. Views, broadcasts,
  /// copies and `x + 0` give another read.
  const Term *open(const Term *read);

  /// The reduction that defines the element of `read`, with `over` in the place
  /// of its only reduction loop of more than one step, or with digits of its
  /// own.
  std::optional<Reduction>
  openReduction(const Term *read,
                std::optional<DigitIndex> over = std::nullopt);

  /// `select` between two other terms.
  const Term *select(const Term *select, const Term *ifTrue,
                     const Term *ifFalse);
  const Term *constant(double value);

  /// The number that `term` is for every index, as far as this can be told
  /// from what it is computed from.
  std::optional<double> getConstant(const Term *term);

  /// True when both compute the same number from the same elements.
  bool areEqual(const Term *a, const Term *b);
  /// True when both name the same elements.
  bool areEqual(llvm::ArrayRef<DigitIndex> a,
                llvm::ArrayRef<DigitIndex> b) const;

  const Digit &getDigit(unsigned digit) const { return digits[digit]; }
  /// The digits of a loop with this extent.
  DigitIndex getLoop(mlir::Operation *op, unsigned loop, int64_t extent);
  /// The digits of more than one step in an index or a read, in order.
  DigitIndex getDigits(llvm::ArrayRef<unsigned> index) const;
  DigitIndex getDigits(const Term *read) const;
  /// All digits that a term depends on, each once.
  DigitIndex getAllDigits(const Term *term) const;

  /// Lets reshapes cut a loop into factors. Where one does, the terms so far do
  /// not know it: `isStale`, until `restart` forgets them and keeps the cuts.
  void allowCuts(mlir::Operation *op, unsigned loop) {
    if (cuttable.insert({op, loop}).second)
      opened.clear();
  }
  bool isStale() const { return stale; }
  bool isCut(mlir::Operation *op, unsigned loop) const;
  void restart();

private:
  using Known = llvm::DenseMap<mlir::Value, const Term *>;

  std::optional<double> getConstant(mlir::Value value);
  std::optional<double> computeConstant(mlir::Value value);
  const Term *add(Term term);
  const Term *combine(Term::Kind kind, const Term *lhs, const Term *rhs);
  const Term *apply(mlir::Operation *op, llvm::ArrayRef<const Term *> args);
  const Term *evaluate(mlir::Value scalar, mlir::Block *body, Known &known);
  void bindIndices(mlir::linalg::LinalgOp op, llvm::ArrayRef<DigitIndex> loops,
                   Known &known);
  const Term *openOnce(const Term *read);
  const Term *openElementwise(mlir::linalg::LinalgOp op, unsigned result,
                              llvm::ArrayRef<DigitIndex> at);
  bool bindResult(mlir::linalg::LinalgOp op, unsigned result,
                  llvm::ArrayRef<DigitIndex> at,
                  llvm::SmallVectorImpl<DigitIndex> &loops);
  const Term *readOperand(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                          llvm::ArrayRef<DigitIndex> loops);
  bool spread(llvm::ArrayRef<unsigned> index, llvm::ArrayRef<int64_t> shape,
              llvm::SmallVectorImpl<DigitIndex> &at);
  void cut(unsigned digit, int64_t inner);

  using Loop = std::pair<mlir::Operation *, unsigned>;
  std::deque<Term> terms;
  llvm::SmallVector<Digit> digits;
  std::map<Loop, DigitIndex> loops;
  std::map<Loop, llvm::SmallVector<int64_t>> factors; // of loops that are cut
  std::set<Loop> cuttable;
  llvm::DenseMap<const Term *, const Term *> opened;
  llvm::DenseMap<mlir::Value, std::optional<double>> constants;
  unsigned constantDepth = 0;
  bool stale = false;
};

} // namespace mercury

#endif // MERCURY_ANALYSIS_TENSORTERMS_H
