//===- Watchdog.cpp - Reports who waits for whom --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Communicator.h"
#include "Context.h"

#include <algorithm>
#include <set>

using namespace mercury::host;

/// Lines of a report about operations; more are counted only.
static constexpr int kMaxLines = 64;

void Domain::watch() {
  if (hasFailed() ||
      Clock::now() < after(lastProgress, settings.watchdogSeconds))
    return;
  // A thread that copies moves, however long the copy takes.
  if (working > 0)
    return progress();
  Failure error;
  error.result = ncclRemoteError;
  error.text = report();
  fail(std::move(error));
}

std::vector<int64_t> Domain::waitsFor(int64_t rank) const {
  std::set<int64_t> result;
  for (const Batch *batch : batches)
    for (const Portion &portion : batch->portions) {
      if (!portion.started || portion.finished)
        continue;
      for (const Operation &operation : portion.operations) {
        if (operation.done || operation.globalRank() != rank)
          continue;
        for (int missing : operation.missing())
          result.insert(operation.team->globalRanks[missing]);
      }
    }
  if (rank >= 0 && static_cast<size_t>(rank) < inBarrier.size() &&
      inBarrier[rank])
    for (size_t other = 0; other < inBarrier.size(); ++other)
      if (!inBarrier[other])
        result.insert(other);
  result.erase(-1);
  return {result.begin(), result.end()};
}

std::vector<int64_t> Domain::findCycle() const {
  std::map<int64_t, std::vector<int64_t>> edges;
  for (const Batch *batch : batches)
    for (const Portion &portion : batch->portions)
      for (const Operation &operation : portion.operations)
        edges[operation.globalRank()];
  for (size_t rank = 0; rank < inBarrier.size(); ++rank)
    if (inBarrier[rank])
      edges[rank];
  for (auto &edge : edges)
    edge.second = waitsFor(edge.first);

  // Depth first; a rank that is met again on the path closes a cycle.
  std::set<int64_t> visited;
  for (const auto &start : edges) {
    std::vector<std::pair<int64_t, size_t>> path;
    if (visited.insert(start.first).second)
      path.push_back({start.first, 0});
    while (!path.empty()) {
      auto &[rank, next] = path.back();
      const std::vector<int64_t> &others = edges[rank];
      if (next == others.size()) {
        path.pop_back();
        continue;
      }
      int64_t other = others[next++];
      auto closed = std::find_if(path.begin(), path.end(), [&](auto &step) {
        return step.first == other;
      });
      if (closed != path.end()) {
        std::vector<int64_t> cycle;
        for (; closed != path.end(); ++closed)
          cycle.push_back(closed->first);
        cycle.push_back(other);
        return cycle;
      }
      if (visited.insert(other).second)
        path.push_back({other, 0});
    }
  }
  return {};
}

std::string Domain::report() const {
  std::string text = format("no progress for %g s", settings.watchdogSeconds);
  std::vector<int64_t> cycle = findCycle();
  for (size_t i = 0; i < cycle.size(); ++i)
    text += format("%srank %lld", i == 0 ? ": deadlock " : " -> ",
                   static_cast<long long>(cycle[i]));

  std::set<int64_t> communicating;
  std::map<int64_t, int> queued;
  int lines = 0;
  for (const Batch *batch : batches)
    for (const Portion &portion : batch->portions) {
      if (portion.finished)
        continue;
      for (const Operation &operation : portion.operations) {
        if (operation.done)
          continue;
        communicating.insert(operation.globalRank());
        if (!portion.started) {
          ++queued[operation.globalRank()];
          continue;
        }
        if (++lines > kMaxLines)
          continue;
        text += format("\n  rank %lld waits in %s",
                       static_cast<long long>(operation.globalRank()),
                       operation.describe().c_str());
        if (!batch->whatText().empty())
          text += " (" + batch->whatText() + ")";
        std::vector<int> missing = operation.missing();
        for (size_t i = 0; i < missing.size() && i < 8; ++i)
          text += (i == 0 ? " for " : ", ") +
                  operation.team->describeRank(missing[i]);
        if (missing.size() > 8)
          text += format(" and %zu more", missing.size() - 8);
      }
    }
  if (lines > kMaxLines)
    text += format("\n  and %d more operations", lines - kMaxLines);

  // The first call that has not started says where a rank would go on.
  for (const Batch *batch : batches)
    for (const Portion &portion : batch->portions) {
      if (portion.started || portion.finished || portion.operations.empty())
        continue;
      const Operation &operation = portion.operations.front();
      auto found = queued.find(operation.globalRank());
      if (found == queued.end())
        continue;
      text += format("\n  rank %lld has %d queued, the first is %s",
                     static_cast<long long>(found->first), found->second,
                     operation.describe().c_str());
      queued.erase(found);
    }
  for (size_t rank = 0; rank < inBarrier.size(); ++rank)
    if (inBarrier[rank])
      text += format("\n  rank %zu waits in the barrier", rank);
    else if (returned[rank])
      text += format("\n  rank %zu has returned", rank);
    else if (!communicating.count(rank) && inBarrier.size() > 1)
      text += format("\n  rank %zu is in no communication call", rank);
  return text;
}
