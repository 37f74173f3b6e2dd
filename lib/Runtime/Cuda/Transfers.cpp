//===- Transfers.cpp - Host and device memory, time, device properties ----===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <thread>

using namespace mercury::cuda;
using mercury::host::format;

/// Seconds that a transfer has after a failure: the caller may free the host
/// memory when it returns.
static constexpr double kPatience = 5;

/// Waits for what was enqueued on the compute stream unless `result` says that
/// it was not; returns the status.
static int finishTransfer(mercury_context &context, CUresult result,
                          const char *call) {
  if (!context.check(result, call) || context.finish(context.compute))
    return mercury_status(&context);
  auto deadline = mercury::host::after(mercury::host::Clock::now(), kPatience);
  while (driver().cuStreamQuery(context.compute) == CUDA_ERROR_NOT_READY &&
         mercury::host::Clock::now() < deadline)
    std::this_thread::yield();
  return mercury_status(&context);
}

int mercury_cuda_to_device(mercury_context *context, void *device,
                           const void *host, size_t bytes) {
  if (bytes == 0)
    return mercury_status(context);
  return finishTransfer(*context,
                        driver().cuMemcpyHtoDAsync_v2(address(device), host,
                                                      bytes, context->compute),
                        "cuMemcpyHtoDAsync");
}

int mercury_cuda_to_host(mercury_context *context, void *host,
                         const void *device, size_t bytes) {
  if (bytes == 0)
    return mercury_status(context);
  return finishTransfer(*context,
                        driver().cuMemcpyDtoHAsync_v2(host, address(device),
                                                      bytes, context->compute),
                        "cuMemcpyDtoHAsync");
}

int mercury_cuda_fill(mercury_context *context, void *device, int value,
                      size_t bytes) {
  if (bytes == 0)
    return mercury_status(context);
  return finishTransfer(*context,
                        driver().cuMemsetD8Async(
                            address(device), static_cast<unsigned char>(value),
                            bytes, context->compute),
                        "cuMemsetD8Async");
}

void mercury_cuda_timer_start(mercury_context *context) {
  for (CUevent &event : context->timer)
    if (!event &&
        !context->check(driver().cuEventCreate(&event, CU_EVENT_DEFAULT),
                        "cuEventCreate"))
      return;
  context->check(driver().cuEventRecord(context->timer[0], context->compute),
                 "cuEventRecord");
}

double mercury_cuda_timer_stop(mercury_context *context) {
  CUevent start = context->timer[0];
  CUevent end = context->timer[1];
  if (!start || !end) {
    context->recordError(ncclInvalidUsage, "",
                         "the timer is stopped that nobody started");
    return -1;
  }
  float milliseconds = 0;
  if (!context->check(driver().cuEventRecord(end, context->compute),
                      "cuEventRecord") ||
      !context->finish(context->compute) ||
      !context->check(driver().cuEventElapsedTime(&milliseconds, start, end),
                      "cuEventElapsedTime"))
    return -1;
  return milliseconds * 1e-3;
}

void mercury_cuda_device_text(mercury_context *context, char *text,
                              size_t textSize) {
  const Driver &d = driver();
  CUdevice device = context->device.device;
  char name[256] = "";
  size_t memory = 0;
  int major = 0, minor = 0, processors = 0, version = 0;
  d.cuDeviceGetName(name, sizeof(name), device);
  d.cuDeviceTotalMem_v2(&memory, device);
  d.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                         device);
  d.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                         device);
  d.cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                         device);
  d.cuDriverGetVersion(&version);
  mercury::host::copyText(
      format("%s, compute capability %d.%d, %.1f GiB, %d multiprocessors, "
             "driver for CUDA %d.%d",
             name, major, minor,
             static_cast<double>(memory) / (1024.0 * 1024 * 1024), processors,
             version / 1000, version % 1000 / 10),
      text, textSize);
}
