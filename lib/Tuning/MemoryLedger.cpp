//===- MemoryLedger.cpp - Buffers between first and last use --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryLedger.h"

using namespace mercury;

void MemoryLedger::use(Buffer buffer, bool writes) {
  if (buffer < 0)
    return;
  int now = static_cast<int>(ops.size());
  Entry &entry = buffers[buffer];
  if (entry.first < 0)
    entry.first = now;
  entry.last = now;
  uses.push_back({buffer, writes});
}

llvm::ArrayRef<MemoryLedger::Use> MemoryLedger::usesOf(size_t op) const {
  size_t begin = op == 0 ? 0 : ops[op - 1].end;
  return llvm::ArrayRef(uses).slice(begin, ops[op].end - begin);
}

bool MemoryLedger::conflict(size_t op, size_t other) const {
  for (const Use &a : usesOf(op))
    for (const Use &b : usesOf(other))
      if (a.buffer == b.buffer && (a.writes || b.writes))
        return true;
  return false;
}

/// The wait for a transfer moves down past what does not touch its buffers, as
/// mercury-overlap has it: these are in use for so long.
void MemoryLedger::delayWaits() {
  for (size_t op = 0; op < ops.size(); ++op) {
    if (ops[op].kind != Op::Communication)
      continue;
    size_t last = op;
    while (last + 1 < ops.size() && ops[last + 1].kind == Op::Work &&
           !conflict(op, last + 1))
      ++last;
    for (const Use &use : usesOf(op))
      buffers[use.buffer].last =
          std::max(buffers[use.buffer].last, static_cast<int>(last));
  }
}

MemoryEstimate MemoryLedger::sum() {
  delayWaits();
  MemoryEstimate estimate;
  estimate.atPeak[0] = estimate.most[0] = own;
  int64_t peak = own;
  for (int op = 0; op < static_cast<int>(ops.size()); ++op) {
    std::array<int64_t, numMemoryClasses> held{own};
    int64_t total = own;
    for (const Entry &buffer : buffers) {
      if (op < buffer.first || buffer.last < op || buffer.first < 0)
        continue;
      held[static_cast<size_t>(buffer.memoryClass)] += buffer.bytes;
      total += buffer.bytes;
    }
    for (size_t i = 0; i < numMemoryClasses; ++i)
      estimate.most[i] = std::max(estimate.most[i], held[i]);
    if (total > peak) {
      peak = total;
      estimate.atPeak = held;
    }
  }
  return estimate;
}
