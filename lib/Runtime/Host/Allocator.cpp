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

const char *mercury::host::nameOf(mercury_memory_class memoryClass) {
  switch (memoryClass) {
  case MERCURY_OWN_SHARD:
    return "own shard";
  case MERCURY_TRAVELLING:
    return "travelling";
  case MERCURY_STAGING:
    return "staging";
  case MERCURY_WORKSPACE:
    return "workspace";
  case MERCURY_HELD_FOR_OTHERS:
    return "held for others";
  case MERCURY_NUM_CLASSES:
    break;
  }
  return "unknown class";
}

Allocator::~Allocator() {
  dropKept();
  for (auto &entry : live)
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
  if (memoryClass < 0 || memoryClass >= MERCURY_NUM_CLASSES) {
    error = format("memory class %d is not between 0 and %d", memoryClass,
                   MERCURY_NUM_CLASSES - 1);
    return nullptr;
  }
  const char *name = nameOf(static_cast<mercury_memory_class>(memoryClass));
  if (bytes < 0) {
    error = format("rank %lld asked for %lld bytes (%s)",
                   static_cast<long long>(rank), static_cast<long long>(bytes),
                   name);
    return nullptr;
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (limit > 0 && bytes > limit - current) {
    error = format("rank %lld asked for %lld bytes (%s), holds %lld of %lld",
                   static_cast<long long>(rank), static_cast<long long>(bytes),
                   name, static_cast<long long>(current),
                   static_cast<long long>(limit));
    return nullptr;
  }
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
    if (keptBytes > static_cast<size_t>(peak))
      dropKept();
    pointer = std::aligned_alloc(kAlignment, capacity);
  }
  if (!pointer) {
    error = format("rank %lld asked for %lld bytes (%s), which the system "
                   "refused",
                   static_cast<long long>(rank), static_cast<long long>(bytes),
                   name);
    return nullptr;
  }
  live[pointer] = Block{bytes, capacity, memoryClass, owner};
  current += bytes;
  peak = std::max(peak, current);
  currentByClass[memoryClass] += bytes;
  peakByClass[memoryClass] =
      std::max(peakByClass[memoryClass], currentByClass[memoryClass]);
  return pointer;
}

bool Allocator::release(void *pointer, Freed &freed, std::string &error) {
  if (!pointer)
    return true;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = live.find(pointer);
  if (found == live.end()) {
    error = format("rank %lld frees a pointer that it does not hold",
                   static_cast<long long>(rank));
    return false;
  }
  Block block = found->second;
  live.erase(found);
  current -= block.bytes;
  currentByClass[block.memoryClass] -= block.bytes;
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
  stats.current_bytes = current;
  stats.peak_bytes = peak;
  std::copy(peakByClass.begin(), peakByClass.end(), stats.class_peak_bytes);
}

void Allocator::resetPeaks() {
  std::lock_guard<std::mutex> lock(mutex);
  peak = current;
  peakByClass = currentByClass;
}
