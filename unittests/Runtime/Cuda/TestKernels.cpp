//===- TestKernels.cpp - Kernels of the fake device -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

#include <chrono>
#include <thread>

using namespace mercury::test;

namespace {

template <typename T> T parameter(void **parameters, int index) {
  return *static_cast<T *>(parameters[index]);
}

int add(void **parameters, const unsigned *grid, const unsigned *block,
        unsigned) {
  auto *values =
      static_cast<float *>(fakeCudaHost(parameter<CUdeviceptr>(parameters, 0)));
  // One thread an element, as on the device.
  int64_t threads = int64_t(grid[0]) * block[0];
  for (int64_t i = 0; i < threads; ++i)
    if (i < parameter<int64_t>(parameters, 1))
      values[i] += static_cast<float>(parameter<double>(parameters, 2));
  return 0;
}

int slow(void **parameters, const unsigned *grid, const unsigned *block,
         unsigned sharedBytes) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return add(parameters, grid, block, sharedBytes);
}

int fail(void **, const unsigned *, const unsigned *, unsigned) {
  return CUDA_ERROR_LAUNCH_FAILED;
}

const FakeKernel kKernels[] = {
    {"add", 3, add}, {"slow", 3, slow}, {"fail", 0, fail}};
const FakeImage kImage = {FAKE_IMAGE_MAGIC, kKernels, 3};

} // namespace

const FakeImage &mercury::test::testImage() { return kImage; }

void mercury::test::launchKernel(mercury_context *context, const char *name,
                                 void *stream, float *pointer, int64_t count,
                                 double value) {
  void *kernel = mercury_kernel(context, &kImage, sizeof(kImage), name);
  void *parameters[] = {&pointer, &count, &value};
  mgpuLaunchKernel(kernel, (count + 127) / 128, 1, 1, 128, 1, 1, 0, stream,
                   parameters, nullptr, 3);
}
