//===- Transfer.cpp - Messages of an operation under way ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transfer.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace mercury::host;

/// MPI counts in int; larger messages are sent in pieces of this size.
static constexpr size_t kPieceBytes = size_t(1) << 30;

std::vector<int> Operation::missing() const {
  std::set<int> peers;
  if (posted && !done && transfer)
    for (const Transfer::Message &message : transfer->messages)
      peers.insert(message.peer);
  return {peers.begin(), peers.end()};
}

/// Calls `start(offset, bytes)` for each piece of a message, for an empty one
/// too.
template <typename Start> static void forEachPiece(size_t bytes, Start start) {
  size_t offset = 0;
  do {
    size_t piece = std::min(kPieceBytes, bytes - offset);
    start(offset, static_cast<int>(piece));
    offset += piece;
  } while (offset < bytes);
}

static int tagOf(const Operation &operation) {
  return Processes::get().tag(*operation.team, !operation.isPointToPoint(),
                              operation.sequence);
}

static int processOf(const Operation &operation, int peer) {
  return static_cast<int>(operation.team->globalRanks[peer]);
}

/// Makes communication fail when MPI has returned an error.
static void check(const Operation &operation, int code) {
  if (code == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  Failure error;
  error.rank = operation.globalRank();
  error.result = ncclSystemError;
  error.text = operation.describe() + ": MPI: " + text;
  operation.team->domain->fail(std::move(error));
}

void Transfer::send(const Operation &operation, int peer, const void *source,
                    size_t bytes, bool isHead) {
  // A send is complete when it has been received; in a collective, when its
  // buffer is free.
  auto start = operation.isPointToPoint() ? MPI_Issend : MPI_Isend;
  forEachPiece(bytes, [&](size_t offset, int piece) {
    Message message{MPI_REQUEST_NULL, true, peer, 0, isHead};
    check(operation,
          start(static_cast<const char *>(source) + offset, piece, MPI_BYTE,
                processOf(operation, peer), tagOf(operation),
                Processes::get().messages, &message.request));
    messages.push_back(message);
  });
}

void Transfer::receive(const Operation &operation, int peer, void *destination,
                       size_t bytes, bool isHead) {
  forEachPiece(bytes, [&](size_t offset, int piece) {
    Message message{MPI_REQUEST_NULL, false, peer, static_cast<size_t>(piece),
                    isHead};
    check(operation,
          MPI_Irecv(static_cast<char *>(destination) + offset, piece, MPI_BYTE,
                    processOf(operation, peer), tagOf(operation),
                    Processes::get().messages, &message.request));
    messages.push_back(message);
  });
}

/// The head of `peer` is here: compares it with the call of this rank.
static void compare(const Operation &operation, const CollectiveHead &head,
                    int peer) {
  Operation theirs;
  theirs.kind = head.kind;
  theirs.type = head.type;
  theirs.reduction = head.reduction;
  theirs.peer = head.peer;
  theirs.count = head.count;
  theirs.team = operation.team;
  theirs.rank = peer;
  theirs.sequence = operation.sequence;
  if (difference(operation, theirs).empty())
    return;
  // All who see it say the same.
  Failure error = operation.rank < peer ? mismatch(theirs, operation)
                                        : mismatch(operation, theirs);
  operation.team->domain->fail(std::move(error));
}

bool Transfer::test(const Operation &operation, bool &moved) {
  Domain &domain = *operation.team->domain;
  // A head says more than a size that differs: it comes first.
  std::set<int> withoutHead;
  for (size_t i = 0; i < messages.size() && !domain.hasFailed();) {
    Message &message = messages[i];
    if (!message.isSend && withoutHead.count(message.peer)) {
      ++i;
      continue;
    }
    int done = 0;
    MPI_Status status;
    int code = MPI_Test(&message.request, &done, &status);
    int kind = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
      MPI_Error_class(code, &kind);
    int bytes = 0;
    if (code == MPI_SUCCESS && done && !message.isSend)
      MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (kind == MPI_ERR_TRUNCATE)
      domain.fail(sizeMismatch(operation, message.peer,
                               format("more than %zu bytes", message.bytes),
                               message.bytes));
    else if (code != MPI_SUCCESS)
      check(operation, code);
    else if (!done) {
      if (message.isHead && !message.isSend)
        withoutHead.insert(message.peer);
      ++i;
      continue;
    } else if (!message.isSend && static_cast<size_t>(bytes) != message.bytes)
      domain.fail(sizeMismatch(operation, message.peer,
                               format("%d bytes", bytes), message.bytes));
    else if (message.isHead && !message.isSend)
      compare(operation, heads[message.peer], message.peer);
    moved = true;
    domain.progress();
    messages.erase(messages.begin() + i);
  }
  return messages.empty() && !domain.hasFailed();
}

void Transfer::endReceives() {
  for (Message &message : messages)
    if (!message.isSend && message.request != MPI_REQUEST_NULL) {
      MPI_Cancel(&message.request);
      MPI_Wait(&message.request, MPI_STATUS_IGNORE);
    }
}

void Transfer::giveUp(Domain::Lock &lock) {
  // The others take what they are sent, see Processes::drain.
  TimePoint start = Clock::now();
  for (Message &message : messages)
    while (message.request != MPI_REQUEST_NULL) {
      int done = 0;
      if (MPI_Test(&message.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
          done)
        break;
      lock.unlock();
      Processes::get().pollNotices();
      Processes::get().rest(secondsSince(start));
      lock.lock();
    }
  messages.clear();
}

//===----------------------------------------------------------------------===//
// Sends and receives
//===----------------------------------------------------------------------===//

/// Eager mode: completes `send` with a copy of its bytes.
static void sendEagerly(Operation &send) {
  Domain &domain = *send.team->domain;
  forEachPiece(send.bytes(), [&](size_t offset, int piece) {
    std::unique_ptr<char[]> bytes(new char[std::max(piece, 1)]);
    if (piece > 0)
      std::memcpy(bytes.get(), static_cast<const char *>(send.source) + offset,
                  piece);
    MPI_Request request = MPI_REQUEST_NULL;
    check(send,
          MPI_Issend(bytes.get(), piece, MPI_BYTE, processOf(send, send.peer),
                     tagOf(send), Processes::get().messages, &request));
    auto undelivered = domain.undelivered.insert(
        domain.undelivered.end(),
        {send.globalRank(), send.team->globalRanks[send.peer],
         static_cast<size_t>(piece), send.team->describe()});
    Processes::get().keep(request, std::move(bytes), undelivered);
  });
  send.done = true;
  countTransfer(send);
}

void mercury::host::postPointToPoint(Operation &operation, Domain::Lock &) {
  Domain &domain = *operation.team->domain;
  domain.progress();
  if (operation.kind == Kind::Send && domain.settings.mode == MERCURY_EAGER)
    return sendEagerly(operation);
  operation.posted = true;
  operation.transfer = std::make_shared<Transfer>();
  if (operation.kind == Kind::Send)
    operation.transfer->send(operation, operation.peer, operation.source,
                             operation.bytes());
  else
    operation.transfer->receive(operation, operation.peer,
                                operation.destination, operation.bytes());
}

bool mercury::host::advancePointToPoint(Operation &operation, Domain::Lock &,
                                        TimePoint &) {
  bool moved = false;
  operation.done = operation.transfer->test(operation, moved);
  if (operation.done)
    countTransfer(operation);
  return moved;
}

void mercury::host::abandonPointToPoint(Operation &operation,
                                        Domain::Lock &lock) {
  if (operation.transfer)
    operation.transfer->giveUp(lock);
}
