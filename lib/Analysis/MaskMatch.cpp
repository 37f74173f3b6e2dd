//===- MaskMatch.cpp - Which keys the masks of attention leave ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a mask is computed for every row. A guess at its structure
// is checked against all of them.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/AttentionMatch.h"
#include "Mercury/Analysis/RowEvaluation.h"
#include "Mercury/Schedule/TopologyModel.h"

using namespace mlir;
using namespace mercury;

/// Runs of equal numbers over all rows, as many as a constant of 8192 by 8192
/// needs: a few seconds.
static constexpr int64_t kWork = 1 << 23;
static constexpr const char *kTooLarge = "it is too large";
/// What is seen may be shifted by this much.
static constexpr double kShift = 1e4;

using KeyRange = Mask::Range;

static bool isEmpty(const KeyRange &range) { return range.end <= range.begin; }

namespace {

/// What all rows of a mask have in common.
struct KnownMask {
  DigitIndex digits; ///< that it has beside the key
  std::vector<KeyRange> rows;
  bool hides = false;         ///< any key
  bool hidesByFinite = false; ///< by a finite number
  bool isUniform = true;      ///< what is seen has one number in each row
};

/// A row of the intersection.
struct RowKeys {
  int64_t query;
  KeyRange keys;
};

} // namespace

bool mercury::isHiding(double value) {
  constexpr double lowestF16 = -65504;
  return value <= -1e30 || value == lowestF16;
}

SmallVector<const Term *> mercury::getReads(const Term *term) {
  SmallVector<const Term *> reads;
  if (term->isRead() && isa<RankedTensorType>(term->value.getType()))
    reads.push_back(term);
  for (const Term *operand : term->getOperands())
    llvm::append_range(reads, getReads(operand));
  return reads;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Whether more rows than are looked at have these digits.
static bool isTooLarge(const TensorTerms &terms, ArrayRef<unsigned> digits) {
  double numRows = 1;
  for (unsigned digit : digits)
    numRows *= terms.getDigit(digit).extent;
  return numRows > kWork;
}

/// Visits all values of digits, the last one fastest.
static bool visitPoints(
    const TensorTerms &terms, ArrayRef<unsigned> digits,
    llvm::function_ref<bool(const DenseMap<unsigned, int64_t> &)> visit) {
  DenseMap<unsigned, int64_t> point;
  std::function<bool(ArrayRef<unsigned>)> from =
      [&](ArrayRef<unsigned> rest) -> bool {
    if (rest.empty())
      return visit(point);
    for (int64_t i = 0; i < terms.getDigit(rest.front()).extent; ++i) {
      point[rest.front()] = i;
      if (!from(rest.drop_front()))
        return false;
    }
    return true;
  };
  return from(digits);
}

/// Adds a row, whose numbers are times `factor`; says why it cannot.
static const char *addRow(ArrayRef<Piece> row, double factor, KnownMask &mask) {
  std::optional<KeyRange> seen;
  double number = 0;
  for (const Piece &piece : row) {
    double value = piece.real * factor;
    if (isHiding(value)) {
      mask.hides = true;
      mask.hidesByFinite |= !std::isinf(value);
      continue;
    }
    if (!(std::fabs(value) <= kShift))
      return "it has numbers that are neither small nor hide a key";
    if (!seen) {
      seen = {piece.keys.begin, piece.keys.end};
      number = value;
    } else if (seen->end == piece.keys.begin) {
      seen->end = piece.keys.end;
      mask.isUniform &= number == value;
    } else {
      return "what a query sees is no range of keys";
    }
  }
  mask.rows.push_back(seen.value_or(KeyRange{0, 0}));
  return nullptr;
}

/// What `mask` is for all rows, or why it is not known.
static std::optional<KnownMask> know(RowEvaluator &evaluator,
                                     const AttentionMatch &match,
                                     const AttentionMask &mask,
                                     const char *&reason) {
  const TensorTerms &terms = *match.terms;
  std::optional<unsigned> key = match.digits[match.getKeyDim()];
  KnownMask known;
  for (unsigned digit : terms.getAllDigits(mask.term))
    if (digit != key)
      known.digits.push_back(digit);
  if (isTooLarge(terms, known.digits)) {
    reason = kTooLarge;
    return std::nullopt;
  }
  bool isKnown = visitPoints(terms, known.digits, [&](const auto &point) {
    std::optional<Row> row = evaluator.evaluate(
        terms, mask.term, *key, match.extents[match.getKeyDim()], point);
    if (!row)
      reason = evaluator.isExhausted()
                   ? kTooLarge
                   : "it depends on values that are not known";
    else
      reason = addRow(*row, mask.factor, known);
    return !reason;
  });
  return isKnown ? std::optional(known) : std::nullopt;
}

/// The intersection of all `known`, over the points of `digits`.
static std::vector<KeyRange> intersect(const AttentionMatch &match,
                                       ArrayRef<const KnownMask *> known,
                                       ArrayRef<unsigned> digits) {
  std::vector<KeyRange> rows;
  visitPoints(*match.terms, digits, [&](const auto &point) {
    KeyRange keys{0, match.extents[match.getKeyDim()]};
    for (const KnownMask *mask : known) {
      size_t row = 0;
      for (unsigned digit : mask->digits)
        row = row * match.terms->getDigit(digit).extent + point.lookup(digit);
      keys.begin = std::max(keys.begin, mask->rows[row].begin);
      keys.end = std::min(keys.end, mask->rows[row].end);
    }
    rows.push_back(isEmpty(keys) ? KeyRange{0, 0} : keys);
    return true;
  });
  return rows;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

/// Of the last row that sees a key and for which `isBound` holds.
static const RowKeys *
findLast(ArrayRef<RowKeys> rows,
         llvm::function_ref<bool(const KeyRange &)> isBound) {
  const RowKeys *last = nullptr;
  for (const RowKeys &row : rows)
    if (!isEmpty(row.keys) && isBound(row.keys) &&
        (!last || row.query >= last->query))
      last = &row;
  return last;
}

/// Whether rows see in `[0, numKeys)` what the mask says; `sides` of ranges
/// that are not empty are compared, 'b'egins and 'e'nds.
static bool agree(ArrayRef<RowKeys> rows, const Mask &mask, int64_t numKeys,
                  bool begins, bool ends) {
  return llvm::all_of(rows, [&](const RowKeys &row) {
    KeyRange said = mask.at(row.query);
    said.begin = std::clamp<int64_t>(said.begin, 0, numKeys);
    said.end = std::clamp<int64_t>(said.end, 0, numKeys);
    if (isEmpty(row.keys))
      return !(begins && ends) || isEmpty(said);
    return (!begins || said.begin == row.keys.begin) &&
           (!ends || said.end == row.keys.end);
  });
}

/// A distance to the left that explains where ranges begin.
static bool fitBegins(ArrayRef<RowKeys> rows, int64_t numKeys, MaskTerm &term) {
  const RowKeys *last =
      findLast(rows, [](const KeyRange &keys) { return keys.begin > 0; });
  if (!last)
    return true;
  term.left = last->query - last->keys.begin;
  if (agree(rows, {{{term.left, std::nullopt}}}, numKeys, true, false))
    return true;
  term.left = std::nullopt;
  return false;
}

/// A distance to the right, and a prefix, that explain where they end.
static bool fitEnds(ArrayRef<RowKeys> rows, int64_t numKeys, MaskTerm &term) {
  const RowKeys *last =
      findLast(rows, [&](const KeyRange &keys) { return keys.end < numKeys; });
  if (!last)
    return true;
  MaskTerm ends;
  ends.right = last->keys.end - last->query - 1;
  for (const RowKeys &row : rows)
    if (!isEmpty(row.keys) && row.keys.end > row.query + *ends.right + 1)
      ends.prefix = std::max(ends.prefix, row.keys.end);
  if (!agree(rows, {{ends}}, numKeys, false, true))
    return false;
  term.right = ends.right;
  term.prefix = ends.prefix;
  return true;
}

/// Documents whose bounds, with `visible`, are the rows' ranges: begins grow
/// from document to document, and a document's first query is its first key.
static SmallVector<int64_t> fitDocuments(ArrayRef<RowKeys> rows,
                                         const Mask &visible, int64_t numKeys) {
  SmallVector<int64_t> lengths, starts{0};
  for (const RowKeys &row : rows)
    if (row.keys.begin > starts.back())
      starts.push_back(row.keys.begin);
  starts.push_back(numKeys);
  for (size_t i = 1; i < starts.size(); ++i)
    lengths.push_back(starts[i] - starts[i - 1]);
  size_t document = 0;
  for (const RowKeys &row : rows) {
    while (document + 2 < starts.size() && starts[document + 1] <= row.query)
      ++document;
    KeyRange keys = visible.at(row.query);
    keys.begin = std::max(keys.begin, starts[document]);
    keys.end = std::min(keys.end, starts[document + 1]);
    if (row.query >= numKeys || keys.begin != row.keys.begin ||
        keys.end != row.keys.end)
      return {};
  }
  return lengths;
}

/// Rows' ranges as structure.
static void describe(AttentionMatch &match, ArrayRef<unsigned> digits,
                     ArrayRef<KeyRange> ranges) {
  int64_t numKeys = match.extents[match.getKeyDim()];
  std::optional<unsigned> query = match.digits[match.getQueryDim()];
  SmallVector<RowKeys> rows;
  visitPoints(*match.terms, digits, [&](const auto &point) {
    int64_t position = query ? point.lookup(*query) : 0;
    rows.push_back({position, ranges[rows.size()]});
    return true;
  });
  auto isSame = [&](const RowKeys &row) {
    return row.keys.begin == 0 && row.keys.end == rows[0].keys.end;
  };
  if (llvm::all_of(rows, isSame)) {
    if (rows[0].keys.end != numKeys)
      match.valid = rows[0].keys.end;
    return;
  }
  MaskTerm term;
  bool begins = fitBegins(rows, numKeys, term),
       ends = fitEnds(rows, numKeys, term);
  if (term.left || term.right)
    match.visible.terms = {term};
  if (begins && ends && verify(match.visible) &&
      agree(rows, match.visible, numKeys, true, true))
    return;
  if (!verify(match.visible))
    match.visible = {};
  AttentionRanges known;
  for (auto [dim, digit] : llvm::enumerate(match.digits))
    if (digit && llvm::is_contained(digits, *digit))
      known.dims.push_back(dim);
  for (const KeyRange &range : ranges) {
    known.begin.push_back(range.begin);
    known.end.push_back(range.end);
  }
  if (digits == ArrayRef<unsigned>(query ? DigitIndex{*query} : DigitIndex{}))
    known.documents = fitDocuments(rows, match.visible, numKeys);
  match.ranges = std::move(known);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The number that stands in the place of scores is so large that a sum with
/// scores is the number itself.
static bool absorbsScores(TensorTerms &terms, const AttentionMask &mask) {
  return llvm::all_of(mask.term->args, [&](const Term *arg) {
    std::optional<double> number = terms.getConstant(arg);
    return !number || *number == 0 || *number <= -1e30;
  });
}

LogicalResult mercury::matchMasks(AttentionMatch &match, Refusal &refusal) {
  if (match.masks.empty())
    return success();
  RowEvaluator evaluator(kWork);
  SmallVector<std::optional<KnownMask>> known;
  bool isAllKnown = true;
  for (const AttentionMask &mask : match.masks) {
    const char *reason = nullptr;
    known.push_back(know(evaluator, match, mask, reason));
    isAllKnown &= known.back().has_value();
    // A tensor that comes from elsewhere is no mask to recognise.
    if (reason && !(mask.term->isRead() && !match.terms->open(mask.term)))
      match.remarks.push_back(reason);
  }

  // Loops of the domain in its order, the query always.
  auto digitsOf = [&](ArrayRef<const KnownMask *> masks) {
    DigitIndex digits;
    for (auto [dim, digit] : llvm::enumerate(match.digits))
      if (digit && dim <= match.getQueryDim() &&
          (dim == match.getQueryDim() ||
           llvm::any_of(masks, [&](const KnownMask *mask) {
             return llvm::is_contained(mask->digits, *digit);
           })))
        digits.push_back(*digit);
    return digits;
  };
  SmallVector<const KnownMask *> structure;
  bool hidesByFinite = false, hides = false;
  for (const std::optional<KnownMask> &mask : known)
    if (mask && (mask->hides || mask->isUniform)) {
      structure.push_back(&*mask);
      hides |= mask->hides;
      hidesByFinite |= mask->hidesByFinite;
    }
  DigitIndex digits = digitsOf(structure);
  if (isTooLarge(*match.terms, digits)) {
    match.remarks.push_back(kTooLarge);
    structure.clear();
    digits.clear();
    hides = hidesByFinite = false;
  }
  std::vector<KeyRange> rows = intersect(match, structure, digits);
  if (hidesByFinite && (!isAllKnown || llvm::any_of(rows, isEmpty))) {
    match.remarks.push_back(
        isAllKnown ? "it hides keys by a finite number, and a row keeps none"
                   : "it hides keys by a finite number, and with another mask, "
                     "which is not known, a row may keep none");
    llvm::erase_if(structure,
                   [](const KnownMask *mask) { return mask->hidesByFinite; });
    hides = llvm::any_of(structure,
                         [](const KnownMask *mask) { return mask->hides; });
    digits = digitsOf(structure);
    rows = intersect(match, structure, digits);
  }
  if (hides) {
    describe(match, digits, rows);
    match.rowsWithoutKeys = llvm::count_if(rows, isEmpty);
  }

  SmallVector<AttentionMask> added;
  for (auto [mask, rows] : llvm::zip(match.masks, known)) {
    bool isStructure = rows && llvm::is_contained(structure, &*rows);
    if (isStructure && rows->isUniform)
      continue;
    if (mask.isReplacement && !absorbsScores(*match.terms, mask)) {
      refusal = {match.scores,
                 "a number that replaces its scores does not hide "
                 "keys of rows that may have no other"};
      return failure();
    }
    added.push_back(mask);
  }
  match.masks = added;
  return success();
}
