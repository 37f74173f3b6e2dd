//===- Runtime.cpp - What compiled programs call --------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

using namespace mercury::cuda;
using mercury::host::format;

int64_t mercury_rank(mercury_context *context) { return context->rank; }

ncclComm_t mercury_comm(mercury_context *context, int32_t index) {
  if (index >= 0 && static_cast<size_t>(index) < context->communicators.size())
    return context->communicators[index].get();
  std::string error = format("communicator %d asked for, the launch has %zu",
                             index, context->communicators.size());
  mercury::host::setLastError(ncclInvalidArgument, error);
  context->recordError(ncclInvalidArgument, "", error);
  return nullptr;
}

cudaStream_t mercury_comm_stream(mercury_context *context, int32_t index) {
  if (!mercury_comm(context, index))
    return nullptr;
  CUstream &stream = context->streams[index];
  if (!stream)
    stream = context->makeStream(/*urgent=*/true);
  return stream;
}

cudaStream_t mercury_compute_stream(mercury_context *context) {
  return context->compute;
}

void *mercury_event(mercury_context *context, int32_t index) {
  if (index < 0) {
    context->recordError(ncclInvalidArgument, "",
                         format("event %d asked for", index));
    return nullptr;
  }
  if (static_cast<size_t>(index) >= context->events.size())
    context->events.resize(index + 1);
  CUevent &event = context->events[index];
  if (!event)
    context->check(driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
                   "cuEventCreate");
  return event;
}

void *mercury_alloc(mercury_context *context, int64_t bytes,
                    int32_t memoryClass, int32_t owner) {
  return context->allocate(bytes, memoryClass, owner);
}

void mercury_free(mercury_context *context, void *pointer) {
  context->release(pointer);
}

// The device moves communication on by itself.
void mercury_progress(mercury_context *) {}

void mercury_check(mercury_context *context, int32_t result, const char *what) {
  if (result != ncclSuccess)
    context->recordError(result, what ? what : "",
                         mercury::host::lastErrorText(result));
  else
    // The call may still fail on its stream: then its name is wanted there.
    context->marks.name(what);
}

int32_t mercury_status(mercury_context *context) {
  Domain &domain = *context->domain;
  if (context->result == ncclSuccess && domain.hasFailed()) {
    context->result = domain.resultFor(context->rank);
    context->errorText = domain.getFailure().describe();
  }
  return context->result;
}

const char *mercury_error(mercury_context *context) {
  mercury_status(context);
  return context->errorText.c_str();
}

int32_t mercury_synchronize(mercury_context *context) {
  context->drain();
  return mercury_status(context);
}

void mercury_cuda_barrier(mercury_context *context) {
  WaitTimer timer(*context);
  context->domain->barrier(context->rank);
}

void mercury_cuda_get_stats(mercury_context *context,
                            mercury_host_stats *stats) {
  *stats = mercury_host_stats();
  context->account.getStats(*stats);
  stats->wait_seconds = context->waitSeconds;
  stats->bytes_sent = context->bytesSent;
  stats->bytes_received = context->bytesReceived;
  stats->messages = context->messages;
}

void mercury_cuda_reset_stats(mercury_context *context) {
  context->account.resetPeaks();
  context->waitSeconds = 0;
  context->bytesSent = 0;
  context->bytesReceived = 0;
  context->messages = 0;
}

int64_t mercury_cuda_live_handles(void) {
  return mercury::host::LiveHandle::count();
}
