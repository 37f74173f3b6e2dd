//===- KernelsTest.cpp - Kernels on the compute stream --------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

using namespace mercury::test;

namespace {

/// Launches `kernel` on `stream` with `values`, each a parameter, which are gone
/// when this returns.
template <typename... Ts>
void launch(void (*kernel)(void **), void *stream, Ts... values) {
  alignas(8) unsigned char slots[sizeof...(values) + 1][8] = {};
  void *parameters[sizeof...(values) + 1];
  size_t count = 0;
  auto store = [&](auto value) {
    static_assert(sizeof(value) <= 8);
    std::memcpy(slots[count], &value, sizeof(value));
    parameters[count] = slots[count];
    ++count;
  };
  (store(values), ...);
  mgpuLaunchKernel(reinterpret_cast<void *>(kernel), 1, 1, 1, 1, 1, 1, 0,
                   stream, parameters, nullptr, count);
  std::memset(slots, 0xff, sizeof(slots));
}

template <typename T> T &parameter(void **parameters, int i) {
  return *static_cast<T *>(parameters[i]);
}

void *computeStream(mercury_context *context) {
  return reinterpret_cast<void *>(mercury_compute_stream(context));
}

void *commStream(mercury_context *context, int32_t index) {
  return reinterpret_cast<void *>(mercury_comm_stream(context, index));
}

/// (std::vector<float> *list, float value): appends.
void append(void **parameters) {
  parameter<std::vector<float> *>(parameters, 0)
      ->push_back(parameter<float>(parameters, 1));
}

/// (int32_t *to, const int32_t *from, int32_t n): to = from + n.
void add(void **parameters) {
  *parameter<int32_t *>(parameters, 0) =
      *parameter<const int32_t *>(parameters, 1) +
      parameter<int32_t>(parameters, 2);
}

TEST(Kernels, RunInOrderOfLaunch) {
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    std::vector<float> list;
    EXPECT_EQ(computeStream(context), computeStream(context));
    for (int i = 0; i < 100; ++i)
      launch(append, computeStream(context), &list, static_cast<float>(i));
    EXPECT_EQ(mercury_synchronize(context), 0);
    EXPECT_EQ(list.size(), 100u);
    for (size_t i = 0; i < list.size(); ++i)
      EXPECT_EQ(list[i], static_cast<float>(i));
    // Without a stream: at once.
    launch(append, nullptr, &list, 100.0f);
    EXPECT_EQ(list.back(), 100.0f);
    return mercury_status(context);
  }));
}

// A ring of four: a kernel makes what is sent, and another one adds to what was
// received. Events are all that orders the streams.
TEST(Kernels, EventsTieStreamsBothWays) {
  for (double jitter : {0.0, 0.0005}) {
    Launch ring(4);
    ring.config.jitter_seconds = jitter;
    EXPECT_RUNS(ring.run([](mercury_context *context) {
      ncclComm_t comm = mercury_comm(context, 0);
      void *compute = computeStream(context), *moves = commStream(context, 0);
      void *made = mercury_event(context, 0), *came = mercury_event(context, 1);
      int rank = static_cast<int>(mercury_rank(context));
      int32_t value = rank, out = 0, in = 0;
      constexpr int kSteps = 40;
      for (int i = 0; i < kSteps; ++i) {
        launch(add, compute, &out, &value, 1);
        mgpuEventRecord(made, compute);
        mgpuStreamWaitEvent(moves, made);
        RETURN_IF_FAILED(ncclGroupStart());
        RETURN_IF_FAILED(ncclSend(&out, 1, ncclInt32, (rank + 1) % 4, comm,
                                  static_cast<cudaStream_t>(moves)));
        RETURN_IF_FAILED(ncclRecv(&in, 1, ncclInt32, (rank + 3) % 4, comm,
                                  static_cast<cudaStream_t>(moves)));
        RETURN_IF_FAILED(ncclGroupEnd());
        mgpuEventRecord(came, moves);
        mgpuStreamWaitEvent(compute, came);
        launch(add, compute, &value, &in, 1);
      }
      EXPECT_EQ(mercury_synchronize(context), 0);
      // It has gone around ten times.
      EXPECT_EQ(value, rank + 2 * kSteps);
      return 0;
    }));
  }
}

/// (std::atomic<int> *at, int value)
void store(void **parameters) {
  *parameter<std::atomic<int> *>(parameters, 0) = parameter<int>(parameters, 1);
}
/// (std::atomic<int> *at, int wanted, std::atomic<int> *misses)
void look(void **parameters) {
  if (*parameter<std::atomic<int> *>(parameters, 0) !=
      parameter<int>(parameters, 1))
    ++*parameter<std::atomic<int> *>(parameters, 2);
}

// Jitter shows that an event is missing, and only then.
TEST(Kernels, JitterShowsMissingEvents) {
  if (processCount() > 1)
    GTEST_SKIP() << "streams of processes have no threads";
  for (bool tied : {true, false}) {
    std::atomic<int> misses{0};
    Launch one(1);
    one.config.jitter_seconds = 0.001;
    EXPECT_RUNS(one.run([&](mercury_context *context) {
      std::atomic<int> value{0};
      void *first = computeStream(context), *second = mgpuStreamCreate();
      for (int i = 1; i <= 40; ++i) {
        launch(store, first, &value, i);
        void *event = mercury_event(context, 0);
        mgpuEventRecord(event, first);
        if (tied)
          mgpuStreamWaitEvent(second, event);
        launch(look, second, &value, i, &misses);
        mgpuEventRecord(event, second);
        mgpuStreamWaitEvent(first, event);
      }
      EXPECT_EQ(mercury_synchronize(context), 0);
      return 0;
    }));
    if (tied)
      EXPECT_EQ(misses, 0);
    else
      EXPECT_GT(misses, 0);
  }
  Launch negative(1);
  negative.config.jitter_seconds = -1;
  EXPECT_TRUE(negative.run([](mercury_context *) { return 0; })
                  .has("jitter of -1 s must not be negative"));
}

// Memory that the stream may still use is counted as free at once and given out
// again later.
TEST(Kernels, MemoryIsFreedInStreamOrder) {
  Outcome outcome = Launch(2).run([](mercury_context *context) {
    ncclComm_t comm = mercury_comm(context, 0);
    int32_t value = 3;
    auto allocate = [&] {
      return static_cast<int32_t *>(mercury_alloc(context, 64, 3, -1));
    };
    if (mercury_rank(context) == 1) {
      mercury_host_barrier(context);
      RETURN_IF_FAILED(ncclSend(&value, 1, ncclInt32, 0, comm, nullptr));
      return 0;
    }
    // Without a compute stream it is given out again at once.
    int32_t *memory = allocate();
    mercury_free(context, memory);
    EXPECT_EQ(allocate(), memory);
    void *compute = computeStream(context), *moves = commStream(context, 0);
    void *came = mercury_event(context, 0);
    RETURN_IF_FAILED(ncclRecv(memory, 1, ncclInt32, 1, comm,
                              static_cast<cudaStream_t>(moves)));
    mgpuEventRecord(came, moves);
    mgpuStreamWaitEvent(compute, came);
    launch(add, compute, &value, memory, 4);
    mercury_free(context, memory);
    mercury_host_stats stats;
    mercury_host_get_stats(context, &stats);
    EXPECT_EQ(stats.current_bytes, 0);
    int32_t *other = allocate();
    EXPECT_NE(other, memory);
    *other = 100;
    mercury_host_barrier(context);
    EXPECT_EQ(mercury_synchronize(context), 0);
    EXPECT_EQ(value, 7);
    EXPECT_EQ(allocate(), memory);
    mercury_host_get_stats(context, &stats);
    EXPECT_EQ(stats.current_bytes, 128);
    EXPECT_EQ(stats.peak_bytes, 128);
    mercury_free(context, memory);
    mercury_free(context, other);
    // Twice is once too often.
    mercury_free(context, other);
    return 0;
  });
  EXPECT_EQ(outcome.code, ncclInvalidArgument);
  EXPECT_TRUE(outcome.has("rank 0 frees a pointer that it does not hold"))
      << outcome.text;
}

TEST(Kernels, HandlesAreGivenBack) {
  int64_t before = mercury_host_live_handles();
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    std::vector<float> *list = new std::vector<float>;
    for (int i = 0; i < 10; ++i)
      launch(append, computeStream(context), list, 0.0f);
    // Not of the program, so that this does nothing.
    mgpuStreamDestroy(computeStream(context));
    launch([](void **p) { delete parameter<std::vector<float> *>(p, 0); },
           computeStream(context), list);
    mercury_free(context, mercury_alloc(context, 8, 3, -1));
    return 0; // the launch waits for the rest
  }));
  EXPECT_EQ(mercury_host_live_handles(), before);
}

TEST(Kernels, WhatCannotBeLaunched) {
  auto fails = [](auto body, int code, const char *text) {
    Outcome outcome = Launch(2).run([&](mercury_context *context) {
      if (mercury_rank(context) == 1)
        body(context);
      return mercury_status(context);
    });
    EXPECT_EQ(outcome.code, code);
    EXPECT_TRUE(outcome.has(text)) << outcome.text;
  };
  fails([](mercury_context *context) {
    launch(nullptr, computeStream(context));
  }, ncclInvalidArgument, "rank 1: launch of a kernel that is NULL");
  fails(
      [](mercury_context *context) {
        mgpuLaunchKernel(reinterpret_cast<void *>(add), 4, 1, 1, 32, 2, 1, 0,
                         computeStream(context), nullptr, nullptr, 0);
      },
      ncclInvalidArgument,
      "rank 1: a kernel on CPUs is one call, got 4x1x1 blocks of 32x2x1 "
      "threads and 0 bytes");
  // The launch of what was not found does not hide why.
  fails(
      [](mercury_context *context) {
        void *kernel = mercury_kernel(context, "", 1, "exp_0");
        EXPECT_EQ(kernel, nullptr);
        mgpuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, computeStream(context),
                         nullptr, nullptr, 0);
      },
      ncclInvalidUsage,
      "rank 1: kernel 'exp_0' is device code, ranks on CPUs run none");
  fails(
      [](mercury_context *context) {
        mercury_matmul_problem problem = {};
        mercury_check(context,
                      mercury_matmul(context, &problem, "", "", nullptr),
                      "matmul at f.mlir:3");
      },
      ncclInvalidUsage,
      "rank 1: matmul at f.mlir:3: ranks on CPUs have no device library");
}

// What waits for a message that never comes is not run.
TEST(Kernels, NoneRunsAfterAFailure) {
  std::atomic<int> runs{0};
  Outcome outcome = Launch(2).run([&](mercury_context *context) {
    if (mercury_rank(context) == 1)
      return 0;
    int32_t value = 0;
    void *compute = computeStream(context), *moves = commStream(context, 0);
    RETURN_IF_FAILED(ncclRecv(&value, 1, ncclInt32, 1, mercury_comm(context, 0),
                              static_cast<cudaStream_t>(moves)));
    mgpuEventRecord(mercury_event(context, 0), moves);
    mgpuStreamWaitEvent(compute, mercury_event(context, 0));
    launch(store, compute, &runs, 1);
    return static_cast<int>(mercury_synchronize(context));
  });
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_TRUE(outcome.has("rank 1 has returned")) << outcome.text;
  EXPECT_EQ(runs, 0);
}

// A kernel moves, however long it takes: others may wait for it.
TEST(Timing, LongKernelsAreNoStall) {
  if (processCount() > 1)
    GTEST_SKIP() << "a process that computes does not answer";
  EXPECT_RUNS(Launch(2).watchdog(0.1).run([](mercury_context *context) {
    int32_t value = 0;
    ncclComm_t comm = mercury_comm(context, 0);
    if (mercury_rank(context) == 1) {
      RETURN_IF_FAILED(ncclRecv(&value, 1, ncclInt32, 0, comm, nullptr));
      return 0;
    }
    void *compute = computeStream(context);
    launch([](void **) {
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
    }, compute);
    RETURN_IF_FAILED(ncclSend(&value, 1, ncclInt32, 1, comm,
                              static_cast<cudaStream_t>(compute)));
    return static_cast<int>(mercury_synchronize(context));
  }));
}

} // namespace
