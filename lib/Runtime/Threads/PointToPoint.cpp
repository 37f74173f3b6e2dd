//===- PointToPoint.cpp - Sends and receives ------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <algorithm>
#include <cstring>

using namespace mercury::host;

/// The list that `operation` waits in until it is matched, and the list that
/// its partners wait in.
static std::pair<Operation **, Operation **> lists(Operation &operation) {
  if (operation.kind == Kind::Send) {
    Channel &channel = operation.team->channel(operation.rank, operation.peer);
    return {&channel.sends, &channel.recvs};
  }
  Channel &channel = operation.team->channel(operation.peer, operation.rank);
  return {&channel.recvs, &channel.sends};
}

/// Takes the operation numbered `sequence` out of `list`; NULL when none is.
static Operation *take(Operation **list, uint64_t sequence) {
  for (; *list; list = &(*list)->next)
    if ((*list)->sequence == sequence) {
      Operation *found = *list;
      *list = found->next;
      found->next = nullptr;
      return found;
    }
  return nullptr;
}

/// Appends `operation` to `list`.
static void append(Operation **list, Operation *operation) {
  while (*list)
    list = &(*list)->next;
  *list = operation;
}

/// Pairs a send and a receive of the same number, or fails when their sizes
/// differ.
static void match(Operation &send, Operation &recv, Domain &domain) {
  const Team &team = *recv.team;
  size_t sentBytes = send.bytes();
  if (sentBytes != recv.bytes()) {
    if (send.buffer) {
      domain.undelivered.erase(send.undelivered);
      delete &send;
    }
    return domain.fail(sizeMismatch(
        recv, recv.peer, format("%zu bytes", sentBytes), recv.bytes()));
  }
  recv.match = &send;
  send.match = &recv;
  // A buffered message has been under way since it was sent.
  TimePoint ready = Clock::now();
  if (send.buffer) {
    recv.ownsMatch = true;
    ready = send.postedAt;
  }
  int64_t from = team.globalRanks[recv.peer], to = team.globalRanks[recv.rank];
  if (domain.timekeeper) {
    int64_t ranks[] = {from, to};
    mercury_host_work work = {};
    work.kind = MERCURY_MESSAGE;
    work.ranks = ranks;
    work.num_ranks = 2;
    work.bytes = static_cast<int64_t>(send.bytes());
    recv.timed = domain.timekeeper->begin(work, {recv.portion->waiter});
    domain.progress();
  } else {
    recv.readyAt = domain.links.message(from, to, send.bytes(), ready);
    domain.progress(std::max(ready, recv.readyAt));
  }
  domain.wake(recv.portion->waiter);
}

/// Eager mode: completes `send` by copying its bytes into a message.
static void sendEagerly(Operation &send, Domain::Lock &lock) {
  Domain &domain = *send.team->domain;
  auto message = std::make_unique<Operation>();
  message->count = send.count;
  message->type = send.type;
  message->sequence = send.sequence;
  message->postedAt = Clock::now();
  ++domain.working;
  lock.unlock();
  message->buffer.reset(new char[std::max<size_t>(send.bytes(), 1)]);
  if (send.bytes() > 0)
    std::memcpy(message->buffer.get(), send.source, send.bytes());
  message->source = message->buffer.get();
  lock.lock();
  --domain.working;
  send.done = true;
  countTransfer(send);
  domain.progress();
  if (domain.hasFailed())
    return;
  message->undelivered = domain.undelivered.insert(
      domain.undelivered.end(),
      {send.globalRank(), send.team->globalRanks[send.peer], send.bytes(),
       send.team->describe()});
  auto [mine, partners] = lists(send);
  if (Operation *recv = take(partners, send.sequence))
    match(*message.release(), *recv, domain);
  else
    append(mine, message.release());
}

void mercury::host::postPointToPoint(Operation &operation, Domain::Lock &lock) {
  Domain &domain = *operation.team->domain;
  domain.progress();
  if (operation.kind == Kind::Send && domain.settings.mode == MERCURY_EAGER)
    return sendEagerly(operation, lock);
  operation.posted = true;
  auto [mine, partners] = lists(operation);
  Operation *partner = take(partners, operation.sequence);
  if (!partner)
    return append(mine, &operation);
  if (operation.kind == Kind::Send)
    match(operation, *partner, domain);
  else
    match(*partner, operation, domain);
}

bool mercury::host::advancePointToPoint(Operation &operation,
                                        Domain::Lock &lock, TimePoint &next) {
  // The receiver does the work of both sides.
  if (operation.kind == Kind::Send || !operation.match)
    return false;
  Domain &domain = *operation.team->domain;
  if (domain.hasFailed())
    return false;
  Operation &send = *operation.match;
  bool moved = false;
  if (!operation.copied) {
    send.busy = true;
    ++domain.working;
    lock.unlock();
    if (operation.bytes() > 0 && operation.destination != send.source)
      std::memmove(operation.destination, send.source, operation.bytes());
    lock.lock();
    --domain.working;
    send.busy = false;
    operation.copied = true;
    domain.progress();
    moved = true;
    if (domain.hasFailed()) {
      // The sender may wait for this in abandonPointToPoint.
      domain.wakeAll();
      return true;
    }
  }
  if (operation.timed >= 0) {
    if (!domain.timekeeper->isOver(operation.timed))
      return moved;
  } else if (operation.readyAt > Clock::now()) {
    next = std::min(next, operation.readyAt);
    return moved;
  }
  operation.done = true;
  domain.progress();
  countTransfer(operation);
  if (operation.ownsMatch) {
    domain.undelivered.erase(send.undelivered);
    delete &send;
    operation.match = nullptr;
    return true;
  }
  countTransfer(send);
  send.done = true;
  domain.wake(send.portion->waiter);
  return true;
}

void mercury::host::abandonPointToPoint(Operation &operation,
                                        Domain::Lock &lock) {
  auto [mine, partners] = lists(operation);
  take(mine, operation.sequence);
  // No copy starts after a failure, but one may be under way.
  while (operation.busy)
    operation.team->domain->wait(lock);
  if (operation.ownsMatch) {
    operation.team->domain->undelivered.erase(operation.match->undelivered);
    delete operation.match;
  }
  operation.match = nullptr;
}
