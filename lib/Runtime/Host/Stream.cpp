//===- Stream.cpp - Streams and events ------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <algorithm>
#include <system_error>

using namespace mercury::host;

void Timeline::complete() {
  // The lock makes sure that a waiter either sees the new value or sleeps
  // already.
  {
    std::lock_guard<std::mutex> lock(mutex);
    completeTasks.fetch_add(1);
  }
  condition.notify_all();
}

void Timeline::waitFor(uint64_t position) {
  if (completeTasks.load() >= position)
    return;
  WaitTimer timer;
  for (int i = ThreadCount::spinIterations(); i > 0; --i) {
    if (completeTasks.load() >= position)
      return;
    spinPause();
  }
  std::unique_lock<std::mutex> lock(mutex);
  condition.wait(lock, [&] { return completeTasks.load() >= position; });
}

Stream::~Stream() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  condition.notify_one();
  if (worker.joinable())
    worker.join();
}

bool Stream::push(std::shared_ptr<Batch> batch, Portion *portion) {
  Task task;
  task.batch = std::move(batch);
  task.portion = portion;
  return push(std::move(task));
}

bool Stream::push(std::shared_ptr<Timeline> other, uint64_t position) {
  Task task;
  task.other = std::move(other);
  task.position = position;
  return push(std::move(task));
}

bool Stream::push(Task task) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!worker.joinable()) {
      try {
        worker = std::thread([this] { work(); });
      } catch (const std::system_error &) {
        return false;
      }
    }
    timeline->issue();
    tasks.push_back(std::move(task));
  }
  condition.notify_one();
  return true;
}

void Stream::work() {
  ThreadCount count;
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    condition.wait(lock, [&] { return stop || !tasks.empty(); });
    if (tasks.empty())
      return;
    Task task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    if (task.portion)
      task.portion->run();
    else
      task.other->waitFor(task.position);
    task = Task(); // the batch is gone before anybody sees it complete
    timeline->complete();
    lock.lock();
  }
}

void Event::record(Stream *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  timeline = stream ? stream->getTimeline() : nullptr;
  position = stream ? timeline->issued() : 0;
}

void Event::synchronize() {
  std::shared_ptr<Timeline> captured;
  uint64_t until;
  {
    std::lock_guard<std::mutex> lock(mutex);
    captured = timeline;
    until = position;
  }
  if (captured)
    captured->waitFor(until);
}

void Event::makeWait(Stream *stream) {
  std::shared_ptr<Timeline> captured;
  uint64_t until;
  {
    std::lock_guard<std::mutex> lock(mutex);
    captured = timeline;
    until = position;
  }
  if (!captured || (stream && captured == stream->getTimeline()))
    return;
  if (!stream || !stream->push(captured, until))
    captured->waitFor(until);
}

void *mgpuStreamCreate(void) {
  auto *stream = new Stream();
  if (mercury_context *context = currentContext())
    context->programStreams.push_back(stream);
  return stream;
}

void mgpuStreamDestroy(void *stream) {
  auto *object = static_cast<Stream *>(stream);
  if (mercury_context *context = currentContext()) {
    // A context's own streams live as long as it does.
    for (const auto &own : context->streams)
      if (own.get() == object)
        return;
    auto &left = context->programStreams;
    left.erase(std::remove(left.begin(), left.end(), object), left.end());
  }
  delete object;
}

void mgpuStreamSynchronize(void *stream) {
  if (stream)
    static_cast<Stream *>(stream)->synchronize();
}

void mgpuStreamWaitEvent(void *stream, void *event) {
  if (event)
    static_cast<Event *>(event)->makeWait(static_cast<Stream *>(stream));
}

void *mgpuEventCreate(void) { return new Event(); }

void mgpuEventDestroy(void *event) {
  auto *object = static_cast<Event *>(event);
  if (mercury_context *context = currentContext())
    for (const auto &own : context->events)
      if (own.get() == object)
        return;
  delete object;
}

void mgpuEventSynchronize(void *event) {
  if (event)
    static_cast<Event *>(event)->synchronize();
}

void mgpuEventRecord(void *event, void *stream) {
  if (event)
    static_cast<Event *>(event)->record(static_cast<Stream *>(stream));
}
