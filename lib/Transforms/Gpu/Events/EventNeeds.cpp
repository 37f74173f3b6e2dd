//===- EventNeeds.cpp - What must be in order -----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventNeeds.h"

#include <map>

using namespace mlir;
using namespace mercury;

size_t RankNeeds::needed(size_t item, unsigned stream) const {
  for (const Need &need : needs[item])
    if (need.stream == stream)
      return index[need.item];
  return 0;
}

//===----------------------------------------------------------------------===//
// In flight together
//===----------------------------------------------------------------------===//

void mercury::findConcurrent(const StreamTrace &trace, EventPlan &plan) {
  // How often communication of a stream is in flight where an op starts, and
  // the op's own streams.
  llvm::MapVector<Operation *, std::map<unsigned, size_t>> met;
  llvm::MapVector<Operation *, llvm::SmallSetVector<unsigned, 2>> own;
  for (const std::vector<StreamItem> &items : trace.ranks) {
    llvm::MapVector<size_t, SmallVector<size_t, 1>> flights; // by group
    for (auto [number, item] : llvm::enumerate(items)) {
      if (item.kind == StreamItem::Kind::Finish)
        flights.erase(item.group);
      if (!item.communicates)
        continue;
      if (!trace.isAlone[item.stream - 1])
        own[item.op].insert(item.stream);
      for (const auto &[group, members] : flights)
        for (size_t other : members)
          if (group != item.group && trace.compete(items[other], item))
            ++met[item.op][items[other].stream];
      if (item.starts)
        flights[item.group].push_back(number);
    }
  }
  for (auto &[op, counts] : met) {
    // At most so many communicators are in flight together at one time; an op
    // that meets different ones at different times is ordered with the rarer.
    llvm::SmallSetVector<unsigned, 2> all = own[op];
    SmallVector<std::pair<unsigned, size_t>> sorted(counts.begin(),
                                                    counts.end());
    llvm::stable_sort(sorted,
                      [](auto &a, auto &b) { return a.second > b.second; });
    for (auto [stream, count] : sorted) {
      if (!all.contains(stream) && all.size() >= kMaxCommunicators)
        continue;
      all.insert(stream);
      plan.concurrent[op].push_back(stream);
    }
  }
}

//===----------------------------------------------------------------------===//
// Needs
//===----------------------------------------------------------------------===//

namespace {
/// What a stream has done with an allocation.
struct Use {
  size_t item;
  const StreamAccess *access;
};
} // namespace

static bool conflict(const StreamAccess &a, const StreamAccess &b) {
  return (a.writes || b.writes) && overlaps(a.part, b.part);
}

static RankNeeds findNeeds(const StreamTrace &trace,
                           const std::vector<StreamItem> &items,
                           const EventPlan &plan) {
  RankNeeds result;
  result.index.resize(items.size());
  result.needs.resize(items.size());
  std::map<std::pair<unsigned, unsigned>, std::vector<Use>> uses;
  // Per stream: communication, and the number of items.
  std::vector<std::vector<size_t>> communication(trace.numStreams());
  std::vector<size_t> counts(trace.numStreams());
  for (auto [number, item] : llvm::enumerate(items)) {
    if (item.kind != StreamItem::Kind::Work)
      continue;
    auto concurrent = plan.concurrent.find(item.op);
    for (unsigned stream = 0; stream < trace.numStreams(); ++stream) {
      if (stream == item.stream)
        continue;
      std::optional<size_t> last;
      auto consider = [&, &item = item](size_t other) {
        if (items[other].group != item.group && (!last || *last < other))
          last = other;
      };
      for (const StreamAccess &access : item.accesses) {
        std::vector<Use> &list = uses[{access.part.allocation, stream}];
        for (const Use &use : llvm::reverse(list)) {
          if (last && use.item <= *last)
            break;
          if (conflict(*use.access, access))
            consider(use.item);
        }
      }
      bool mayMeet = concurrent != plan.concurrent.end() &&
                     llvm::is_contained(concurrent->second, stream);
      if (!mayMeet)
        for (size_t other : llvm::reverse(communication[stream]))
          if (items[other].group != item.group &&
              trace.compete(items[other], item)) {
            consider(other);
            break;
          }
      if (last)
        result.needs[number].push_back({stream, *last});
    }
    result.index[number] = ++counts[item.stream];
    for (const StreamAccess &access : item.accesses)
      uses[{access.part.allocation, item.stream}].push_back({number, &access});
    if (item.communicates)
      communication[item.stream].push_back(number);
  }
  return result;
}

std::vector<RankNeeds> mercury::findNeeds(const StreamTrace &trace,
                                          const EventPlan &plan) {
  std::vector<RankNeeds> result;
  for (const std::vector<StreamItem> &items : trace.ranks)
    result.push_back(::findNeeds(trace, items, plan));
  return result;
}
