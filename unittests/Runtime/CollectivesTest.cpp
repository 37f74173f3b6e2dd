//===- CollectivesTest.cpp - Collectives, in place and in groups ----------===//
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

// tt-mlir#9021: reduce-scatter followed by all-gather equals all-reduce on 1 to
// 4 ranks, at the first and at the second call.
TEST(Collectives, ReduceScatterAndAllGatherEqualAllReduce) {
  for (int64_t ranks = 1; ranks <= 4; ++ranks)
    for (size_t count : {size_t(3), size_t(9001)})
      EXPECT_RUNS(Launch(ranks).run([&](mercury_context *context) {
        ncclComm_t comm = mercury_comm(context, 0);
        cudaStream_t stream = mercury_comm_stream(context, 0);
        size_t total = count * ranks;
        for (int call = 0; call < 2; ++call) {
          std::vector<float> values(total), reduced(total, -1), part(count, -1),
              gathered(total, -1);
          for (size_t i = 0; i < total; ++i)
            values[i] = 0.1f * static_cast<float>(
                                   i % 97 + 7 * mercury_rank(context) + call);
          RETURN_IF_FAILED(ncclAllReduce(values.data(), reduced.data(), total,
                                         ncclFloat32, ncclSum, comm, stream));
          RETURN_IF_FAILED(ncclReduceScatter(values.data(), part.data(), count,
                                             ncclFloat32, ncclSum, comm,
                                             stream));
          RETURN_IF_FAILED(ncclAllGather(part.data(), gathered.data(), count,
                                         ncclFloat32, comm, stream));
          mgpuStreamSynchronize(stream);
          EXPECT_EQ(gathered, reduced);
        }
        return mercury_status(context);
      }));
}

TEST(Collectives, InPlace) {
  const int64_t ranks = 4;
  for (size_t count : {size_t(5), size_t(20000)})
    EXPECT_RUNS(Launch(ranks).run([&](mercury_context *context) {
      ncclComm_t comm = mercury_comm(context, 0);
      int64_t rank = mercury_rank(context);
      std::vector<int32_t> all(count * ranks, -1);
      std::fill_n(all.begin() + rank * count, count, int32_t(rank));
      RETURN_IF_FAILED(ncclAllGather(all.data() + rank * count, all.data(),
                                     count, ncclInt32, comm, nullptr));
      for (size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i], int32_t(i / count));

      for (size_t i = 0; i < all.size(); ++i)
        all[i] = int32_t(i + rank);
      RETURN_IF_FAILED(ncclReduceScatter(all.data(), all.data() + rank * count,
                                         count, ncclInt32, ncclSum, comm,
                                         nullptr));
      for (size_t i = rank * count; i < (rank + 1) * count; ++i)
        EXPECT_EQ(all[i], int32_t(4 * i + 6));

      for (size_t i = 0; i < all.size(); ++i)
        all[i] = int32_t(i + rank);
      RETURN_IF_FAILED(ncclAllReduce(all.data(), all.data(), all.size(),
                                     ncclInt32, ncclSum, comm, nullptr));
      for (size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i], int32_t(4 * i + 6));

      for (size_t i = 0; i < all.size(); ++i)
        all[i] = int32_t(100 * rank + i % 7);
      RETURN_IF_FAILED(ncclBroadcast(all.data(), all.data(), all.size(),
                                     ncclInt32, 2, comm, nullptr));
      for (size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i], int32_t(200 + i % 7));
      return 0;
    }));
}

TEST(Collectives, BroadcastReadsOnlyTheRoot) {
  EXPECT_RUNS(Launch(3).run([&](mercury_context *context) {
    int64_t value = -1, source = 41;
    RETURN_IF_FAILED(
        ncclBroadcast(mercury_rank(context) == 1 ? &source : nullptr, &value, 1,
                      ncclInt64, 1, mercury_comm(context, 0), nullptr));
    EXPECT_EQ(value, 41);
    return 0;
  }));
}

TEST(Collectives, EveryTypeIsGathered) {
  const ncclDataType_t types[] = {
      ncclInt8,   ncclUint8,   ncclInt32,   ncclUint32,  ncclInt64,
      ncclUint64, ncclFloat16, ncclFloat32, ncclFloat64, ncclBfloat16};
  const size_t widths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  for (int t = 0; t < 10; ++t)
    EXPECT_RUNS(Launch(3).run([&](mercury_context *context) {
      size_t bytes = 11 * widths[t];
      std::vector<char> mine(bytes, char('a' + mercury_rank(context)));
      std::vector<char> all(3 * bytes, 0);
      RETURN_IF_FAILED(ncclAllGather(mine.data(), all.data(), 11, types[t],
                                     mercury_comm(context, 0), nullptr));
      for (size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i], char('a' + i / bytes));
      return 0;
    }));
}

TEST(Collectives, EmptyBuffers) {
  EXPECT_RUNS(Launch(2).run([&](mercury_context *context) {
    ncclComm_t comm = mercury_comm(context, 0);
    RETURN_IF_FAILED(ncclAllReduce(nullptr, nullptr, 0, ncclFloat32, ncclSum,
                                   comm, nullptr));
    RETURN_IF_FAILED(
        ncclAllGather(nullptr, nullptr, 0, ncclFloat32, comm, nullptr));
    RETURN_IF_FAILED(ncclGroupStart());
    RETURN_IF_FAILED(ncclSend(nullptr, 0, ncclFloat32,
                              int(1 - mercury_rank(context)), comm, nullptr));
    RETURN_IF_FAILED(ncclRecv(nullptr, 0, ncclFloat32,
                              int(1 - mercury_rank(context)), comm, nullptr));
    RETURN_IF_FAILED(ncclGroupEnd());
    return 0;
  }));
}

// Several collectives and messages, on two communicators and two streams, in
// one nested group (openxla/xla#40656: overlapping groups in flight).
TEST(Collectives, GroupOverCommunicatorsAndStreams) {
  for (mercury_host_mode mode : kModes)
    for (bool strict : {false, true}) {
      Launch launch({{"node", 2, 0, 0}, {"gpu", 2, 0, 0}}, {{0}, {1}, {0, 1}});
      launch.mode(mode).config.strict = strict;
      EXPECT_RUNS(launch.run([&](mercury_context *context) {
        int32_t rank = int32_t(mercury_rank(context));
        ncclComm_t node = mercury_comm(context, 0);
        ncclComm_t gpu = mercury_comm(context, 1);
        ncclComm_t all = mercury_comm(context, 2);
        std::vector<int32_t> gathered(2, -1);
        int32_t sum = -1, received = -1, total = -1;
        for (int repeat = 0; repeat < 20; ++repeat) {
          RETURN_IF_FAILED(ncclGroupStart());
          RETURN_IF_FAILED(ncclAllReduce(&rank, &sum, 1, ncclInt32, ncclSum,
                                         node,
                                         mercury_comm_stream(context, 0)));
          RETURN_IF_FAILED(ncclGroupStart());
          RETURN_IF_FAILED(ncclAllGather(&rank, gathered.data(), 1, ncclInt32,
                                         gpu, mercury_comm_stream(context, 1)));
          RETURN_IF_FAILED(ncclGroupEnd());
          RETURN_IF_FAILED(ncclRecv(&received, 1, ncclInt32, (rank + 3) % 4,
                                    all, mercury_comm_stream(context, 1)));
          RETURN_IF_FAILED(ncclAllReduce(&rank, &total, 1, ncclInt32, ncclMax,
                                         all, nullptr));
          RETURN_IF_FAILED(ncclSend(&rank, 1, ncclInt32, (rank + 1) % 4, all,
                                    mercury_comm_stream(context, 0)));
          RETURN_IF_FAILED(ncclGroupEnd());
          mgpuStreamSynchronize(mercury_comm_stream(context, 0));
          mgpuStreamSynchronize(mercury_comm_stream(context, 1));
          EXPECT_EQ(sum, 2 * (rank % 2) + 2);
          EXPECT_EQ(gathered[0], rank / 2 * 2);
          EXPECT_EQ(gathered[1], rank / 2 * 2 + 1);
          EXPECT_EQ(received, (rank + 3) % 4);
          EXPECT_EQ(total, 3);
        }
        return mercury_status(context);
      }));
    }
}

} // namespace
