//===- StreamPrograms.cpp - Programs on streams ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamPrograms.h"
#include "Mercury/Analysis/StreamFaults.h"
#include "Mercury/Dialect/CommIR/IR/CommIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mercury;
using namespace mercury::test;

//===----------------------------------------------------------------------===//
// What may overlap
//===----------------------------------------------------------------------===//

StreamTrace test::playRanks(ModuleOp module) {
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate())
      entry = function;
  commir::TopologyOp topology = commir::lookupTopology(entry);
  return playStreams(entry, topology ? topology.getModel() : TopologyModel(),
                     1000000);
}

Overlaps test::findOverlaps(const StreamTrace &trace) {
  Overlaps result;
  for (const std::vector<StreamItem> &items : trace.ranks) {
    auto &pairs = result.emplace_back();
    std::map<size_t, std::vector<size_t>> flights; // by group
    size_t number = 0;
    for (const StreamItem &item : items) {
      if (item.kind == StreamItem::Kind::Finish)
        flights.erase(item.group);
      if (item.kind != StreamItem::Kind::Work)
        continue;
      for (const auto &[group, members] : flights)
        for (size_t member : members)
          if (group != item.group)
            pairs.insert({member, number});
      if (item.starts)
        flights[item.group].push_back(number);
      ++number;
    }
  }
  return result;
}

/// Whether no program could let the second of two items be done before the
/// first: it follows the first through streams and what must be in order.
static bool isForced(const StreamTrace &trace,
                     ArrayRef<const StreamItem *> work, size_t first,
                     size_t second) {
  auto mustFollow = [&](const StreamItem &earlier, const StreamItem &later) {
    if (earlier.stream == later.stream)
      return true;
    if (earlier.group == later.group)
      return false;
    for (const StreamAccess &a : earlier.accesses)
      for (const StreamAccess &b : later.accesses)
        if ((a.writes || b.writes) && overlaps(a.part, b.part))
          return true;
    return trace.compete(earlier, later) &&
           !llvm::is_contained(later.concurrent, earlier.stream);
  };
  llvm::BitVector follows(work.size());
  follows.set(first);
  for (size_t i = first + 1; i <= second; ++i)
    for (unsigned j : follows.set_bits())
      if (mustFollow(*work[j], *work[i])) {
        follows.set(i);
        break;
      }
  return follows.test(second);
}

size_t test::countOverlaps(const StreamTrace &trace, const Overlaps &overlaps,
                           std::string &lost) {
  size_t count = 0;
  for (auto [rank, pairs] : llvm::enumerate(overlaps)) {
    StreamTrace changed;
    changed.isAlone.assign(trace.isAlone.size(), true);
    changed.ranks.push_back(trace.ranks[rank]);
    std::vector<StreamItem> &items = changed.ranks[0];
    std::vector<const StreamItem *> work;
    std::vector<StreamItem *> bare;
    for (auto [item, copy] : llvm::zip(trace.ranks[rank], items)) {
      copy.accesses.clear();
      if (item.kind != StreamItem::Kind::Work)
        continue;
      work.push_back(&item);
      bare.push_back(&copy);
    }
    for (auto [first, second] : pairs) {
      if (isForced(trace, work, first, second))
        continue;
      ++count;
      // Where both write one buffer, and nothing else is used, that is a race.
      for (size_t number : {first, second})
        bare[number]->accesses.push_back({BufferRef(), true, Value()});
      if (findStreamFaults(changed).empty())
        llvm::raw_string_ostream(lost)
            << "rank " << rank << " does nothing of\n"
            << *work[second]->op << "\nduring\n"
            << *work[first]->op << "\n";
      for (size_t number : {first, second})
        bare[number]->accesses.clear();
    }
  }
  return count;
}
