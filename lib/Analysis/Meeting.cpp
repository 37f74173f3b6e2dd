//===- Meeting.cpp - Ranks meet with rendezvous semantics -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Meeting.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;
using Kind = CommunicationEvent::Kind;

Meeting::Meeting(const CommunicationPlay &play, const TopologyModel &topology,
                 bool inOrder)
    : play(play), topology(topology), inOrder(inOrder),
      ranks(play.traces.size()) {
  for (auto [rank, trace] : llvm::zip(ranks, play.traces))
    rank.isDone.resize(trace.size());
}

bool mercury::isOn(const CommunicationEvent &event, unsigned communicator) {
  if (event.kind == Kind::Wait)
    return false;
  if (event.kind == Kind::Collective)
    return event.communicator == communicator;
  return llvm::any_of(event.transfers, [&](const Transfer &transfer) {
    return transfer.communicator == communicator;
  });
}

static bool shareCommunicator(const CommunicationEvent &a,
                              const CommunicationEvent &b) {
  if (a.kind == Kind::Collective)
    return isOn(b, a.communicator);
  return llvm::any_of(a.transfers, [&](const Transfer &transfer) {
    return isOn(b, transfer.communicator);
  });
}

/// Whether a transfer of `rank` and one of `peer` are the two ends of one.
static bool areEnds(int64_t rank, const Transfer &a, int64_t peer,
                    const Transfer &b) {
  return a.isSend != b.isSend && a.communicator == b.communicator &&
         a.peer == peer && b.peer == rank;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

bool Meeting::isActive(int64_t rank, size_t position) const {
  if (inOrder)
    return position == 0;
  const auto &queue = ranks[rank].queue;
  for (size_t i = 0; i < position; ++i)
    if (shareCommunicator(event(rank, queue[i].event),
                          event(rank, queue[position].event)))
      return false;
  return true;
}

/// Issues what can be issued.
bool Meeting::advance(int64_t number) {
  Rank &rank = ranks[number];
  bool moved = false;
  while (rank.next < play.traces[number].size()) {
    const CommunicationEvent &at = event(number, rank.next);
    if (at.kind == Kind::Wait) {
      if (!rank.isDone[at.awaited])
        break;
      rank.isDone[rank.next++] = true;
    } else if (rank.isDone[rank.next]) {
      ++rank.next;
    } else if (!rank.queue.empty() && rank.queue.back().event == rank.next) {
      break; // blocks
    } else {
      rank.queue.push_back(
          {rank.next, SmallVector<bool>(at.transfers.size(), false)});
      if (at.kind == Kind::Transfers && at.transfers.empty())
        finish(number, rank.queue.size() - 1);
      rank.next += at.starts;
    }
    moved = true;
  }
  return moved;
}

void Meeting::finish(int64_t rank, size_t position) {
  auto &queue = ranks[rank].queue;
  ranks[rank].isDone[queue[position].event] = true;
  queue.erase(queue.begin() + position);
}

/// What `rank` has under way on the communicator.
std::optional<size_t> Meeting::findActive(int64_t rank,
                                          unsigned communicator) const {
  for (auto [i, pending] : llvm::enumerate(ranks[rank].queue))
    if (isActive(rank, i) && isOn(event(rank, pending.event), communicator))
      return i;
  return std::nullopt;
}

/// A collective happens when all of the group have come to it.
bool Meeting::meetAll(int64_t rank, size_t position,
                      std::optional<PlayFault> &fault) {
  const CommunicationEvent &mine =
      event(rank, ranks[rank].queue[position].event);
  std::vector<int64_t> group =
      topology.group(rank, play.communicators.axes(mine.communicator));
  SmallVector<size_t> positions;
  for (int64_t member : group) {
    std::optional<size_t> at = findActive(member, mine.communicator);
    if (!at ||
        event(member, ranks[member].queue[*at].event).kind != Kind::Collective)
      return false;
    positions.push_back(*at);
  }
  for (auto [member, at] : llvm::zip(group, positions)) {
    const CommunicationEvent &other =
        event(member, ranks[member].queue[at].event);
    if (describe(other) == describe(mine))
      continue;
    fault = PlayFault{mine.op,
                      "the group disagrees: rank " + std::to_string(rank) +
                          " issues " + describe(mine) + ", rank " +
                          std::to_string(member) + " issues " + describe(other),
                      {},
                      {}};
    if (other.op != mine.op)
      fault->notes.push_back({other.op, "the other stands here"});
    return false;
  }
  for (auto [member, at] : llvm::zip(group, positions))
    finish(member, at);
  return true;
}

/// Sends meet receives, pair by pair in the order of their groups.
bool Meeting::meetPeer(int64_t rank, size_t position,
                       std::optional<PlayFault> &fault) {
  Pending &mine = ranks[rank].queue[position];
  const CommunicationEvent &sender = event(rank, mine.event);
  bool moved = false;
  for (auto [i, send] : llvm::enumerate(sender.transfers)) {
    if (!send.isSend || mine.done[i])
      continue;
    std::optional<size_t> at = findActive(send.peer, send.communicator);
    if (!at)
      continue;
    Pending &theirs = ranks[send.peer].queue[*at];
    const CommunicationEvent &receiver = event(send.peer, theirs.event);
    for (auto [j, receive] : llvm::enumerate(receiver.transfers)) {
      if (theirs.done[j] || !areEnds(rank, send, send.peer, receive))
        continue;
      std::string sends = "rank " + std::to_string(rank) + " sends " +
                          describe(send) + " to rank " +
                          std::to_string(send.peer);
      PlayFault found{sender.op, "", {}, {}};
      if (send.count != receive.count || send.element != receive.element)
        found.message = sends + ", which expects " + describe(receive);
      else if (sender.op != receiver.op &&
               (isa<PermuteOp>(sender.op) || isa<PermuteOp>(receiver.op)))
        found.message = sends + ", which receives it in another op";
      else if ((sender.op != receiver.op || send.tile != receive.tile) &&
               send.origin != receive.origin)
        found.message = sends +
                        ", which expects a part of another buffer there; the "
                        "order inside the group differs";
      if (!found.message.empty()) {
        if (receiver.op != sender.op)
          found.notes.push_back({receiver.op, "it receives here"});
        fault = std::move(found);
        return false;
      }
      mine.done[i] = theirs.done[j] = moved = true;
      break;
    }
  }
  return moved;
}

bool Meeting::meet(int64_t rank, std::optional<PlayFault> &fault) {
  bool moved = false;
  auto &queue = ranks[rank].queue;
  for (size_t i = 0; i < queue.size() && !fault; ++i) {
    if (!isActive(rank, i))
      continue;
    const CommunicationEvent &mine = event(rank, queue[i].event);
    if (mine.kind == Kind::Collective) {
      if (meetAll(rank, i, fault))
        return true;
      continue;
    }
    moved |= meetPeer(rank, i, fault);
    if (llvm::all_of(queue[i].done, [](bool done) { return done; })) {
      finish(rank, i);
      return true;
    }
  }
  return moved;
}

std::optional<PlayFault> Meeting::run() {
  std::optional<PlayFault> fault;
  for (bool moved = true; moved;) {
    moved = false;
    int64_t end = ranks.size();
    for (int64_t rank = 0; rank < end; ++rank)
      moved |= advance(rank);
    for (int64_t rank = 0; rank < end; ++rank) {
      moved |= meet(rank, fault);
      if (fault)
        return fault;
    }
  }
  return std::nullopt;
}

bool Meeting::isFinished() const {
  for (auto [rank, trace] : llvm::zip(ranks, play.traces))
    if (rank.next != trace.size() || !rank.queue.empty())
      return false;
  return true;
}

std::optional<PlayFault>
mercury::findMeetingFault(const CommunicationPlay &play,
                          const TopologyModel &topology) {
  Meeting meeting(play, topology, /*inOrder=*/true);
  if (std::optional<PlayFault> fault = meeting.run())
    return fault;
  if (meeting.isFinished())
    return std::nullopt;
  return meeting.explain();
}
