//===- Timekeeper.h - Work that takes emulated time -------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_TIMEKEEPER_H
#define MERCURY_LIB_RUNTIME_HOST_TIMEKEEPER_H

#include "Support.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace mercury::host {

class Domain;
struct Waiter;

/// Lets work take as long as a mercury_host_clock says. A thread of its own
/// wakes those who wait for what has ended: when that is may change until then,
/// as other work begins and ends. All calls under the domain's lock.
class Timekeeper {
public:
  Timekeeper(Domain &domain, const mercury_host_clock &clock, double timeScale);
  ~Timekeeper();
  Timekeeper(const Timekeeper &) = delete;
  Timekeeper &operator=(const Timekeeper &) = delete;

  /// Work begins now; `waiters` are woken at its end, unless communication has
  /// failed by then. -1, and the domain has failed, where the clock refuses it.
  int64_t begin(const mercury_host_work &work, std::vector<Waiter *> waiters);
  bool isOver(int64_t number) const { return entries[number].isOver; }

private:
  struct Entry {
    bool isOver = false;
    std::vector<Waiter *> waiters;
  };

  double now() const { return secondsSince(origin) / timeScale; }
  /// Ends what has ended by now.
  void advance();
  /// What the thread does.
  void keep();

  Domain &domain;
  const mercury_host_clock clock;
  const double timeScale;
  const TimePoint origin = Clock::now();
  std::vector<Entry> entries;
  double next; ///< the clock wants to be asked again by then
  bool stop = false;
  std::condition_variable changed;
  std::thread thread;
};

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_TIMEKEEPER_H
