//===- CopiesTest.cpp - Ranks that share a device -------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

#include "ReduceReference.h"

#include <cstdlib>
#include <numeric>
#include <random>

using namespace mercury::test;

namespace {

/// Random numbers that are the same on all ranks for the same seed.
std::vector<float> valuesOf(int64_t rank, size_t count, unsigned seed = 0) {
  std::mt19937 random(static_cast<unsigned>(1000 * seed + rank + 1));
  std::vector<float> values(count);
  for (float &value : values)
    value = float(random() % 1000) / 8;
  return values;
}

/// A call on the device, synchronized, and its result.
#define RUN_AND_READ(call, vector)                                             \
  [&] {                                                                        \
    int code = (call);                                                         \
    mercury_check(context, code, #call);                                       \
    EXPECT_EQ(code, 0) << mercury_error(context);                              \
    return (vector).read();                                                    \
  }()

TEST(CudaCopies, RingOfGroups) {
  for (int64_t ranks = 1; ranks <= 4; ++ranks)
    EXPECT_RUNS(Launch(ranks).run([&](mercury_context *context) {
      int64_t rank = mercury_rank(context);
      ncclComm_t comm = mercury_comm(context, 0);
      cudaStream_t stream = mercury_comm_stream(context, 0);
      DeviceVector<float> a(context, valuesOf(rank, 777));
      DeviceVector<float> b(context, std::vector<float>(777, -1));
      float *mine = a.get(), *next = b.get();
      // Two buffers, no events: the stream alone orders the hops.
      for (int64_t step = 0; step < 2 * ranks + 1; ++step) {
        RETURN_IF_FAILED(ncclGroupStart());
        RETURN_IF_FAILED(ncclSend(mine, 777, ncclFloat32,
                                  int((rank + 1) % ranks), comm, stream));
        RETURN_IF_FAILED(ncclRecv(next, 777, ncclFloat32,
                                  int((rank + ranks - 1) % ranks), comm,
                                  stream));
        RETURN_IF_FAILED(ncclGroupEnd());
        std::swap(mine, next);
      }
      EXPECT_EQ(b.read(), valuesOf((rank + ranks - 1) % ranks, 777));
      return mercury_status(context);
    }));
}

// The hop must wait for the kernel before it, and the kernel after it for the
// hop: events between the streams, nothing else.
TEST(CudaCopies, EventsTieKernelsAndHops) {
  EXPECT_RUNS(Launch(3).run([&](mercury_context *context) {
    int64_t rank = mercury_rank(context);
    ncclComm_t comm = mercury_comm(context, 0);
    cudaStream_t stream = mercury_comm_stream(context, 0);
    void *compute = mercury_compute_stream(context);
    DeviceVector<float> a(context, std::vector<float>(500, float(rank)));
    DeviceVector<float> b(context, std::vector<float>(500));
    float *mine = a.get(), *next = b.get();
    for (int step = 0; step < 12; ++step) {
      launchKernel(context, step % 4 == 0 ? "slow" : "add", compute, mine, 500,
                   1);
      mgpuEventRecord(mercury_event(context, 0), compute);
      mgpuStreamWaitEvent(stream, mercury_event(context, 0));
      RETURN_IF_FAILED(ncclGroupStart());
      RETURN_IF_FAILED(
          ncclSend(mine, 500, ncclFloat32, int((rank + 1) % 3), comm, stream));
      RETURN_IF_FAILED(
          ncclRecv(next, 500, ncclFloat32, int((rank + 2) % 3), comm, stream));
      RETURN_IF_FAILED(ncclGroupEnd());
      mgpuEventRecord(mercury_event(context, 1), stream);
      mgpuStreamWaitEvent(compute, mercury_event(context, 1));
      std::swap(mine, next);
    }
    EXPECT_EQ(a.read(), std::vector<float>(500, float(rank + 12)));
    return mercury_status(context);
  }));
}

TEST(CudaCopies, AllToAllAndUngrouped) {
  EXPECT_RUNS(Launch(4).run([&](mercury_context *context) {
    int rank = int(mercury_rank(context));
    ncclComm_t comm = mercury_comm(context, 0);
    cudaStream_t stream = mercury_comm_stream(context, 0);
    DeviceVector<float> source(context, valuesOf(rank, 40));
    DeviceVector<float> target(context, std::vector<float>(40));
    for (int repeat = 0; repeat < 5; ++repeat) {
      RETURN_IF_FAILED(ncclGroupStart());
      for (int peer = 0; peer < 4; ++peer) {
        RETURN_IF_FAILED(ncclSend(source.get() + 10 * peer, 10, ncclFloat32,
                                  peer, comm, stream));
        RETURN_IF_FAILED(ncclRecv(target.get() + 10 * peer, 10, ncclFloat32,
                                  peer, comm, stream));
      }
      RETURN_IF_FAILED(ncclGroupEnd());
    }
    std::vector<float> expected;
    for (int peer = 0; peer < 4; ++peer) {
      std::vector<float> theirs = valuesOf(peer, 40);
      expected.insert(expected.end(), theirs.begin() + 10 * rank,
                      theirs.begin() + 10 * rank + 10);
    }
    EXPECT_EQ(target.read(), expected);
    // Down the line, one call each.
    if (rank > 0)
      RETURN_IF_FAILED(
          ncclRecv(target.get(), 40, ncclFloat32, rank - 1, comm, stream));
    if (rank < 3)
      RETURN_IF_FAILED(ncclSend(rank == 0 ? source.get() : target.get(), 40,
                                ncclFloat32, rank + 1, comm, stream));
    // Memory is freed in the order of the compute stream only.
    EXPECT_EQ(mercury_synchronize(context), 0);
    if (rank > 0)
      EXPECT_EQ(target.read(), valuesOf(0, 40));
    return mercury_status(context);
  }));
}

/// All collectives with elements of type T, against plain loops.
template <typename T> class CudaReduce : public testing::Test {};
using Types = testing::Types<int8_t, uint8_t, int32_t, uint32_t, int64_t,
                             uint64_t, float, double, Half, BFloat>;
TYPED_TEST_SUITE(CudaReduce, Types);

TYPED_TEST(CudaReduce, AgainstLoops) {
  using T = TypeParam;
  const ncclDataType_t type = typeOf<T>();
  for (int64_t ranks = 2; ranks <= 4; ++ranks)
    for (size_t count : {size_t(1), size_t(97), size_t(5000)}) {
      size_t total = count * ranks;
      std::vector<std::vector<T>> inputs;
      for (int64_t rank = 0; rank < ranks; ++rank)
        inputs.push_back(randomValues<T>(unsigned(100 * rank + count), total));
      std::vector<T> gathered;
      for (const auto &input : inputs)
        gathered.insert(gathered.end(), input.begin(), input.begin() + count);
      EXPECT_RUNS(Launch(ranks).run([&](mercury_context *context) {
        int64_t rank = mercury_rank(context);
        const std::vector<T> &mine = inputs[rank];
        ncclComm_t comm = mercury_comm(context, 0);
        cudaStream_t stream = mercury_comm_stream(context, 0);
        DeviceVector<T> source(context, mine);
        DeviceVector<T> target(context, std::vector<T>(total));
        EXPECT_TRUE(same(RUN_AND_READ(ncclAllGather(source.get(), target.get(),
                                                    count, type, comm, stream),
                                      target),
                         gathered));
        std::vector<T> root =
            RUN_AND_READ(ncclBroadcast(source.get(), target.get(), total, type,
                                       int(ranks - 1), comm, stream),
                         target);
        EXPECT_TRUE(same(root, inputs[ranks - 1]));
        for (ncclRedOp_t reduction : {ncclSum, ncclProd, ncclMax, ncclMin}) {
          std::vector<T> expected = reduceAll(inputs, reduction);
          std::vector<T> part(expected.begin() + rank * count,
                              expected.begin() + (rank + 1) * count);
          EXPECT_TRUE(
              same(RUN_AND_READ(ncclAllReduce(source.get(), target.get(), total,
                                              type, reduction, comm, stream),
                                target),
                   expected));
          std::vector<T> scattered =
              RUN_AND_READ(ncclReduceScatter(source.get(), target.get(), count,
                                             type, reduction, comm, stream),
                           target);
          scattered.resize(count);
          EXPECT_TRUE(same(scattered, part));
        }
        // In place, behind each other and without a wait between them.
        DeviceVector<T> inPlace(context, mine);
        T *own = inPlace.get() + rank * count;
        RETURN_IF_FAILED(ncclReduceScatter(inPlace.get(), own, count, type,
                                           ncclSum, comm, stream));
        RETURN_IF_FAILED(
            ncclAllGather(own, inPlace.get(), count, type, comm, stream));
        EXPECT_TRUE(same(inPlace.read(), reduceAll(inputs, ncclSum)));
        DeviceVector<T> reduced(context, mine);
        RETURN_IF_FAILED(ncclAllReduce(reduced.get(), reduced.get(), total,
                                       type, ncclMax, comm, stream));
        EXPECT_TRUE(same(reduced.read(), reduceAll(inputs, ncclMax)));
        return mercury_status(context);
      }));
    }
}

// What a reduction needs on the host is used again.
TEST(CudaCopies, StagingIsReused) {
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    DeviceVector<float> values(context, std::vector<float>(3000, 1));
    ncclComm_t comm = mercury_comm(context, 0);
    cudaStream_t stream = mercury_comm_stream(context, 0);
    for (int i = 0; i < 10; ++i) {
      RETURN_IF_FAILED(ncclAllReduce(values.get(), values.get(), 3000,
                                     ncclFloat32, ncclSum, comm, stream));
      RETURN_IF_FAILED(ncclReduceScatter(
          values.get(), values.get() + 1500 * mercury_rank(context), 1500,
          ncclFloat32, ncclMax, comm, stream));
      EXPECT_EQ(mercury_synchronize(context), 0);
    }
    // Both calls of a rank may be under way at the same time.
    EXPECT_LE(fakeCudaHostBlocks(), 4);
    EXPECT_EQ(values.read(), std::vector<float>(3000, 1024));
    return mercury_status(context);
  }));
}

// The driver may wait for the device where page-locked memory is allocated, and
// so for host functions that give such memory back.
TEST(CudaCopies, StagingGrowsWhileSomeIsGivenBack) {
  setenv("FAKE_CUDA_HOST_ALLOC_WAITS", "1", 1);
  Outcome outcome = Launch(2).run([](mercury_context *context) {
    DeviceVector<float> values(context, std::vector<float>(10000, 1));
    for (size_t count = 1000; count <= 10000; count += 1000)
      RETURN_IF_FAILED(ncclAllReduce(
          values.get(), values.get(), count, ncclFloat32, ncclSum,
          mercury_comm(context, 0), mercury_comm_stream(context, 0)));
    EXPECT_EQ(mercury_synchronize(context), 0);
    EXPECT_EQ(values.read().front(), 1024);
    return mercury_status(context);
  });
  unsetenv("FAKE_CUDA_HOST_ALLOC_WAITS");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
}

TEST(CudaCopies, TwoLevels) {
  Launch launch({{"node", 2, 0, 0}, {"gpu", 2, 0, 0}}, {{0}, {1}, {1, 0}});
  EXPECT_RUNS(launch.run([](mercury_context *context) {
    int rank = int(mercury_rank(context));
    DeviceVector<int32_t> mine(context, {rank});
    DeviceVector<int32_t> a(context, {-1, -1});
    DeviceVector<int32_t> b(context, {-1, -1});
    DeviceVector<int32_t> c(context, {-1, -1, -1, -1});
    // Three communicators and streams, in one group, no two ranks in the same
    // order of arrival.
    for (int repeat = 0; repeat < 10; ++repeat) {
      RETURN_IF_FAILED(ncclGroupStart());
      RETURN_IF_FAILED(ncclAllGather(mine.get(), a.get(), 1, ncclInt32,
                                     mercury_comm(context, 0),
                                     mercury_comm_stream(context, 0)));
      RETURN_IF_FAILED(ncclAllGather(mine.get(), b.get(), 1, ncclInt32,
                                     mercury_comm(context, 1),
                                     mercury_comm_stream(context, 1)));
      RETURN_IF_FAILED(ncclAllGather(mine.get(), c.get(), 1, ncclInt32,
                                     mercury_comm(context, 2),
                                     mercury_comm_stream(context, 2)));
      RETURN_IF_FAILED(ncclGroupEnd());
    }
    EXPECT_EQ(a.read(), (std::vector<int32_t>{rank % 2, rank % 2 + 2}));
    EXPECT_EQ(b.read(), (std::vector<int32_t>{rank / 2 * 2, rank / 2 * 2 + 1}));
    // [gpu, node]: gpu is major.
    EXPECT_EQ(c.read(), (std::vector<int32_t>{0, 2, 1, 3}));
    mercury_host_stats stats;
    mercury_cuda_get_stats(context, &stats);
    EXPECT_EQ(stats.bytes_sent, 10 * (4 + 4 + 12));
    EXPECT_EQ(stats.bytes_received, 10 * (4 + 4 + 12));
    return mercury_status(context);
  }));
}

TEST(CudaCopies, SplitAndUniqueId) {
  static ncclUniqueId id;
  EXPECT_RUNS(Launch(4).run([](mercury_context *context) {
    int rank = int(mercury_rank(context));
    if (rank == 0)
      RETURN_IF_FAILED(ncclGetUniqueId(&id));
    mercury_cuda_barrier(context);
    ncclComm_t all = nullptr, half = nullptr, none = nullptr;
    RETURN_IF_FAILED(ncclCommInitRank(&all, 4, id, 3 - rank));
    RETURN_IF_FAILED(ncclCommSplit(all, rank % 2, rank, &half, nullptr));
    RETURN_IF_FAILED(
        ncclCommSplit(mercury_comm(context, 0), -1, 0, &none, nullptr));
    EXPECT_EQ(none, nullptr);
    int count = 0, mine = -1;
    RETURN_IF_FAILED(ncclCommCount(half, &count));
    RETURN_IF_FAILED(ncclCommUserRank(half, &mine));
    EXPECT_EQ(count, 2);
    EXPECT_EQ(mine, rank / 2);
    DeviceVector<int32_t> value(context, {rank});
    DeviceVector<int32_t> both(context, {-1, -1});
    RETURN_IF_FAILED(ncclAllGather(value.get(), both.get(), 1, ncclInt32, half,
                                   mercury_comm_stream(context, 0)));
    EXPECT_EQ(both.read(), (std::vector<int32_t>{rank % 2, rank % 2 + 2}));
    RETURN_IF_FAILED(ncclCommDestroy(half));
    RETURN_IF_FAILED(ncclCommDestroy(all));
    return mercury_status(context);
  }));
}

TEST(CudaCopies, GatherAndBarrier) {
  EXPECT_RUNS(Launch(3).run([](mercury_context *context) {
    int64_t value = 10 + mercury_rank(context);
    std::vector<int64_t> all(3);
    for (int repeat = 0; repeat < 10; ++repeat) {
      RETURN_IF_FAILED(
          mercury_cuda_gather(context, &value, sizeof(value), all.data()));
      mercury_cuda_barrier(context);
      if (mercury_rank(context) == 0)
        EXPECT_EQ(all, (std::vector<int64_t>{10, 11, 12}));
    }
    return mercury_status(context);
  }));
}

TEST(CudaCopies, Mismatches) {
  Outcome outcome = Launch(2).run([](mercury_context *context) {
    int rank = int(mercury_rank(context));
    DeviceVector<float> values(context, std::vector<float>(8));
    RETURN_IF_FAILED(ncclAllReduce(
        values.get(), values.get(), 4 + rank, ncclFloat32, ncclSum,
        mercury_comm(context, 0), mercury_comm_stream(context, 0)));
    return 0;
  });
  EXPECT_EQ(outcome.code, ncclInvalidUsage);
  EXPECT_TRUE(outcome.has("all_reduce #1")) << outcome.text;
  EXPECT_TRUE(outcome.has("rank 0 has count 4")) << outcome.text;
  EXPECT_TRUE(outcome.has("rank 1 has count 5")) << outcome.text;
  EXPECT_TRUE(outcome.has("ncclAllReduce(")) << outcome.text;
  outcome = Launch(2).run([](mercury_context *context) {
    DeviceVector<float> values(context, std::vector<float>(8));
    ncclComm_t comm = mercury_comm(context, 0);
    cudaStream_t stream = mercury_comm_stream(context, 0);
    if (mercury_rank(context) == 0)
      RETURN_IF_FAILED(ncclSend(values.get(), 4, ncclFloat32, 1, comm, stream));
    else
      RETURN_IF_FAILED(ncclRecv(values.get(), 8, ncclFloat32, 0, comm, stream));
    return 0;
  });
  EXPECT_EQ(outcome.code, ncclInvalidUsage);
  EXPECT_TRUE(outcome.has("recv of 32 bytes from rank 0 on communicator 'gpu' "
                          "{0,1}: rank 0 sends 16 bytes"))
      << outcome.text;
  EXPECT_EQ(fakeCudaLive(), 0);
}

TEST(CudaCopies, InvalidArguments) {
  EXPECT_RUNS(Launch(1).run([](mercury_context *context) {
    ncclComm_t comm = mercury_comm(context, 0);
    EXPECT_EQ(ncclSend(&comm, 1, ncclFloat32, 1, comm, nullptr),
              ncclInvalidArgument);
    EXPECT_STREQ(ncclGetLastError(comm), "send: peer 1 is not a rank of "
                                         "communicator 'gpu' {0} of size 1");
    EXPECT_EQ(
        ncclAllReduce(nullptr, nullptr, 4, ncclFloat32, ncclSum, comm, nullptr),
        ncclInvalidArgument);
    EXPECT_EQ(
        ncclAllReduce(&comm, &comm, 4, ncclFloat32, ncclAvg, comm, nullptr),
        ncclInvalidArgument);
    EXPECT_EQ(ncclSend(&comm, 1, ncclFloat32, 0, nullptr, nullptr),
              ncclInvalidArgument);
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
    EXPECT_EQ(ncclCommDestroy(comm), ncclInvalidUsage);
    // A bad call takes its group with it.
    EXPECT_EQ(ncclGroupStart(), ncclSuccess);
    EXPECT_EQ(ncclSend(&comm, 1, ncclFloat32, 3, comm, nullptr),
              ncclInvalidArgument);
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
    return 0;
  }));
}

TEST(CudaCopies, ErrorOfTheDriver) {
  setenv("FAKE_CUDA_FAIL", "cuMemcpyDtoDAsync_v2:3:719", 1);
  Outcome outcome = Launch(2).run([](mercury_context *context) {
    DeviceVector<float> values(context, std::vector<float>(8));
    DeviceVector<float> all(context, std::vector<float>(16));
    for (int i = 0; i < 4; ++i)
      RETURN_IF_FAILED(ncclAllGather(values.get(), all.get(), 8, ncclFloat32,
                                     mercury_comm(context, 0),
                                     mercury_comm_stream(context, 0)));
    return 0;
  });
  unsetenv("FAKE_CUDA_FAIL");
  EXPECT_EQ(outcome.code, ncclUnhandledCudaError);
  EXPECT_TRUE(outcome.has("all_gather of 32 bytes on communicator 'gpu' "
                          "{0,1}: cuMemcpyDtoDAsync: unspecified launch "
                          "failure"))
      << outcome.text;
  EXPECT_EQ(fakeCudaLive(), 0);
}

TEST(CudaCopies, WatchdogNamesWhoWaits) {
  Outcome outcome = Launch(2).watchdog(0.5).run([](mercury_context *context) {
    DeviceVector<float> values(context, std::vector<float>(8));
    int peer = int(1 - mercury_rank(context));
    mercury_check(context, 0, "exchange at f.mlir:7");
    // Both receive first: nobody ever sends.
    return int(ncclRecv(values.get(), 4, ncclFloat32, peer,
                        mercury_comm(context, 0),
                        mercury_comm_stream(context, 0)));
  });
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_TRUE(outcome.has("no progress for 0.5 s: deadlock rank 0 -> rank 1 -> "
                          "rank 0"))
      << outcome.text;
  EXPECT_TRUE(outcome.has("rank 1 waits in recv of 16 bytes from rank 0 on "
                          "communicator 'gpu' {0,1} (after exchange at "
                          "f.mlir:7) for rank 0"))
      << outcome.text;
  EXPECT_EQ(fakeCudaLive(), 0);
}

TEST(CudaCopies, RankThatReturned) {
  Outcome outcome = Launch(3).run([](mercury_context *context) {
    DeviceVector<float> values(context, std::vector<float>(8));
    if (mercury_rank(context) == 2)
      return 0;
    return int(ncclBroadcast(values.get(), values.get(), 8, ncclFloat32, 0,
                             mercury_comm(context, 0),
                             mercury_comm_stream(context, 0)));
  });
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_TRUE(outcome.has("rank 2 has returned while rank ")) << outcome.text;
  EXPECT_TRUE(outcome.has("waits in broadcast of 32 bytes")) << outcome.text;
}

TEST(CudaCopies, ErrorEndsAllRanks) {
  Outcome outcome = Launch(4).run([](mercury_context *context) {
    if (mercury_rank(context) == 2) {
      mercury_check(context, ncclInternalError, "tile at f.mlir:3");
      return mercury_status(context);
    }
    mercury_cuda_barrier(context);
    EXPECT_EQ(mercury_status(context), ncclRemoteError);
    EXPECT_STREQ(mercury_error(context),
                 "rank 2: tile at f.mlir:3: internal error");
    return mercury_status(context);
  });
  EXPECT_EQ(outcome.code, ncclInternalError);
  EXPECT_EQ(outcome.text, "rank 2: tile at f.mlir:3: internal error");
}

} // namespace
