//===- Domain.h - What the ranks of one launch share ------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_DOMAIN_H
#define MERCURY_LIB_RUNTIME_CUDA_DOMAIN_H

#include "Abi.h"
#include "Plan.h"
#include "Stall.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace mercury::cuda {

class Processes;
class Team;

/// What the ranks of one launch in this process share: the first failure, what
/// they wait for, and the barrier. Every error of a rank ends the launch: work
/// that is on streams cannot be taken back.
class Domain {
public:
  using Lock = std::unique_lock<std::mutex>;
  /// What a waiting rank waits for, made when somebody asks. Under the lock.
  using Describe = std::function<host::RankState()>;

  /// `transport` is not AUTO; `processes` is NULL where ranks are threads.
  Domain(const host::Plan &plan, mercury_cuda_transport transport,
         Processes *processes);

  /// Guards everything below, and teams with what they hold.
  std::mutex mutex;
  const host::Settings settings;
  const host::Topology topology;
  const std::vector<std::vector<int>> communicators;
  const mercury_cuda_transport transport;
  Processes *const processes;
  /// Copies: the teams of the communicators by index and first member, and
  /// those of unique ids that not all ranks have joined.
  std::map<std::pair<size_t, int64_t>, std::weak_ptr<Team>> teams;
  std::map<std::string, std::shared_ptr<Team>> incomplete;
  /// NCCL: the communicators that the watcher looks after.
  std::vector<ncclComm *> watched;
  /// Where rank 0 wants what mercury_cuda_gather collects.
  void *gathered = nullptr;
  /// NCCL, ranks as threads: the id of the communicator of all ranks.
  ncclUniqueId everybody = {};

  /// True once something has failed. May be read without the lock.
  bool hasFailed() const { return failed.load(std::memory_order_acquire); }
  /// What failed first.
  host::Failure getFailure();
  /// The code that calls of `rank` return after a failure.
  ncclResult_t resultFor(int64_t rank);
  /// Records the first failure, tells it to other processes, and wakes who
  /// waits. A later one only adds its `what` to one of the same rank without.
  void fail(host::Failure failure);
  /// As `fail`, under the lock.
  void fail(host::Failure failure, Lock &lock);
  /// What the processes have agreed on takes the place of our own failure.
  void agree(host::Failure failure);

  /// Something moved. Cheap: called for every launch of a kernel.
  void progress() { ticks.fetch_add(1, std::memory_order_relaxed); }
  /// Times that something moved.
  uint64_t getTicks() const { return ticks.load(std::memory_order_relaxed); }

  /// Sleeps until somebody calls `wake` or something fails. The caller has
  /// checked its condition under the same hold of `lock`, and does it again.
  void wait(Lock &lock, int64_t rank, const Describe &describe);
  /// Wakes all who sleep in `wait`.
  void wake() { changed.notify_all(); }
  /// Sleeps until something fails, until `over`, or for `seconds`.
  void waitForFailure(Lock &lock, double seconds, const bool &over);
  /// Sleeps until somebody calls wakeWatcher.
  void waitForEnd(Lock &lock) { failureChanged.wait(lock); }
  /// Wakes who sleeps in waitForFailure or waitForEnd.
  void wakeWatcher() { failureChanged.notify_all(); }

  /// Waits until all ranks of all processes have called it; false after a
  /// failure.
  bool barrier(int64_t rank);
  /// `rank` issues nothing more: fails whoever waits for it. Then waits until
  /// all ranks of all processes have called this; false after a failure.
  bool leave(int64_t rank);
  /// A call of `processes` has failed: returns when the reason is here.
  void awaitFailure();
  /// What the ranks wait for; those that wait for nothing are missing. Under
  /// the lock.
  std::map<int64_t, host::RankState> states() const;

private:
  /// Fails when a rank waits for one that has returned.
  void checkReturned(Lock &lock);

  std::condition_variable changed;
  std::condition_variable failureChanged;
  std::atomic<bool> failed{false};
  std::atomic<uint64_t> ticks{0};
  host::Failure failure;
  std::map<int64_t, const Describe *> waiting;
  std::vector<bool> returned;
  std::vector<bool> inBarrier;
  uint64_t barrierGeneration = 0;
};

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_DOMAIN_H
