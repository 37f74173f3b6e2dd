//===- Allocator.cpp - Counted memory of one rank -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocator.h"

#include <algorithm>
#include <cstdlib>

using namespace mercury::host;

/// Alignment of every block; sizes are rounded up to multiples of it.
static constexpr size_t kAlignment = 64;

Allocator::~Allocator() {
  dropKept();
  for (auto &entry : account.getLive())
    std::free(entry.first);
}

void Allocator::dropKept() {
  for (auto &entry : kept)
    for (void *pointer : entry.second)
      std::free(pointer);
  kept.clear();
  keptBytes = 0;
}

void *Allocator::allocate(int64_t bytes, int32_t memoryClass, int32_t owner,
                          std::string &error) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!account.admits(bytes, memoryClass, error))
    return nullptr;
  size_t capacity = std::max<size_t>(
      (static_cast<size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment,
      kAlignment);
  void *pointer = nullptr;
  auto found = kept.find(capacity);
  if (found != kept.end() && !found->second.empty()) {
    pointer = found->second.back();
    found->second.pop_back();
    keptBytes -= capacity;
  } else {
    // Blocks of sizes that are not asked for any more must not pile up: keep at
    // most what was live at the peak.
    if (keptBytes > static_cast<size_t>(account.getPeak()))
      dropKept();
    pointer = std::aligned_alloc(kAlignment, capacity);
  }
  if (!pointer) {
    error = account.request(bytes, memoryClass) + ", which the system refused";
    return nullptr;
  }
  account.add(pointer, Block{bytes, capacity, memoryClass, owner});
  return pointer;
}

bool Allocator::release(void *pointer, Freed &freed, std::string &error) {
  if (!pointer)
    return true;
  std::lock_guard<std::mutex> lock(mutex);
  Block block;
  if (!account.remove(pointer, block, error))
    return false;
  freed = Freed{pointer, block.capacity};
  return true;
}

void Allocator::reuse(Freed freed) {
  if (!freed.pointer)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  kept[freed.capacity].push_back(freed.pointer);
  keptBytes += freed.capacity;
}

void Allocator::getStats(mercury_host_stats &stats) {
  std::lock_guard<std::mutex> lock(mutex);
  account.getStats(stats);
}

void Allocator::resetPeaks() {
  std::lock_guard<std::mutex> lock(mutex);
  account.resetPeaks();
}
