//===- Collectives.cpp - Collective operations out of messages ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not MPI's collectives: these give the same bits as ranks that are threads, in
// all types, and a call that differs between ranks is an error.
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"
#include "Transfer.h"

#include <algorithm>
#include <cstring>
#include <tuple>

using namespace mercury::host;

/// All-reduces of at most this many bytes send everything to everybody: one
/// round instead of two.
static constexpr size_t kSmallBytes = 8192;

static bool isSmall(const Operation &operation) {
  return operation.bytes() <= kSmallBytes;
}

/// The bytes that all ranks reduce for `rank`: their offset and size.
static std::pair<size_t, size_t> shareOf(const Operation &operation, int rank) {
  if (operation.kind == Kind::ReduceScatter)
    return {operation.bytes() * rank, operation.bytes()};
  if (isSmall(operation))
    return {0, operation.bytes()};
  auto [begin, end] = slice(operation, rank, operation.team->size());
  size_t width = sizeOf(operation.type);
  return {begin * width, (end - begin) * width};
}

static const char *at(const void *buffer, size_t offset) {
  return static_cast<const char *>(buffer) + offset;
}
static char *at(void *buffer, size_t offset) {
  return static_cast<char *>(buffer) + offset;
}

/// Copies unless in place.
static void copy(void *destination, const void *source, size_t bytes) {
  if (bytes > 0 && destination != source)
    std::memmove(destination, source, bytes);
}

/// Starts what `operation` exchanges with the rank `peer` in its first phase.
static void exchange(const Operation &operation, int peer) {
  Transfer &transfer = *operation.transfer;
  size_t bytes = operation.bytes();
  switch (operation.kind) {
  case Kind::AllGather:
    transfer.receive(operation, peer, at(operation.destination, peer * bytes),
                     bytes);
    return transfer.send(operation, peer, operation.source, bytes);
  case Kind::ReduceScatter:
  case Kind::AllReduce: {
    size_t mine = shareOf(operation, operation.rank).second;
    auto [offset, theirs] = shareOf(operation, peer);
    transfer.received[peer].reset(new char[std::max<size_t>(mine, 1)]);
    transfer.receive(operation, peer, transfer.received[peer].get(), mine);
    return transfer.send(operation, peer, at(operation.source, offset), theirs);
  }
  case Kind::Broadcast:
    if (operation.peer == operation.rank)
      transfer.send(operation, peer, operation.source, bytes);
    else if (operation.peer == peer)
      transfer.receive(operation, peer, operation.destination, bytes);
    return;
  case Kind::Send:
  case Kind::Recv:
  case Kind::Split:
    return;
  }
}

/// Reduces the share of this rank.
static void reduceShare(const Operation &operation) {
  const Transfer &transfer = *operation.transfer;
  auto [offset, bytes] = shareOf(operation, operation.rank);
  std::vector<const void *> sources;
  for (const auto &received : transfer.received)
    sources.push_back(received.get());
  sources[operation.rank] = at(operation.source, offset);
  size_t target = operation.kind == Kind::AllReduce ? offset : 0;
  reduce(at(operation.destination, target), sources,
         bytes / sizeOf(operation.type), operation.type, operation.reduction);
}

/// The second phase of an all-reduce: everybody gets all shares.
static void shareReduced(const Operation &operation) {
  auto [offset, mine] = shareOf(operation, operation.rank);
  int size = operation.team->size();
  for (int i = 1; i < size; ++i) {
    int peer = (operation.rank + i) % size;
    auto [theirOffset, theirs] = shareOf(operation, peer);
    operation.transfer->receive(operation, peer,
                                at(operation.destination, theirOffset), theirs);
    operation.transfer->send(operation, peer, at(operation.destination, offset),
                             mine);
  }
}

/// Makes the communicator of a split. Its number is larger than that of any
/// team that two of the ranks of the parent share; teams of different colors
/// have the same one, and no rank in common.
static void makeSplit(const Operation &operation) {
  const std::vector<CollectiveHead> &heads = operation.transfer->heads;
  Processes &processes = Processes::get();
  int64_t number = 0;
  std::vector<int> members;
  for (int i = 0; i < static_cast<int>(heads.size()); ++i) {
    number = std::max(number, heads[i].nextTeam);
    if (heads[i].color == operation.color)
      members.push_back(i);
  }
  processes.nextTeam = number + 1;
  if (operation.color < 0)
    return;
  const Team &parent = *operation.team;
  if (number > processes.maxTeam()) {
    Failure error;
    error.rank = operation.globalRank();
    error.result = ncclSystemError;
    error.text =
        format("a split of %s is communicator %lld of the launch, tags "
               "of MPI tell %lld apart",
               parent.describe().c_str(), static_cast<long long>(number),
               static_cast<long long>(processes.maxTeam()));
    return parent.domain->fail(std::move(error));
  }
  std::sort(members.begin(), members.end(), [&](int a, int b) {
    return std::tie(heads[a].key, a) < std::tie(heads[b].key, b);
  });
  std::vector<int64_t> ranks;
  for (int member : members)
    ranks.push_back(parent.globalRanks[member]);
  auto team = std::make_shared<Team>(
      parent.domain, format("%s/%d", parent.name.c_str(), operation.color),
      ranks);
  team->number = static_cast<int>(number);
  auto mine = std::find(members.begin(), members.end(), operation.rank);
  *operation.newComm =
      new ncclComm(team, static_cast<int>(mine - members.begin()),
                   operation.context, /*owned=*/false);
}

void mercury::host::postCollective(Operation &operation, Domain::Lock &) {
  Team &team = *operation.team;
  team.domain->progress();
  operation.posted = true;
  operation.transfer = std::make_shared<Transfer>();
  Transfer &transfer = *operation.transfer;
  int size = team.size();
  transfer.heads.resize(size);
  transfer.received.resize(size);
  transfer.heads[operation.rank] = {
      operation.kind, operation.type,           operation.reduction,
      operation.peer, operation.count,          operation.color,
      operation.key,  Processes::get().nextTeam};
  for (int i = 1; i < size; ++i) {
    int peer = (operation.rank + i) % size;
    transfer.receive(operation, peer, &transfer.heads[peer],
                     sizeof(CollectiveHead), /*isHead=*/true);
    transfer.send(operation, peer, &transfer.heads[operation.rank],
                  sizeof(CollectiveHead), /*isHead=*/true);
    exchange(operation, peer);
  }
  // Own parts need no message.
  if (operation.kind == Kind::AllGather)
    copy(at(operation.destination, operation.rank * operation.bytes()),
         operation.source, operation.bytes());
  if (operation.kind == Kind::Broadcast && operation.peer == operation.rank)
    copy(operation.destination, operation.source, operation.bytes());
}

bool mercury::host::advanceCollective(Operation &operation, Domain::Lock &,
                                      TimePoint &) {
  bool moved = false;
  Transfer &transfer = *operation.transfer;
  if (!transfer.test(operation, moved))
    return moved;
  bool reduces = operation.kind == Kind::ReduceScatter ||
                 operation.kind == Kind::AllReduce;
  if (reduces && transfer.phase == 0) {
    reduceShare(operation);
    if (operation.kind == Kind::AllReduce && !isSmall(operation)) {
      transfer.phase = 1;
      shareReduced(operation);
      return true;
    }
  }
  if (operation.kind == Kind::Split)
    makeSplit(operation);
  operation.done = true;
  operation.team->domain->progress();
  countTransfer(operation);
  return true;
}

void mercury::host::abandonCollective(Operation &operation,
                                      Domain::Lock &lock) {
  if (operation.transfer)
    operation.transfer->giveUp(lock);
}
