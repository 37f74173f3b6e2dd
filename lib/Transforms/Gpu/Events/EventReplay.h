//===- EventReplay.h - What a set of waits orders ---------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_TRANSFORMS_GPU_EVENTREPLAY_H
#define MERCURY_LIB_TRANSFORMS_GPU_EVENTREPLAY_H

#include "EventNeeds.h"

namespace mercury {

/// What waits do for one tie.
struct TieQuality {
  /// They alone put every need of the tie in order.
  bool covers = true;
  /// How often they let a stream wait for more than its next item needs.
  size_t excess = 0;
};

/// A need as it stands in the IR: `sink` follows `source` on `stream`.
struct Tie {
  EventSource source;
  mlir::Operation *sink;
  unsigned stream;
  bool operator==(const Tie &) const = default;
};

/// Replays a trace under sets of planned waits.
class EventReplay {
public:
  EventReplay(const StreamTrace &trace, const std::vector<RankNeeds> &needs)
      : trace(trace), needs(needs) {}

  /// Whether the events put all needs in order. `isActive`: per wait.
  bool suffices(llvm::ArrayRef<EventSource> sources,
                llvm::ArrayRef<EventWait> waits,
                const llvm::BitVector &isActive) const;
  /// Of the places (op, after it or before) for waits for the tie's event.
  TieQuality
  measure(const Tie &tie,
          llvm::ArrayRef<std::pair<mlir::Operation *, bool>> places) const;
  /// How often ranks come to the op, all together.
  size_t countVisits(mlir::Operation *op) const;

private:
  /// Whether the item is the first (last) of its op's execution.
  static bool isFirst(const StreamItem &item, size_t number) {
    return item.group == number || item.kind == StreamItem::Kind::Finish;
  }
  static bool isLast(const std::vector<StreamItem> &items, size_t number) {
    return number + 1 == items.size() ||
           items[number + 1].op != items[number].op ||
           isFirst(items[number + 1], number + 1);
  }

  const StreamTrace &trace;
  const std::vector<RankNeeds> &needs;
};

} // namespace mercury

#endif // MERCURY_LIB_TRANSFORMS_GPU_EVENTREPLAY_H
