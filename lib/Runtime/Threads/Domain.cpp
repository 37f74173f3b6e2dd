//===- Domain.cpp - How threads wait for each other -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <algorithm>

using namespace mercury::host;

Waiter &mercury::host::currentWaiter() {
  static thread_local Waiter waiter;
  return waiter;
}

std::vector<int> Operation::missing() const {
  std::vector<int> result;
  if (!posted || done)
    return result;
  if (isPointToPoint()) {
    if (!match)
      result.push_back(peer);
    return result;
  }
  if (collective->arrived < team->size())
    for (int i = 0; i < team->size(); ++i)
      if (!collective->members[i])
        result.push_back(i);
  return result;
}

void Domain::wake(Waiter *waiter) {
  if (!waiter)
    return;
  waiter->epoch.fetch_add(1);
  if (waiter->asleep)
    waiter->condition.notify_one();
}

void Domain::wakeAll() {
  for (Waiter *waiter : waiters)
    wake(waiter);
}

void Domain::spread(bool) { wakeAll(); }

// Streams have threads of their own.
void Domain::poll() {}

void Domain::wait(Lock &lock, TimePoint deadline) {
  Waiter &waiter = currentWaiter();
  uint32_t seen = waiter.epoch.load();
  WaitTimer timer;
  waiters.push_back(&waiter);
  // Never spin through an emulated transfer.
  bool isShort = deadline == TimePoint::max() && !timekeeper;
  int spins = isShort ? ThreadCount::spinIterations() : 0;
  if (spins > 0) {
    lock.unlock();
    for (; spins > 0 && waiter.epoch.load() == seen; --spins)
      spinPause();
    lock.lock();
  }
  waiter.asleep = true;
  while (waiter.epoch.load() == seen) {
    TimePoint until = deadline;
    bool watched = settings.watchdogSeconds > 0 && !hasFailed();
    if (watched)
      until = std::min(until, after(lastProgress, settings.watchdogSeconds));
    if (until == TimePoint::max()) {
      waiter.condition.wait(lock);
      continue;
    }
    if (waiter.condition.wait_until(lock, until) == std::cv_status::no_timeout)
      continue;
    if (Clock::now() >= deadline)
      break;
    if (watched)
      watch();
  }
  waiter.asleep = false;
  auto position = std::find(waiters.rbegin(), waiters.rend(), &waiter);
  *position = waiters.back();
  waiters.pop_back();
}

void Domain::barrier(int64_t rank) {
  Lock lock(mutex);
  if (hasFailed())
    return;
  progress();
  inBarrier[rank] = true;
  if (std::all_of(inBarrier.begin(), inBarrier.end(),
                  [](bool in) { return in; })) {
    std::fill(inBarrier.begin(), inBarrier.end(), false);
    ++barrierGeneration;
    wakeAll();
    return;
  }
  uint64_t generation = barrierGeneration;
  checkBarrier();
  while (barrierGeneration == generation && !hasFailed())
    wait(lock);
}

void Domain::rankReturned(int64_t rank) {
  Lock lock(mutex);
  returned[rank] = true;
  progress();
  checkBarrier();
  for (const Batch *batch : batches) {
    if (hasFailed())
      return;
    checkReturned(*batch);
  }
}

void Domain::watch() {
  if (hasFailed() ||
      Clock::now() < after(lastProgress, settings.watchdogSeconds))
    return;
  // A thread that copies moves, however long the copy takes.
  if (working > 0)
    return progress();
  Failure error;
  error.result = ncclRemoteError;
  error.text = describeStall(settings.watchdogSeconds, states());
  fail(std::move(error));
}
