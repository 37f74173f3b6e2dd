//===- EventReplay.cpp - What a set of waits orders -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventReplay.h"

#include <map>

using namespace mlir;
using namespace mercury;

bool EventReplay::suffices(ArrayRef<EventSource> sources,
                           ArrayRef<EventWait> waits,
                           const llvm::BitVector &isActive) const {
  using Reach = SmallVector<size_t>; // per stream: the last item that is done
  std::map<std::pair<Operation *, bool>, SmallVector<unsigned>> waitsAt;
  llvm::DenseMap<Operation *, SmallVector<unsigned>> recordsAt;
  for (unsigned i : isActive.set_bits()) {
    waitsAt[{waits[i].anchor, waits[i].after}].push_back(i);
    SmallVector<unsigned> &records = recordsAt[sources[waits[i].source].op];
    if (!llvm::is_contained(records, waits[i].source))
      records.push_back(waits[i].source);
  }
  for (auto [items, own] : llvm::zip(trace.ranks, needs)) {
    std::vector<Reach> reach(trace.numStreams(), Reach(trace.numStreams()));
    std::vector<Reach> happened(sources.size(), Reach(trace.numStreams()));
    auto wait = [&](Operation *op, bool after) {
      auto it = waitsAt.find({op, after});
      if (it == waitsAt.end())
        return;
      for (unsigned i : it->second)
        for (auto [known, event] :
             llvm::zip(reach[waits[i].stream], happened[waits[i].source]))
          known = std::max(known, event);
    };
    for (auto [number, item] : llvm::enumerate(items)) {
      if (isFirst(item, number))
        wait(item.op, /*after=*/false);
      if (item.kind == StreamItem::Kind::Work) {
        Reach &known = reach[item.stream];
        for (const Need &need : own.needs[number])
          if (known[need.stream] < own.index[need.item])
            return false;
        known[item.stream] = own.index[number];
        if (auto it = recordsAt.find(item.op); it != recordsAt.end())
          for (unsigned source : it->second)
            if (sources[source].stream == item.stream)
              happened[source] = known;
      }
      if (isLast(items, number))
        wait(item.op, /*after=*/true);
    }
  }
  return true;
}

TieQuality
EventReplay::measure(const Tie &tie,
                     ArrayRef<std::pair<Operation *, bool>> places) const {
  TieQuality quality;
  auto isPlace = [&](Operation *op, bool after) {
    return llvm::is_contained(places, std::pair(op, after));
  };
  for (auto [items, own] : llvm::zip(trace.ranks, needs)) {
    // Numbers of items on the source's stream: recorded last, waited for, and
    // known to be done before the waits since the last item of tie.stream.
    size_t recorded = 0, waited = 0, known = 0;
    for (auto [number, item] : llvm::enumerate(items)) {
      if (isFirst(item, number) && isPlace(item.op, false))
        waited = std::max(waited, recorded);
      if (item.kind == StreamItem::Kind::Work) {
        if (item.stream == tie.stream) {
          size_t needed = own.needed(number, tie.source.stream);
          if (waited > std::max(known, needed))
            ++quality.excess;
          known = waited;
          for (const Need &need : own.needs[number])
            if (item.op == tie.sink && need.stream == tie.source.stream &&
                items[need.item].op == tie.source.op && waited < needed)
              quality.covers = false;
        }
        if (item.op == tie.source.op && item.stream == tie.source.stream)
          recorded = own.index[number];
      }
      if (isLast(items, number) && isPlace(item.op, true))
        waited = std::max(waited, recorded);
    }
  }
  return quality;
}

size_t EventReplay::countVisits(Operation *op) const {
  size_t count = 0;
  for (const std::vector<StreamItem> &items : trace.ranks)
    for (auto [number, item] : llvm::enumerate(items))
      count += item.op == op && isFirst(item, number);
  return count;
}
