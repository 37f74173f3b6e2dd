//===- Interrupt.cpp - Ends that are asked for ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interrupt.h"
#include <atomic>
#include <csignal>
#include <ctime>

namespace mercury::run {

// All that a handler may use.
static std::atomic<int64_t> since = 0; ///< ns, of the first; 0: none
static std::atomic<pid_t> receiver = 0;
static std::atomic<int> passed = 0;

static bool catches = false;

static void handle(int signal) {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  int64_t now = int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec, none = 0;
  if (since.compare_exchange_strong(none, now)) {
    if (pid_t child = receiver)
      kill(child, passed);
    return;
  }
  // A terminal and a launcher may both have sent it.
  if (now - none < 1'000'000'000)
    return;
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void catchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  for (int signal : {SIGINT, SIGTERM, SIGUSR1})
    sigaction(signal, &action, nullptr);
  catches = true;
}

bool catchesInterrupts() { return catches; }

bool isInterrupted() { return since != 0; }

void passInterrupts(pid_t child, int signal) {
  passed = signal;
  receiver = child;
}

} // namespace mercury::run
