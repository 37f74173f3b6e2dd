//===- Support.cpp - Small things that all parts use ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <thread>
#ifdef __linux__
#include <sched.h>
#endif

using namespace mercury::host;

namespace {

std::atomic<int64_t> liveHandles{0};
std::atomic<int> liveThreads{0};

/// What ncclGetLastError of this thread answers.
struct LastError {
  ncclResult_t result = ncclSuccess;
  std::string text;
};
thread_local LastError lastError;

/// Cores that this process may use.
int availableCores() {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

} // namespace

TimePoint mercury::host::after(TimePoint start, double seconds) {
  // A century: beyond it the conversion to nanoseconds would overflow.
  constexpr double kLimit = 3.0e9;
  if (!(seconds < kLimit))
    seconds = kLimit;
  return start + std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

double mercury::host::secondsSince(TimePoint start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string mercury::host::format(const char *pattern, ...) {
  va_list arguments, again;
  va_start(arguments, pattern);
  va_copy(again, arguments);
  int length = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string text(length > 0 ? length : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  return text;
}

size_t mercury::host::sizeOf(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
  case ncclUint8:
    return 1;
  case ncclFloat16:
  case ncclBfloat16:
    return 2;
  case ncclInt32:
  case ncclUint32:
  case ncclFloat32:
    return 4;
  case ncclInt64:
  case ncclUint64:
  case ncclFloat64:
    return 8;
  }
  return 0;
}

const char *mercury::host::nameOf(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
    return "i8";
  case ncclUint8:
    return "ui8";
  case ncclInt32:
    return "i32";
  case ncclUint32:
    return "ui32";
  case ncclInt64:
    return "i64";
  case ncclUint64:
    return "ui64";
  case ncclFloat16:
    return "f16";
  case ncclFloat32:
    return "f32";
  case ncclFloat64:
    return "f64";
  case ncclBfloat16:
    return "bf16";
  }
  return "unknown type";
}

const char *mercury::host::nameOf(ncclRedOp_t reduction) {
  switch (reduction) {
  case ncclSum:
    return "sum";
  case ncclProd:
    return "prod";
  case ncclMax:
    return "max";
  case ncclMin:
    return "min";
  case ncclAvg:
    return "avg";
  }
  return "unknown reduction";
}

LiveHandle::LiveHandle() { liveHandles.fetch_add(1); }
LiveHandle::~LiveHandle() { liveHandles.fetch_sub(1); }
int64_t LiveHandle::count() { return liveHandles.load(); }

ThreadCount::ThreadCount() { liveThreads.fetch_add(1); }
ThreadCount::~ThreadCount() { liveThreads.fetch_sub(1); }

int ThreadCount::spinIterations() {
  static const int cores = availableCores();
  // About as long as putting a thread to sleep and waking it takes: other
  // processes may hold the cores, then spinning longer only costs.
  constexpr int kIterations = 300;
  return liveThreads.load(std::memory_order_relaxed) <= cores ? kIterations : 0;
}

void mercury::host::spinPause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

ncclResult_t mercury::host::setLastError(ncclResult_t result,
                                         std::string text) {
  lastError.result = result;
  lastError.text = std::move(text);
  return result;
}

const std::string &mercury::host::lastErrorText() { return lastError.text; }

std::string mercury::host::lastErrorText(int32_t result) {
  if (lastError.result == result && !lastError.text.empty())
    return lastError.text;
  return ncclGetErrorString(static_cast<ncclResult_t>(result));
}

std::string Failure::describe() const {
  std::string result;
  if (rank >= 0)
    result = format("rank %lld: ", static_cast<long long>(rank));
  if (!what.empty())
    result += what + ": ";
  return result + text;
}
