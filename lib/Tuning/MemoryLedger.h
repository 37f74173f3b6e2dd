//===- MemoryLedger.h - Buffers between first and last use ------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TUNING_MEMORYLEDGER_H
#define MERCURY_LIB_TUNING_MEMORYLEDGER_H

#include "Mercury/Tuning/MemoryModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace mercury {

/// Records which buffers the ops of a function's block use, in order. A buffer
/// lives from the first op that uses it to the last one.
class MemoryLedger {
public:
  using Buffer = int;
  /// A buffer of the caller's, held throughout and counted once by
  /// addOwnShard().
  static constexpr Buffer callers = -1;

  void addOwnShard(int64_t bytes) { own += bytes; }
  Buffer make(int64_t bytes, MemoryClass memoryClass) {
    buffers.push_back({bytes, memoryClass, -1, -1});
    return static_cast<Buffer>(buffers.size()) - 1;
  }
  /// The op that is recorded now reads or writes the buffer.
  void read(Buffer buffer) { use(buffer, /*writes=*/false); }
  void write(Buffer buffer) { use(buffer, /*writes=*/true); }
  /// It sends or receives it.
  void markCommunicated(Buffer buffer) {
    if (buffer >= 0 && buffers[buffer].memoryClass == MemoryClass::Workspace)
      buffers[buffer].memoryClass = MemoryClass::Staging;
  }
  void setClass(Buffer buffer, MemoryClass memoryClass) {
    buffers[buffer].memoryClass = memoryClass;
  }
  /// Ends the op that is recorded: one communication, other work, or a loop
  /// that has both inside.
  enum class Op { Communication, Work, Loop };
  void end(Op kind) { ops.push_back({kind, uses.size()}); }
  /// What the buffer holds is computed in one of the caller's.
  void giveAway(Buffer buffer) {
    if (buffer >= 0)
      buffers[buffer].bytes = 0;
  }
  /// All ops are recorded.
  MemoryEstimate sum();

private:
  struct Entry {
    int64_t bytes;
    MemoryClass memoryClass;
    int first, last;
  };
  struct Use {
    Buffer buffer;
    bool writes;
  };
  struct Recorded {
    Op kind;
    size_t end; ///< of its uses
  };
  void use(Buffer buffer, bool writes);
  llvm::ArrayRef<Use> usesOf(size_t op) const;
  bool conflict(size_t op, size_t other) const;
  void delayWaits();

  llvm::SmallVector<Entry, 48> buffers;
  llvm::SmallVector<Use, 64> uses;
  llvm::SmallVector<Recorded, 32> ops;
  int64_t own = 0;
};

} // namespace mercury

#endif // MERCURY_LIB_TUNING_MEMORYLEDGER_H
