//===- StreamFaults.cpp - What events leave open --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/StreamFaults.h"

#include <map>

using namespace mlir;
using namespace mercury;

namespace {
/// How much of every stream has been done for sure.
using Clock = SmallVector<size_t>;

/// Plays the streams of one rank.
class StreamChecker {
public:
  StreamChecker(const StreamTrace &trace, int64_t rank,
                std::vector<StreamFault> &faults)
      : trace(trace), rank(rank), items(trace.ranks[rank]), faults(faults),
        clocks(trace.numStreams(), Clock(trace.numStreams())),
        past(trace.numStreams()) {}

  void run() {
    for (size_t number = 0; number < items.size(); ++number) {
      const StreamItem &item = items[number];
      Clock &clock = clocks[item.stream];
      switch (item.kind) {
      case StreamItem::Kind::Work:
        check(number);
        past[item.stream].push_back(number);
        clock[item.stream] = past[item.stream].size();
        break;
      case StreamItem::Kind::Record:
        events[item.event] = clock;
        break;
      case StreamItem::Kind::Wait:
        // An event that was never recorded has happened.
        if (auto it = events.find(item.event); it != events.end())
          for (auto [known, happened] : llvm::zip(clock, it->second))
            known = std::max(known, happened);
        break;
      case StreamItem::Kind::Finish:
      case StreamItem::Kind::Enter:
        break;
      }
    }
  }

private:
  void fault(StreamFault::Kind kind, size_t earlier, size_t later,
             std::pair<size_t, size_t> accesses = {}) {
    faults.push_back(
        {kind, rank, earlier, later, accesses.first, accesses.second});
  }

  void check(size_t number) {
    const StreamItem &item = items[number];
    if (item.group == number)
      countCommunicators(number);
    for (unsigned stream = 0; stream < past.size(); ++stream) {
      if (stream == item.stream)
        continue;
      bool isClosed = item.communicates &&
                      !llvm::is_contained(item.concurrent, stream);
      // Only what is not known to be done: the end of the stream.
      for (size_t i = past[stream].size(); i-- > clocks[item.stream][stream];) {
        size_t earlier = past[stream][i];
        if (items[earlier].group == item.group)
          continue;
        if (auto accesses = findConflict(items[earlier], item)) {
          fault(StreamFault::Kind::Race, earlier, number, *accesses);
          break;
        }
        if (isClosed && trace.compete(items[earlier], item)) {
          fault(StreamFault::Kind::Together, earlier, number);
          break;
        }
      }
    }
  }

  std::optional<std::pair<size_t, size_t>>
  findConflict(const StreamItem &earlier, const StreamItem &later) const {
    for (auto [i, a] : llvm::enumerate(earlier.accesses))
      for (auto [j, b] : llvm::enumerate(later.accesses))
        if ((a.writes || b.writes) && overlaps(a.part, b.part))
          return std::pair<size_t, size_t>(i, j);
    return std::nullopt;
  }

  /// Items are ordered with all communication but that over the communicators
  /// that they name, so that no more are ever in flight together than one item
  /// has and names.
  void countCommunicators(size_t first) {
    if (!items[first].communicates)
      return;
    SmallVector<unsigned> streams;
    auto add = [&](unsigned stream) {
      if (!trace.isAlone[stream - 1] && !llvm::is_contained(streams, stream))
        streams.push_back(stream);
    };
    for (size_t i = first; i < items.size() && items[i].group == first; ++i)
      if (items[i].kind == StreamItem::Kind::Work)
        add(items[i].stream);
    for (unsigned stream : items[first].concurrent)
      add(stream);
    if (streams.size() > kMaxCommunicators)
      fault(StreamFault::Kind::TooMany, first, first);
  }

  const StreamTrace &trace;
  int64_t rank;
  const std::vector<StreamItem> &items;
  std::vector<StreamFault> &faults;
  std::vector<Clock> clocks;             ///< per stream: what it waited for
  std::vector<std::vector<size_t>> past; ///< per stream: its items
  std::map<int32_t, Clock> events;       ///< where they were recorded last
};
} // namespace

std::vector<StreamFault> mercury::findStreamFaults(const StreamTrace &trace) {
  std::vector<StreamFault> faults;
  for (size_t rank = 0; rank < trace.ranks.size(); ++rank)
    StreamChecker(trace, rank, faults).run();
  return faults;
}
