//===- LocalTile.h - Blocks that a rank computes in -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What generated code for CPUs takes where a schedule's `tile` says nothing:
// known to those who generate it, and to those who count its workspace and vary
// its blocks.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_SCHEDULE_LOCALTILE_H
#define MERCURY_SCHEDULE_LOCALTILE_H

#include <algorithm>
#include <cstdint>

namespace mercury {

/// Cache blocks of a contraction: rows, columns, and elements of the reduction.
/// Measured on AVX-512 with 48 KiB and 2 MiB of cache; see benchmarks/.
struct ContractionBlockSizes {
  int64_t rows = 96, columns = 1024, depth = 384;
};

/// Cache blocks of attention: rows of queries, and keys.
struct AttentionBlockSizes {
  int64_t rows = 96, keys = 256;
};

/// A block of at most `wanted`, rounded up to a multiple of `unit`, that cuts
/// `extent` into parts of nearly equal size.
inline int64_t balanceBlock(int64_t extent, int64_t wanted, int64_t unit) {
  auto divide = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  int64_t parts = std::max<int64_t>(divide(extent, wanted), 1);
  return divide(std::max<int64_t>(divide(extent, parts), 1), unit) * unit;
}

} // namespace mercury

#endif // MERCURY_SCHEDULE_LOCALTILE_H
