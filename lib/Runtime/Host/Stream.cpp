//===- Stream.cpp - Streams and events ------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <algorithm>

using namespace mercury::host;

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

bool Stream::push(std::function<void()> call) {
  Task task;
  task.call = std::move(call);
  return push(std::move(task));
}

void Stream::run(const std::function<void()> &call) {
  if (!domain)
    return call();
  {
    Domain::Lock lock(domain->mutex);
    ++domain->working;
  }
  call();
  Domain::Lock lock(domain->mutex);
  --domain->working;
  domain->progress();
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
  mercury_context *context = currentContext();
  auto *stream = new Stream(context ? context->domain : nullptr);
  if (context)
    context->programStreams.push_back(stream);
  return stream;
}

void mgpuStreamDestroy(void *stream) {
  auto *object = static_cast<Stream *>(stream);
  if (mercury_context *context = currentContext()) {
    // A context's own streams live as long as it does.
    if (context->computeStream.get() == object)
      return;
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
