//===- Watcher.h - Ends a launch that cannot go on --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_CUDA_WATCHER_H
#define MERCURY_LIB_RUNTIME_CUDA_WATCHER_H

#include "Context.h"

#include <thread>

namespace mercury::cuda {

/// A thread that looks after a launch: the errors that NCCL meets while the
/// device works, and the time without progress. When anything has failed it
/// aborts NCCL's communicators, which frees ranks that wait in them.
class Watcher {
public:
  /// `contexts` are the ranks of this process and outlive this.
  Watcher(Domain &domain,
          const std::vector<std::unique_ptr<mercury_context>> &contexts);
  /// Ends the thread.
  ~Watcher();
  Watcher(const Watcher &) = delete;
  Watcher &operator=(const Watcher &) = delete;
  /// After a failure: waits until the communicators are aborted.
  void waitForAbort();

private:
  void run();
  /// Fails the launch when NCCL has met an error.
  void askNccl();
  /// Fails the launch when nothing has moved for too long.
  void watch();
  /// Aborts what is left of NCCL's communicators.
  void abortAll();

  Domain &domain;
  const std::vector<std::unique_ptr<mercury_context>> &contexts;
  uint64_t ticks = 0;
  host::TimePoint lastProgress;
  // Under the lock of the domain.
  bool over = false;
  bool aborted = false;
  std::condition_variable abortDone;
  std::thread thread;
};

} // namespace mercury::cuda

#endif // MERCURY_LIB_RUNTIME_CUDA_WATCHER_H
