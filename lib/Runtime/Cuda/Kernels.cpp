//===- Kernels.cpp - Device images and launches ---------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <string_view>

using namespace mercury::cuda;
using mercury::host::format;

/// Dynamic shared memory that every kernel may use without asking, bytes.
static constexpr int32_t kSharedByDefault = 48 * 1024;

/// Launches between two marks on the compute stream: seldom enough to cost
/// nothing, often enough to tell a slow device from one that hangs.
static constexpr int kLaunchesPerMark = 16;

/// Loads `image`; false after an error.
static bool load(mercury_context &context, Module &module, const void *image,
                 int64_t bytes) {
  // PTX is text that the driver reads up to a zero, which the program need not
  // have behind it; other images know their own size.
  std::string text;
  constexpr std::string_view kPtx = "//";
  std::string_view given(static_cast<const char *>(image), bytes);
  if (given.substr(0, kPtx.size()) == kPtx || given.substr(0, 1) == "." ||
      given.substr(0, 1) == "\n") {
    text = given;
    image = text.c_str();
  }
  CUresult result = driver().cuModuleLoadData(&module.module, image);
  if (result == CUDA_SUCCESS)
    return true;
  context.recordError(ncclUnhandledCudaError, "",
                      format("the device image of %lld bytes: ",
                             static_cast<long long>(bytes)) +
                          describe("cuModuleLoadData", result));
  return false;
}

void *mercury_kernel(mercury_context *context, const void *image, int64_t bytes,
                     const char *name) {
  auto [entry, isNew] = context->modules.try_emplace(image);
  Module &module = entry->second;
  if (isNew && !load(*context, module, image, bytes))
    return nullptr;
  if (!module.module)
    return nullptr; // the error is known
  std::unique_ptr<Kernel> &kernel = module.kernels[name];
  if (!kernel) {
    auto loaded = std::make_unique<Kernel>();
    loaded->name = name;
    CUresult result =
        driver().cuModuleGetFunction(&loaded->function, module.module, name);
    if (result != CUDA_SUCCESS) {
      context->recordError(ncclUnhandledCudaError, "",
                           format("kernel '%s': ", name) +
                               describe("cuModuleGetFunction", result));
      return nullptr;
    }
    kernel = std::move(loaded);
  }
  return kernel.get();
}

void mgpuLaunchKernel(void *handle, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t sharedBytes, void *stream,
                      void **parameters, void **, size_t) {
  mercury_context *context = currentContext();
  auto *kernel = static_cast<Kernel *>(handle);
  // Without a kernel the error is recorded already.
  if (!context || !kernel || context->domain->hasFailed())
    return;
  const Driver &d = driver();
  CUresult result = CUDA_SUCCESS;
  const char *call = "cuLaunchKernel";
  if (sharedBytes > kSharedByDefault && sharedBytes > kernel->sharedBytes) {
    result = d.cuFuncSetAttribute(
        kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        sharedBytes);
    if (result == CUDA_SUCCESS)
      kernel->sharedBytes = sharedBytes;
    else
      call = "cuFuncSetAttribute";
  }
  auto toUnsigned = [&](intptr_t extent) {
    if (extent < 1 || extent > INT32_MAX)
      result = CUDA_ERROR_INVALID_VALUE;
    return static_cast<unsigned>(extent);
  };
  unsigned grid[] = {toUnsigned(gridX), toUnsigned(gridY), toUnsigned(gridZ)};
  unsigned block[] = {toUnsigned(blockX), toUnsigned(blockY),
                      toUnsigned(blockZ)};
  if (result == CUDA_SUCCESS)
    result =
        d.cuLaunchKernel(kernel->function, grid[0], grid[1], grid[2], block[0],
                         block[1], block[2], static_cast<unsigned>(sharedBytes),
                         static_cast<CUstream>(stream), parameters, nullptr);
  if (result != CUDA_SUCCESS)
    return context->recordError(
        ncclUnhandledCudaError, "",
        format("launch of kernel '%s', grid (%lld, %lld, %lld), block (%lld, "
               "%lld, %lld), %d bytes shared: ",
               kernel->name.c_str(), static_cast<long long>(gridX),
               static_cast<long long>(gridY), static_cast<long long>(gridZ),
               static_cast<long long>(blockX), static_cast<long long>(blockY),
               static_cast<long long>(blockZ), sharedBytes) +
            describe(call, result));
  context->lastKernel = kernel;
  context->domain->progress();
  if (++context->launchesSinceMark < kLaunchesPerMark)
    return;
  context->launchesSinceMark = 0;
  context->marks.add(static_cast<CUstream>(stream), Label(),
                     kernel->name.c_str());
}
