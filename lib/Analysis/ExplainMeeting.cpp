//===- ExplainMeeting.cpp - Why ranks are stuck ---------------------------===//
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

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string typed(int64_t count, Type element) {
  std::string text = std::to_string(count) + " x ";
  llvm::raw_string_ostream(text) << element;
  return text;
}

std::string Meeting::describe(const Transfer &transfer) const {
  return typed(transfer.count, transfer.element);
}

std::string Meeting::describe(const CommunicationEvent &event) const {
  std::string text = event.op->getName().stripDialect().str();
  if (event.kind == Kind::Transfers) {
    std::string axes;
    SmallVector<unsigned> named;
    for (const Transfer &transfer : event.transfers)
      if (!llvm::is_contained(named, transfer.communicator)) {
        named.push_back(transfer.communicator);
        axes += (axes.empty() ? "" : " and ") +
                print(play.communicators.axes(transfer.communicator));
      }
    return text + " over " + axes;
  }
  if (auto kind = event.op->getAttrOfType<ReductionKindAttr>("kind"))
    text += " " + stringifyReductionKind(kind.getValue()).str();
  text += " of " + typed(event.count, event.element);
  if (event.root >= 0)
    text += " from coordinate " + std::to_string(event.root);
  return text + " over " + print(play.communicators.axes(event.communicator));
}

//===----------------------------------------------------------------------===//
// Who waits for whom
//===----------------------------------------------------------------------===//

const CommunicationEvent *Meeting::nextOn(int64_t rank,
                                          unsigned communicator) const {
  for (auto [i, event] : llvm::enumerate(play.traces[rank]))
    if (!ranks[rank].isDone[i] && isOn(event, communicator))
      return &event;
  return nullptr;
}

bool Meeting::isLater(const Lack &lack) const {
  if (!lack.transfer) {
    const CommunicationEvent *next =
        nextOn(lack.peer, lack.event->communicator);
    return next && next->kind == Kind::Collective;
  }
  const Rank &peer = ranks[lack.peer];
  for (auto [i, event] : llvm::enumerate(play.traces[lack.peer])) {
    if (peer.isDone[i] || event.kind != Kind::Transfers)
      continue;
    const Pending *pending = nullptr;
    for (const Pending &each : peer.queue)
      if (each.event == i)
        pending = &each;
    for (auto [j, transfer] : llvm::enumerate(event.transfers))
      if (!(pending && pending->done[j]) &&
          transfer.isSend != lack.transfer->isSend &&
          transfer.communicator == lack.transfer->communicator &&
          transfer.peer == lack.rank)
        return true;
  }
  return false;
}

/// What the first in every rank's queue still needs.
SmallVector<Meeting::Lack> Meeting::lacks() const {
  SmallVector<Lack> result;
  for (auto [number, rank] : llvm::enumerate(ranks)) {
    if (rank.queue.empty())
      continue;
    const Pending &head = rank.queue.front();
    const CommunicationEvent &at = event(number, head.event);
    int64_t self = number;
    for (auto [i, transfer] : llvm::enumerate(at.transfers))
      if (!head.done[i])
        result.push_back({self, transfer.peer, &at, &transfer});
    if (at.kind != Kind::Collective)
      continue;
    for (int64_t member :
         topology.group(number, play.communicators.axes(at.communicator))) {
      std::optional<size_t> active = findActive(member, at.communicator);
      if (!active || event(member, ranks[member].queue[*active].event).kind !=
                         Kind::Collective)
        result.push_back({self, member, &at, nullptr});
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Explanations
//===----------------------------------------------------------------------===//

/// Of a lack that will never end.
std::optional<PlayFault> Meeting::explainMissing(const Lack &lack) const {
  if (isLater(lack))
    return std::nullopt;
  PlayFault fault{lack.event->op, "", {}, {}};
  std::string me = "rank " + std::to_string(lack.rank),
              peer = "rank " + std::to_string(lack.peer);
  if (!lack.transfer) {
    unsigned communicator = lack.event->communicator;
    if (const CommunicationEvent *other = nextOn(lack.peer, communicator)) {
      fault.message = "the group disagrees: " + me + " issues " +
                      describe(*lack.event) + ", " + peer + " issues " +
                      describe(*other);
      fault.notes.push_back({other->op, "the other stands here"});
      return fault;
    }
    SmallVector<int64_t> reached, missed;
    for (int64_t member :
         topology.group(lack.rank, play.communicators.axes(communicator)))
      (nextOn(member, communicator) ? reached : missed).push_back(member);
    fault.message =
        "only a part of the group reaches " + describe(*lack.event) + ": " +
        describeRanks(reached) + (reached.size() == 1 ? " does, " : " do, ") +
        describeRanks(missed) + (missed.size() == 1 ? " does not" : " do not");
    return fault;
  }
  const Transfer &transfer = *lack.transfer;
  std::string what = me + (transfer.isSend ? " sends " : " expects ") +
                     describe(transfer) +
                     (transfer.isSend ? " to " : " from ") + peer;
  const CommunicationEvent *other = nextOn(lack.peer, transfer.communicator);
  if (!other || other->op != lack.event->op) {
    fault.message = what + (transfer.isSend ? ", which never receives it"
                                            : ", which never sends it");
    return fault;
  }
  std::string instead = "nobody";
  for (const Transfer &each : other->transfers)
    if (each.isSend != transfer.isSend)
      instead = "rank " + std::to_string(each.peer);
  fault.message =
      "source and destination do not match over the group: " + what +
      ", which " + (transfer.isSend ? "receives from " : "sends to ") + instead;
  return fault;
}

/// Everything comes in the end, but never first.
PlayFault Meeting::explainCycle(ArrayRef<Lack> lacks) const {
  SmallVector<const Lack *> path;
  const Lack *at = &lacks.front();
  while (true) {
    auto seen = llvm::find_if(
        path, [&](const Lack *each) { return each->rank == at->rank; });
    if (seen != path.end()) {
      path.erase(path.begin(), seen);
      break;
    }
    path.push_back(at);
    auto next = llvm::find_if(
        lacks, [&](const Lack &each) { return each.rank == at->peer; });
    if (next == lacks.end())
      break; // a rank that is not stuck: cannot be
    at = next;
  }
  Meeting free(play, topology, /*inOrder=*/false);
  bool isOrder = !free.run() && free.isFinished();
  PlayFault fault{path.front()->event->op, "", {}, {}};
  fault.message = isOrder ? "communicators that share ranks are used in "
                            "different order: "
                          : "cyclic wait: ";
  for (auto [i, each] : llvm::enumerate(path)) {
    fault.message += (i == 0 ? "rank " : ", which waits in ");
    if (i == 0)
      fault.message += std::to_string(each->rank) + " waits in ";
    fault.message +=
        describe(*each->event) + " for rank " + std::to_string(each->peer);
    if (each->event->op != fault.op)
      fault.notes.push_back(
          {each->event->op,
           "rank " + std::to_string(each->rank) + " waits here"});
  }
  return fault;
}

PlayFault Meeting::explain() const {
  SmallVector<Lack> all = lacks();
  for (const Lack &lack : all)
    if (std::optional<PlayFault> fault = explainMissing(lack))
      return *fault;
  return explainCycle(all);
}
