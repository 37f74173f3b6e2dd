//===- Streams.cpp - Streams and events -----------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The functions that upstream's gpu lowering calls. They know no context:
// errors are recorded in that of the calling thread.

#include "Context.h"

#include <algorithm>
#include <cstdio>

using namespace mercury::cuda;

/// Records an error; outside of a launch there is nobody to tell.
static bool check(CUresult result, const char *call) {
  if (mercury_context *context = currentContext())
    return context->check(result, call);
  if (result != CUDA_SUCCESS)
    std::fprintf(stderr, "mercury_cuda: %s\n", describe(call, result).c_str());
  return result == CUDA_SUCCESS;
}

/// Takes `handle` out of `list`.
template <typename T> static void forget(std::vector<T> &list, T handle) {
  list.erase(std::remove(list.begin(), list.end(), handle), list.end());
}

void *mgpuStreamCreate(void) {
  mercury_context *context = currentContext();
  if (!context)
    return nullptr;
  CUstream stream = context->makeStream(/*urgent=*/false);
  if (stream)
    context->programStreams.push_back(stream);
  return stream;
}

void mgpuStreamDestroy(void *stream) {
  if (mercury_context *context = currentContext())
    forget(context->programStreams, static_cast<CUstream>(stream));
  check(driver().cuStreamDestroy_v2(static_cast<CUstream>(stream)),
        "cuStreamDestroy");
}

void mgpuStreamSynchronize(void *stream) {
  if (mercury_context *context = currentContext())
    context->finish(static_cast<CUstream>(stream));
}

void mgpuStreamWaitEvent(void *stream, void *event) {
  check(driver().cuStreamWaitEvent(static_cast<CUstream>(stream),
                                   static_cast<CUevent>(event), 0),
        "cuStreamWaitEvent");
}

void *mgpuEventCreate(void) {
  CUevent event = nullptr;
  if (!check(driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
             "cuEventCreate"))
    return nullptr;
  if (mercury_context *context = currentContext())
    context->programEvents.push_back(event);
  return event;
}

void mgpuEventDestroy(void *event) {
  if (mercury_context *context = currentContext())
    forget(context->programEvents, static_cast<CUevent>(event));
  check(driver().cuEventDestroy_v2(static_cast<CUevent>(event)),
        "cuEventDestroy");
}

void mgpuEventSynchronize(void *event) {
  if (mercury_context *context = currentContext())
    context->finish(static_cast<CUevent>(event));
}

void mgpuEventRecord(void *event, void *stream) {
  check(driver().cuEventRecord(static_cast<CUevent>(event),
                               static_cast<CUstream>(stream)),
        "cuEventRecord");
}
