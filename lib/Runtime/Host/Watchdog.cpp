//===- Watchdog.cpp - Reports who waits for whom --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

using namespace mercury::host;

/// "waits in recv of 4 bytes ... (recv at f.mlir:3) for rank 1".
static std::string describeWait(const Operation &operation,
                                const std::string &what) {
  std::string text = "waits in " + operation.describe();
  if (!what.empty())
    text += " (" + what + ")";
  std::vector<int> missing = operation.missing();
  for (size_t i = 0; i < missing.size() && i < 8; ++i)
    text +=
        (i == 0 ? " for " : ", ") + operation.team->describeRank(missing[i]);
  if (missing.size() > 8)
    text += format(" and %zu more", missing.size() - 8);
  return text;
}

std::map<int64_t, RankState> Domain::states() const {
  std::map<int64_t, RankState> states;
  for (const Batch *batch : batches)
    for (const Portion &portion : batch->portions) {
      if (portion.finished)
        continue;
      for (const Operation &operation : portion.operations) {
        if (operation.done)
          continue;
        RankState &state = states[operation.globalRank()];
        if (!portion.started) {
          if (state.queued++ == 0)
            state.firstQueued = operation.describe();
          continue;
        }
        state.waits.push_back(describeWait(operation, batch->whatText()));
        for (int missing : operation.missing())
          if (int64_t other = operation.team->globalRanks[missing]; other >= 0)
            state.waitsFor.insert(other);
      }
    }
  for (size_t rank = 0; rank < inBarrier.size(); ++rank) {
    if (inBarrier.size() == 1 && !inBarrier[rank] && !returned[rank])
      continue;
    RankState &state = states[rank];
    state.inBarrier = inBarrier[rank];
    state.returned = returned[rank];
    for (size_t other = 0; inBarrier[rank] && other < inBarrier.size(); ++other)
      if (!inBarrier[other])
        state.waitsFor.insert(other);
  }
  return states;
}
