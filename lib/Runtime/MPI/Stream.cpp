//===- Stream.cpp - Streams that move when the process polls --------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processes.h"

#include <algorithm>

using namespace mercury::host;

/// All streams of the process.
static std::vector<Stream *> &allStreams() {
  static std::vector<Stream *> streams;
  return streams;
}

void mercury::host::workStreams() {
  std::vector<Stream *> &streams = allStreams();
  for (size_t i = 0; i < streams.size(); ++i)
    streams[i]->work();
}

void Timeline::complete() { completeTasks.fetch_add(1); }

void Timeline::waitFor(uint64_t position) {
  mercury_context *context = currentContext();
  while (completeTasks.load() < position && context) {
    Domain::Lock lock(context->domain->mutex);
    context->domain->wait(lock);
  }
}

Stream::Stream(std::shared_ptr<Domain> domain)
    : domain(std::move(domain)), timeline(std::make_shared<Timeline>()) {
  allStreams().push_back(this);
}

Stream::~Stream() {
  synchronize();
  std::vector<Stream *> &streams = allStreams();
  streams.erase(std::find(streams.begin(), streams.end(), this));
}

bool Stream::push(Task task) {
  timeline->issue();
  tasks.push_back(std::move(task));
  // Posts it now unless something is before it.
  work();
  return true;
}

void Stream::work() {
  while (!tasks.empty()) {
    Task &task = tasks.front();
    if (task.portion) {
      Domain::Lock lock(task.batch->domain->mutex);
      TimePoint next;
      if (!task.portion->step(lock, next))
        return;
    } else if (task.call) {
      run(task.call);
    } else if (!task.other->isComplete(task.position)) {
      return;
    }
    tasks.pop_front();
    timeline->complete();
  }
}
