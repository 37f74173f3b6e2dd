//===- MemoryTest.cpp - Device memory -------------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

#include <cstdlib>

using namespace mercury::test;

namespace {

TEST(CudaMemory, CountsByClass) {
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    void *a = mercury_alloc(context, 1000, MERCURY_TRAVELLING, 0);
    void *b = mercury_alloc(context, 24, MERCURY_STAGING, -1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 256, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 256, 0u);
    mercury_host_stats stats;
    mercury_cuda_get_stats(context, &stats);
    EXPECT_EQ(stats.current_bytes, 1024);
    EXPECT_EQ(stats.peak_bytes, 1024);
    EXPECT_EQ(stats.class_peak_bytes[MERCURY_TRAVELLING], 1000);
    EXPECT_EQ(stats.class_peak_bytes[MERCURY_STAGING], 24);
    mercury_free(context, a);
    mercury_free(context, nullptr);
    // Given out again at once, in the order of the compute stream.
    void *c = mercury_alloc(context, 990, MERCURY_WORKSPACE, 1);
    EXPECT_EQ(c, a);
    mercury_cuda_get_stats(context, &stats);
    EXPECT_EQ(stats.current_bytes, 1014);
    EXPECT_EQ(stats.class_peak_bytes[MERCURY_WORKSPACE], 990);
    mercury_cuda_reset_stats(context);
    mercury_cuda_get_stats(context, &stats);
    EXPECT_EQ(stats.peak_bytes, 1014);
    EXPECT_EQ(stats.class_peak_bytes[MERCURY_TRAVELLING], 0);
    mercury_free(context, b);
    mercury_free(context, c);
    mercury_cuda_get_stats(context, &stats);
    EXPECT_EQ(stats.current_bytes, 0);
    return 0;
  }));
}

// A block is freed and given out again while a kernel that uses it has not
// started: what the kernel wrote is gone, what came later stays.
TEST(CudaMemory, FreedInStreamOrder) {
  EXPECT_RUNS(Launch(1).run([](mercury_context *context) {
    void *compute = mercury_compute_stream(context);
    std::vector<float> zeros(64);
    auto *first =
        static_cast<float *>(mercury_alloc(context, 256, MERCURY_STAGING, -1));
    launchKernel(context, "slow", compute, first, 64, 1);
    mercury_free(context, first);
    auto *second =
        static_cast<float *>(mercury_alloc(context, 256, MERCURY_STAGING, -1));
    EXPECT_EQ(first, second);
    EXPECT_EQ(mercury_cuda_fill(context, second, 0, 256), 0);
    launchKernel(context, "add", compute, second, 64, 2);
    EXPECT_EQ(mercury_synchronize(context), 0);
    EXPECT_EQ(mercury_cuda_to_host(context, zeros.data(), second, 256), 0);
    EXPECT_EQ(zeros, std::vector<float>(64, 2));
    mercury_free(context, second);
    return 0;
  }));
}

TEST(CudaMemory, EmptyBlocksAreDistinct) {
  EXPECT_RUNS(Launch(1).run([](mercury_context *context) {
    void *a = mercury_alloc(context, 0, MERCURY_OWN_SHARD, -1);
    void *b = mercury_alloc(context, 0, MERCURY_OWN_SHARD, -1);
    EXPECT_NE(a, nullptr);
    EXPECT_NE(a, b);
    return 0; // left: given back with the context
  }));
}

TEST(CudaMemory, Limit) {
  Launch launch(2);
  launch.config.memory_limit = 100;
  Outcome outcome = launch.run([](mercury_context *context) {
    if (mercury_rank(context) == 0)
      return 0;
    EXPECT_NE(mercury_alloc(context, 70, MERCURY_TRAVELLING, 0), nullptr);
    EXPECT_EQ(mercury_alloc(context, 31, MERCURY_STAGING, 0), nullptr);
    return mercury_status(context);
  });
  EXPECT_EQ(outcome.code, ncclSystemError);
  EXPECT_EQ(outcome.text,
            "rank 1: rank 1 asked for 31 bytes (staging), holds 70 of 100");
  EXPECT_EQ(fakeCudaLive(), 0);
}

TEST(CudaMemory, OutOfMemory) {
  setenv("FAKE_CUDA_FAIL", "cuMemAllocFromPoolAsync:2:2", 1);
  Outcome outcome = Launch(1).run([](mercury_context *context) {
    EXPECT_NE(mercury_alloc(context, 70, MERCURY_TRAVELLING, 0), nullptr);
    EXPECT_EQ(mercury_alloc(context, 31, MERCURY_STAGING, 0), nullptr);
    return mercury_status(context);
  });
  unsetenv("FAKE_CUDA_FAIL");
  EXPECT_EQ(outcome.code, ncclSystemError);
  EXPECT_EQ(outcome.text,
            "rank 0: rank 0 asked for 31 bytes (staging), holds 70; "
            "cuMemAllocFromPoolAsync: out of memory "
            "(CUDA_ERROR_OUT_OF_MEMORY)");
  EXPECT_EQ(fakeCudaLive(), 0);
}

TEST(CudaMemory, Misuse) {
  Outcome outcome = Launch(1).run([](mercury_context *context) {
    void *block = mercury_alloc(context, 8, MERCURY_STAGING, 0);
    mercury_free(context, block);
    mercury_free(context, block);
    return 0;
  });
  EXPECT_TRUE(outcome.has("frees a pointer that it does not hold"))
      << outcome.text;
  outcome = Launch(1).run([](mercury_context *context) {
    EXPECT_EQ(mercury_alloc(context, 1, MERCURY_NUM_CLASSES, 0), nullptr);
    return 0;
  });
  EXPECT_TRUE(outcome.has("memory class 5 is not between 0 and 4"))
      << outcome.text;
}

// A copy beyond the end of a block is an error of the rank that asks for it.
TEST(CudaMemory, CopyOutside) {
  Outcome outcome = Launch(2).run([](mercury_context *context) {
    std::vector<char> bytes(300);
    void *block = mercury_alloc(context, 256, MERCURY_STAGING, 0);
    if (mercury_rank(context) == 1)
      return mercury_cuda_to_device(context, block, bytes.data(), 300);
    return 0;
  });
  EXPECT_EQ(outcome.code, ncclUnhandledCudaError);
  EXPECT_TRUE(outcome.has("rank 1: cuMemcpyHtoDAsync: ")) << outcome.text;
}

} // namespace
