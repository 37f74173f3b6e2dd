//===- Support.h - Small things that all parts use --------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_LIB_RUNTIME_HOST_SUPPORT_H
#define MERCURY_LIB_RUNTIME_HOST_SUPPORT_H

#include "Abi.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace mercury::host {

/// Deadlines and link times are points of this clock.
using Clock = std::chrono::steady_clock;
/// A point in time.
using TimePoint = Clock::time_point;

/// `start` plus `seconds`, saturating far in the future.
TimePoint after(TimePoint start, double seconds);

/// Seconds from `start` to now.
double secondsSince(TimePoint start);

/// printf into a string.
std::string format(const char *pattern, ...)
    __attribute__((format(printf, 1, 2)));

/// Bytes of one element; 0 when `type` is none of the supported ones.
size_t sizeOf(ncclDataType_t type);

/// Name of an element type as MLIR spells it ("f32", "ui8").
const char *nameOf(ncclDataType_t type);

/// Name of a reduction ("sum").
const char *nameOf(ncclRedOp_t reduction);

/// Counts the objects that own it in mercury_host_live_handles.
class LiveHandle {
public:
  LiveHandle();
  ~LiveHandle();
  LiveHandle(const LiveHandle &) = delete;
  LiveHandle &operator=(const LiveHandle &) = delete;
  /// Objects alive in the process.
  static int64_t count();
};

/// Counts a rank or stream thread for as long as it lives. Waiting threads spin
/// only while all of these fit the cores of this process: with more, a spinning
/// thread takes the core of the one that it waits for.
class ThreadCount {
public:
  ThreadCount();
  ~ThreadCount();
  ThreadCount(const ThreadCount &) = delete;
  ThreadCount &operator=(const ThreadCount &) = delete;
  /// Iterations to spin before sleeping: 0 when threads exceed cores.
  static int spinIterations();
};

/// One iteration of a spin loop.
void spinPause();

/// Remembers the error that the current thread's last failed call met, for
/// ncclGetLastError and mercury_check; returns `result`.
ncclResult_t setLastError(ncclResult_t result, std::string text);

/// Text of the last failed call of this thread, "" when there was none.
const std::string &lastErrorText();

/// Text of the last failed call of this thread if it returned `result`, else
/// the generic text of `result`.
std::string lastErrorText(int32_t result);

/// An error as the user sees it.
struct Failure {
  /// Global rank that met it, -1 when it is nobody's own.
  int64_t rank = -1;
  int32_t result = ncclSuccess;
  /// The operation and source location that the program gave, or empty.
  std::string what;
  std::string text;
  /// "rank 2: all_reduce at f.mlir:3: text".
  std::string describe() const;
};

} // namespace mercury::host

#endif // MERCURY_LIB_RUNTIME_HOST_SUPPORT_H
