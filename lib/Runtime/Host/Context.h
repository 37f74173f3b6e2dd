//===- Context.h - What one rank has ----------------------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_CONTEXT_H
#define MERCURY_LIB_RUNTIME_HOST_CONTEXT_H

#include "Allocator.h"
#include "Communicator.h"
#include "Stream.h"

/// One rank of a launch.
struct mercury_context {
  mercury_context(std::shared_ptr<mercury::host::Domain> domain, int64_t rank,
                  const std::vector<std::vector<int>> &communicatorLevels);
  ~mercury_context();

  /// The communicator at `index`, made on first use; NULL when out of range.
  ncclComm *getCommunicator(int32_t index);
  /// Waits until all streams are empty.
  void drain();
  /// Drains and destroys all streams, those that the program left too.
  void destroyStreams();
  /// Records the first error of this rank.
  void recordError(int32_t result, const std::string &what,
                   const std::string &text);

  const std::shared_ptr<mercury::host::Domain> domain;
  const int64_t rank;
  /// Levels of each communicator; owned by the launch.
  const std::vector<std::vector<int>> &communicatorLevels;

  // Used by the rank's own thread only.
  std::vector<std::unique_ptr<ncclComm>> communicators;
  std::vector<std::unique_ptr<mercury::host::Stream>> streams;
  /// Made on first use; from then on memory is freed in its order.
  std::unique_ptr<mercury::host::Stream> computeStream;
  std::vector<std::unique_ptr<mercury::host::Event>> events;
  /// Streams that the program made and has not destroyed.
  std::vector<mercury::host::Stream *> programStreams;
  /// Ranks as processes: all ranks, for mercury_host_gather.
  std::shared_ptr<mercury::host::Team> everybody;
  int64_t numLaunched = 0; ///< kernels
  /// First error recorded, and the text that mercury_error returns.
  int32_t result = ncclSuccess;
  std::string errorText;

  mercury::host::Allocator allocator;

  // Guarded by the domain's lock.

  /// Strict mode: batches issued, and the one whose turn it is.
  uint64_t tickets = 0;
  uint64_t serving = 0;
  int64_t bytesSent = 0;
  int64_t bytesReceived = 0;
  int64_t messages = 0;

  /// Time that the rank's own thread waited.
  std::atomic<int64_t> waitNanoseconds{0};
};

namespace mercury::host {

/// The context of the calling thread when it runs a rank_main, else NULL.
mercury_context *currentContext();
/// Sets it.
void setCurrentContext(mercury_context *context);

/// Adds the time of its life to the waiting time of the calling rank.
class WaitTimer {
public:
  WaitTimer() : context(currentContext()) {
    if (context)
      start = Clock::now();
  }
  ~WaitTimer() {
    if (context)
      context->waitNanoseconds +=
          std::chrono::nanoseconds(Clock::now() - start).count();
  }
  WaitTimer(const WaitTimer &) = delete;
  WaitTimer &operator=(const WaitTimer &) = delete;

private:
  mercury_context *context;
  TimePoint start{};
};

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_CONTEXT_H
