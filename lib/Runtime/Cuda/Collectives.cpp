//===- Collectives.cpp - Collectives between ranks of a device ------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A collective goes in phases. A rank enqueues phase k when all have enqueued
// phase k - 1: it first waits for their events of that phase, and records its
// own at the end. The threads of the ranks only wait for each other's calls,
// never for the device.
//
//   phase        all_gather, broadcast   reduce_scatter     all_reduce
//   0 (arrival)  -                       -                  -
//   1            copy from the others    slice of all       slice of all
//                                        to the host,       to the host,
//                                        reduce             reduce
//   2            -                       result to device   all results to
//                                                           the device
//   3                                                       -
//
// The last phase waits only: then nobody reads what is the caller's any more.

#include "Copies.h"
#include "Reduce.h"

#include <algorithm>

using namespace mercury::cuda;
using mercury::host::format;
using mercury::host::Kind;

namespace {

/// The slice of `count` elements that rank `rank` of `size` reduces; whole
/// cache lines, so that ranks do not share one.
std::pair<size_t, size_t> sliceOf(size_t count, size_t width, int rank,
                                  int size) {
  size_t line = 64 / width;
  size_t chunk = ((count + size - 1) / size + line - 1) / line * line;
  size_t begin = std::min(count, chunk * rank);
  return {begin, std::min(count, begin + chunk)};
}

/// How two operations differ that should be the same, "" when they do not.
std::string difference(const Operation &one, const Operation &other) {
  if (one.kind != other.kind)
    return host::nameOf(one.kind);
  if (one.kind == Kind::Split)
    return "";
  if (one.type != other.type)
    return std::string("type ") + host::nameOf(one.type);
  if (one.count != other.count)
    return format("count %zu", one.count);
  if (one.reduction != other.reduction)
    return std::string("reduction ") + host::nameOf(one.reduction);
  if (one.peer != other.peer)
    return format("root %d", one.peer);
  return "";
}

class CollectiveStep : public Step {
public:
  using Step::Step;

  void post() override {
    Team &team = *operation.comm->team;
    sequence = team.issued[rank()]++;
    std::shared_ptr<Meeting> &entry = team.meetings[sequence];
    if (!entry) {
      entry = std::make_shared<Meeting>();
      entry->members.resize(size());
      entry->contexts.resize(size());
      entry->events.resize(size());
      entry->staging.resize(size());
    }
    meeting = entry;
    for (int other = 0; other < size(); ++other) {
      const std::optional<Operation> &theirs = meeting->members[other];
      if (!theirs || difference(operation, *theirs).empty())
        continue;
      mismatch(format("%s #%llu: %s has %s, %s has %s",
                      host::nameOf(operation.kind),
                      static_cast<unsigned long long>(sequence + 1),
                      team.describeRank(other).c_str(),
                      difference(*theirs, operation).c_str(),
                      team.describeRank(rank()).c_str(),
                      difference(operation, *theirs).c_str()));
      return;
    }
    meeting->members[rank()] = operation;
    meeting->contexts[rank()] = operation.comm->context;
    Queue queue = this->queue();
    if (operation.kind != Kind::Split)
      meeting->events[rank()][0] = queue.mark();
    failed(queue);
    ++meeting->through[0];
  }

  bool advance() override {
    if (meeting->through[phase] < size())
      return false;
    Queue queue = this->queue();
    if (operation.kind == Kind::Split) {
      split();
    } else {
      for (int other = 0; other < size(); ++other)
        if (other != rank())
          queue.wait(meeting->events[other][phase]);
      enqueue(queue, phase + 1);
    }
    ++phase;
    if (failed(queue))
      return true;
    if (phase == lastPhase()) {
      leave();
    } else {
      meeting->events[rank()][phase] = queue.mark();
      failed(queue);
      ++meeting->through[phase];
    }
    return true;
  }

  std::vector<int> missing() const override {
    std::vector<int> result;
    for (int other = 0; other < size(); ++other)
      if (!meeting->members[other])
        result.push_back(other);
    return result;
  }

private:
  int rank() const { return operation.comm->rank; }
  int size() const { return operation.comm->team->size(); }
  size_t width() const { return host::sizeOf(operation.type); }
  int lastPhase() const {
    switch (operation.kind) {
    case Kind::AllReduce:
      return 3;
    case Kind::Split:
      return 1;
    default:
      return 2;
    }
  }

  /// What rank `other` reads from.
  CUdeviceptr source(int other) const {
    return address(meeting->members[other]->source);
  }
  CUdeviceptr destination() const { return address(operation.destination); }
  /// Elements of the reduction that rank `other` computes.
  std::pair<size_t, size_t> share(int other) const {
    if (operation.kind == Kind::ReduceScatter)
      return {other * operation.count, (other + 1) * operation.count};
    return sliceOf(operation.count, width(), other, size());
  }

  void enqueue(Queue &queue, int next) {
    size_t bytes = operation.bytes();
    switch (operation.kind) {
    case Kind::AllGather:
      if (next == 1)
        for (int other = 0; other < size(); ++other)
          queue.copy(destination() + other * bytes, source(other), bytes);
      return;
    case Kind::Broadcast:
      if (next == 1)
        queue.copy(destination(), source(operation.peer), bytes);
      return;
    case Kind::ReduceScatter:
      if (next == 1)
        return reduceShare(queue);
      queue.toDevice(destination(), meeting->staging[rank()], bytes);
      return giveStaging(queue);
    case Kind::AllReduce:
      if (next == 1)
        return reduceShare(queue);
      if (next == 2)
        return collectShares(queue);
      return giveStaging(queue);
    default:
      return;
    }
  }

  /// Brings this rank's share of all sources to the host and reduces them into
  /// the first, in the order of ranks.
  void reduceShare(Queue &queue) {
    auto [begin, end] = share(rank());
    size_t bytes = (end - begin) * width();
    char *staging = queue.staging(std::max<size_t>(bytes * size(), 1));
    meeting->staging[rank()] = staging;
    if (!staging || bytes == 0)
      return;
    std::vector<const void *> sources;
    for (int other = 0; other < size(); ++other) {
      queue.toHost(staging + other * bytes, source(other) + begin * width(),
                   bytes);
      sources.push_back(staging + other * bytes);
    }
    queue.call([staging, sources, count = end - begin, type = operation.type,
                reduction = operation.reduction] {
      host::reduce(staging, sources, count, type, reduction);
    });
  }

  void collectShares(Queue &queue) {
    for (int other = 0; other < size(); ++other) {
      auto [begin, end] = share(other);
      queue.toDevice(destination() + begin * width(), meeting->staging[other],
                     (end - begin) * width());
    }
  }

  void giveStaging(Queue &queue) {
    mercury_context *context = operation.comm->context;
    queue.call([context, block = meeting->staging[rank()]] {
      context->staging.give(block);
    });
  }

  /// The part of this rank: those of the same color, by key.
  void split() {
    if (operation.color < 0)
      return;
    std::vector<std::pair<int, int>> order;
    for (int other = 0; other < size(); ++other)
      if (meeting->members[other]->color == operation.color)
        order.push_back({meeting->members[other]->key, other});
    std::sort(order.begin(), order.end());
    std::shared_ptr<Team> &team = meeting->teams[operation.color];
    const Team &whole = *operation.comm->team;
    if (!team) {
      std::vector<int64_t> ranks;
      for (auto &entry : order)
        ranks.push_back(whole.ranks[entry.second]);
      team = std::make_shared<Team>("part of " + whole.name, std::move(ranks));
    }
    auto mine = std::find(order.begin(), order.end(),
                          std::make_pair(operation.key, rank()));
    *operation.newComm =
        new ncclComm(team, static_cast<int>(mine - order.begin()),
                     operation.comm->context, nullptr, /*owned=*/false);
  }

  /// The last to leave gives the events back: nobody will wait for them.
  void leave() {
    done = true;
    if (++meeting->left < size())
      return;
    for (int other = 0; other < size(); ++other)
      for (CUevent event : meeting->events[other])
        meeting->contexts[other]->eventPool.give(event);
    operation.comm->team->meetings.erase(sequence);
  }

  std::shared_ptr<Meeting> meeting;
  uint64_t sequence = 0;
  int phase = 0;
};

} // namespace

std::unique_ptr<Step>
mercury::cuda::makeCollective(const Operation &operation) {
  return std::make_unique<CollectiveStep>(operation);
}
