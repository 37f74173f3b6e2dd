//===- Collectives.cpp - Collective operations ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Reduce.h"

#include <algorithm>
#include <cstring>
#include <tuple>

using namespace mercury::host;

/// Collectives with at most this many bytes over all ranks are computed by one
/// thread.
static constexpr size_t kSmallBytes = 32768;

/// Number of steps that all ranks must end before the next one begins.
static int numPhases(Kind kind) { return kind == Kind::AllReduce ? 2 : 1; }

/// Copies unless in place.
static void copy(void *destination, const void *source, size_t bytes) {
  if (bytes > 0 && destination != source)
    std::memmove(destination, source, bytes);
}

/// The part of rank `rank` in `phase`. Reads buffers of all members and writes
/// those of `rank` only, at places that no other rank reads in this phase.
static void runShare(const Collective &collective, int phase, int rank) {
  const std::vector<Operation *> &members = collective.members;
  const Operation &mine = *members[rank];
  int size = static_cast<int>(members.size());
  char *destination = static_cast<char *>(mine.destination);
  size_t width = sizeOf(mine.type);
  switch (mine.kind) {
  case Kind::AllGather:
    // Each rank starts with its own shard: ranks read from different places.
    for (int i = 0; i < size; ++i) {
      int other = (rank + i) % size;
      copy(destination + other * mine.bytes(), members[other]->source,
           mine.bytes());
    }
    return;
  case Kind::ReduceScatter:
  case Kind::AllReduce: {
    size_t begin = 0, end = mine.count, offset = mine.bytes() * rank;
    if (mine.kind == Kind::AllReduce) {
      std::tie(begin, end) = slice(mine, rank, size);
      offset = begin * width;
    }
    if (phase == 1) {
      for (int i = 1; i < size; ++i) {
        int other = (rank + i) % size;
        auto [otherBegin, otherEnd] = slice(mine, other, size);
        copy(destination + otherBegin * width,
             static_cast<const char *>(members[other]->destination) +
                 otherBegin * width,
             (otherEnd - otherBegin) * width);
      }
      return;
    }
    std::vector<const void *> sources;
    for (const Operation *member : members)
      sources.push_back(static_cast<const char *>(member->source) + offset);
    reduce(destination + begin * width, sources, end - begin, mine.type,
           mine.reduction);
    return;
  }
  case Kind::Broadcast:
    return copy(destination, members[mine.peer]->source, mine.bytes());
  case Kind::Send:
  case Kind::Recv:
  case Kind::Split:
    return;
  }
}

/// Makes the communicators of a split. Under the lock.
static void runSplit(const Collective &collective) {
  std::map<int, std::vector<Operation *>> colors;
  for (Operation *member : collective.members)
    if (member->color >= 0)
      colors[member->color].push_back(member);
  for (auto &[color, members] : colors) {
    std::sort(members.begin(), members.end(),
              [](const Operation *a, const Operation *b) {
                return std::tie(a->key, a->rank) < std::tie(b->key, b->rank);
              });
    const Team &parent = *members.front()->team;
    std::vector<int64_t> ranks;
    for (const Operation *member : members)
      ranks.push_back(parent.globalRanks[member->rank]);
    auto team = std::make_shared<Team>(
        parent.domain, format("%s/%d", parent.name.c_str(), color), ranks);
    for (size_t i = 0; i < members.size(); ++i)
      *members[i]->newComm =
          new ncclComm(team, static_cast<int>(i), members[i]->context,
                       /*owned=*/false);
  }
}

/// Lets the timekeeper say when a collective ends whose ranks have all arrived.
static void beginTimed(Collective &collective, Team &team) {
  const Operation &any = *collective.members.front();
  mercury_host_work work = {};
  work.bytes = static_cast<int64_t>(any.bytes());
  switch (any.kind) {
  case Kind::AllGather:
    work.kind = MERCURY_ALL_GATHER;
    work.bytes *= team.size();
    break;
  case Kind::ReduceScatter:
    work.kind = MERCURY_REDUCE_SCATTER;
    work.bytes *= team.size();
    break;
  case Kind::AllReduce:
    work.kind = MERCURY_ALL_REDUCE;
    break;
  case Kind::Broadcast:
    work.kind = MERCURY_BROADCAST;
    break;
  case Kind::Send:
  case Kind::Recv:
  case Kind::Split:
    return;
  }
  work.ranks = team.globalRanks.data();
  work.num_ranks = team.size();
  std::vector<Waiter *> waiters;
  for (const Operation *member : collective.members)
    if (member->portion)
      waiters.push_back(member->portion->waiter);
  collective.timed = team.domain->timekeeper->begin(work, std::move(waiters));
}

/// Computes the emulated end of a collective whose ranks have all arrived.
static void setReadyAt(Collective &collective, Team &team) {
  const Operation &any = *collective.members.front();
  TimePoint now = Clock::now();
  double bytes = static_cast<double>(any.bytes());
  Links &links = team.domain->links;
  switch (any.kind) {
  case Kind::AllGather:
    collective.readyAt =
        links.collective(RingCost::Gather, team.globalRanks, bytes, now);
    break;
  case Kind::ReduceScatter:
    collective.readyAt =
        links.collective(RingCost::ReduceScatter, team.globalRanks, bytes, now);
    break;
  case Kind::AllReduce:
    collective.readyAt = links.collective(RingCost::AllReduce, team.globalRanks,
                                          bytes / team.size(), now);
    break;
  case Kind::Broadcast:
    collective.readyAt =
        links.collective(RingCost::Broadcast, team.globalRanks, bytes, now);
    break;
  case Kind::Send:
  case Kind::Recv:
  case Kind::Split:
    collective.readyAt = now;
    break;
  }
  team.domain->progress(std::max(now, collective.readyAt));
}

/// Wakes all ranks that have joined.
static void wakeMembers(const Collective &collective, Domain &domain) {
  for (const Operation *member : collective.members)
    if (member && member->portion)
      domain.wake(member->portion->waiter);
}

/// Counts `operation` as having left; the last one frees the collective.
static void leave(Operation &operation) {
  Collective *collective = operation.collective;
  operation.collective = nullptr;
  operation.posted = false;
  collective->members[operation.rank] = nullptr;
  Team &team = *operation.team;
  if (++collective->left < team.size())
    return;
  auto &all = team.collectives;
  all.erase(std::find_if(all.begin(), all.end(), [&](const auto &other) {
    return other.get() == collective;
  }));
}

void mercury::host::postCollective(Operation &operation, Domain::Lock &) {
  Team &team = *operation.team;
  Domain &domain = *team.domain;
  domain.progress();
  auto &all = team.collectives;
  auto found = std::find_if(all.begin(), all.end(), [&](const auto &other) {
    return other->sequence == operation.sequence;
  });
  if (found == all.end()) {
    all.push_back(std::make_unique<Collective>());
    found = all.end() - 1;
    (*found)->sequence = operation.sequence;
    (*found)->members.resize(team.size());
    (*found)->firstRank = operation.rank;
  }
  Collective &collective = **found;
  operation.collective = &collective;
  operation.posted = true;
  collective.members[operation.rank] = &operation;
  const Operation &first = *collective.members[collective.firstRank];
  if (!difference(operation, first).empty())
    return domain.fail(mismatch(operation, first));
  if (++collective.arrived < team.size())
    return;
  collective.small = operation.kind == Kind::Split ||
                     operation.bytes() * team.size() <= kSmallBytes;
  if (domain.timekeeper)
    beginTimed(collective, team);
  else
    setReadyAt(collective, team);
  if (!collective.small)
    wakeMembers(collective, domain);
}

bool mercury::host::advanceCollective(Operation &operation, Domain::Lock &lock,
                                      TimePoint &next) {
  Team &team = *operation.team;
  Domain &domain = *team.domain;
  Collective &collective = *operation.collective;
  int size = team.size();
  if (collective.arrived < size || domain.hasFailed())
    return false;
  bool moved = false;
  if (!collective.finished) {
    int phase = collective.phase;
    if (collective.small ? collective.claimed : operation.nextPhase != phase)
      return false;
    collective.claimed = true;
    ++operation.nextPhase;
    if (operation.kind == Kind::Split) {
      runSplit(collective);
    } else {
      ++collective.working;
      ++domain.working;
      lock.unlock();
      if (!collective.small)
        runShare(collective, phase, operation.rank);
      else
        for (int p = 0; p < numPhases(operation.kind); ++p)
          for (int rank = 0; rank < size; ++rank)
            runShare(collective, p, rank);
      lock.lock();
      --domain.working;
      --collective.working;
    }
    domain.progress();
    moved = true;
    if (domain.hasFailed()) {
      // Others may wait for this in abandonCollective.
      domain.wakeAll();
      return true;
    }
    if (collective.small) {
      collective.finished = true;
      wakeMembers(collective, domain);
    } else if (++collective.doneInPhase == size) {
      collective.doneInPhase = 0;
      collective.finished = ++collective.phase == numPhases(operation.kind);
      wakeMembers(collective, domain);
    }
    if (!collective.finished)
      return true;
  }
  if (collective.timed >= 0) {
    if (!domain.timekeeper->isOver(collective.timed))
      return moved;
  } else if (collective.readyAt > Clock::now()) {
    next = std::min(next, collective.readyAt);
    return moved;
  }
  operation.done = true;
  domain.progress();
  countTransfer(operation);
  leave(operation);
  return true;
}

void mercury::host::abandonCollective(Operation &operation,
                                      Domain::Lock &lock) {
  if (!operation.collective)
    return;
  // No work starts after a failure, but a rank may still use our buffers.
  while (operation.collective->working > 0)
    operation.team->domain->wait(lock);
  leave(operation);
}
