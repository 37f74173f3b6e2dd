//===- NcclTest.cpp - Ranks that have a device each -----------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

using namespace mercury::test;

namespace {

/// Four fake devices and an empty list of calls.
class CudaNccl : public testing::Test {
protected:
  void SetUp() override {
    setenv("FAKE_CUDA_DEVICES", "4", 1);
    fakeNcclConfigure("", false);
  }
  void TearDown() override {
    unsetenv("FAKE_CUDA_DEVICES");
    fakeNcclConfigure("", false);
  }
};

/// Calls that contain `part`.
std::vector<std::string> callsWith(const std::string &part) {
  std::vector<std::string> result;
  for (const std::string &call : fakeNcclCalls())
    if (call.find(part) != std::string::npos)
      result.push_back(call);
  return result;
}

TEST_F(CudaNccl, CommunicatorsInOneOrder) {
  Launch launch({{"node", 2, 0, 0}, {"gpu", 2, 0, 0}}, {{1}, {0}, {0, 1}});
  int before = fakeCudaAccessGiven();
  EXPECT_RUNS(launch.run([](mercury_context *context) {
    int rank = -1;
    EXPECT_EQ(ncclCommUserRank(mercury_comm(context, 0), &rank), ncclSuccess);
    EXPECT_EQ(rank, mercury_rank(context) % 2);
    return mercury_status(context);
  }));
  // NCCL may use the memory of every rank on every other device.
  EXPECT_EQ(fakeCudaAccessGiven(), before + 4 * 3);
  EXPECT_EQ(callsWith("ncclGetUniqueId").size(), 1u);
  EXPECT_EQ(
      callsWith("of rank 2"),
      (std::vector<std::string>{"ncclCommInitRank 4 comm 0 of rank 2",
                                "ncclCommSplit color 2 key 0 comm 1 of rank 2",
                                "ncclCommSplit color 0 key 1 comm 2 of rank 2",
                                "ncclCommSplit color 0 key 2 comm 3 of rank 2",
                                "ncclCommDestroy comm 1 of rank 2",
                                "ncclCommDestroy comm 2 of rank 2",
                                "ncclCommDestroy comm 3 of rank 2",
                                "ncclCommDestroy comm 0 of rank 2"}));
}

TEST_F(CudaNccl, CallsReachNccl) {
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    if (mercury_rank(context) == 1)
      return 0;
    int version = 0;
    EXPECT_EQ(ncclGetVersion(&version), ncclSuccess);
    EXPECT_EQ(version, 12345);
    ncclComm_t comm = mercury_comm(context, 0);
    cudaStream_t stream = mercury_comm_stream(context, 0);
    float *p = reinterpret_cast<float *>(64);
    RETURN_IF_FAILED(ncclGroupStart());
    RETURN_IF_FAILED(ncclSend(p, 4, ncclFloat32, 1, comm, stream));
    RETURN_IF_FAILED(ncclRecv(p, 5, ncclBfloat16, 1, comm, stream));
    RETURN_IF_FAILED(ncclGroupEnd());
    RETURN_IF_FAILED(ncclAllGather(p, p, 6, ncclFloat32, comm, stream));
    RETURN_IF_FAILED(
        ncclReduceScatter(p, p, 7, ncclFloat32, ncclMax, comm, stream));
    RETURN_IF_FAILED(ncclAllReduce(p, p, 8, ncclInt8, ncclSum, comm, stream));
    RETURN_IF_FAILED(ncclBroadcast(p, p, 9, ncclInt8, 1, comm, stream));
    mercury_host_stats stats;
    mercury_cuda_get_stats(context, &stats);
    EXPECT_EQ(stats.messages, 1 + 1 + 1 + 2);
    return mercury_status(context);
  }));
  std::vector<std::string> calls = fakeNcclCalls();
  auto first = std::find(calls.begin(), calls.end(), "ncclGroupStart");
  ASSERT_GE(calls.end() - first, 8);
  EXPECT_EQ(std::vector<std::string>(first, first + 8),
            (std::vector<std::string>{
                "ncclGroupStart", "ncclSend 4 7 1 comm 1 of rank 0",
                "ncclRecv 5 9 1 comm 1 of rank 0", "ncclGroupEnd",
                "ncclAllGather 6 7 comm 1 of rank 0",
                "ncclReduceScatter 7 7 2 comm 1 of rank 0",
                "ncclAllReduce 8 0 0 comm 1 of rank 0",
                "ncclBroadcast 9 0 1 comm 1 of rank 0"}));
}

TEST_F(CudaNccl, NoSplitInsideOfAGroup) {
  Outcome outcome = Launch(2).run([](mercury_context *context) {
    if (mercury_rank(context) == 1)
      return 0;
    ncclComm_t part = nullptr;
    EXPECT_EQ(ncclGroupStart(), ncclSuccess);
    mercury_check(context,
                  ncclCommSplit(mercury_comm(context, 0), 0, 0, &part, nullptr),
                  "split at f.mlir:2");
    EXPECT_NE(ncclGroupEnd(), ncclSuccess);
    return mercury_status(context);
  });
  EXPECT_EQ(outcome.code, ncclInvalidUsage);
  EXPECT_EQ(outcome.text, "rank 0: split at f.mlir:2: split inside of a group");
}

TEST_F(CudaNccl, ErrorOfACall) {
  Outcome outcome = Launch(2).run([](mercury_context *context) {
    if (mercury_rank(context) == 1)
      return 0;
    mercury_check(context,
                  ncclReduceScatter(nullptr, nullptr, 1, ncclFloat32, ncclAvg,
                                    mercury_comm(context, 0), nullptr),
                  "reduce at f.mlir:9");
    return mercury_status(context);
  });
  EXPECT_EQ(outcome.code, ncclInvalidArgument);
  EXPECT_EQ(outcome.text, "rank 0: reduce at f.mlir:9: reduce_scatter with "
                          "unsupported reduction 4 (avg)");
}

// NCCL meets an error while the device works: rank, communicator and operation
// are named, and all ranks end, also those that wait for the device.
TEST_F(CudaNccl, AsyncErrorEndsAllRanks) {
  fakeNcclConfigure("2:2:6", true);
  Outcome outcome =
      Launch({{"node", 2, 0, 0}, {"gpu", 2, 0, 0}}, {{1}})
          .run([](mercury_context *context) {
            ncclComm_t comm = mercury_comm(context, 0);
            cudaStream_t stream = mercury_comm_stream(context, 0);
            float *p = reinterpret_cast<float *>(64);
            RETURN_IF_FAILED(ncclAllGather(p, p, 6, ncclFloat32, comm, stream));
            mercury_check(context,
                          ncclAllGather(p, p, 6, ncclFloat32, comm, stream),
                          "hop at f.mlir:5");
            EXPECT_NE(mercury_synchronize(context), 0);
            EXPECT_NE(ncclAllGather(p, p, 6, ncclFloat32, comm, stream), 0);
            return mercury_status(context);
          });
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_EQ(
      outcome.text,
      "rank 2: ncclAllGather(p, p, 6, ncclFloat32, comm, stream): NCCL on "
      "communicator 'gpu' {2,3}: a fake error: the fake's last error");
  // One communicator of its own and one of all, on four ranks; none destroyed.
  EXPECT_EQ(callsWith("ncclCommAbort").size(), 8u);
  EXPECT_EQ(callsWith("ncclCommDestroy").size(), 0u);
  EXPECT_EQ(fakeCudaLive(), 0);
}

// What a group holds would start on communicators that are aborted.
TEST_F(CudaNccl, GroupIsDroppedAfterAFailure) {
  Outcome outcome = Launch(2).run([](mercury_context *context) {
    if (mercury_rank(context) == 1) {
      mercury_cuda_barrier(context);
      mercury_check(context, ncclInvalidArgument, "hop at f.mlir:3");
      return mercury_status(context);
    }
    EXPECT_EQ(ncclGroupStart(), ncclSuccess);
    EXPECT_EQ(ncclSend(reinterpret_cast<float *>(64), 4, ncclFloat32, 1,
                       mercury_comm(context, 0),
                       mercury_comm_stream(context, 0)),
              ncclSuccess);
    mercury_cuda_barrier(context);
    while (mercury_status(context) == 0)
      std::this_thread::yield();
    EXPECT_EQ(ncclGroupEnd(), ncclRemoteError);
    return mercury_status(context);
  });
  EXPECT_EQ(outcome.code, ncclInvalidArgument);
  EXPECT_EQ(callsWith("ncclGroupEnd").size(), 0u);
  EXPECT_EQ(callsWith("ncclCommAbort").size(), 4u);
}

TEST_F(CudaNccl, WatchdogNamesTheOperation) {
  fakeNcclConfigure("", true);
  Outcome outcome = Launch(2).watchdog(0.6).run([](mercury_context *context) {
    float *p = reinterpret_cast<float *>(64);
    mercury_check(context,
                  ncclBroadcast(p, p, 9, ncclInt8, 1, mercury_comm(context, 0),
                                mercury_comm_stream(context, 0)),
                  "broadcast at f.mlir:4");
    return mercury_synchronize(context);
  });
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_TRUE(outcome.has("no progress for 0.6 s")) << outcome.text;
  EXPECT_TRUE(outcome.has("rank 1 has on a stream: broadcast of 9 bytes on "
                          "communicator 'gpu' {0,1} (broadcast at f.mlir:4)"))
      << outcome.text;
  EXPECT_TRUE(outcome.has("rank 0 waits for the device")) << outcome.text;
  EXPECT_EQ(callsWith("ncclCommAbort").size(), 4u);
  EXPECT_EQ(fakeCudaLive(), 0);
}

TEST_F(CudaNccl, ChosenByTheNumberOfDevices) {
  auto none = [](mercury_context *) { return 0; };
  EXPECT_RUNS(Launch(4).run(none));
  EXPECT_EQ(callsWith("ncclCommInitRank").size(), 4u);
  fakeNcclConfigure("", false);
  EXPECT_RUNS(Launch(5).run(none));
  EXPECT_RUNS(Launch(1).run(none));
  EXPECT_RUNS(Launch(4).transport(MERCURY_CUDA_COPIES).run(none));
  EXPECT_EQ(callsWith("ncclCommInitRank").size(), 0u);
  EXPECT_RUNS(Launch(1).transport(MERCURY_CUDA_NCCL).run(none));
  EXPECT_EQ(callsWith("ncclCommInitRank").size(), 1u);
  Outcome outcome = Launch(5).transport(MERCURY_CUDA_NCCL).run(none);
  EXPECT_EQ(outcome.code, MERCURY_CUDA_UNAVAILABLE);
  EXPECT_EQ(outcome.text, "5 CUDA devices are needed from number 0 on, the "
                          "machine has 4");
  setenv("FAKE_CUDA_DEVICES", "0", 1);
  outcome = Launch(1).run(none);
  EXPECT_EQ(outcome.code, MERCURY_CUDA_UNAVAILABLE);
  EXPECT_EQ(outcome.text, "no CUDA device can be used here");
}

} // namespace
