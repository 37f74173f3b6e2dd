//===- PointToPointTest.cpp - Sends, receives and groups of them ----------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <numeric>

using namespace mercury::test;

namespace {

/// One hop of a ring of `ranks` ranks, as one group.
int hop(mercury_context *context, const std::vector<int32_t> &out,
        std::vector<int32_t> &in, int64_t ranks) {
  ncclComm_t comm = mercury_comm(context, 0);
  int64_t rank = mercury_rank(context);
  RETURN_IF_FAILED(ncclGroupStart());
  RETURN_IF_FAILED(ncclSend(out.data(), out.size(), ncclInt32,
                            int((rank + 1) % ranks), comm, nullptr));
  RETURN_IF_FAILED(ncclRecv(in.data(), in.size(), ncclInt32,
                            int((rank + ranks - 1) % ranks), comm, nullptr));
  RETURN_IF_FAILED(ncclGroupEnd());
  return 0;
}

// NCCL#479, #584, #783, #2057 (every rank sends before it receives), the legal
// form: in a group. torchrec#4472: with any eager threshold, small and large.
TEST(PointToPoint, RingInGroups) {
  for (mercury_host_mode mode : kModes)
    for (int64_t ranks : {1, 2, 4, 8})
      for (size_t count : {size_t(1), size_t(60000)})
        EXPECT_RUNS(Launch(ranks).mode(mode).run([&](mercury_context *context) {
          std::vector<int32_t> now(count, int32_t(mercury_rank(context)));
          std::vector<int32_t> next(count);
          for (int64_t step = 0; step < ranks; ++step) {
            if (int code = hop(context, now, next, ranks))
              return code;
            std::swap(now, next);
          }
          EXPECT_EQ(
              now, std::vector<int32_t>(count, int32_t(mercury_rank(context))));
          return 0;
        }));
}

// torchrec#4472: hang only above tens of MB.
TEST(PointToPoint, LargeMessages) {
  const size_t bytes = size_t(40) << 20;
  for (mercury_host_mode mode : kModes)
    EXPECT_RUNS(Launch(2).mode(mode).run([&](mercury_context *context) {
      char rank = static_cast<char>(mercury_rank(context));
      std::vector<int32_t> out(bytes / 4, 17 + rank), in(bytes / 4);
      if (int code = hop(context, out, in, 2))
        return code;
      EXPECT_EQ(in, std::vector<int32_t>(bytes / 4, 18 - rank));
      return 0;
    }));
}

// NCCL#479, #584 outside of a group: cyclic wait unless sends are buffered.
TEST(PointToPoint, SendBeforeReceiveWithoutGroup) {
  for (int64_t ranks : {2, 4, 8}) {
    auto body = [&](mercury_context *context) {
      ncclComm_t comm = mercury_comm(context, 0);
      int64_t rank = mercury_rank(context);
      int32_t out = int32_t(rank), in = -1;
      RETURN_IF_FAILED(
          ncclSend(&out, 1, ncclInt32, int((rank + 1) % ranks), comm, nullptr));
      RETURN_IF_FAILED(ncclRecv(
          &in, 1, ncclInt32, int((rank + ranks - 1) % ranks), comm, nullptr));
      EXPECT_EQ(in, (rank + ranks - 1) % ranks);
      return 0;
    };
    EXPECT_RUNS(Launch(ranks).mode(MERCURY_EAGER).run(body));
    Outcome outcome =
        Launch(ranks).mode(MERCURY_RENDEZVOUS).watchdog(0.1).run(body);
    EXPECT_EQ(outcome.code, ncclRemoteError);
    EXPECT_TRUE(outcome.has("deadlock rank 0 -> rank 1")) << outcome.text;
    EXPECT_TRUE(outcome.has("rank 1 waits in send of 4 bytes to rank"))
        << outcome.text;
    EXPECT_TRUE(outcome.has("communicator 'gpu'")) << outcome.text;
  }
}

// The same on streams: the deadlock is on the workers, and the ranks' own
// threads must come out of the synchronisation.
TEST(PointToPoint, SendBeforeReceiveOnStream) {
  auto body = [&](mercury_context *context) {
    ncclComm_t comm = mercury_comm(context, 0);
    cudaStream_t stream = mercury_comm_stream(context, 0);
    int32_t peer = int32_t(1 - mercury_rank(context)), in = -1;
    RETURN_IF_FAILED(ncclSend(&peer, 1, ncclInt32, peer, comm, stream));
    RETURN_IF_FAILED(ncclRecv(&in, 1, ncclInt32, peer, comm, stream));
    mgpuStreamSynchronize(stream);
    if (mercury_status(context) != 0) {
      EXPECT_NE(std::string(mercury_error(context)).find("deadlock"),
                std::string::npos);
      EXPECT_EQ(ncclSend(&peer, 1, ncclInt32, peer, comm, stream),
                ncclRemoteError);
      return 0; // the launch reports it all the same
    }
    EXPECT_EQ(in, mercury_rank(context));
    return 0;
  };
  EXPECT_RUNS(Launch(2).mode(MERCURY_EAGER).run(body));
  Outcome outcome = Launch(2).watchdog(0.1).run(body);
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_TRUE(outcome.has("deadlock rank 0 -> rank 1 -> rank 0"))
      << outcome.text;
  // What the program called the operation, and what stands behind it.
  EXPECT_TRUE(outcome.has("ncclSend(&peer")) << outcome.text;
  EXPECT_TRUE(outcome.has("rank 1 has 1 queued, the first is recv of 4 bytes "
                          "from rank 0"))
      << outcome.text;
}

// NCCL#389: two messages of one pair are matched in the order of issue, not by
// anything else.
TEST(PointToPoint, OrderOnOnePair) {
  for (mercury_host_mode mode : kModes)
    for (bool opposite : {false, true})
      EXPECT_RUNS(Launch(2).mode(mode).run([&](mercury_context *context) {
        ncclComm_t comm = mercury_comm(context, 0);
        int32_t a = 10, b = 20, first = -1, second = -1;
        RETURN_IF_FAILED(ncclGroupStart());
        if (mercury_rank(context) == 0) {
          RETURN_IF_FAILED(
              ncclSend(opposite ? &b : &a, 1, ncclInt32, 1, comm, nullptr));
          RETURN_IF_FAILED(
              ncclSend(opposite ? &a : &b, 1, ncclInt32, 1, comm, nullptr));
        } else {
          RETURN_IF_FAILED(ncclRecv(&first, 1, ncclInt32, 0, comm, nullptr));
          RETURN_IF_FAILED(ncclRecv(&second, 1, ncclInt32, 0, comm, nullptr));
        }
        RETURN_IF_FAILED(ncclGroupEnd());
        if (mercury_rank(context) == 1) {
          EXPECT_EQ(first, opposite ? 20 : 10);
          EXPECT_EQ(second, opposite ? 10 : 20);
        }
        return 0;
      }));
}

// NCCL#389 with different sizes: opposite order on both ends is an error with
// both sizes, not a wrong buffer.
TEST(PointToPoint, OppositeOrderIsReported) {
  for (mercury_host_mode mode : kModes) {
    Outcome outcome = Launch(2).mode(mode).run([&](mercury_context *context) {
      ncclComm_t comm = mercury_comm(context, 0);
      std::vector<int32_t> small(1), large(2);
      RETURN_IF_FAILED(ncclGroupStart());
      if (mercury_rank(context) == 0) {
        RETURN_IF_FAILED(
            ncclSend(small.data(), 1, ncclInt32, 1, comm, nullptr));
        RETURN_IF_FAILED(
            ncclSend(large.data(), 2, ncclInt32, 1, comm, nullptr));
      } else {
        RETURN_IF_FAILED(
            ncclRecv(large.data(), 2, ncclInt32, 0, comm, nullptr));
        RETURN_IF_FAILED(
            ncclRecv(small.data(), 1, ncclInt32, 0, comm, nullptr));
      }
      RETURN_IF_FAILED(ncclGroupEnd());
      return 0;
    });
    EXPECT_EQ(outcome.code, ncclInvalidUsage);
    // Both messages are wrong; between processes either may arrive first.
    EXPECT_TRUE(
        outcome.has("rank 0 sends 4 bytes and rank 1 receives 8 bytes") ||
        (processCount() > 1 && outcome.has("rank 0 sends more than 4 bytes and "
                                           "rank 1 receives 4 bytes")))
        << outcome.text;
  }
}

// Streams may run in any order: the order of issue decides what is matched.
TEST(PointToPoint, OrderOfIssueOverStreams) {
  for (mercury_host_mode mode : kModes)
    EXPECT_RUNS(Launch({{"gpu", 2, 0, 0}}, {{0}, {0}})
                    .mode(mode)
                    .run([&](mercury_context *context) {
                      ncclComm_t comm = mercury_comm(context, 0);
                      cudaStream_t one = mercury_comm_stream(context, 0);
                      cudaStream_t two = mercury_comm_stream(context, 1);
                      int32_t out[2] = {10, 20}, in[2] = {-1, -1};
                      for (int i = 0; i < 50; ++i) {
                        if (mercury_rank(context) == 0) {
                          RETURN_IF_FAILED(
                              ncclSend(&out[0], 1, ncclInt32, 1, comm, one));
                          RETURN_IF_FAILED(
                              ncclSend(&out[1], 1, ncclInt32, 1, comm, two));
                        } else {
                          RETURN_IF_FAILED(
                              ncclRecv(&in[0], 1, ncclInt32, 0, comm, two));
                          RETURN_IF_FAILED(
                              ncclRecv(&in[1], 1, ncclInt32, 0, comm, one));
                        }
                        mgpuStreamSynchronize(one);
                        mgpuStreamSynchronize(two);
                        if (mercury_rank(context) == 1) {
                          EXPECT_EQ(in[0], 10);
                          EXPECT_EQ(in[1], 20);
                        }
                      }
                      return mercury_status(context);
                    }));
}

// pytorch#174288: more than 256 operations in one group.
TEST(PointToPoint, AllToAllOfManyChunks) {
  const int chunks = 300;
  for (mercury_host_mode mode : kModes)
    EXPECT_RUNS(Launch(4).mode(mode).run([&](mercury_context *context) {
      ncclComm_t comm = mercury_comm(context, 0);
      int32_t rank = int32_t(mercury_rank(context));
      std::vector<int32_t> out(4 * chunks), in(4 * chunks, -1);
      for (int i = 0; i < 4 * chunks; ++i)
        out[i] = rank * 10000 + i;
      RETURN_IF_FAILED(ncclGroupStart());
      for (int peer = 0; peer < 4; ++peer)
        for (int chunk = 0; chunk < chunks; ++chunk) {
          int i = peer * chunks + chunk;
          RETURN_IF_FAILED(
              ncclSend(&out[i], 1, ncclInt32, peer, comm, nullptr));
          RETURN_IF_FAILED(ncclRecv(&in[i], 1, ncclInt32, peer, comm, nullptr));
        }
      RETURN_IF_FAILED(ncclGroupEnd());
      for (int peer = 0; peer < 4; ++peer)
        for (int chunk = 0; chunk < chunks; ++chunk)
          EXPECT_EQ(in[peer * chunks + chunk],
                    peer * 10000 + rank * chunks + chunk);
      return 0;
    }));
}

TEST(PointToPoint, ToOneselfInGroup) {
  for (mercury_host_mode mode : kModes)
    EXPECT_RUNS(Launch(2).mode(mode).run([&](mercury_context *context) {
      ncclComm_t comm = mercury_comm(context, 0);
      int32_t rank = int32_t(mercury_rank(context)), in = -1;
      RETURN_IF_FAILED(ncclGroupStart());
      RETURN_IF_FAILED(ncclSend(&rank, 1, ncclInt32, rank, comm, nullptr));
      RETURN_IF_FAILED(ncclRecv(&in, 1, ncclInt32, rank, comm, nullptr));
      RETURN_IF_FAILED(ncclGroupEnd());
      EXPECT_EQ(in, rank);
      mercury_host_stats stats;
      mercury_host_get_stats(context, &stats);
      EXPECT_EQ(stats.messages, 0);
      return 0;
    }));
}

TEST(PointToPoint, CountersOfBytes) {
  for (mercury_host_mode mode : kModes)
    EXPECT_RUNS(Launch(4).mode(mode).run([&](mercury_context *context) {
      std::vector<int32_t> out(100), in(100);
      for (int i = 0; i < 3; ++i)
        if (int code = hop(context, out, in, 4))
          return code;
      mercury_host_stats stats;
      mercury_host_get_stats(context, &stats);
      EXPECT_EQ(stats.bytes_sent, 1200);
      EXPECT_EQ(stats.bytes_received, 1200);
      EXPECT_EQ(stats.messages, 3);
      mercury_host_reset_stats(context);
      RETURN_IF_FAILED(ncclAllReduce(out.data(), in.data(), 100, ncclInt32,
                                     ncclSum, mercury_comm(context, 0),
                                     nullptr));
      mercury_host_get_stats(context, &stats);
      EXPECT_EQ(stats.bytes_sent, 600); // 2 (P - 1) / P of 400
      EXPECT_EQ(stats.bytes_received, 600);
      EXPECT_EQ(stats.messages, 6);
      EXPECT_GE(stats.wait_seconds, 0);
      return 0;
    }));
}

TEST(PointToPoint, LostMessageIsReported) {
  Outcome outcome =
      Launch(2).mode(MERCURY_EAGER).run([&](mercury_context *context) {
        int32_t value = 0;
        if (mercury_rank(context) == 0)
          RETURN_IF_FAILED(ncclSend(&value, 1, ncclInt32, 1,
                                    mercury_comm(context, 0), nullptr));
        return 0;
      });
  EXPECT_EQ(outcome.code, ncclInvalidUsage);
  EXPECT_TRUE(outcome.has("rank 0 sent 4 bytes to rank 1")) << outcome.text;
}

} // namespace
