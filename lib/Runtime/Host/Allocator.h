//===- Allocator.h - Counted memory of one rank -----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_ALLOCATOR_H
#define MERCURY_LIB_RUNTIME_HOST_ALLOCATOR_H

#include "Account.h"

#include <mutex>
#include <vector>

namespace mercury::host {

/// Hands out 64-byte aligned blocks and counts the bytes asked for by class.
/// Freed blocks are kept by size, so that a call repeated with the same shapes
/// touches no new page; they count neither as current nor as peak.
class Allocator {
public:
  /// `limit` in bytes, 0 for none; `rank` is for error texts.
  Allocator(int64_t rank, int64_t limit) : account(rank, limit) {}
  /// Frees everything, live blocks too.
  ~Allocator();
  Allocator(const Allocator &) = delete;
  Allocator &operator=(const Allocator &) = delete;

  /// NULL, and the reason in `error`, when the request is refused.
  void *allocate(int64_t bytes, int32_t memoryClass, int32_t owner,
                 std::string &error);
  /// A block that is counted no more, or none.
  struct Freed {
    void *pointer = nullptr;
    size_t capacity = 0;
  };
  /// Counts a block as freed, without giving it out again. False, and the reason
  /// in `error`, when `pointer` is not a live block.
  bool release(void *pointer, Freed &freed, std::string &error);
  /// Lets it be given out again.
  void reuse(Freed freed);
  /// Fills in the counters of memory.
  void getStats(mercury_host_stats &stats);
  /// Peaks restart from what is live now.
  void resetPeaks();

private:
  /// Gives the kept blocks back to the system.
  void dropKept();

  std::mutex mutex;
  Account account;
  std::unordered_map<size_t, std::vector<void *>> kept;
  size_t keptBytes = 0;
};

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_ALLOCATOR_H
