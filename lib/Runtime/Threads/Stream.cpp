//===- Stream.cpp - Streams are worker threads ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <random>
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

Stream::Stream(std::shared_ptr<Domain> domain)
    : domain(std::move(domain)), timeline(std::make_shared<Timeline>()) {}

Stream::~Stream() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  condition.notify_one();
  if (worker.joinable())
    worker.join();
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

/// Each time another delay, each stream another row of them.
static void delay(double seconds, std::minstd_rand &random) {
  std::uniform_real_distribution<double> part(0, seconds);
  // Half of the tasks run at once: streams then get far ahead of others.
  if (random() % 2)
    std::this_thread::sleep_for(std::chrono::duration<double>(part(random)));
}

void Stream::work() {
  ThreadCount count;
  static std::atomic<unsigned> seeds{0};
  std::minstd_rand random(++seeds);
  double jitter = domain ? domain->settings.jitterSeconds : 0;
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    condition.wait(lock, [&] { return stop || !tasks.empty(); });
    if (tasks.empty())
      return;
    Task task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    if (jitter > 0 && !task.other)
      delay(jitter, random);
    if (task.portion)
      task.portion->run();
    else if (task.call)
      run(task.call);
    else
      task.other->waitFor(task.position);
    task = Task(); // the batch is gone before anybody sees it complete
    timeline->complete();
    lock.lock();
  }
}
