//===- Grid.h - Threads of a kernel -----------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_SIMT_GRID_H
#define MERCURY_LIB_RUNTIME_SIMT_GRID_H

#include "Abi.h"
#include "Fiber.h"
#include "Settings.h"
#include "SharedMemory.h"

#include <deque>
#include <string>

namespace mercury::simt {

/// Extents or indices in x, y and z.
struct Triple {
  int64_t x, y, z;
  int64_t volume() const { return x * y * z; }
  /// The indices that count as the `at`th, x fastest.
  Triple unfold(int64_t at) const { return {at % x, at / x % y, at / x / y}; }
  std::string str() const; ///< "(0, 1, 2)"
};

/// What a kernel is launched with.
struct Launch {
  const char *name;
  mercury_simt_body body;
  const void *parameters;
  Triple grid, block;
};

class Grid;

} // namespace mercury::simt

/// A thread of the block that runs. It is used again for the next block, and
/// the next kernel, of the same thread of the process.
struct mercury_simt_thread {
  explicit mercury_simt_thread(int64_t number);

  enum class State { Ready, Barrier, Shuffle, Ended };

  mercury::simt::Fiber fiber;
  const int64_t number; ///< in the block, x fastest
  mercury::simt::Grid *grid = nullptr;
  State state = State::Ready;
  const char *op = nullptr; ///< where it waits
  // Of the shuffle that it waits at.
  int32_t value = 0, offset = 0, mode = 0;
  int64_t result = 0;

  /// Lets others run until `grid` makes it ready.
  void wait(State at, const char *op);
};

namespace mercury::simt {

/// Runs a kernel, block after block.
class Grid {
public:
  /// `threads`: at least as many as a block has.
  Grid(const Launch &launch, Order order, int64_t sharedBytes,
       std::deque<mercury_simt_thread> &threads);

  /// Until the end or the first fault.
  void run();

  /// What a thread does of the block that runs.
  void runThread(mercury_simt_thread &thread);

  /// Records a fault of `thread`, or of the block as a whole without one; no
  /// thread is to run any more.
  void fail(const mercury_simt_thread *thread, std::string what,
            const char *op);
  bool hasFailed() const { return failed; }

  SharedMemory shared;
  GlobalTouches touches;
  Clock clock;
  const Launch &launch;

private:
  void runBlock();
  bool runReady();
  bool resolveShuffles();
  bool resolveWarp(int64_t first, int64_t last);
  void resolveBarrier();
  mercury_simt_thread &at(int64_t number) { return threads[number]; }

  std::deque<mercury_simt_thread> &threads;
  int64_t numThreads;
  Order order;
  std::minstd_rand random;
  std::vector<int64_t> turns;
  Triple block{0, 0, 0};
  bool failed = false;
};

} // namespace mercury::simt

#endif // MERCURY_LIB_RUNTIME_SIMT_GRID_H
