//===- EventPlan.cpp - Which events a program needs -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventPlan.h"
#include "EventReplay.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mercury;

/// A place for a wait: at an op, after it or before.
using Place = std::pair<Operation *, bool>;

/// The outermost loop around `sink` that `source` is not in.
static Operation *findLoopAfter(Operation *source, Operation *sink) {
  Operation *found = nullptr;
  for (Operation *op = sink->getParentOp();
       op && op != source && !op->isAncestor(source); op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      found = op;
  return found;
}

/// Where the schedule has communication `op` end: at its waits or, where it
/// blocks, right after it. Nothing for what does not communicate.
static SmallVector<Place> findEnds(const StreamTrace &trace, Operation *op) {
  SmallVector<Place> ends;
  for (const std::vector<StreamItem> &items : trace.ranks)
    for (const StreamItem &item : items) {
      Place end;
      if (item.kind == StreamItem::Kind::Finish && items[item.group].op == op)
        end = {item.op, false};
      else if (item.op == op && item.communicates && !item.starts)
        end = {op, true};
      if (end.first && !llvm::is_contained(ends, end))
        ends.push_back(end);
    }
  return ends;
}

/// The places of the waits for a tie. Right before the sink would do always.
/// But where the source has been enqueued again by then, the wait is for that:
/// with hop t + 1 enqueued before compute t, all overlap would go. Then the
/// wait stands where the schedule has the source end.
static SmallVector<Place> choosePlaces(const StreamTrace &trace,
                                       const EventReplay &replay,
                                       const Tie &tie) {
  SmallVector<SmallVector<Place>, 2> choices;
  if (Operation *loop = findLoopAfter(tie.source.op, tie.sink))
    choices.push_back({{loop, false}});
  choices.push_back({{tie.sink, false}});
  const SmallVector<Place> *best = nullptr;
  size_t excess = 0;
  for (const SmallVector<Place> &places : choices) {
    TieQuality quality = replay.measure(tie, places);
    if (quality.covers && (!best || quality.excess < excess)) {
      best = &places;
      excess = quality.excess;
    }
  }
  if (excess == 0)
    return *best;
  SmallVector<Place> ends = findEnds(trace, tie.source.op);
  if (!ends.empty() && replay.measure(tie, ends).covers)
    return ends;
  return *best;
}

/// Every need as a tie, in order of the traces.
static llvm::SetVector<std::tuple<Operation *, unsigned, Operation *, unsigned>>
collectTies(const StreamTrace &trace, ArrayRef<RankNeeds> needs) {
  llvm::SetVector<std::tuple<Operation *, unsigned, Operation *, unsigned>>
      ties;
  for (auto [items, own] : llvm::zip(trace.ranks, needs))
    for (auto [number, item] : llvm::enumerate(items))
      for (const Need &need : own.needs[number])
        ties.insert({items[need.item].op, need.stream, item.op, item.stream});
  return ties;
}

/// Number of `value` in `list`, to which it is added.
template <typename T> static size_t numberOf(std::vector<T> &list, T value) {
  auto it = llvm::find(list, value);
  if (it == list.end())
    it = list.insert(it, value);
  return it - list.begin();
}

EventPlan mercury::planEvents(const StreamTrace &trace) {
  EventPlan plan;
  findConcurrent(trace, plan);
  std::vector<RankNeeds> needs = findNeeds(trace, plan);
  EventReplay replay(trace, needs);
  EventPlan all;
  for (auto [sourceOp, sourceStream, sink, stream] :
       collectTies(trace, needs)) {
    Tie tie{{sourceOp, sourceStream}, sink, stream};
    for (auto [anchor, after] : choosePlaces(trace, replay, tie)) {
      unsigned source = numberOf(all.sources, tie.source);
      numberOf(all.waits, EventWait{source, stream, anchor, after});
    }
  }
  // A wait that the others make needless goes; those that are done most often
  // are tried first.
  std::vector<std::pair<size_t, unsigned>> order;
  for (auto [i, wait] : llvm::enumerate(all.waits))
    order.push_back({replay.countVisits(wait.anchor), i});
  llvm::stable_sort(order, [](auto &a, auto &b) { return a.first > b.first; });
  llvm::BitVector isActive(all.waits.size(), true);
  for (auto [visits, i] : order) {
    isActive.reset(i);
    if (!replay.suffices(all.sources, all.waits, isActive))
      isActive.set(i);
  }
  for (unsigned i : isActive.set_bits()) {
    EventWait wait = all.waits[i];
    wait.source = numberOf(plan.sources, all.sources[wait.source]);
    plan.waits.push_back(wait);
  }
  return plan;
}
