//===- Domain.cpp - What the ranks of one launch share --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Domain.h"

#include "Processes.h"

#include <algorithm>

using namespace mercury::cuda;
using mercury::host::Failure;
using mercury::host::format;
using mercury::host::RankState;

Domain::Domain(const host::Plan &plan, mercury_cuda_transport transport,
               Processes *processes)
    : settings(plan.settings), topology(plan.levels),
      communicators(plan.communicators), transport(transport),
      processes(processes), returned(topology.getNumRanks(), false),
      inBarrier(topology.getNumRanks(), false) {}

Failure Domain::getFailure() {
  Lock lock(mutex);
  return failure;
}

ncclResult_t Domain::resultFor(int64_t rank) {
  Lock lock(mutex);
  if (failure.rank == rank && failure.result != ncclSuccess)
    return static_cast<ncclResult_t>(failure.result);
  return ncclRemoteError;
}

void Domain::fail(Failure error) {
  Lock lock(mutex);
  fail(std::move(error), lock);
}

void Domain::fail(Failure error, Lock &) {
  if (hasFailed()) {
    if (failure.rank == error.rank && failure.what.empty() &&
        failure.result == error.result)
      failure.what = std::move(error.what);
    return;
  }
  failure = std::move(error);
  failed.store(true, std::memory_order_release);
  changed.notify_all();
  failureChanged.notify_all();
  if (processes)
    processes->tellFailure(failure);
}

void Domain::agree(Failure agreed) {
  Lock lock(mutex);
  failure = std::move(agreed);
  failed.store(true, std::memory_order_release);
  changed.notify_all();
  failureChanged.notify_all();
}

void Domain::wait(Lock &lock, int64_t rank, const Describe &describe) {
  waiting[rank] = &describe;
  checkReturned(lock);
  if (!hasFailed())
    changed.wait(lock);
  waiting.erase(rank);
}

void Domain::waitForFailure(Lock &lock, double seconds, const bool &over) {
  if (!hasFailed() && !over)
    failureChanged.wait_until(lock, host::after(host::Clock::now(), seconds));
}

bool Domain::barrier(int64_t rank) {
  Lock lock(mutex);
  if (hasFailed())
    return false;
  progress();
  inBarrier[rank] = true;
  if (processes) {
    lock.unlock();
    if (!processes->barrier())
      awaitFailure();
    lock.lock();
    inBarrier[rank] = false;
    return !hasFailed();
  }
  if (std::all_of(inBarrier.begin(), inBarrier.end(),
                  [](bool in) { return in; })) {
    std::fill(inBarrier.begin(), inBarrier.end(), false);
    ++barrierGeneration;
    wake();
    return true;
  }
  uint64_t generation = barrierGeneration;
  Describe describe = [] { return RankState(); };
  while (barrierGeneration == generation && !hasFailed())
    wait(lock, rank, describe);
  return !hasFailed();
}

bool Domain::leave(int64_t rank) {
  Lock lock(mutex);
  returned[rank] = true;
  progress();
  if (processes) {
    lock.unlock();
    if (!hasFailed() && !processes->barrier())
      awaitFailure();
    return !hasFailed();
  }
  checkReturned(lock);
  wake();
  changed.wait(lock, [this] {
    return hasFailed() || std::all_of(returned.begin(), returned.end(),
                                      [](bool done) { return done; });
  });
  return !hasFailed();
}

void Domain::awaitFailure() {
  // Longer than a message needs to be handled.
  constexpr std::chrono::seconds kPatience(1);
  Lock lock(mutex);
  changed.wait_for(lock, kPatience, [this] { return hasFailed(); });
  host::Failure error;
  error.result = ncclRemoteError;
  error.text = "another process has left the launch";
  fail(std::move(error), lock);
}

std::map<int64_t, RankState> Domain::states() const {
  std::map<int64_t, RankState> states;
  for (const auto &[rank, describe] : waiting)
    states[rank] = (*describe)();
  for (size_t rank = 0; rank < inBarrier.size(); ++rank) {
    if (returned[rank])
      states[rank].returned = true;
    if (!inBarrier[rank])
      continue;
    states[rank].inBarrier = true;
    for (size_t other = 0; other < inBarrier.size(); ++other)
      if (!processes && !inBarrier[other])
        states[rank].waitsFor.insert(other);
  }
  return states;
}

void Domain::checkReturned(Lock &lock) {
  if (hasFailed() ||
      std::find(returned.begin(), returned.end(), true) == returned.end())
    return;
  for (const auto &[rank, state] : states())
    for (int64_t other : state.waitsFor) {
      if (!returned[other])
        continue;
      Failure error;
      error.result = ncclRemoteError;
      error.text =
          format("rank %lld has returned while rank %lld ",
                 static_cast<long long>(other), static_cast<long long>(rank)) +
          (state.waits.empty() ? "waits in the barrier" : state.waits.front());
      return fail(std::move(error), lock);
    }
}
