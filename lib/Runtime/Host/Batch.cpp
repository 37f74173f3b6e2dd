//===- Batch.cpp - Runs the operations of a call or group -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <algorithm>

using namespace mercury::host;

const char *mercury::host::nameOf(Kind kind) {
  switch (kind) {
  case Kind::Send:
    return "send";
  case Kind::Recv:
    return "recv";
  case Kind::AllGather:
    return "all_gather";
  case Kind::ReduceScatter:
    return "reduce_scatter";
  case Kind::AllReduce:
    return "all_reduce";
  case Kind::Broadcast:
    return "broadcast";
  case Kind::Split:
    return "split";
  }
  return "unknown operation";
}

int64_t Operation::globalRank() const {
  int64_t global = team->globalRanks[rank];
  return global < 0 ? rank : global;
}

std::string Operation::describe() const {
  std::string text;
  switch (kind) {
  case Kind::Send:
  case Kind::Recv:
    text = format("%s of %zu bytes %s %s", nameOf(kind), bytes(),
                  kind == Kind::Send ? "to" : "from",
                  team->describeRank(peer).c_str());
    break;
  case Kind::Split:
    text = format("split with color %d", color);
    break;
  default:
    text = format("%s of %zu bytes", nameOf(kind), bytes());
    break;
  }
  return text + " on " + team->describe();
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

std::string Batch::whatText() const {
  const char *text = what.load(std::memory_order_acquire);
  return text ? text : "";
}

bool Portion::waitForTurn(Domain::Lock &lock) {
  Domain &domain = *batch->domain;
  if (!domain.settings.strict || !batch->context)
    return !domain.hasFailed();
  while (batch->context->serving != batch->ticket && !domain.hasFailed())
    domain.wait(lock);
  return !domain.hasFailed();
}

void Portion::run() {
  Domain &domain = *batch->domain;
  Domain::Lock lock(domain.mutex);
  waiter = &currentWaiter();
  bool allDone = false;
  if (waitForTurn(lock)) {
    started = true;
    domain.progress();
    for (Operation &operation : operations) {
      if (domain.hasFailed())
        break;
      if (operation.isPointToPoint())
        postPointToPoint(operation, lock);
      else
        postCollective(operation, lock);
    }
    while (!domain.hasFailed()) {
      bool moved = false;
      TimePoint next = TimePoint::max();
      allDone = true;
      for (Operation &operation : operations) {
        if (operation.done)
          continue;
        moved |= operation.isPointToPoint()
                     ? advancePointToPoint(operation, lock, next)
                     : advanceCollective(operation, lock, next);
        allDone &= operation.done;
      }
      if (allDone)
        break;
      if (moved)
        continue;
      domain.checkReturned(*batch);
      if (!domain.hasFailed())
        domain.wait(lock, next);
    }
  }
  if (!allDone) {
    abandon(lock);
    if (!stream) {
      batch->result = domain.resultFor(operations.front().globalRank());
      setLastError(batch->result, domain.getFailure().describe());
    }
  }
  finish();
}

void Portion::abandon(Domain::Lock &lock) {
  for (Operation &operation : operations) {
    if (operation.done)
      continue;
    if (operation.isPointToPoint())
      abandonPointToPoint(operation, lock);
    else
      abandonCollective(operation, lock);
  }
}

void Portion::finish() {
  Domain &domain = *batch->domain;
  finished = true;
  waiter = nullptr;
  domain.progress();
  if (--batch->remaining > 0)
    return;
  domain.batches.erase(batch->position);
  mercury_context *context = batch->context;
  if (!domain.settings.strict || !context)
    return;
  ++context->serving;
  // Whoever has the next turn sleeps in waitForTurn of this rank.
  for (const Batch *other : domain.batches)
    if (other->context == context && other->ticket == context->serving)
      for (const Portion &portion : other->portions)
        domain.wake(portion.waiter);
}
