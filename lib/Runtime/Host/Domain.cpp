//===- Domain.cpp - What the ranks of one launch share --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <algorithm>

using namespace mercury::host;

Domain::Domain(const Settings &settings, std::vector<Level> levels)
    : settings(settings), topology(std::move(levels)),
      links(topology, settings.emulateLinks, settings.timeScale),
      returned(topology.getNumRanks(), false),
      inBarrier(topology.getNumRanks(), false), lastProgress(Clock::now()) {
  if (settings.clock)
    timekeeper = std::make_unique<Timekeeper>(*this, *settings.clock,
                                              settings.timeScale);
}

ncclResult_t Domain::resultFor(int64_t rank) const {
  if (failure.rank == rank && failure.result != ncclSuccess)
    return static_cast<ncclResult_t>(failure.result);
  return ncclRemoteError;
}

void Domain::noteError(Failure error) {
  if (root.result == ncclSuccess)
    root = std::move(error);
  else if (root.rank == error.rank && root.what.empty() &&
           root.result == error.result)
    root.what = std::move(error.what);
}

void Domain::fail(Failure error, bool heard) {
  if (hasFailed())
    return;
  failure = error;
  noteError(std::move(error));
  failed.store(true, std::memory_order_release);
  spread(heard);
}

void Domain::progress(TimePoint until) {
  lastProgress = std::max(lastProgress, until);
}

void Domain::checkBarrier() {
  auto in = std::find(inBarrier.begin(), inBarrier.end(), true);
  auto out = std::find(returned.begin(), returned.end(), true);
  if (in == inBarrier.end() || out == returned.end())
    return;
  Failure error;
  error.result = ncclRemoteError;
  error.text = format("rank %d has returned while rank %d waits in the barrier",
                      static_cast<int>(out - returned.begin()),
                      static_cast<int>(in - inBarrier.begin()));
  fail(std::move(error));
}

void Domain::checkReturned(const Batch &batch) {
  if (std::find(returned.begin(), returned.end(), true) == returned.end())
    return;
  for (const Portion &portion : batch.portions) {
    if (!portion.started || portion.finished)
      continue;
    for (const Operation &operation : portion.operations) {
      if (operation.done)
        continue;
      for (int missing : operation.missing()) {
        int64_t rank = operation.team->globalRanks[missing];
        if (rank < 0 || !returned[rank])
          continue;
        Failure error;
        error.result = ncclRemoteError;
        error.text =
            format("rank %lld has returned while rank %lld waits in %s",
                   static_cast<long long>(rank),
                   static_cast<long long>(operation.globalRank()),
                   operation.describe().c_str());
        if (!batch.whatText().empty())
          error.text += " (" + batch.whatText() + ")";
        return fail(std::move(error));
      }
    }
  }
}
