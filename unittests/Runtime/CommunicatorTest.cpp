//===- CommunicatorTest.cpp - Ranks inside communicators ------------------===//
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

/// Global ranks of the members of `comm` in order.
std::vector<int32_t> members(mercury_context *context, ncclComm_t comm) {
  int size = 0;
  EXPECT_EQ(ncclCommCount(comm, &size), ncclSuccess);
  std::vector<int32_t> all(size, -1);
  int32_t rank = int32_t(mercury_rank(context));
  EXPECT_EQ(ncclAllGather(&rank, all.data(), 1, ncclInt32, comm, nullptr),
            ncclSuccess);
  int own = -1;
  EXPECT_EQ(ncclCommUserRank(comm, &own), ncclSuccess);
  EXPECT_EQ(all[own], rank);
  return all;
}

// ms-swift#9509, lm-engine#456, vllm-ascend#16197, torchrec#4601, Paddle#44276:
// rank inside of the group against global rank. Groups {4,5,6,7} and {0,2,4,6}
// of 8 ranks, a ring on each.
TEST(Communicators, RankInGroupIsNotGlobalRank) {
  Launch launch({{"node", 2, 0, 0}, {"pair", 2, 0, 0}, {"gpu", 2, 0, 0}},
                {{1, 2}, {0, 1}, {2, 0}, {}, {0, 1, 2}});
  EXPECT_RUNS(launch.run([](mercury_context *context) {
    int32_t rank = int32_t(mercury_rank(context));
    int32_t node = rank / 4, pair = rank / 2 % 2, gpu = rank % 2;
    int32_t base = 4 * node;
    using List = std::vector<int32_t>;
    EXPECT_EQ(members(context, mercury_comm(context, 0)),
              (List{base, base + 1, base + 2, base + 3}));
    EXPECT_EQ(members(context, mercury_comm(context, 1)),
              (List{gpu, gpu + 2, gpu + 4, gpu + 6}));
    // The listed order counts: gpu is major here.
    EXPECT_EQ(members(context, mercury_comm(context, 2)),
              (List{2 * pair, 2 * pair + 4, 2 * pair + 1, 2 * pair + 5}));
    EXPECT_EQ(members(context, mercury_comm(context, 3)), (List{rank}));
    EXPECT_EQ(members(context, mercury_comm(context, 4)),
              (List{0, 1, 2, 3, 4, 5, 6, 7}));
    for (int index : {0, 1}) {
      ncclComm_t comm = mercury_comm(context, index);
      int mine = -1;
      RETURN_IF_FAILED(ncclCommUserRank(comm, &mine));
      int32_t in = -1;
      RETURN_IF_FAILED(ncclGroupStart());
      RETURN_IF_FAILED(
          ncclSend(&rank, 1, ncclInt32, (mine + 1) % 4, comm, nullptr));
      RETURN_IF_FAILED(
          ncclRecv(&in, 1, ncclInt32, (mine + 3) % 4, comm, nullptr));
      RETURN_IF_FAILED(ncclGroupEnd());
      int32_t expected = index == 0 ? base + (rank + 3) % 4 : (rank + 6) % 8;
      EXPECT_EQ(in, expected);
    }
    return 0;
  }));
}

TEST(Communicators, SplitByColorAndKey) {
  EXPECT_RUNS(Launch(8).run([](mercury_context *context) {
    int32_t rank = int32_t(mercury_rank(context));
    ncclComm_t even = nullptr, upper = nullptr;
    RETURN_IF_FAILED(ncclCommSplit(mercury_comm(context, 0), rank % 2, -rank,
                                   &even, nullptr));
    using List = std::vector<int32_t>;
    EXPECT_EQ(members(context, even),
              rank % 2 ? (List{7, 5, 3, 1}) : (List{6, 4, 2, 0}));
    RETURN_IF_FAILED(ncclCommSplit(mercury_comm(context, 0), rank >= 4 ? 0 : -1,
                                   0, &upper, nullptr));
    EXPECT_EQ(upper != nullptr, rank >= 4);
    if (upper)
      EXPECT_EQ(members(context, upper), (List{4, 5, 6, 7}));
    RETURN_IF_FAILED(ncclCommDestroy(even));
    RETURN_IF_FAILED(ncclCommDestroy(upper));
    return 0;
  }));
}

TEST(Communicators, InitFromUniqueId) {
  EXPECT_RUNS(Launch(4).run([&](mercury_context *context) {
    ncclUniqueId id = shareUniqueId(context);
    ncclComm_t comm = nullptr;
    int32_t rank = int32_t(mercury_rank(context));
    RETURN_IF_FAILED(ncclCommInitRank(&comm, 4, id, 3 - rank));
    EXPECT_EQ(members(context, comm), (std::vector<int32_t>{3, 2, 1, 0}));
    ncclResult_t error = ncclInternalError;
    RETURN_IF_FAILED(ncclCommGetAsyncError(comm, &error));
    EXPECT_EQ(error, ncclSuccess);
    RETURN_IF_FAILED(ncclCommDestroy(comm));
    return 0;
  }));
}

TEST(Communicators, InitIsChecked) {
  if (processCount() > 1)
    GTEST_SKIP() << "outside of a launch, which needs threads";
  ncclUniqueId id = {};
  ncclComm_t comm = nullptr, second = nullptr;
  EXPECT_EQ(ncclCommInitRank(&comm, 2, id, 0), ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(nullptr),
               "commId was not made by ncclGetUniqueId");
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  EXPECT_EQ(ncclCommInitRank(&comm, 2, id, 2), ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(nullptr),
               "rank 2 is not a rank of a communicator of size 2");
  EXPECT_EQ(ncclCommInitRank(&comm, 2, id, 0), ncclSuccess);
  EXPECT_EQ(ncclCommInitRank(&second, 3, id, 1), ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(nullptr),
               "rank 1 asks for a communicator of size 3, another rank asked "
               "for size 2 with the same id");
  EXPECT_EQ(ncclCommInitRank(&second, 2, id, 0), ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(nullptr),
               "rank 0 has joined the communicator twice");
  EXPECT_RUNS(Launch(1).run([&](mercury_context *) {
    EXPECT_EQ(ncclCommInitRank(&second, 2, id, 1), ncclInvalidUsage);
    const std::string text = ncclGetLastError(nullptr);
    EXPECT_EQ(text.rfind("the ranks of communicator 'id ", 0), 0u) << text;
    EXPECT_NE(text.find(" are not of one launch"), std::string::npos) << text;
    return 0;
  }));
  EXPECT_EQ(ncclCommInitRank(&second, 2, id, 1), ncclSuccess);

  // Outside of a launch, and one thread for both ranks.
  int32_t a = 1, b = 2;
  EXPECT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(ncclAllReduce(&a, &a, 1, ncclInt32, ncclSum, comm, nullptr),
            ncclSuccess);
  EXPECT_EQ(ncclAllReduce(&b, &b, 1, ncclInt32, ncclSum, second, nullptr),
            ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_EQ(a, 3);
  EXPECT_EQ(b, 3);
  EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  EXPECT_EQ(ncclCommDestroy(second), ncclSuccess);
}

TEST(Communicators, RankThatNeverJoins) {
  Outcome outcome = Launch(3).watchdog(0.1).run([&](mercury_context *context) {
    ncclUniqueId id = shareUniqueId(context);
    ncclComm_t comm = nullptr;
    int32_t value = 0;
    if (mercury_rank(context) == 1) {
      while (mercury_status(context) == 0)
        mercury_host_barrier(context);
      return 0;
    }
    RETURN_IF_FAILED(ncclCommInitRank(&comm, 3, id,
                                      static_cast<int>(mercury_rank(context))));
    int result =
        ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum, comm, nullptr);
    mercury_check(context, result, "all_reduce");
    ncclCommDestroy(comm);
    return result;
  });
  EXPECT_EQ(outcome.code, ncclRemoteError);
  if (processCount() > 1) {
    EXPECT_TRUE(outcome.has("rank 2 waits in ncclCommInitRank for the other "
                            "ranks of id 1"))
        << outcome.text;
    return;
  }
  EXPECT_TRUE(outcome.has("for rank 1 of the communicator")) << outcome.text;
  EXPECT_TRUE(outcome.has("{0,?,2}")) << outcome.text;
}

TEST(Communicators, AbortWakesTheOthers) {
  Outcome outcome = Launch(2).run([&](mercury_context *context) {
    ncclUniqueId id = shareUniqueId(context);
    ncclComm_t comm = nullptr;
    int32_t value = 0;
    int rank = static_cast<int>(mercury_rank(context));
    RETURN_IF_FAILED(ncclCommInitRank(&comm, 2, id, rank));
    // Rank 1 is beyond its start when rank 0 aborts, at most in this send.
    if (rank == 1)
      (void)ncclSend(&value, 1, ncclInt32, 0, mercury_comm(context, 0),
                     nullptr);
    if (rank == 0) {
      RETURN_IF_FAILED(
          ncclRecv(&value, 1, ncclInt32, 1, mercury_comm(context, 0), nullptr));
      RETURN_IF_FAILED(ncclRecv(&value, 1, ncclInt32, 1, comm,
                                mercury_comm_stream(context, 0)));
      EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
      return mercury_status(context);
    }
    int result =
        ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum, comm, nullptr);
    ncclCommDestroy(comm);
    return result;
  });
  EXPECT_EQ(outcome.code, ncclRemoteError);
  EXPECT_TRUE(outcome.has("rank 0: aborted communicator")) << outcome.text;
}

TEST(Communicators, GroupOverTwoLaunches) {
  if (processCount() > 1)
    GTEST_SKIP() << "outside of a launch, which needs threads";
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclComm_t outside = nullptr;
  ASSERT_EQ(ncclCommInitRank(&outside, 1, id, 0), ncclSuccess);
  EXPECT_RUNS(Launch(1).run([&](mercury_context *context) {
    int32_t value = 1;
    RETURN_IF_FAILED(ncclGroupStart());
    for (ncclComm_t comm : {mercury_comm(context, 0), outside})
      RETURN_IF_FAILED(
          ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum, comm, nullptr));
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
    EXPECT_STREQ(ncclGetLastError(nullptr),
                 "a group holds communicators of two launches");
    return 0;
  }));
  EXPECT_EQ(ncclCommDestroy(outside), ncclSuccess);
}

TEST(Communicators, NullPointers) {
  auto says = [](ncclResult_t result, const char *text) {
    EXPECT_EQ(result, ncclInvalidArgument);
    EXPECT_STREQ(ncclGetLastError(nullptr), text);
  };
  int number = 0;
  ncclResult_t error = ncclSuccess;
  says(ncclGetVersion(nullptr), "version is NULL");
  says(ncclGetUniqueId(nullptr), "uniqueId is NULL");
  says(ncclCommInitRank(nullptr, 1, ncclUniqueId(), 0), "comm is NULL");
  says(ncclCommCount(nullptr, &number), "comm or count is NULL");
  says(ncclCommUserRank(nullptr, &number), "comm or rank is NULL");
  says(ncclCommGetAsyncError(nullptr, &error), "comm or asyncError is NULL");
}

TEST(Communicators, Names) {
  int version = 0;
  EXPECT_EQ(ncclGetVersion(&version), ncclSuccess);
  EXPECT_EQ(version, 21900);
  const char *names[] = {"no error",
                         "unhandled device error",
                         "system error",
                         "internal error",
                         "invalid argument",
                         "invalid usage",
                         "another rank failed or does not answer",
                         "in progress",
                         "unknown result code"};
  for (int code = 0; code <= ncclNumResults; ++code)
    EXPECT_STREQ(ncclGetErrorString(static_cast<ncclResult_t>(code)),
                 names[code]);
}

} // namespace
