//===- WatchdogTest.cpp - What would hang is reported ---------------------===//
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

// NCCL#1192: two communicators that share ranks, used in different order on two
// ranks. Without the strict mode each has its own stream and it passes.
TEST(Watchdog, DifferentOrderOnTwoCommunicators) {
  auto body = [](mercury_context *context) {
    float value = 1, other = 2;
    bool first = mercury_rank(context) == 0;
    for (int i = 0; i < 2; ++i) {
      int index = first == (i == 0) ? 0 : 1;
      RETURN_IF_FAILED(ncclAllReduce(index ? &value : &other,
                                     index ? &value : &other, 1, ncclFloat32,
                                     ncclSum, mercury_comm(context, index),
                                     mercury_comm_stream(context, index)));
    }
    mgpuStreamSynchronize(mercury_comm_stream(context, 0));
    mgpuStreamSynchronize(mercury_comm_stream(context, 1));
    return mercury_status(context);
  };
  Launch launch({{"gpu", 2, 0, 0}}, {{0}, {0}});
  EXPECT_RUNS(launch.run(body));
  Outcome outcome = launch.strict().watchdog(0.1).run(body);
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_TRUE(outcome.has("deadlock rank 0 -> rank 1 -> rank 0"))
      << outcome.text;
  EXPECT_TRUE(outcome.has("rank 0 has 1 queued, the first is all_reduce"))
      << outcome.text;
}

// NCCL#1192: a collective on one stream and a message on another.
TEST(Watchdog, CollectiveAndMessageInDifferentOrder) {
  auto body = [](mercury_context *context) {
    float value = 1, out = 2, in = 0;
    bool first = mercury_rank(context) == 0;
    for (int i = 0; i < 2; ++i)
      if (first == (i == 0)) {
        RETURN_IF_FAILED(ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum,
                                       mercury_comm(context, 0),
                                       mercury_comm_stream(context, 0)));
      } else {
        ncclComm_t comm = mercury_comm(context, 1);
        cudaStream_t stream = mercury_comm_stream(context, 1);
        int peer = first ? 1 : 0;
        RETURN_IF_FAILED(ncclGroupStart());
        RETURN_IF_FAILED(ncclSend(&out, 1, ncclFloat32, peer, comm, stream));
        RETURN_IF_FAILED(ncclRecv(&in, 1, ncclFloat32, peer, comm, stream));
        RETURN_IF_FAILED(ncclGroupEnd());
      }
    mgpuStreamSynchronize(mercury_comm_stream(context, 0));
    mgpuStreamSynchronize(mercury_comm_stream(context, 1));
    return mercury_status(context);
  };
  for (mercury_host_mode mode : kModes) {
    Launch launch({{"gpu", 2, 0, 0}}, {{0}, {0}});
    EXPECT_RUNS(launch.mode(mode).run(body));
    Outcome outcome = launch.strict().watchdog(0.1).run(body);
    EXPECT_EQ(outcome.code, ncclRemoteError);
    EXPECT_TRUE(outcome.has("deadlock")) << outcome.text;
  }
}

// Rings of rings in the same order on all ranks are legal in strict mode.
TEST(Watchdog, StrictAllowsSameOrder) {
  Launch launch({{"node", 2, 0, 0}, {"gpu", 2, 0, 0}}, {{0}, {1}});
  EXPECT_RUNS(launch.strict().run([](mercury_context *context) {
    float value[2] = {1, 1};
    for (int i = 0; i < 50; ++i) {
      for (int index = 0; index < 2; ++index)
        RETURN_IF_FAILED(ncclAllReduce(
            &value[index], &value[index], 1, ncclFloat32, ncclMax,
            mercury_comm(context, index), mercury_comm_stream(context, index)));
      mgpuStreamSynchronize(mercury_comm_stream(context, 1));
      mgpuStreamSynchronize(mercury_comm_stream(context, 0));
    }
    return mercury_status(context);
  }));
}

TEST(Watchdog, ReturnedRankIsReportedAtOnce) {
  auto start = std::chrono::steady_clock::now();
  Outcome outcome = Launch(4).run([](mercury_context *context) {
    float value = 0;
    if (mercury_rank(context) == 2)
      return 0;
    RETURN_IF_FAILED(ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum,
                                   mercury_comm(context, 0), nullptr));
    return 0;
  });
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_TRUE(outcome.has("rank 2 has returned while rank ")) << outcome.text;
  EXPECT_TRUE(outcome.has("waits in all_reduce of 4 bytes")) << outcome.text;

  outcome = Launch(2).run([](mercury_context *context) {
    float value = 0;
    if (mercury_rank(context) == 1)
      return 0;
    RETURN_IF_FAILED(ncclRecv(&value, 1, ncclFloat32, 1,
                              mercury_comm(context, 0),
                              mercury_comm_stream(context, 0)));
    return 0; // the launch waits for the stream
  });
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_TRUE(outcome.has("rank 1 has returned while rank 0 waits in recv"))
      << outcome.text;

  outcome = Launch(2).run([](mercury_context *context) {
    if (mercury_rank(context) == 0)
      mercury_host_barrier(context);
    return 0;
  });
  EXPECT_TRUE(
      outcome.has("rank 1 has returned while rank 0 waits in the barrier"))
      << outcome.text;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Watchdog, RankThatComputesIsNamed) {
  Outcome outcome = Launch(2).watchdog(0.1).run([](mercury_context *context) {
    float value = 0;
    if (mercury_rank(context) == 1)
      while (mercury_status(context) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    RETURN_IF_FAILED(ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum,
                                   mercury_comm(context, 0), nullptr));
    return 0;
  });
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_TRUE(outcome.has("no progress for 0.1 s")) << outcome.text;
  EXPECT_EQ(outcome.text.find("deadlock"), std::string::npos) << outcome.text;
  EXPECT_TRUE(outcome.has("rank 0 waits in all_reduce of 4 bytes on "
                          "communicator 'gpu' {0,1} for rank 1"))
      << outcome.text;
  EXPECT_TRUE(outcome.has("rank 1 is in no communication call"))
      << outcome.text;
}

TEST(Watchdog, BarrierAgainstMessage) {
  Outcome outcome = Launch(2).watchdog(0.1).run([](mercury_context *context) {
    float value = 0;
    if (mercury_rank(context) == 1)
      RETURN_IF_FAILED(ncclRecv(&value, 1, ncclFloat32, 0,
                                mercury_comm(context, 0), nullptr));
    mercury_host_barrier(context);
    return mercury_status(context);
  });
  EXPECT_TRUE(outcome.has("deadlock rank 0 -> rank 1 -> rank 0"))
      << outcome.text;
  EXPECT_TRUE(outcome.has("rank 0 waits in the barrier")) << outcome.text;
}

TEST(Watchdog, BarrierWorks) {
  std::atomic<int> arrived{0};
  EXPECT_RUNS(Launch(4).run([&](mercury_context *context) {
    for (int i = 1; i <= 20; ++i) {
      ++arrived;
      mercury_host_barrier(context);
      // Processes count for themselves.
      EXPECT_EQ(arrived, processCount() > 1 ? i : 4 * i);
      mercury_host_barrier(context);
    }
    return 0;
  }));
}

// A failure while others copy from each other's buffers: nobody returns while
// its buffer is in use (address and thread sanitizers would see it).
TEST(Watchdog, FailureDuringTransfers) {
  for (mercury_host_mode mode : kModes)
    for (int repeat = 0; repeat < (kThreadSanitizer ? 4 : 20); ++repeat) {
      Outcome outcome = Launch(4).mode(mode).run([&](mercury_context *context) {
        ncclComm_t comm = mercury_comm(context, 0);
        int64_t rank = mercury_rank(context);
        for (int i = 0;; ++i) {
          std::vector<int32_t> out(50000, i), in(50000), sum(50000);
          RETURN_IF_FAILED(ncclGroupStart());
          RETURN_IF_FAILED(ncclSend(out.data(), out.size(), ncclInt32,
                                    int(rank + 1) % 4, comm, nullptr));
          RETURN_IF_FAILED(
              ncclRecv(in.data(), rank == 3 && i == 3 ? 7 : in.size(),
                       ncclInt32, int(rank + 3) % 4, comm, nullptr));
          RETURN_IF_FAILED(ncclAllReduce(out.data(), sum.data(), out.size(),
                                         ncclInt32, ncclSum, comm, nullptr));
          RETURN_IF_FAILED(ncclGroupEnd());
        }
      });
      EXPECT_EQ(outcome.code, ncclInvalidUsage);
      EXPECT_TRUE(outcome.has("rank 3 receives 28 bytes")) << outcome.text;
    }
}

// The same with a copy that is under way when others fail: the sender must not
// return, and free its buffer, before the copy ends.
TEST(Watchdog, FailureDuringLongCopy) {
  for (int delay = 0; delay < (kThreadSanitizer ? 3 : 8); ++delay) {
    Outcome outcome = Launch(4).run([&](mercury_context *context) {
      ncclComm_t comm = mercury_comm(context, 0);
      const size_t large = size_t(16) << 20;
      std::vector<char> buffer(mercury_rank(context) < 2 ? large : 8);
      mercury_host_barrier(context);
      switch (mercury_rank(context)) {
      case 0:
        RETURN_IF_FAILED(
            ncclSend(buffer.data(), large, ncclInt8, 1, comm, nullptr));
        return 0;
      case 1:
        RETURN_IF_FAILED(
            ncclRecv(buffer.data(), large, ncclInt8, 0, comm, nullptr));
        return 0;
      case 2:
        RETURN_IF_FAILED(ncclSend(buffer.data(), 4, ncclInt8, 3, comm,
                                  mercury_comm_stream(context, 0)));
        return 0;
      default:
        std::this_thread::sleep_for(std::chrono::microseconds(500 * delay));
        RETURN_IF_FAILED(
            ncclRecv(buffer.data(), 8, ncclInt8, 2, comm, nullptr));
        return 0;
      }
    });
    EXPECT_EQ(outcome.code, ncclInvalidUsage);
    EXPECT_TRUE(outcome.has("rank 3 receives 8 bytes")) << outcome.text;
  }
}

TEST(Watchdog, NoThreadIsLeft) {
  int64_t before = threadCount();
  int64_t handles = mercury_host_live_handles();
  Outcome outcome = Launch(4).watchdog(0.05).run([](mercury_context *context) {
    float value = 1;
    int rank = static_cast<int>(mercury_rank(context));
    for (cudaStream_t stream : {mercury_comm_stream(context, 0),
                                static_cast<cudaStream_t>(mgpuStreamCreate())})
      RETURN_IF_FAILED(ncclRecv(&value, 1, ncclFloat32, (rank + 1) % 4,
                                mercury_comm(context, 0), stream));
    mgpuStreamSynchronize(mercury_comm_stream(context, 0));
    return mercury_status(context);
  });
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_TRUE(outcome.has("deadlock")) << outcome.text;
  EXPECT_EQ(mercury_host_live_handles(), handles);
  // A joined thread may be listed for a moment.
  for (int i = 0; i < 100 && threadCount() != before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(threadCount(), before);
}

} // namespace
