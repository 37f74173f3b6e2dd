//===- Marks.h - What is under way on streams -------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_MARKS_H
#define MERCURY_LIB_RUNTIME_CUDA_MARKS_H

#include "Domain.h"
#include "Libraries.h"
#include "Traffic.h"

#include <deque>

namespace mercury::cuda {

class Team;

/// Events that are used again. Destroys all that it made.
class EventPool {
public:
  ~EventPool();
  /// An event without time, NULL and the reason in `result` when the driver
  /// refuses.
  CUevent take(CUresult &result);
  /// Gives back an event on which no later wait will be enqueued.
  void give(CUevent event);

private:
  std::mutex mutex;
  std::vector<CUevent> all, free;
};

/// What a mark stands for.
struct Label {
  host::Kind kind = host::Kind::Send;
  size_t bytes = 0;
  int peer = -1;
  /// NULL: kernels.
  std::shared_ptr<Team> team;
  /// More operations of the same group on the same stream.
  int more = 0;
  /// "send of 16 bytes to rank 1 on communicator 'gpu' {0,1} and 1 more".
  std::string describe() const;
};

/// Events behind what was enqueued last on the streams of a rank: they tell
/// progress, and what a stream hangs in. The rank's thread adds, the watcher
/// looks.
class Marks {
public:
  explicit Marks(EventPool &pool) : pool(pool) {}
  /// Adds a mark behind what is on `stream`; none when there are many already.
  void add(CUstream stream, Label label, const char *what);
  /// Gives the operation and source location to the marks that have none.
  void name(const char *what);
  /// The name given last, "" when there was none.
  std::string lastName() const;
  /// Forgets marks that the device has passed; true when there were any.
  bool poll();
  /// What the streams are in: label and name of the first mark of each.
  std::vector<std::pair<Label, std::string>> pending() const;

private:
  /// One mark.
  struct Mark {
    CUevent event;
    Label label;
    const char *what;
  };
  EventPool &pool;
  mutable std::mutex mutex;
  std::map<CUstream, std::deque<Mark>> streams;
  bool unnamed = false;
  const char *last = nullptr;
};

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_MARKS_H
