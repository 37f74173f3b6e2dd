//===- Account.cpp - Counts the memory of one rank ------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Account.h"

#include <algorithm>

using namespace mercury::host;

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

std::string Account::request(int64_t bytes, int32_t memoryClass) const {
  return format("rank %lld asked for %lld bytes (%s)",
                static_cast<long long>(rank), static_cast<long long>(bytes),
                nameOf(static_cast<mercury_memory_class>(memoryClass)));
}

bool Account::admits(int64_t bytes, int32_t memoryClass,
                     std::string &error) const {
  if (memoryClass < 0 || memoryClass >= MERCURY_NUM_CLASSES) {
    error = format("memory class %d is not between 0 and %d", memoryClass,
                   MERCURY_NUM_CLASSES - 1);
    return false;
  }
  if (bytes < 0) {
    error = request(bytes, memoryClass);
    return false;
  }
  if (limit > 0 && bytes > limit - current) {
    error = request(bytes, memoryClass) +
            format(", holds %lld of %lld", static_cast<long long>(current),
                   static_cast<long long>(limit));
    return false;
  }
  return true;
}

void Account::add(void *pointer, const Block &block) {
  live[pointer] = block;
  current += block.bytes;
  peak = std::max(peak, current);
  currentByClass[block.memoryClass] += block.bytes;
  peakByClass[block.memoryClass] = std::max(peakByClass[block.memoryClass],
                                            currentByClass[block.memoryClass]);
}

bool Account::remove(void *pointer, Block &block, std::string &error) {
  auto found = live.find(pointer);
  if (found == live.end()) {
    error = format("rank %lld frees a pointer that it does not hold",
                   static_cast<long long>(rank));
    return false;
  }
  block = found->second;
  live.erase(found);
  current -= block.bytes;
  currentByClass[block.memoryClass] -= block.bytes;
  return true;
}

void Account::getStats(mercury_host_stats &stats) const {
  stats.current_bytes = current;
  stats.peak_bytes = peak;
  std::copy(peakByClass.begin(), peakByClass.end(), stats.class_peak_bytes);
}

void Account::resetPeaks() {
  peak = current;
  peakByClass = currentByClass;
}
