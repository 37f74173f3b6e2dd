//===- TokenOrder.h - In which order a dimension is stored ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_TOKENORDER_H
#define MERCURY_SCHEDULE_TOKENORDER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mercury {

class TextCursor;
class Verdict;

/// Most parts of an order, and elements of a stripe; more than a topology has
/// ranks is taken for a typing error.
constexpr int64_t mostInOrder = int64_t(1) << 20;

/// A permutation of a dimension's elements (of tokens, mostly), by chunks of
/// equal extent. An element has a *position*, where it stands in the tensor
/// that a program means, and an *index*, where it stands in the order that is
/// stored: slot s of the order holds chunk `chunkAt(s)`. Blocks of a sharded
/// dimension are blocks of indices.
struct TokenOrder {
  enum class Kind {
    Natural, ///< index is position
    Zigzag,  ///< of P parts part r holds chunks r and 2P-1-r
    Striped, ///< of P parts part r holds chunks r, r+P, r+2P, ...
    Table    ///< slot s holds chunk table[s]
  };
  Kind kind = Kind::Natural;
  int64_t parts = 1;          ///< Zigzag, Striped
  int64_t block = 1;          ///< Striped: extent of a chunk
  std::vector<int64_t> table; ///< Table

  static TokenOrder zigzag(int64_t parts) {
    return {Kind::Zigzag, parts, 1, {}};
  }
  static TokenOrder striped(int64_t parts, int64_t block) {
    return {Kind::Striped, parts, block, {}};
  }
  bool isNatural() const { return kind == Kind::Natural; }
  bool operator==(const TokenOrder &) const = default;

  /// Extents are padded to a multiple of this.
  int64_t granularity() const;
  /// Of a dimension of `extent` elements, a multiple of the granularity.
  int64_t numChunks(int64_t extent) const;
  int64_t chunkExtent(int64_t extent) const;
  int64_t chunkAt(int64_t slot, int64_t extent) const;
  int64_t slotOf(int64_t chunk, int64_t extent) const;
  int64_t position(int64_t index, int64_t extent) const;
  int64_t index(int64_t position, int64_t extent) const;
};

/// `natural`, `zigzag 4`, `striped 4 by 16`, `table [0, 3, 1, 2]`.
std::string print(const TokenOrder &order);
/// The same; on failure fills `error`.
bool parse(TextCursor &cursor, TokenOrder &order, std::string &error);
/// Legal: parts and block positive and at most `mostInOrder`, the table a
/// permutation of 0 to its size - 1.
Verdict verify(const TokenOrder &order);

} // namespace mercury

#endif // MERCURY_SCHEDULE_TOKENORDER_H
