//===- Stream.h - Streams and events ----------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_STREAM_H
#define MERCURY_LIB_RUNTIME_HOST_STREAM_H

#include "Operation.h"

#include <deque>
#include <functional>
#include <thread>

namespace mercury::host {

/// How far a stream is. Outlives the stream for the sake of events.
class Timeline {
public:
  /// Number of tasks given to the stream.
  uint64_t issued() const { return issuedTasks.load(); }
  /// Counts one more task as given.
  void issue() { issuedTasks.fetch_add(1); }
  /// Counts one more task as complete.
  void complete();
  /// Are `position` tasks complete?
  bool isComplete(uint64_t position) const {
    return completeTasks.load() >= position;
  }
  /// Waits until `position` tasks are complete.
  void waitFor(uint64_t position);

private:
  std::mutex mutex;
  std::condition_variable condition;
  std::atomic<uint64_t> issuedTasks{0};
  std::atomic<uint64_t> completeTasks{0};
};

/// Runs tasks in order. Where ranks are threads, a worker thread does, which
/// starts with the first task; where they are processes, whoever waits.
class Stream {
public:
  /// Of `domain`, whose settings it follows; NULL outside of launches.
  explicit Stream(std::shared_ptr<Domain> domain);
  /// Completes all tasks.
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  /// Runs `portion` after all earlier tasks. False when the system refuses a
  /// thread.
  bool push(std::shared_ptr<Batch> batch, Portion *portion);
  /// Lets later tasks wait for `position` of another stream.
  bool push(std::shared_ptr<Timeline> other, uint64_t position);
  /// Runs `call` after all earlier tasks.
  bool push(std::function<void()> call);
  /// Waits until all tasks are complete.
  void synchronize() { timeline->waitFor(timeline->issued()); }
  const std::shared_ptr<Timeline> &getTimeline() const { return timeline; }
  /// Threads: what the worker does. Processes: completes the tasks that need no
  /// waiting.
  void work();

private:
  /// A portion to run, a call, or a position to wait for.
  struct Task {
    std::shared_ptr<Batch> batch;
    Portion *portion = nullptr;
    std::function<void()> call;
    std::shared_ptr<Timeline> other;
    uint64_t position = 0;
  };
  /// Queues `task`.
  bool push(Task task);
  /// Runs `call`; for the watchdog that is progress, however long it takes.
  void run(const std::function<void()> &call);

  LiveHandle handle;
  std::shared_ptr<Domain> domain;
  std::shared_ptr<Timeline> timeline;
  std::mutex mutex;
  std::condition_variable condition;
  std::deque<Task> tasks;
  bool stop = false;
  std::thread worker;
};

/// A position of a stream, as cudaEvent_t: recording captures what the stream
/// was given until then; one that was never recorded is complete.
class Event {
public:
  /// Captures the position of `stream`; NULL: complete at once.
  void record(Stream *stream);
  /// Waits for the position captured last.
  void synchronize();
  /// Makes `stream` wait for it; NULL: the caller waits.
  void makeWait(Stream *stream);

private:
  LiveHandle handle;
  std::mutex mutex;
  std::shared_ptr<Timeline> timeline;
  uint64_t position = 0;
};

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_STREAM_H
