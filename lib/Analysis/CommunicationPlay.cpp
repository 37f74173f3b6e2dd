//===- CommunicationPlay.cpp - Ranks are played ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/CommunicationPlay.h"
#include "RankPlayer.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::commir;

unsigned CommunicatorTable::indexOf(const AxisList &axes) {
  auto it = llvm::find(lists, axes);
  if (it == lists.end())
    it = lists.insert(it, axes);
  return it - lists.begin();
}

std::string mercury::describeRanks(ArrayRef<int64_t> ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (auto [i, rank] : llvm::enumerate(ranks)) {
    if (i > 0)
      text += i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(rank);
  }
  return text;
}

static bool communicates(Operation *op, SmallPtrSetImpl<Operation *> &seen) {
  return op
      ->walk([&](Operation *inner) {
        if (isa<CommunicationOpInterface, HopOp, WaitOp, RotateOp>(inner))
          return WalkResult::interrupt();
        if (auto call = dyn_cast<func::CallOp>(inner)) {
          Operation *callee =
              SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr());
          if (callee && seen.insert(callee).second &&
              communicates(callee, seen))
            return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

bool mercury::communicates(Operation *op) {
  SmallPtrSet<Operation *, 4> seen;
  return ::communicates(op, seen);
}

bool PlayShared::communicates(Operation *op) {
  auto [it, isNew] = communicating.try_emplace(op, false);
  if (isNew)
    it->second = streams ? enqueues(op) : mercury::communicates(op);
  return it->second;
}

void PlayShared::fault(int64_t rank, PlayFault fault) {
  for (PlayFault &known : play.faults)
    if (known.op == fault.op && known.message == fault.message) {
      if (known.ranks.back() != rank)
        known.ranks.push_back(rank);
      return;
    }
  fault.ranks.push_back(rank);
  play.faults.push_back(std::move(fault));
}

CommunicationPlay mercury::playCommunication(func::FuncOp function,
                                             const TopologyModel &topology,
                                             int64_t budget) {
  CommunicationPlay play;
  PlayShared shared(topology, play, budget);
  play.traces.resize(topology.numRanks());
  for (int64_t rank = 0; rank < topology.numRanks(); ++rank)
    if (failed(RankPlayer(shared, rank).play(function, play.traces[rank])) &&
        shared.budget < 0)
      return play;
  if (play.faults.empty())
    if (std::optional<PlayFault> fault = findMeetingFault(play, topology))
      play.faults.push_back(std::move(*fault));
  return play;
}
