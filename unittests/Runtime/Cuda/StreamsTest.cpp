//===- StreamsTest.cpp - Streams, events and kernels ----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

using namespace mercury::test;

namespace {

TEST(CudaStreams, KernelsInOrder) {
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    void *compute = mercury_compute_stream(context);
    DeviceVector<float> values(context, std::vector<float>(1000, 1));
    for (int i = 0; i < 50; ++i)
      launchKernel(context, "add", compute, values.get(), 1000,
                   1 + double(mercury_rank(context)));
    float expected = 1 + 50 * (1 + float(mercury_rank(context)));
    EXPECT_EQ(values.read(), std::vector<float>(1000, expected));
    return mercury_status(context);
  }));
}

// Nothing but the event orders the two streams.
TEST(CudaStreams, EventsOrderStreams) {
  Launch launch({{"gpu", 2, 0, 0}}, {{0}, {}});
  EXPECT_RUNS(launch.run([](mercury_context *context) {
    void *compute = mercury_compute_stream(context);
    void *other = mercury_comm_stream(context, 0);
    void *own = mgpuStreamCreate();
    void *event = mgpuEventCreate();
    EXPECT_NE(other, mercury_comm_stream(context, 1));
    EXPECT_EQ(fakeCudaPriority(static_cast<CUstream>(compute)), 0);
    EXPECT_EQ(fakeCudaPriority(static_cast<CUstream>(other)), -5);
    DeviceVector<float> values(context, std::vector<float>(100));
    for (int i = 0; i < 20; ++i) {
      launchKernel(context, "add", compute, values.get(), 100, 1);
      mgpuEventRecord(mercury_event(context, 3), compute);
      mgpuStreamWaitEvent(other, mercury_event(context, 3));
      launchKernel(context, "add", other, values.get(), 100, 1);
      mgpuEventRecord(event, other);
      mgpuStreamWaitEvent(own, event);
      launchKernel(context, "add", own, values.get(), 100, 1);
      mgpuEventRecord(mercury_event(context, 0), own);
      mgpuStreamWaitEvent(compute, mercury_event(context, 0));
    }
    mgpuEventSynchronize(mercury_event(context, 0));
    mgpuStreamSynchronize(own);
    EXPECT_EQ(values.read(), std::vector<float>(100, 60));
    mgpuEventDestroy(event);
    mgpuStreamDestroy(own);
    mgpuStreamCreate(); // left
    mgpuEventCreate();
    return mercury_status(context);
  }));
}

// The launch waits for what the program has enqueued.
TEST(CudaStreams, DrainedAtTheEnd) {
  std::vector<float> result(100);
  EXPECT_RUNS(Launch(1).run([&](mercury_context *context) {
    auto *memory =
        static_cast<float *>(mercury_alloc(context, 400, MERCURY_STAGING, -1));
    mercury_cuda_fill(context, memory, 0, 400);
    void *compute = mercury_compute_stream(context);
    launchKernel(context, "slow", compute, memory, 100, 3);
    return 0;
  }));
}

TEST(CudaStreams, ModulesAreLoadedOnce) {
  int before = fakeCudaModulesLoaded();
  EXPECT_RUNS(Launch(2).run([&](mercury_context *context) {
    const FakeImage &image = testImage();
    void *add = mercury_kernel(context, &image, sizeof(image), "add");
    EXPECT_NE(add, nullptr);
    EXPECT_EQ(add, mercury_kernel(context, &image, sizeof(image), "add"));
    EXPECT_NE(add, mercury_kernel(context, &image, sizeof(image), "slow"));
    return mercury_status(context);
  }));
  EXPECT_EQ(fakeCudaModulesLoaded(), before + 2);
}

TEST(CudaStreams, BadImages) {
  Outcome outcome = Launch(1).run([](mercury_context *context) {
    EXPECT_EQ(mercury_kernel(context, "no image at all", 15, "add"), nullptr);
    return mercury_status(context);
  });
  EXPECT_EQ(outcome.code, ncclUnhandledCudaError);
  EXPECT_TRUE(
      outcome.has("rank 0: the device image of 15 bytes: cuModuleLoadData: "))
      << outcome.text;
  outcome = Launch(1).run([](mercury_context *context) {
    EXPECT_EQ(
        mercury_kernel(context, &testImage(), sizeof(FakeImage), "missing"),
        nullptr);
    return mercury_status(context);
  });
  EXPECT_TRUE(outcome.has("kernel 'missing': cuModuleGetFunction: some error "
                          "(CUDA_ERROR_NOT_FOUND)"))
      << outcome.text;
  EXPECT_EQ(fakeCudaLive(), 0);
}

// PTX ends where the program says, whatever is behind it.
TEST(CudaStreams, TextOfPtx) {
  Outcome outcome = Launch(1).run([](mercury_context *context) {
    const char image[] = "// generated\n.version 8.0\n@@@@";
    mercury_kernel(context, image, sizeof(image) - 5, "add");
    return 0;
  });
  EXPECT_STREQ(fakeCudaPtx(), "// generated\n.version 8.0\n");
  EXPECT_TRUE(outcome.has("the device image of 26 bytes")) << outcome.text;
}

TEST(CudaStreams, BadLaunches) {
  Outcome outcome = Launch(1).run([](mercury_context *context) {
    void *kernel =
        mercury_kernel(context, &testImage(), sizeof(FakeImage), "fail");
    mgpuLaunchKernel(kernel, 1, 65536, 1, 32, 1, 1, 16,
                     mercury_compute_stream(context), nullptr, nullptr, 0);
    return mercury_status(context);
  });
  EXPECT_EQ(outcome.text,
            "rank 0: launch of kernel 'fail', grid (1, 65536, 1), block (32, "
            "1, 1), 16 bytes shared: cuLaunchKernel: some error "
            "(CUDA_ERROR_INVALID_VALUE)");
  outcome = Launch(1).run([](mercury_context *context) {
    void *kernel =
        mercury_kernel(context, &testImage(), sizeof(FakeImage), "fail");
    mgpuLaunchKernel(kernel, 0, 1, 1, 32, 1, 1, 0,
                     mercury_compute_stream(context), nullptr, nullptr, 0);
    return mercury_status(context);
  });
  EXPECT_TRUE(outcome.has("grid (0, 1, 1)")) << outcome.text;
  outcome = Launch(1).run([](mercury_context *context) {
    void *kernel =
        mercury_kernel(context, &testImage(), sizeof(FakeImage), "fail");
    mgpuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 300 * 1024,
                     mercury_compute_stream(context), nullptr, nullptr, 0);
    return mercury_status(context);
  });
  EXPECT_TRUE(outcome.has("307200 bytes shared")) << outcome.text;
}

// The device tells an error of a kernel later; it stays, so that this test
// needs a process of its own.
TEST(CudaDeviceError, EndsAllRanks) {
  Outcome outcome = Launch(2).run([](mercury_context *context) {
    void *compute = mercury_compute_stream(context);
    if (mercury_rank(context) == 1)
      launchKernel(context, "fail", compute, nullptr, 1, 0);
    mercury_cuda_barrier(context);
    return mercury_synchronize(context);
  });
  EXPECT_EQ(outcome.code, ncclUnhandledCudaError);
  EXPECT_TRUE(outcome.has("unspecified launch failure "
                          "(CUDA_ERROR_LAUNCH_FAILED)"))
      << outcome.text;
}

TEST(CudaStreams, TimerAndDeviceText) {
  EXPECT_RUNS(Launch(1).run([](mercury_context *context) {
    DeviceVector<float> values(context, std::vector<float>(10));
    mercury_cuda_timer_start(context);
    launchKernel(context, "slow", mercury_compute_stream(context), values.get(),
                 10, 1);
    double seconds = mercury_cuda_timer_stop(context);
    EXPECT_GE(seconds, 0.02);
    EXPECT_LT(seconds, 5);
    char text[200];
    mercury_cuda_device_text(context, text, sizeof(text));
    EXPECT_STREQ(text, "Fake device, compute capability 9.0, 80.0 GiB, 132 "
                       "multiprocessors, driver for CUDA 13.0");
    return 0;
  }));
}

TEST(CudaStreams, Numbers) {
  Outcome outcome = Launch(1).run([](mercury_context *context) {
    EXPECT_EQ(mercury_comm(context, 1), nullptr);
    return 0;
  });
  EXPECT_EQ(outcome.text, "rank 0: communicator 1 asked for, the launch has 1");
  outcome = Launch(1).run([](mercury_context *context) {
    EXPECT_EQ(mercury_event(context, -1), nullptr);
    return 0;
  });
  EXPECT_EQ(outcome.text, "rank 0: event -1 asked for");
}

} // namespace
