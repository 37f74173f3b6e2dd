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

std::string Batch::whatText() const {
  const char *text = what.load(std::memory_order_acquire);
  return text ? text : "";
}

bool Portion::hasTurn() const {
  return !batch->domain->settings.strict || !batch->context ||
         batch->context->serving == batch->ticket;
}

void Portion::run() {
  Domain::Lock lock(batch->domain->mutex);
  waiter = &currentWaiter();
  TimePoint next;
  while (!step(lock, next))
    batch->domain->wait(lock, next);
}

bool Portion::step(Domain::Lock &lock, TimePoint &next) {
  Domain &domain = *batch->domain;
  next = TimePoint::max();
  if (!started && !domain.hasFailed()) {
    if (!hasTurn())
      return false;
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
  }
  bool allDone = false;
  while (!domain.hasFailed()) {
    bool moved = false;
    next = TimePoint::max();
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
      return false;
  }
  if (!allDone) {
    abandon(lock);
    if (!stream) {
      batch->result = domain.resultFor(operations.front().globalRank());
      setLastError(batch->result, domain.getFailure().describe());
    }
  }
  finish();
  return true;
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
