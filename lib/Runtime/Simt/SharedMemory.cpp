//===- SharedMemory.cpp - Memory of a block -------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include <cstdlib>
#include <cstring>
#include <new>

using namespace mercury::simt;

static constexpr size_t kAlignment = 256;

void SharedMemory::Free::operator()(char *pointer) const { std::free(pointer); }

SharedMemory::SharedMemory(int64_t bytes) : bytes(bytes) {
  size_t rounded = (bytes / kAlignment + 1) * kAlignment;
  memory.reset(static_cast<char *>(std::aligned_alloc(kAlignment, rounded)));
  if (!memory)
    throw std::bad_alloc();
}

bool SharedMemory::contains(int64_t address, int64_t count) const {
  int64_t first = address - reinterpret_cast<int64_t>(memory.get());
  return first >= 0 && first + count <= bytes;
}

void SharedMemory::poison() { std::memset(memory.get(), 0xff, bytes); }

bool SharedMemory::note(int64_t address, int64_t count, int64_t thread,
                        bool writes, const Clock &clock, Race &race) {
  if (touches.empty())
    touches.resize(bytes);
  int64_t first = address - reinterpret_cast<int64_t>(memory.get());
  for (int64_t byte = first; byte < first + count; ++byte)
    if (!noteAccess(touches[byte], thread, writes, clock,
                    /*outlivesBlocks=*/false, race))
      return false;
  return true;
}
