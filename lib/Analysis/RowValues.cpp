//===- RowValues.cpp - A number for each key of a row ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/RowValues.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mercury;
using llvm::ArrayRef;

Piece Piece::restrictTo(Span to) const {
  Piece piece = *this;
  piece.first = at(to.begin);
  piece.keys = to;
  if (to.end - to.begin == 1)
    piece.step = 0;
  return piece;
}

Row mercury::constantRow(Span keys, int64_t value) {
  return {Piece{keys, /*isFloat=*/false, value}};
}

Row mercury::constantRow(Span keys, double value) {
  Piece piece{keys, /*isFloat=*/true};
  piece.real = value;
  return {piece};
}

Row mercury::identityRow(Span keys) {
  return {Piece{keys, /*isFloat=*/false, keys.begin, 1}};
}

void mercury::append(Row &row, Piece piece, bool isLinear) {
  auto isSingle = [](const Piece &of) {
    return of.keys.end - of.keys.begin == 1;
  };
  if (isSingle(piece))
    piece.step = 0;
  if (row.empty() || row.back().isFloat != piece.isFloat) {
    row.push_back(piece);
    return;
  }
  Piece &last = row.back();
  int64_t step = 0;
  bool continues = false;
  if (piece.isFloat) {
    continues = llvm::bit_cast<uint64_t>(last.real) ==
                llvm::bit_cast<uint64_t>(piece.real);
  } else if (!llvm::SubOverflow(piece.first, last.last(), step)) {
    continues = (isSingle(piece) || piece.step == step) &&
                (isSingle(last) ? step == 0 || isLinear : last.step == step);
  }
  if (!continues) {
    row.push_back(piece);
    return;
  }
  last.step = step;
  last.keys.end = piece.keys.end;
}

Row mercury::restrictTo(ArrayRef<Piece> row, Span keys) {
  Row result;
  for (const Piece &piece : row) {
    Span part{std::max(piece.keys.begin, keys.begin),
              std::min(piece.keys.end, keys.end)};
    if (part.begin < part.end)
      result.push_back(piece.restrictTo(part));
  }
  return result;
}

bool mercury::visitPieces(
    ArrayRef<Row> rows, Span keys,
    llvm::function_ref<bool(Span, ArrayRef<Piece>)> visit) {
  llvm::SmallVector<size_t> next(rows.size(), 0);
  llvm::SmallVector<Piece> pieces(rows.size());
  for (int64_t begin = keys.begin; begin < keys.end;) {
    int64_t end = keys.end;
    for (size_t i = 0; i < rows.size(); ++i) {
      while (rows[i][next[i]].keys.end <= begin)
        ++next[i];
      end = std::min(end, rows[i][next[i]].keys.end);
    }
    for (size_t i = 0; i < rows.size(); ++i)
      pieces[i] = rows[i][next[i]].restrictTo({begin, end});
    if (!visit({begin, end}, pieces))
      return false;
    begin = end;
  }
  return true;
}

static Span keysOf(ArrayRef<Piece> row) {
  return {row.front().keys.begin, row.back().keys.end};
}

/// A piece from what its first and last numbers are, if both can be told.
static std::optional<Piece> between(Span keys, __int128 first, __int128 step) {
  __int128 last = first + step * (keys.end - 1 - keys.begin);
  for (__int128 value : {first, step, last})
    if (value <= INT64_MIN || value > INT64_MAX) // so that -value exists
      return std::nullopt;
  return Piece{keys, /*isFloat=*/false, static_cast<int64_t>(first),
               static_cast<int64_t>(step)};
}

std::optional<Row> mercury::addRows(ArrayRef<Piece> a, ArrayRef<Piece> b) {
  Row result, rows[] = {Row(a), Row(b)};
  if (!visitPieces(rows, keysOf(a), [&](Span keys, ArrayRef<Piece> pieces) {
        std::optional<Piece> sum =
            between(keys, __int128(pieces[0].first) + pieces[1].first,
                    __int128(pieces[0].step) + pieces[1].step);
        if (sum)
          append(result, *sum, /*isLinear=*/true);
        return sum.has_value();
      }))
    return std::nullopt;
  return result;
}

std::optional<Row> mercury::scaleRow(ArrayRef<Piece> row, int64_t factor) {
  Row result;
  for (const Piece &piece : row) {
    std::optional<Piece> product =
        between(piece.keys, __int128(piece.first) * factor,
                __int128(piece.step) * factor);
    if (!product)
      return std::nullopt;
    append(result, *product, /*isLinear=*/true);
  }
  return result;
}

std::optional<std::pair<Row, Row>>
mercury::divideRow(ArrayRef<Piece> row, int64_t divisor, int64_t limit) {
  std::pair<Row, Row> result;
  for (const Piece &piece : row) {
    for (int64_t begin = piece.keys.begin; begin < piece.keys.end;) {
      if (limit-- == 0)
        return std::nullopt;
      int64_t value = piece.at(begin);
      int64_t quotient = llvm::divideFloorSigned(value, divisor);
      int64_t rest = value - quotient * divisor,
              length = piece.keys.end - begin;
      // Keys until the remainder leaves [0, divisor).
      if (piece.step > 0)
        length = std::min(length, (divisor - 1 - rest) / piece.step + 1);
      else if (piece.step < 0)
        length = std::min(length, rest / -piece.step + 1);
      Span keys{begin, begin + length};
      append(result.first, Piece{keys, false, quotient}, /*isLinear=*/true);
      append(result.second, Piece{keys, false, rest, piece.step},
             /*isLinear=*/true);
      begin += length;
    }
  }
  return result;
}

std::optional<Row> mercury::compareRows(ArrayRef<Piece> a, ArrayRef<Piece> b) {
  std::optional<Row> minus = scaleRow(b, -1);
  std::optional<Row> difference;
  if (minus)
    difference = addRows(a, *minus);
  if (!difference)
    return std::nullopt;
  Row result;
  for (const Piece &piece : *difference) {
    auto [begin, end] = piece.keys;
    if (piece.isConstant()) {
      append(result,
             {piece.keys, false, (piece.first > 0) - (piece.first < 0)});
      continue;
    }
    // Before, at and behind zero.
    int64_t step = piece.step > 0 ? piece.step : -piece.step;
    int64_t below = piece.step > 0 ? -piece.first : piece.first;
    int64_t zero =
        begin + std::clamp<int64_t>(llvm::divideCeilSigned(below, step), 0,
                                    end - begin);
    int64_t above =
        begin + std::clamp<int64_t>(llvm::divideFloorSigned(below, step) + 1, 0,
                                    end - begin);
    int64_t sign = piece.step > 0 ? 1 : -1;
    for (auto [keys, value] : {std::pair(Span{begin, zero}, -sign),
                               std::pair(Span{zero, above}, int64_t(0)),
                               std::pair(Span{above, end}, sign)})
      if (keys.begin < keys.end)
        append(result, {keys, false, value});
  }
  return result;
}
