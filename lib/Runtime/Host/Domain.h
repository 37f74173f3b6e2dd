//===- Domain.h - What the ranks of one launch share ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_DOMAIN_H
#define MERCURY_LIB_RUNTIME_HOST_DOMAIN_H

#include "Plan.h"
#include "Stall.h"
#include "Timekeeper.h"

#include <atomic>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace mercury::host {

struct Batch;
class Team;

/// Where one thread sleeps. Guarded by the mutex of the domain that it waits
/// in; `epoch` may be read outside of it, to spin.
struct Waiter {
  std::condition_variable condition;
  std::atomic<uint32_t> epoch{0};
  bool asleep = false;
};

/// The waiter of the calling thread.
Waiter &currentWaiter();

/// An eager message that no receive has taken yet.
struct Undelivered {
  int64_t from;
  int64_t to;
  size_t bytes;
  std::string communicator;
};

/// What the ranks of one launch (or, outside of launches, all communicators
/// made by ncclCommInitRank) share: one lock for the state of every operation,
/// the first failure, and the watchdog. Bytes are copied outside of the lock.
///
/// There is no watchdog thread: every wait has a deadline, and the first thread
/// that finds the time without progress too long writes the report.
class Domain {
public:
  using Lock = std::unique_lock<std::mutex>;

  Domain(const Settings &settings, std::vector<Level> levels);

  /// Guards everything below and the state of operations, teams and channels.
  std::mutex mutex;
  const Settings settings;
  const Topology topology;
  Links links;

  /// Every batch issued and not complete, in order of issue.
  std::list<Batch *> batches;
  /// Eager messages under way.
  std::list<Undelivered> undelivered;
  /// The teams of a launch's communicators, by index and first member.
  std::map<std::pair<int32_t, int64_t>, std::weak_ptr<Team>> teams;
  /// Ranks whose rank_main has returned and whose streams are empty.
  std::vector<bool> returned;
  /// Ranks that wait in mercury_host_barrier.
  std::vector<bool> inBarrier;
  /// Threads that copy, reduce or run a kernel at the moment, outside of the
  /// lock.
  int working = 0;
  /// Where rank 0 wants what mercury_host_gather collects.
  void *gathered = nullptr;

  /// True once communication has failed: every call then returns an error. May
  /// be read without the lock.
  bool hasFailed() const { return failed.load(std::memory_order_acquire); }
  /// What made communication fail.
  const Failure &getFailure() const { return failure; }
  /// The first error of the launch by time, whether or not it failed
  /// communication.
  const Failure &getRoot() const { return root; }
  /// The code that calls of `rank` return after a failure.
  ncclResult_t resultFor(int64_t rank) const;

  /// Records the first error of the launch. A later one only adds its `what` to
  /// an error of the same rank that has none.
  void noteError(Failure error);
  /// Makes all pending and later operations fail, and wakes every waiter.
  /// `heard`: another process has said so, to all others too.
  void fail(Failure error, bool heard = false);

  /// Sleeps until woken, until `deadline`, or until the watchdog fires. The
  /// caller has checked its condition under the same hold of `lock`, and checks
  /// it again afterwards.
  void wait(Lock &lock, TimePoint deadline = TimePoint::max());
  /// Moves on what is under way, without waiting and without the lock.
  void poll();
  /// Wakes `waiter` if it sleeps (NULL: nobody).
  void wake(Waiter *waiter);
  /// Wakes every waiter.
  void wakeAll();
  /// Seconds in which nothing moved.
  double idleSeconds() const { return secondsSince(lastProgress); }
  /// Something moved: the watchdog starts anew. `until` extends this to the end
  /// of an emulated transfer.
  void progress(TimePoint until = Clock::now());

  /// Waits until all ranks have called this.
  void barrier(int64_t rank);
  /// `rank` issues nothing more: fails whoever waits for it.
  void rankReturned(int64_t rank);
  /// What the ranks of this process do.
  std::map<int64_t, RankState> states() const;
  /// Fails when an operation of `batch` waits for a rank that has returned.
  void checkReturned(const Batch &batch);
  /// Fails when a rank in the barrier waits for one that has returned.
  void checkBarrier();

private:
  /// Fires the watchdog when the time without progress is too long.
  void watch();
  /// Tells all who wait that communication has failed, other processes unless
  /// they have `heard`.
  void spread(bool heard);

  std::vector<Waiter *> waiters;
  TimePoint lastProgress;
  uint64_t barrierGeneration = 0;
  std::atomic<bool> failed{false};
  Failure failure;
  Failure root;

public:
  /// Where a clock says how long work takes, else null. The last member: its
  /// thread uses the others.
  std::unique_ptr<Timekeeper> timekeeper;
};

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_DOMAIN_H
