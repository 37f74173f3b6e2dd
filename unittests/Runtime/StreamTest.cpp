//===- StreamTest.cpp - Streams and events --------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace mercury::test;

namespace {

TEST(Streams, NullStreamAndNeverRecordedEvent) {
  mgpuStreamSynchronize(nullptr);
  void *event = mgpuEventCreate();
  mgpuEventSynchronize(event);
  mgpuStreamWaitEvent(nullptr, event);
  mgpuEventRecord(event, nullptr);
  mgpuEventSynchronize(event);
  void *stream = mgpuStreamCreate();
  mgpuStreamWaitEvent(stream, event);
  mgpuStreamSynchronize(stream);
  mgpuStreamDestroy(stream);
  mgpuEventDestroy(event);
}

// The event covers what the stream was given before it was recorded, and
// nothing after.
TEST(Streams, EventCapturesThePosition) {
  EXPECT_RUNS(
      Launch({{"gpu", 2, 0, 0}}, {{0}, {0}}).run([](mercury_context *context) {
        int32_t first = -1, second = -1, out = 5;
        ncclComm_t comm = mercury_comm(context, 0);
        if (mercury_rank(context) == 1) {
          RETURN_IF_FAILED(ncclSend(&out, 1, ncclInt32, 0, comm, nullptr));
          mercury_host_barrier(context);
          RETURN_IF_FAILED(ncclSend(&out, 1, ncclInt32, 0, comm, nullptr));
          return 0;
        }
        cudaStream_t stream = mercury_comm_stream(context, 0);
        void *event = mercury_event(context, 3);
        EXPECT_EQ(event, mercury_event(context, 3));
        RETURN_IF_FAILED(ncclRecv(&first, 1, ncclInt32, 1, comm, stream));
        mgpuEventRecord(event, stream);
        RETURN_IF_FAILED(ncclRecv(&second, 1, ncclInt32, 1, comm, stream));
        // Would never return if it waited for the second receive.
        mgpuEventSynchronize(event);
        EXPECT_EQ(first, 5);
        mercury_host_barrier(context);
        mgpuEventRecord(event, stream);
        mgpuEventSynchronize(event);
        EXPECT_EQ(second, 5);
        return mercury_status(context);
      }));
}

// A value goes through two streams of each rank, ordered by an event only.
TEST(Streams, StreamWaitsForEvent) {
  for (mercury_host_mode mode : kModes)
    EXPECT_RUNS(Launch({{"gpu", 2, 0, 0}}, {{0}, {0}})
                    .mode(mode)
                    .run([](mercury_context *context) {
                      ncclComm_t comm = mercury_comm(context, 0);
                      cudaStream_t in = mercury_comm_stream(context, 0);
                      void *out = mgpuStreamCreate();
                      void *arrived = mercury_event(context, 0);
                      int peer = static_cast<int>(1 - mercury_rank(context));
                      for (int32_t i = 0; i < 100; ++i) {
                        int32_t buffer = i, back = -1;
                        if (mercury_rank(context) == 0) {
                          RETURN_IF_FAILED(
                              ncclSend(&buffer, 1, ncclInt32, peer, comm, in));
                          RETURN_IF_FAILED(
                              ncclRecv(&back, 1, ncclInt32, peer, comm, in));
                          mgpuStreamSynchronize(in);
                          EXPECT_EQ(back, i);
                        } else {
                          buffer = -1;
                          RETURN_IF_FAILED(
                              ncclRecv(&buffer, 1, ncclInt32, peer, comm, in));
                          mgpuEventRecord(arrived, in);
                          mgpuStreamWaitEvent(out, arrived);
                          RETURN_IF_FAILED(
                              ncclSend(&buffer, 1, ncclInt32, peer, comm,
                                       static_cast<cudaStream_t>(out)));
                          mgpuStreamSynchronize(out);
                        }
                      }
                      mgpuStreamDestroy(out);
                      return mercury_status(context);
                    }));
}

TEST(Streams, OverlapWithTheCaller) {
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    ncclComm_t comm = mercury_comm(context, 0);
    cudaStream_t stream = mercury_comm_stream(context, 0);
    int32_t value = 1;
    if (mercury_rank(context) == 0)
      RETURN_IF_FAILED(ncclRecv(&value, 1, ncclInt32, 1, comm, stream));
    // Both ranks come here although the receive has no partner yet.
    mercury_host_barrier(context);
    if (mercury_rank(context) == 1)
      RETURN_IF_FAILED(ncclSend(&value, 1, ncclInt32, 0, comm, stream));
    mgpuStreamSynchronize(stream);
    return mercury_status(context);
  }));
}

TEST(Streams, LeftByTheProgram) {
  int64_t before = mercury_host_live_handles();
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    static int32_t value = 1;
    void *stream = mgpuStreamCreate();
    int peer = static_cast<int>(1 - mercury_rank(context));
    static int32_t in[2];
    RETURN_IF_FAILED(ncclGroupStart());
    RETURN_IF_FAILED(ncclSend(&value, 1, ncclInt32, peer,
                              mercury_comm(context, 0),
                              static_cast<cudaStream_t>(stream)));
    RETURN_IF_FAILED(ncclRecv(&in[peer], 1, ncclInt32, peer,
                              mercury_comm(context, 0),
                              static_cast<cudaStream_t>(stream)));
    RETURN_IF_FAILED(ncclGroupEnd());
    return 0;
  }));
  EXPECT_EQ(mercury_host_live_handles(), before);
}

// A program that does not communicate starts no thread beyond its ranks.
TEST(Streams, ThreadStartsWithTheFirstCall) {
  if (processCount() > 1)
    GTEST_SKIP() << "streams of processes have no threads";
  std::atomic<int64_t> before{0}, made{0}, used{0};
  EXPECT_RUNS(Launch(2).run([&](mercury_context *context) {
    bool first = mercury_rank(context) == 0;
    float value = 1;
    mercury_host_barrier(context);
    if (first)
      before = threadCount();
    mercury_host_barrier(context);
    cudaStream_t stream = mercury_comm_stream(context, 0);
    mgpuStreamSynchronize(stream);
    mercury_host_barrier(context);
    if (first)
      made = threadCount();
    mercury_host_barrier(context);
    RETURN_IF_FAILED(ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum,
                                   mercury_comm(context, 0), stream));
    mercury_host_barrier(context);
    if (first)
      used = threadCount();
    mercury_host_barrier(context);
    mgpuStreamSynchronize(stream);
    return mercury_status(context);
  }));
  EXPECT_EQ(made, before);
  if (before > 0)
    EXPECT_EQ(used, before + 2);
}

TEST(Streams, WaitingTimeIsCounted) {
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    ncclComm_t comm = mercury_comm(context, 0);
    for (cudaStream_t stream :
         {cudaStream_t(), mercury_comm_stream(context, 0)}) {
      float value = 1;
      mercury_host_barrier(context);
      mercury_host_reset_stats(context);
      if (mercury_rank(context) == 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
      RETURN_IF_FAILED(
          ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum, comm, stream));
      mgpuStreamSynchronize(stream);
      mercury_host_stats stats;
      mercury_host_get_stats(context, &stats);
      if (mercury_rank(context) == 0)
        EXPECT_GE(stats.wait_seconds, 0.02);
    }
    return mercury_status(context);
  }));
}

} // namespace
