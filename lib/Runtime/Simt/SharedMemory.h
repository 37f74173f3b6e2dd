//===- SharedMemory.h - Memory of a block -----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_SIMT_SHAREDMEMORY_H
#define MERCURY_LIB_RUNTIME_SIMT_SHAREDMEMORY_H

#include "Races.h"

#include <vector>

namespace mercury::simt {

/// The memory that the threads of a block share.
class SharedMemory {
public:
  explicit SharedMemory(int64_t bytes);

  char *data() { return memory.get(); }
  bool contains(int64_t address, int64_t count) const;
  /// Fills it with ones, as a block finds it.
  void poison();

  /// As noteAccess, for `count` bytes that it contains.
  bool note(int64_t address, int64_t count, int64_t thread, bool writes,
            const Clock &clock, Race &race);

private:
  struct Free {
    void operator()(char *pointer) const;
  };
  std::unique_ptr<char, Free> memory;
  int64_t bytes;
  std::vector<Touch> touches; ///< empty until the first access is noted
};

} // namespace mercury::simt

#endif // MERCURY_LIB_RUNTIME_SIMT_SHAREDMEMORY_H
