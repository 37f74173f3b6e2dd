//===- Kernels.cpp - Kernels of programs for devices, on CPUs -------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a function that takes pointers to its parameters; a launch calls
// it once, when the stream comes to it.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <cstring>

using namespace mercury::host;

/// Waits for the time of kernel number `index` of the rank instead of running
/// it. On the stream's thread.
static void waitForKernel(mercury_context &context, int64_t index) {
  Domain &domain = *context.domain;
  Domain::Lock lock(domain.mutex);
  if (domain.hasFailed())
    return;
  mercury_host_work work = {};
  work.kind = MERCURY_KERNEL;
  work.ranks = &context.rank;
  work.num_ranks = 1;
  work.index = index;
  int64_t number = domain.timekeeper->begin(work, {&currentWaiter()});
  while (!domain.hasFailed() && !domain.timekeeper->isOver(number))
    domain.wait(lock);
}

/// Records an error of the calling rank; outside of launches nobody hears it
/// but ncclGetLastError.
static void refuse(const std::string &text) {
  setLastError(ncclInvalidArgument, text);
  if (mercury_context *context = currentContext())
    context->recordError(ncclInvalidArgument, "", text);
}

cudaStream_t mercury_compute_stream(mercury_context *context) {
  if (!context->computeStream)
    context->computeStream = std::make_unique<Stream>(context->domain);
  return reinterpret_cast<cudaStream_t>(context->computeStream.get());
}

int32_t mercury_synchronize(mercury_context *context) {
  context->drain();
  return mercury_status(context);
}

void *mercury_kernel(mercury_context *context, const void *, int64_t,
                     const char *name) {
  context->recordError(
      ncclInvalidUsage, "",
      format("kernel '%s' is device code, ranks on CPUs run none", name));
  return nullptr;
}

int32_t mercury_matmul(mercury_context *, const mercury_matmul_problem *,
                       const void *, const void *, void *) {
  return setLastError(ncclInvalidUsage, "ranks on CPUs have no device library "
                                        "for matrix products");
}

void mgpuLaunchKernel(void *kernel, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t sharedBytes, void *stream,
                      void **parameters, void **extra, size_t numParameters) {
  if (!kernel)
    return refuse("launch of a kernel that is NULL");
  if (gridX != 1 || gridY != 1 || gridZ != 1 || blockX != 1 || blockY != 1 ||
      blockZ != 1 || sharedBytes != 0 || extra)
    return refuse(
        format("a kernel on CPUs is one call, got %lldx%lldx%lld "
               "blocks of %lldx%lldx%lld threads and %d bytes",
               static_cast<long long>(gridX), static_cast<long long>(gridY),
               static_cast<long long>(gridZ), static_cast<long long>(blockX),
               static_cast<long long>(blockY), static_cast<long long>(blockZ),
               sharedBytes));
  mercury_context *context = currentContext();
  if (context && context->domain->timekeeper) {
    auto wait = [context, index = context->numLaunched++] {
      waitForKernel(*context, index);
    };
    if (!stream)
      return wait();
    if (!static_cast<Stream *>(stream)->push(wait))
      refuse("the system refused a thread for a stream");
    return;
  }
  // The caller's slots are its own again when this returns.
  std::vector<uint64_t> slots(numParameters);
  for (size_t i = 0; i < numParameters; ++i)
    std::memcpy(&slots[i], parameters[i], sizeof(slots[i]));
  auto call = [context, kernel, slots = std::move(slots)]() mutable {
    // What it would read has not come.
    if (context && context->domain->hasFailed())
      return;
    std::vector<void *> pointers;
    for (uint64_t &slot : slots)
      pointers.push_back(&slot);
    reinterpret_cast<void (*)(void **)>(kernel)(pointers.data());
  };
  if (!stream)
    return call();
  if (!static_cast<Stream *>(stream)->push(std::move(call)))
    refuse("the system refused a thread for a stream");
}
