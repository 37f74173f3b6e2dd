//===- StreamFaultsTest.cpp - Clocks against every interleaving -----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random small traces: what vector clocks say of each pair of items is compared
// with all states that the streams can come to.
//
//===----------------------------------------------------------------------===//

#include "Mercury/Analysis/StreamFaults.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace mercury;

static constexpr unsigned kNumStreams = 3;

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

static StreamItem &append(StreamTrace &trace, StreamItem::Kind kind,
                          unsigned stream, int32_t event = -1) {
  std::vector<StreamItem> &items = trace.ranks[0];
  StreamItem &item = items.emplace_back();
  item.kind = kind;
  item.stream = stream;
  item.event = event;
  item.group = items.size() - 1;
  return item;
}

static StreamTrace emptyTrace() {
  StreamTrace trace;
  trace.ranks.resize(1);
  trace.isAlone.assign(kNumStreams - 1, false);
  return trace;
}

/// Elements [offset, offset + extent) of an allocation.
static StreamAccess access(unsigned allocation, int64_t offset, int64_t extent,
                           bool writes) {
  BufferRef part;
  part.allocation = allocation;
  part.offset = offset;
  part.dims.push_back({extent, 1});
  return {part, writes, {}};
}

static StreamTrace randomTrace(std::mt19937_64 &random) {
  auto below = [&](unsigned end) { return unsigned(random() % end); };
  StreamTrace trace = emptyTrace();
  // Now and then a communicator is of one rank.
  trace.isAlone[1] = below(8) == 0;
  for (unsigned i = 0, end = 8 + below(8); i < end; ++i) {
    unsigned stream = below(kNumStreams);
    switch (below(6)) {
    case 0:
      append(trace, StreamItem::Kind::Record, stream, below(3));
      break;
    case 1:
      append(trace, StreamItem::Kind::Wait, stream, below(3));
      break;
    case 2: {
      // At random, few waits meet a record that matters.
      int32_t event = below(3);
      append(trace, StreamItem::Kind::Record, stream, event);
      append(trace, StreamItem::Kind::Wait, (stream + 1) % kNumStreams, event);
      break;
    }
    default:
      StreamItem &item = append(trace, StreamItem::Kind::Work, stream);
      for (unsigned j = 0, count = below(3); j < count; ++j)
        item.accesses.push_back(
            access(below(2), below(4), 1 + below(3), below(2)));
      item.communicates = stream != kComputeStream;
      if (item.communicates && below(2))
        item.concurrent.push_back(kNumStreams - stream);
      // A communication on both of the other streams.
      if (item.communicates && below(6) == 0) {
        size_t group = item.group;
        StreamItem &other =
            append(trace, StreamItem::Kind::Work, kNumStreams - stream);
        other.group = group;
        other.communicates = true;
        other.concurrent = trace.ranks[0][group].concurrent;
      }
    }
  }
  return trace;
}

//===----------------------------------------------------------------------===//
// Every interleaving
//===----------------------------------------------------------------------===//

namespace {
/// Pairs of items (earlier, later) of which streams can do the later one while
/// the earlier one is not done.
class Interleavings {
public:
  explicit Interleavings(const std::vector<StreamItem> &items) : items(items) {
    std::map<int32_t, size_t> last;
    for (size_t i = 0; i < items.size(); ++i) {
      streams[items[i].stream].push_back(i);
      if (items[i].kind == StreamItem::Kind::Record)
        last[items[i].event] = i;
      auto it = last.find(items[i].event);
      if (items[i].kind == StreamItem::Kind::Wait && it != last.end())
        awaited[i] = it->second;
    }
    explore({});
  }

  std::set<std::pair<size_t, size_t>> reorderings;

private:
  using State = std::array<size_t, kNumStreams>;

  bool isDone(const State &state, size_t item) const {
    unsigned stream = items[item].stream;
    const std::vector<size_t> &list = streams[stream];
    return llvm::is_contained(ArrayRef(list).take_front(state[stream]), item);
  }

  void explore(const State &state) {
    if (!seen.insert(state).second)
      return;
    for (unsigned stream = 0; stream < kNumStreams; ++stream) {
      if (state[stream] == streams[stream].size())
        continue;
      size_t next = streams[stream][state[stream]];
      auto wait = awaited.find(next);
      if (wait != awaited.end() && !isDone(state, wait->second))
        continue;
      for (size_t earlier = 0; earlier < next; ++earlier)
        if (!isDone(state, earlier))
          reorderings.insert({earlier, next});
      State after = state;
      ++after[stream];
      explore(after);
    }
  }

  template <typename T> using ArrayRef = llvm::ArrayRef<T>;
  const std::vector<StreamItem> &items;
  std::array<std::vector<size_t>, kNumStreams> streams;
  std::map<size_t, size_t> awaited; ///< wait -> record
  std::set<State> seen;
};
} // namespace

/// Whether the two stand against each other, by the words of StreamFault.
static bool mustBeOrdered(const StreamTrace &trace, const StreamItem &earlier,
                          const StreamItem &later) {
  if (earlier.group == later.group)
    return false;
  for (const StreamAccess &a : earlier.accesses)
    for (const StreamAccess &b : later.accesses)
      if (a.part.allocation == b.part.allocation && (a.writes || b.writes) &&
          a.part.offset < b.part.offset + b.part.dims[0].first &&
          b.part.offset < a.part.offset + a.part.dims[0].first)
        return true;
  return earlier.communicates && later.communicates &&
         earlier.stream != later.stream && !trace.isAlone[0] &&
         !trace.isAlone[1] &&
         !llvm::is_contained(later.concurrent, earlier.stream);
}

TEST(StreamFaults, EveryInterleaving) {
  size_t numRaces = 0, numOrdered = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    std::mt19937_64 random(seed);
    StreamTrace trace = randomTrace(random);
    const std::vector<StreamItem> &items = trace.ranks[0];
    // Of each item and stream, the last that stands against the item.
    std::map<std::pair<size_t, unsigned>, size_t> expected, found;
    Interleavings all(items);
    for (size_t later = 0; later < items.size(); ++later)
      for (size_t earlier = 0; earlier < later; ++earlier) {
        if (items[earlier].kind != StreamItem::Kind::Work ||
            items[later].kind != StreamItem::Kind::Work ||
            items[earlier].stream == items[later].stream ||
            !mustBeOrdered(trace, items[earlier], items[later]))
          continue;
        if (all.reorderings.count({earlier, later}))
          expected[{later, items[earlier].stream}] = earlier;
        else
          ++numOrdered;
      }
    for (const StreamFault &fault : findStreamFaults(trace))
      if (fault.kind != StreamFault::Kind::TooMany)
        found[{fault.later, items[fault.earlier].stream}] = fault.earlier;
    EXPECT_EQ(found, expected) << "seed " << seed;
    numRaces += expected.size();
  }
  // Both occur often enough to be tested.
  EXPECT_GT(numRaces, 3000u);
  EXPECT_GT(numOrdered, 1000u);
}

//===----------------------------------------------------------------------===//
// By hand
//===----------------------------------------------------------------------===//

// A wait is for the record that came last before it in order of the host.
TEST(StreamFaults, WaitIsForTheLastRecord) {
  for (bool again : {false, true}) {
    StreamTrace trace = emptyTrace();
    append(trace, StreamItem::Kind::Record, 0, 0);
    append(trace, StreamItem::Kind::Work, 0)
        .accesses.push_back(access(0, 0, 4, true));
    if (again)
      append(trace, StreamItem::Kind::Record, 0, 0);
    append(trace, StreamItem::Kind::Wait, 1, 0);
    append(trace, StreamItem::Kind::Work, 1)
        .accesses.push_back(access(0, 2, 1, false));
    std::vector<StreamFault> faults = findStreamFaults(trace);
    ASSERT_EQ(faults.size(), again ? 0u : 1u);
    if (!again) {
      EXPECT_EQ(faults[0].kind, StreamFault::Kind::Race);
      EXPECT_EQ(faults[0].earlier, 1u);
      EXPECT_EQ(faults[0].later, 3u);
    }
  }
}

// Other elements of the same buffer, or two reads, need no order.
TEST(StreamFaults, PartsAndReads) {
  StreamTrace trace = emptyTrace();
  append(trace, StreamItem::Kind::Work, 0)
      .accesses.push_back(access(0, 0, 4, true));
  append(trace, StreamItem::Kind::Work, 1)
      .accesses.push_back(access(0, 4, 4, true));
  append(trace, StreamItem::Kind::Work, 2)
      .accesses.push_back(access(1, 0, 4, false));
  append(trace, StreamItem::Kind::Work, 0)
      .accesses.push_back(access(1, 0, 4, false));
  EXPECT_TRUE(findStreamFaults(trace).empty());
}

// An item that has one communicator may name one other, not two.
TEST(StreamFaults, TooMany) {
  StreamTrace trace = emptyTrace();
  trace.isAlone.push_back(false);
  StreamItem &item = append(trace, StreamItem::Kind::Work, 1);
  item.communicates = true;
  item.concurrent = {2};
  EXPECT_TRUE(findStreamFaults(trace).empty());
  trace.ranks[0][0].concurrent = {2, 3};
  std::vector<StreamFault> faults = findStreamFaults(trace);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, StreamFault::Kind::TooMany);
  trace.isAlone[2] = true;
  EXPECT_TRUE(findStreamFaults(trace).empty());
}
