//===- StressTest.cpp - Many operations in random order -------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <fstream>
#include <random>
#include <sstream>

using namespace mercury::test;

namespace {

/// Resident memory of this process in KiB, 0 when the system does not tell.
int64_t residentKiB() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.rfind("VmRSS:", 0) == 0)
      return std::stoll(line.substr(6));
  return 0;
}

/// Enough to see a leak of a few bytes each.
constexpr int kCollectives = kThreadSanitizer ? 2000 : 20000;

TEST(Stress, HandlesAndMemoryStayConstant) {
  int64_t outside = mercury_host_live_handles();
  for (mercury_host_mode mode : kModes)
    EXPECT_RUNS(Launch(2).mode(mode).run([&](mercury_context *context) {
      ncclComm_t comm = mercury_comm(context, 0);
      cudaStream_t stream = mercury_comm_stream(context, 0);
      void *event = mercury_event(context, 0);
      int peer = static_cast<int>(1 - mercury_rank(context));
      int64_t handles = 0, memory = 0;
      for (int i = 0; i < kCollectives; ++i) {
        void *buffer = mercury_alloc(context, 4096, MERCURY_TRAVELLING, 0);
        float *values = static_cast<float *>(buffer);
        values[0] = values[1] = 1;
        switch (i % 3) {
        case 0:
          RETURN_IF_FAILED(ncclAllReduce(values, values, 2, ncclFloat32,
                                         ncclSum, comm, stream));
          break;
        case 1:
          RETURN_IF_FAILED(
              ncclAllGather(values, values + 16, 8, ncclFloat32, comm, stream));
          break;
        default:
          RETURN_IF_FAILED(ncclGroupStart());
          RETURN_IF_FAILED(
              ncclSend(values, 1, ncclFloat32, peer, comm, stream));
          RETURN_IF_FAILED(
              ncclRecv(values + 1, 1, ncclFloat32, peer, comm, stream));
          RETURN_IF_FAILED(ncclGroupEnd());
        }
        mgpuEventRecord(event, stream);
        mgpuEventSynchronize(event);
        mercury_free(context, buffer);
        if (i % 1000 != 999)
          continue;
        mercury_host_barrier(context);
        if (i == 999) {
          handles = mercury_host_live_handles();
          memory = residentKiB();
        } else {
          EXPECT_EQ(mercury_host_live_handles(), handles) << i;
        }
        mercury_host_barrier(context);
      }
      if (!kThreadSanitizer)
        EXPECT_LE(residentKiB() - memory, 2048);
      return mercury_status(context);
    }));
  EXPECT_EQ(mercury_host_live_handles(), outside);
}

TEST(Stress, ManyLaunches) {
  int64_t before = mercury_host_live_handles();
  for (int i = 0; i < (kThreadSanitizer ? 50 : 200); ++i)
    EXPECT_RUNS(Launch(1 + i % 5).run([&](mercury_context *context) {
      int32_t one = 1;
      cudaStream_t stream = i % 2 ? mercury_comm_stream(context, 0) : nullptr;
      RETURN_IF_FAILED(ncclAllReduce(&one, &one, 1, ncclInt32, ncclSum,
                                     mercury_comm(context, 0), stream));
      mgpuStreamSynchronize(stream);
      EXPECT_EQ(one, 1 + i % 5);
      return mercury_status(context);
    }));
  EXPECT_EQ(mercury_host_live_handles(), before);
}

/// A random program, the same on all ranks: operations on three communicators
/// of a 2 x 3 topology, on streams or inline, alone or in groups; every result
/// is checked.
int randomProgram(mercury_context *context, unsigned seed) {
  std::mt19937 random(seed);
  int32_t rank = static_cast<int32_t>(mercury_rank(context));
  struct Check {
    std::vector<int32_t> source, result, expected;
  };
  for (int round = 0; round < 12; ++round) {
    std::vector<Check> checks(1 + random() % 4);
    bool group = random() % 2;
    if (group)
      RETURN_IF_FAILED(ncclGroupStart());
    for (Check &check : checks) {
      int index = static_cast<int>(random() % 3);
      size_t count = random() % 3 ? 1 + random() % 40 : 9000 + random() % 4000;
      unsigned kind = random() % 4;
      bool inlineCall = random() % 3 == 0;
      ncclComm_t comm = mercury_comm(context, index);
      cudaStream_t stream =
          inlineCall ? nullptr : mercury_comm_stream(context, index);
      int size = 0, mine = 0;
      RETURN_IF_FAILED(ncclCommCount(comm, &size));
      RETURN_IF_FAILED(ncclCommUserRank(comm, &mine));
      // Global rank of member i of the communicator.
      auto member = [&](int i) {
        return index == 0   ? i * 3 + rank % 3
               : index == 1 ? rank / 3 * 3 + i
                            : i;
      };
      check.source.resize(count * (kind == 1 ? size : 1));
      for (size_t i = 0; i < check.source.size(); ++i)
        check.source[i] = static_cast<int32_t>(rank * 1000 + i);
      const int32_t *source = check.source.data();
      if (kind == 0) {
        check.result.assign(count * size, -1);
        for (int i = 0; i < size; ++i)
          for (size_t j = 0; j < count; ++j)
            check.expected.push_back(
                static_cast<int32_t>(member(i) * 1000 + j));
        RETURN_IF_FAILED(ncclAllGather(source, check.result.data(), count,
                                       ncclInt32, comm, stream));
      } else if (kind == 3) {
        check.result.assign(count, -1);
        int to = (mine + 1) % size, from = (mine + size - 1) % size;
        for (size_t j = 0; j < count; ++j)
          check.expected.push_back(
              static_cast<int32_t>(member(from) * 1000 + j));
        RETURN_IF_FAILED(ncclGroupStart());
        RETURN_IF_FAILED(ncclSend(source, count, ncclInt32, to, comm, stream));
        RETURN_IF_FAILED(ncclRecv(check.result.data(), count, ncclInt32, from,
                                  comm, stream));
        RETURN_IF_FAILED(ncclGroupEnd());
      } else {
        check.result.assign(count, -1);
        for (size_t j = 0; j < count; ++j) {
          int32_t sum = 0;
          for (int i = 0; i < size; ++i)
            sum += static_cast<int32_t>(member(i) * 1000 + j +
                                        (kind == 1 ? mine * count : 0));
          check.expected.push_back(sum);
        }
        if (kind == 1)
          RETURN_IF_FAILED(ncclReduceScatter(source, check.result.data(), count,
                                             ncclInt32, ncclSum, comm, stream));
        else
          RETURN_IF_FAILED(ncclAllReduce(source, check.result.data(), count,
                                         ncclInt32, ncclSum, comm, stream));
      }
    }
    if (group)
      RETURN_IF_FAILED(ncclGroupEnd());
    for (int index = 0; index < 3; ++index)
      mgpuStreamSynchronize(mercury_comm_stream(context, index));
    for (const Check &check : checks)
      EXPECT_EQ(check.result, check.expected) << "seed " << seed;
  }
  return mercury_status(context);
}

TEST(Stress, RandomPrograms) {
  for (unsigned seed = 0; seed < (kThreadSanitizer ? 8u : 24u); ++seed) {
    Launch launch({{"node", 2, 0, 0}, {"gpu", 3, 0, 0}}, {{0}, {1}, {0, 1}});
    launch.mode(kModes[seed % 2]);
    launch.config.strict = seed / 2 % 2;
    EXPECT_RUNS(launch.run([&](mercury_context *context) {
      return randomProgram(context, seed);
    }));
  }
}

} // namespace
