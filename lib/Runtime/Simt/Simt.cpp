//===- Simt.cpp - What device code on CPUs calls --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

using namespace mercury::simt;
using State = mercury_simt_thread::State;

static constexpr int64_t kMaxThreads = 1024;

/// Ends the thread: it is not resumed any more, so nothing may be left here to
/// destroy.
[[noreturn]] static void end(mercury_simt_thread *thread, std::string what,
                             const char *op) {
  thread->grid->fail(thread, std::move(what), op);
  for (;;)
    thread->wait(State::Ended, op);
}

void mercury_simt_run(const char *name, mercury_simt_body body,
                      const void *parameters, int64_t grid_x, int64_t grid_y,
                      int64_t grid_z, int64_t block_x, int64_t block_y,
                      int64_t block_z, int64_t shared_bytes) {
  // Stacks are kept for the next kernel. A deque, as threads do not move.
  static thread_local std::deque<mercury_simt_thread> threads;
  std::optional<Order> order = currentOrder();
  if (!order)
    return;
  Launch launch{name,
                body,
                parameters,
                {grid_x, grid_y, grid_z},
                {block_x, block_y, block_z}};
  int64_t numThreads = launch.block.volume();
  if (numThreads < 1 || numThreads > kMaxThreads)
    return recordError(std::string("kernel '") + name + "' has a block of " +
                       std::to_string(numThreads) + " threads, not of 1 to " +
                       std::to_string(kMaxThreads));
  while (static_cast<int64_t>(threads.size()) < numThreads)
    threads.emplace_back(static_cast<int64_t>(threads.size()));
  Grid(launch, *order, shared_bytes, threads).run();
}

void mercury_simt_barrier(mercury_simt_thread *thread, const char *op) {
  thread->wait(State::Barrier, op);
}

int64_t mercury_simt_shuffle(mercury_simt_thread *thread, int32_t value,
                             int32_t offset, int32_t mode, const char *op) {
  thread->value = value;
  thread->offset = offset;
  thread->mode = mode;
  thread->wait(State::Shuffle, op);
  return thread->result;
}

void mercury_simt_access(mercury_simt_thread *thread, int64_t address,
                         int64_t bytes, int64_t alignment, int32_t kind,
                         const char *op) {
  if (address % alignment)
    end(thread,
        "the address is " + std::to_string(address % alignment) +
            " bytes beyond a multiple of " + std::to_string(alignment),
        op);
  Grid &grid = *thread->grid;
  bool writes = kind & MERCURY_SIMT_WRITE;
  Race race;
  if (kind & MERCURY_SIMT_SHARED) {
    if (!grid.shared.contains(address, bytes))
      end(thread, "outside of the block's shared memory", op);
    if (grid.shared.note(address, bytes, thread->number, writes, grid.clock,
                         race))
      return;
  } else if (thread->fiber.owns(address) ||
             grid.touches.note(address, bytes, thread->number, writes,
                               grid.clock, race)) {
    return;
  }
  end(thread,
      std::string(writes ? "writes" : "reads") + " what thread " +
          grid.launch.block.unfold(race.thread).str() +
          (race.ofOtherBlock ? " of another block" : "") +
          (race.otherWrote ? " wrote" : " read") +
          (race.ofOtherBlock ? "" : ", without a barrier in between"),
      op);
}

void mercury_simt_out_of_range(mercury_simt_thread *thread, int64_t index,
                               int64_t count, int64_t extent, const char *op) {
  std::string what = "index " + std::to_string(index);
  if (count != 1)
    what = std::to_string(count) + " elements from " + what;
  end(thread, what + " in a dimension of extent " + std::to_string(extent), op);
}
