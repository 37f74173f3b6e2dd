//===- Timekeeper.cpp - Work that takes emulated time ---------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timekeeper.h"
#include "Domain.h"

#include <cmath>
#include <limits>

using namespace mercury::host;

Timekeeper::Timekeeper(Domain &domain, const mercury_host_clock &clock,
                       double timeScale)
    : domain(domain), clock(clock), timeScale(timeScale),
      next(std::numeric_limits<double>::infinity()),
      thread([this] { keep(); }) {}

Timekeeper::~Timekeeper() {
  {
    Domain::Lock lock(domain.mutex);
    stop = true;
  }
  changed.notify_one();
  thread.join();
}

int64_t Timekeeper::begin(const mercury_host_work &work,
                          std::vector<Waiter *> waiters) {
  char problem[512] = "";
  int64_t number =
      clock.begin(clock.user, &work, now(), problem, sizeof(problem));
  if (number < 0) {
    Failure error;
    error.rank = work.ranks[0];
    error.result = ncclInvalidUsage;
    error.text = problem;
    domain.fail(std::move(error));
    return -1;
  }
  entries.resize(number + 1);
  entries[number].waiters = std::move(waiters);
  advance();
  changed.notify_one();
  return number;
}

void Timekeeper::advance() {
  int64_t ended[64];
  constexpr int32_t capacity = sizeof(ended) / sizeof(ended[0]);
  int32_t count;
  do {
    count = clock.advance(clock.user, now(), ended, capacity, &next);
    for (int32_t i = 0; i < count; ++i) {
      Entry &entry = entries[ended[i]];
      entry.isOver = true;
      // After a failure nobody waits any more.
      if (!domain.hasFailed())
        for (Waiter *waiter : entry.waiters)
          domain.wake(waiter);
      entry.waiters.clear();
    }
  } while (count == capacity);
  // What is under way is no standstill.
  if (std::isfinite(next))
    domain.progress(after(origin, next * timeScale));
}

void Timekeeper::keep() {
  Domain::Lock lock(domain.mutex);
  while (!stop) {
    if (std::isfinite(next))
      changed.wait_until(lock, after(origin, next * timeScale));
    else
      changed.wait(lock);
    advance();
  }
}
