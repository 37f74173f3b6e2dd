//===- Watcher.cpp - Ends a launch that cannot go on ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watcher.h"

using namespace mercury::cuda;
using mercury::host::Clock;
using mercury::host::RankState;

/// Seconds between two looks.
static constexpr double kPeriod = 0.1;

Watcher::Watcher(Domain &domain,
                 const std::vector<std::unique_ptr<mercury_context>> &contexts)
    : domain(domain), contexts(contexts), lastProgress(Clock::now()),
      thread([this] { run(); }) {}

Watcher::~Watcher() {
  {
    Domain::Lock lock(domain.mutex);
    over = true;
  }
  domain.wakeWatcher();
  thread.join();
}

void Watcher::waitForAbort() {
  Domain::Lock lock(domain.mutex);
  abortDone.wait(lock, [this] { return aborted; });
}

void Watcher::run() {
  while (true) {
    {
      Domain::Lock lock(domain.mutex);
      domain.waitForFailure(lock, kPeriod, over);
      if (over)
        return;
    }
    if (!domain.hasFailed())
      askNccl();
    if (!domain.hasFailed())
      watch();
    if (!domain.hasFailed())
      continue;
    abortAll();
    Domain::Lock lock(domain.mutex);
    aborted = true;
    abortDone.notify_all();
    while (!over)
      domain.waitForEnd(lock);
    return;
  }
}

/// The operation that the streams of a communicator are in, as the program
/// names it; else the one that it has called last.
static std::string nameFor(const ncclComm &comm) {
  for (const auto &[label, what] : comm.context->marks.pending())
    if (label.team == comm.team)
      return what.empty() ? label.describe() : what;
  return comm.context->marks.lastName();
}

void Watcher::askNccl() {
  if (domain.transport != MERCURY_CUDA_NCCL)
    return;
  std::string error;
  const Nccl &nccl = *loadNccl(error);
  Domain::Lock lock(domain.mutex);
  for (ncclComm *comm : domain.watched) {
    ncclResult_t result = ncclSuccess;
    if (comm->taken ||
        nccl.ncclCommGetAsyncError(comm->real, &result) != ncclSuccess ||
        result == ncclSuccess || result == ncclInProgress)
      continue;
    host::Failure failure;
    failure.rank = comm->context->rank;
    failure.result = result;
    failure.what = nameFor(*comm);
    failure.text = "NCCL on " + comm->team->describe() + ": " +
                   nccl.ncclGetErrorString(result);
    if (const char *more = nccl.ncclGetLastError(comm->real); more && *more)
      failure.text += std::string(": ") + more;
    return domain.fail(std::move(failure), lock);
  }
}

void Watcher::watch() {
  bool moved = domain.getTicks() != ticks;
  ticks = domain.getTicks();
  for (const auto &context : contexts)
    if (context->isOpen) {
      context->makeCurrent();
      moved |= context->marks.poll();
    }
  if (moved)
    lastProgress = Clock::now();
  double limit = domain.settings.watchdogSeconds;
  if (limit <= 0 || host::secondsSince(lastProgress) < limit)
    return;
  Domain::Lock lock(domain.mutex);
  std::map<int64_t, RankState> states = domain.states();
  bool waits = false;
  for (const auto &context : contexts) {
    RankState &state = states[context->rank];
    for (const auto &[label, what] : context->marks.pending())
      state.waits.push_back("has on a stream: " + label.describe() +
                            (what.empty() ? "" : " (" + what + ")"));
    if (context->waitsForDevice)
      state.waits.push_back("waits for the device");
    waits |= !state.waits.empty() || state.inBarrier;
  }
  // Ranks that only compute on the host are left alone.
  if (!waits) {
    lastProgress = Clock::now();
    return;
  }
  host::Failure failure;
  failure.result = ncclRemoteError;
  failure.text = host::describeStall(limit, states);
  domain.fail(std::move(failure), lock);
}

// A rank's thread may be inside of a call of NCCL on such a communicator: the
// abort is what gets it out. It makes no new one, since the launch has failed.
void Watcher::abortAll() {
  if (domain.transport != MERCURY_CUDA_NCCL)
    return;
  std::string error;
  const Nccl &nccl = *loadNccl(error);
  std::vector<ncclComm_t> handles;
  {
    Domain::Lock lock(domain.mutex);
    for (ncclComm *comm : domain.watched)
      if (!comm->taken) {
        comm->taken = true;
        handles.push_back(comm->real);
      }
  }
  // Parts first: they share resources with what they were split from.
  for (auto handle = handles.rbegin(); handle != handles.rend(); ++handle)
    nccl.ncclCommAbort(*handle);
}
