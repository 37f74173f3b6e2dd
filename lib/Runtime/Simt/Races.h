//===- Races.h - Who touched a byte last ------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses of a byte conflict when one writes, and they are of two threads
// of a block between the same two barriers, or, in memory that outlives blocks,
// of two blocks: these have no order.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_SIMT_RACES_H
#define MERCURY_LIB_RUNTIME_SIMT_RACES_H

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace mercury::simt {

/// Blocks run one after the other; time counts their barriers.
struct Clock {
  uint32_t now = 1;        ///< the interval between two barriers
  uint32_t blockStart = 1; ///< the first interval of this block
};

/// A conflict of an access with an earlier one.
struct Race {
  int64_t thread = 0; ///< of the earlier one, in its block
  bool otherWrote = false;
  bool ofOtherBlock = false;
};

/// The last accesses of a byte. Of the readers in an interval two are kept: one
/// of them is not the writer that comes.
struct Touch {
  uint32_t written = 0, read = 0; ///< when; 0: never
  uint16_t writer = 0, reader = 0, otherReader = 0;
  bool wasReadByOtherBlock = false;
};

/// Notes that `thread` reads or writes. Returns whether that is free of
/// conflicts; `race` is one if not.
bool noteAccess(Touch &touch, int64_t thread, bool writes, const Clock &clock,
                bool outlivesBlocks, Race &race);

/// Touches of all bytes of the process.
class GlobalTouches {
public:
  /// As noteAccess, for `count` bytes from `address` on.
  bool note(int64_t address, int64_t count, int64_t thread, bool writes,
            const Clock &clock, Race &race);

private:
  static constexpr int64_t kChunkBytes = 256;
  using Chunk = std::array<Touch, kChunkBytes>;
  std::unordered_map<int64_t, std::unique_ptr<Chunk>> chunks;
};

} // namespace mercury::simt

#endif // MERCURY_LIB_RUNTIME_SIMT_RACES_H
