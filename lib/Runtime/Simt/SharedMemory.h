//===- SharedMemory.h - Memory of a block -----------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_SIMT_SHAREDMEMORY_H
#define MERCURY_LIB_RUNTIME_SIMT_SHAREDMEMORY_H

#include <cstdint>
#include <memory>
#include <vector>

namespace mercury::simt {

/// The memory that threads of a block share, and who touched which byte of it
/// since the last barrier.
class SharedMemory {
public:
  explicit SharedMemory(int64_t bytes);

  char *data() { return memory.get(); }
  bool contains(int64_t address, int64_t count) const;

  /// A block starts.
  void poison();
  /// What was done before does not conflict with what comes.
  void synchronize() { ++interval; }

  /// A conflict of an access with an earlier one.
  struct Race {
    int64_t byte;
    int64_t thread;
    bool otherWrote;
  };
  /// Notes that `thread` reads or writes bytes inside of the memory. Returns
  /// whether that is free of conflicts; if not, `race` is the first.
  bool access(int64_t thread, int64_t address, int64_t count, bool writes,
              Race &race);

private:
  struct Free {
    void operator()(char *pointer) const;
  };
  /// Who wrote and read a byte last, in which interval. Of several readers in
  /// one, two are kept: one of them is not the writer.
  struct Touch {
    uint32_t written = 0, read = 0;
    uint16_t writer = 0, reader = 0, otherReader = 0;
  };
  std::unique_ptr<char, Free> memory;
  int64_t bytes;
  uint32_t interval = 1;
  std::vector<Touch> touches; ///< empty until the first access is noted
};

} // namespace mercury::simt

#endif // MERCURY_LIB_RUNTIME_SIMT_SHAREDMEMORY_H
