//===- TokenRuns.h - How positions grow over a tile -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_TOKENRUNS_H
#define MERCURY_SCHEDULE_TOKENRUNS_H

#include "Mercury/Schedule/TokenOrder.h"

#include <optional>

namespace mercury {

/// Indices at which a tile may begin: first, first + step, ... up to last.
struct TileStarts {
  int64_t first = 0, step = 1, last = 0;
};

/// Positions that grow by chunks: of `chunk` elements in a row, whose first
/// ones lie a constant number of positions apart.
struct TokenRuns {
  int64_t chunk = 1;
  /// That number; 0 where it is not the same for all starts, or there is one
  /// chunk.
  int64_t step = 0;
  bool operator==(const TokenRuns &) const = default;
};

/// How positions grow over `count` indices from whichever of the starts; of a
/// dimension of `extent` elements, a multiple of the granularity. Nothing where
/// they do not grow so, or a tile ends beyond the extent.
std::optional<TokenRuns> runsOf(const TokenOrder &order, int64_t extent,
                                const TileStarts &starts, int64_t count);

} // namespace mercury

#endif // MERCURY_SCHEDULE_TOKENRUNS_H
