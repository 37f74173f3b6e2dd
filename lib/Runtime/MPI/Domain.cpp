//===- Domain.cpp - How processes wait for each other ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processes.h"

#include <algorithm>

using namespace mercury::host;

/// Messages of a rank that has returned are here after so many seconds in which
/// nothing has moved.
static constexpr double kStragglerSeconds = 0.25;

/// A process that does not say what it waits in after so long computes or
/// hangs.
static constexpr double kAnswerSeconds = 1;

Waiter &mercury::host::currentWaiter() {
  static Waiter waiter;
  return waiter;
}

// Nobody sleeps: whoever waits polls.
void Domain::wake(Waiter *) {}
void Domain::wakeAll() {}

void Domain::spread(bool heard) {
  if (!heard)
    Processes::get().sendToOthers(Notice(About::Failed, failure));
}

/// Polls of a program that computes are at least so many seconds apart.
static constexpr double kPollSeconds = 20e-6;

void Domain::poll() {
  static TimePoint last{};
  TimePoint now = Clock::now();
  if (now < after(last, kPollSeconds))
    return;
  last = now;
  Processes::get().poll();
}

void Domain::wait(Lock &lock, TimePoint) {
  Processes &processes = Processes::get();
  WaitTimer timer;
  lock.unlock();
  processes.poll();
  lock.lock();
  double idle = idleSeconds();
  if (idle > kStragglerSeconds && !processes.returning.empty()) {
    for (int64_t rank : processes.returning)
      returned[rank] = true;
    processes.returning.clear();
    checkBarrier();
  }
  watch();
  processes.rest(idle);
}

void Domain::watch() {
  if (hasFailed() || settings.watchdogSeconds <= 0 ||
      idleSeconds() < settings.watchdogSeconds)
    return;
  Processes &processes = Processes::get();
  size_t others = processes.getSize() - 1;
  if (processes.tellWaits() < kAnswerSeconds &&
      processes.waiting.size() < others)
    return;
  std::map<int64_t, RankState> all = states();
  all[processes.getRank()] = processes.state();
  for (auto &[rank, state] : all) {
    if (rank == processes.getRank())
      continue;
    auto told = processes.waiting.find(rank);
    state.silent = told == processes.waiting.end();
    if (state.silent)
      continue;
    state.waits = told->second.waits;
    state.waitsFor.insert(told->second.waitsFor.begin(),
                          told->second.waitsFor.end());
    state.queued = told->second.queued;
    state.firstQueued = told->second.firstQueued;
  }
  Failure error;
  error.result = ncclRemoteError;
  error.text = describeStall(settings.watchdogSeconds, all);
  fail(std::move(error));
}

void Domain::barrier(int64_t rank) {
  Lock lock(mutex);
  if (hasFailed())
    return;
  progress();
  Processes &processes = Processes::get();
  ++processes.barriers[rank];
  inBarrier[rank] = true;
  processes.sendToOthers(Notice(About::Barrier));
  while (!hasFailed() && std::find(inBarrier.begin(), inBarrier.end(), false) !=
                             inBarrier.end())
    wait(lock);
  ++barrierGeneration;
  // A rank may wait in the next one already.
  for (size_t i = 0; i < inBarrier.size(); ++i)
    inBarrier[i] = processes.barriers[i] > barrierGeneration;
  progress();
}

void Domain::rankReturned(int64_t rank) {
  Lock lock(mutex);
  returned[rank] = true;
  progress();
  Processes::get().sendToOthers(Notice(About::Returned, root));
}
