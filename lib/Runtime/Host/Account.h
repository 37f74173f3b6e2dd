//===- Account.h - Counts the memory of one rank ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_ACCOUNT_H
#define MERCURY_LIB_RUNTIME_HOST_ACCOUNT_H

#include "Support.h"

#include <array>
#include <unordered_map>

namespace mercury::host {

/// Name of a mercury_memory_class as error texts spell it.
const char *nameOf(mercury_memory_class memoryClass);

/// A live block.
struct Block {
  int64_t bytes = 0;
  /// What the allocator took for it.
  size_t capacity = 0;
  int32_t memoryClass = 0;
  int32_t owner = -1;
};

/// The live blocks of one rank, and the bytes asked for by class, now and at
/// the peak. Wherever the memory is; not guarded by a lock.
class Account {
public:
  /// `limit` in bytes, 0 for none; `rank` is for error texts.
  Account(int64_t rank, int64_t limit) : rank(rank), limit(limit) {}
  /// False, and the reason in `error`, when a request is invalid or would
  /// exceed the limit.
  bool admits(int64_t bytes, int32_t memoryClass, std::string &error) const;
  /// "rank 1 asked for 31 bytes (staging)".
  std::string request(int64_t bytes, int32_t memoryClass) const;
  /// Counts a block that `admits` let pass.
  void add(void *pointer, const Block &block);
  /// False, and the reason in `error`, when `pointer` is not a live block.
  bool remove(void *pointer, Block &block, std::string &error);
  /// The live blocks.
  const std::unordered_map<void *, Block> &getLive() const { return live; }
  /// Bytes live at once, at most.
  int64_t getPeak() const { return peak; }
  /// Fills in the counters of memory.
  void getStats(mercury_host_stats &stats) const;
  /// Peaks restart from what is live now.
  void resetPeaks();

private:
  int64_t rank;
  int64_t limit;
  std::unordered_map<void *, Block> live;
  int64_t current = 0;
  int64_t peak = 0;
  std::array<int64_t, MERCURY_NUM_CLASSES> currentByClass{};
  std::array<int64_t, MERCURY_NUM_CLASSES> peakByClass{};
};

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_ACCOUNT_H
