//===- RowValues.h - A number for each key of a row -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks, and the positions that they are computed from, are a few runs of equal
// or equally spaced numbers along a row. Computed by runs, a row of any length
// costs what its runs cost.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_ANALYSIS_ROWVALUES_H
#define MERCURY_ANALYSIS_ROWVALUES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <utility>

namespace mercury {

/// Keys [begin, end).
struct Span {
  int64_t begin, end;
};

/// A run of keys: the integer `first + step * (n - begin)` of key n (truth
/// values are 0 and 1), or the float `real` of all of them.
struct Piece {
  Span keys;
  bool isFloat = false;
  int64_t first = 0, step = 0;
  double real = 0;

  bool isConstant() const { return step == 0; }
  int64_t at(int64_t key) const { return first + step * (key - keys.begin); }
  int64_t last() const { return at(keys.end - 1); }
  /// The same numbers, of fewer keys.
  Piece restrictTo(Span keys) const;
};

/// Runs that follow each other without a gap.
using Row = llvm::SmallVector<Piece, 4>;

Row constantRow(Span keys, int64_t value);
Row constantRow(Span keys, double value);
/// The keys themselves.
Row identityRow(Span keys);

/// Appends a run that follows the last one, as part of it where both have the
/// same value or, `isLinear`, spacing.
void append(Row &row, Piece piece, bool isLinear = false);
Row restrictTo(llvm::ArrayRef<Piece> row, Span keys);

/// Calls `visit` with the pieces of all rows for runs in which none of them
/// has a boundary; false as soon as it returns that.
bool visitPieces(llvm::ArrayRef<Row> rows, Span keys,
                 llvm::function_ref<bool(Span, llvm::ArrayRef<Piece>)> visit);

/// Integer arithmetic; nothing where a number would leave 64 bits.
std::optional<Row> addRows(llvm::ArrayRef<Piece> a, llvm::ArrayRef<Piece> b);
std::optional<Row> scaleRow(llvm::ArrayRef<Piece> row, int64_t factor);
/// Quotient rounded down and remainder for a positive divisor; nothing where
/// that needs more than `limit` runs.
std::optional<std::pair<Row, Row>> divideRow(llvm::ArrayRef<Piece> row,
                                             int64_t divisor, int64_t limit);
/// The sign, -1, 0 or 1, of a - b.
std::optional<Row> compareRows(llvm::ArrayRef<Piece> a,
                               llvm::ArrayRef<Piece> b);

} // namespace mercury

#endif // MERCURY_ANALYSIS_ROWVALUES_H
