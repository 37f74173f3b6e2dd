//===- Copies.cpp - Communication of ranks that share a device ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"

using namespace mercury::cuda;
using mercury::host::format;
using mercury::host::RankState;
using mercury::host::setLastError;

bool Queue::check(CUresult result, const char *call) {
  if (result != CUDA_SUCCESS && error.empty())
    error = describe(call, result);
  return error.empty();
}

void Queue::wait(CUevent event) {
  if (error.empty())
    check(driver().cuStreamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
}

void Queue::record(CUevent event) {
  if (error.empty())
    check(driver().cuEventRecord(event, stream), "cuEventRecord");
}

CUevent Queue::event() {
  CUresult result;
  CUevent event = context.eventPool.take(result);
  check(result, "cuEventCreate");
  return event;
}

CUevent Queue::mark() {
  CUevent event = this->event();
  record(event);
  return event;
}

void Queue::copy(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  if (error.empty() && bytes > 0 && destination != source)
    check(driver().cuMemcpyDtoDAsync_v2(destination, source, bytes, stream),
          "cuMemcpyDtoDAsync");
}

void Queue::toHost(void *destination, CUdeviceptr source, size_t bytes) {
  if (error.empty() && bytes > 0)
    check(driver().cuMemcpyDtoHAsync_v2(destination, source, bytes, stream),
          "cuMemcpyDtoHAsync");
}

void Queue::toDevice(CUdeviceptr destination, const void *source,
                     size_t bytes) {
  if (error.empty() && bytes > 0)
    check(driver().cuMemcpyHtoDAsync_v2(destination, source, bytes, stream),
          "cuMemcpyHtoDAsync");
}

void Queue::call(std::function<void()> function) {
  if (!error.empty())
    return;
  auto *task = new std::function<void()>(std::move(function));
  auto run = [](void *data) {
    std::unique_ptr<std::function<void()>> owned(
        static_cast<std::function<void()> *>(data));
    (*owned)();
  };
  if (!check(driver().cuLaunchHostFunc(stream, run, task), "cuLaunchHostFunc"))
    delete task;
}

char *Queue::staging(size_t bytes) {
  CUresult result;
  char *block = context.staging.take(bytes, result);
  check(result, "cuMemAllocHost");
  return block;
}

bool Step::failed(const Queue &queue) {
  if (queue.getError().empty())
    return false;
  result = ncclUnhandledCudaError;
  error = queue.getError();
  return true;
}

void Step::mismatch(std::string text) {
  result = ncclInvalidUsage;
  error = std::move(text);
}

/// What the ranks' threads wait for, as the watchdog says it.
static RankState stateOf(const std::vector<std::unique_ptr<Step>> &steps,
                         const std::string &what) {
  RankState state;
  for (const auto &step : steps) {
    if (step->isDone())
      continue;
    const Team &team = *step->getOperation().comm->team;
    std::string text = "waits in " + step->getOperation().label().describe();
    if (!what.empty())
      text += " (after " + what + ")";
    std::vector<int> missing = step->missing();
    for (size_t i = 0; i < missing.size() && i < 8; ++i)
      text += (i == 0 ? " for " : ", ") + team.describeRank(missing[i]);
    for (int rank : missing)
      if (team.ranks[rank] >= 0)
        state.waitsFor.insert(team.ranks[rank]);
    state.waits.push_back(std::move(text));
  }
  return state;
}

/// Records the error of a step.
static void fail(mercury_context &context, const Step &step,
                 Domain::Lock &lock) {
  host::Failure failure;
  failure.rank = context.rank;
  failure.result = step.getResult();
  failure.text =
      step.getOperation().label().describe() + ": " + step.getError();
  context.domain->fail(std::move(failure), lock);
}

ncclResult_t
mercury::cuda::runCopies(const std::vector<Operation> &operations) {
  mercury_context &context = *operations.front().comm->context;
  Domain &domain = *context.domain;
  std::vector<std::unique_ptr<Step>> steps;
  for (const Operation &operation : operations)
    steps.push_back(operation.isPointToPoint() ? makePointToPoint(operation)
                                               : makeCollective(operation));
  std::string what = context.marks.lastName();
  Domain::Describe describe = [&] { return stateOf(steps, what); };

  Domain::Lock lock(domain.mutex);
  for (const auto &step : steps) {
    step->post();
    if (!step->getError().empty())
      fail(context, *step, lock);
  }
  domain.wake();
  while (!domain.hasFailed()) {
    bool moved = false, done = true;
    for (const auto &step : steps) {
      if (!step->isDone())
        moved |= step->advance();
      if (!step->getError().empty())
        fail(context, *step, lock);
      done &= step->isDone();
    }
    if (moved) {
      domain.progress();
      domain.wake();
    }
    if (domain.hasFailed())
      break;
    if (done)
      return ncclSuccess;
    if (!moved) {
      WaitTimer timer(context);
      domain.wait(lock, context.rank, describe);
    }
  }
  lock.unlock();
  return setLastError(domain.resultFor(context.rank),
                      domain.getFailure().describe());
}
