//===- ErrorsTest.cpp - Wrong programs get an error, never a hang ---------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <cstring>

using namespace mercury::test;

namespace {

TEST(Errors, SizesOfMessagesDiffer) {
  for (mercury_host_mode mode : kModes)
    for (bool receiverFirst : {false, true}) {
      Outcome outcome = Launch(4).mode(mode).run([&](mercury_context *context) {
        ncclComm_t comm = mercury_comm(context, 0);
        std::vector<float> buffer(64);
        if (mercury_rank(context) == (receiverFirst ? 1 : 3))
          mercury_alloc(context, 1, MERCURY_STAGING, -1);
        if (mercury_rank(context) == 1)
          RETURN_IF_FAILED(
              ncclSend(buffer.data(), 8, ncclFloat32, 3, comm, nullptr));
        if (mercury_rank(context) == 3)
          RETURN_IF_FAILED(
              ncclRecv(buffer.data(), 16, ncclFloat32, 1, comm, nullptr));
        // The others wait for something else and must come out of it.
        RETURN_IF_FAILED(ncclAllReduce(buffer.data(), buffer.data(), 1,
                                       ncclFloat32, ncclSum, comm, nullptr));
        return 0;
      });
      EXPECT_EQ(outcome.code, ncclInvalidUsage);
      EXPECT_TRUE(outcome.has("rank 1 sends 32 bytes")) << outcome.text;
      EXPECT_TRUE(outcome.has("rank 3 receives 64 bytes")) << outcome.text;
      EXPECT_TRUE(outcome.has("communicator 'gpu' {0,1,2,3}")) << outcome.text;
    }
}

/// Runs a collective that rank 2 calls differently.
Outcome runDifferent(
    const std::function<ncclResult_t(bool odd, float *buffer, ncclComm_t comm,
                                     cudaStream_t stream)> &call,
    bool onStream) {
  return Launch(3).run([&](mercury_context *context) {
    std::vector<float> buffer(64);
    cudaStream_t stream = onStream ? mercury_comm_stream(context, 0) : nullptr;
    int result = call(mercury_rank(context) == 2, buffer.data(),
                      mercury_comm(context, 0), stream);
    mercury_check(context, result, "step 7");
    mgpuStreamSynchronize(stream);
    EXPECT_NE(mercury_status(context), 0);
    EXPECT_STRNE(mercury_error(context), "");
    return mercury_status(context);
  });
}

TEST(Errors, CollectivesDiffer) {
  for (bool onStream : {false, true}) {
    Outcome outcome = runDifferent(
        [](bool odd, float *buffer, ncclComm_t comm, cudaStream_t stream) {
          return ncclAllReduce(buffer, buffer, odd ? 5 : 4, ncclFloat32,
                               ncclSum, comm, stream);
        },
        onStream);
    EXPECT_EQ(outcome.code, ncclInvalidUsage);
    EXPECT_TRUE(outcome.has("all_reduce #1")) << outcome.text;
    EXPECT_TRUE(outcome.has("rank 2 has count 5")) << outcome.text;
    EXPECT_TRUE(outcome.has("has count 4")) << outcome.text;

    outcome = runDifferent(
        [](bool odd, float *buffer, ncclComm_t comm, cudaStream_t stream) {
          return ncclAllReduce(buffer, buffer, 4,
                               odd ? ncclFloat64 : ncclFloat32, ncclSum, comm,
                               stream);
        },
        onStream);
    EXPECT_TRUE(outcome.has("rank 2 has type f64")) << outcome.text;
    EXPECT_TRUE(outcome.has("has type f32")) << outcome.text;

    outcome = runDifferent(
        [](bool odd, float *buffer, ncclComm_t comm, cudaStream_t stream) {
          return ncclAllReduce(buffer, buffer, 4, ncclFloat32,
                               odd ? ncclMax : ncclSum, comm, stream);
        },
        onStream);
    EXPECT_TRUE(outcome.has("rank 2 has reduction max")) << outcome.text;
    EXPECT_TRUE(outcome.has("has reduction sum")) << outcome.text;

    outcome = runDifferent(
        [](bool odd, float *buffer, ncclComm_t comm, cudaStream_t stream) {
          return ncclBroadcast(buffer, buffer, 4, ncclFloat32, odd ? 1 : 0,
                               comm, stream);
        },
        onStream);
    EXPECT_TRUE(outcome.has("rank 2 has root 1")) << outcome.text;
    EXPECT_TRUE(outcome.has("has root 0")) << outcome.text;

    outcome = runDifferent(
        [](bool odd, float *buffer, ncclComm_t comm, cudaStream_t stream) {
          if (odd)
            return ncclAllReduce(buffer, buffer, 4, ncclFloat32, ncclSum, comm,
                                 stream);
          return ncclAllGather(buffer + 16, buffer, 4, ncclFloat32, comm,
                               stream);
        },
        onStream);
    EXPECT_TRUE(outcome.has("rank 2 has all_reduce")) << outcome.text;
    EXPECT_TRUE(outcome.has("has all_gather")) << outcome.text;
  }
}

TEST(Errors, InvalidArguments) {
  EXPECT_RUNS(Launch(2).run([&](mercury_context *context) {
    ncclComm_t comm = mercury_comm(context, 0);
    float value = 0;
    EXPECT_EQ(ncclSend(&value, 1, ncclFloat32, 2, comm, nullptr),
              ncclInvalidArgument);
    EXPECT_STREQ(
        ncclGetLastError(comm),
        "send: peer 2 is not a rank of communicator 'gpu' {0,1} of size 2");
    auto says = [&](ncclResult_t result, const char *text) {
      EXPECT_EQ(result, ncclInvalidArgument) << text;
      EXPECT_STREQ(ncclGetLastError(comm), text);
    };
    says(ncclSend(&value, 1, ncclFloat32, -1, comm, nullptr),
         "send: peer -1 is not a rank of communicator 'gpu' {0,1} of size 2");
    says(ncclBroadcast(&value, &value, 1, ncclFloat32, 5, comm, nullptr),
         "broadcast: root 5 is not a rank of communicator 'gpu' {0,1} of size "
         "2");
    says(ncclSend(&value, 1, static_cast<ncclDataType_t>(12), 1, comm, nullptr),
         "send of unknown data type 12");
    says(ncclSend(nullptr, 1, ncclFloat32, 1, comm, nullptr),
         "send of 1 elements with a NULL buffer");
    says(ncclRecv(nullptr, 3, ncclFloat32, 1, comm, nullptr),
         "recv of 3 elements with a NULL buffer");
    says(ncclRecv(&value, SIZE_MAX / 2, ncclFloat32, 1, comm, nullptr),
         "recv of 9223372036854775807 elements exceeds the address space");
    says(ncclAllReduce(&value, &value, 1, ncclFloat32, ncclAvg, comm, nullptr),
         "all_reduce with unsupported reduction 4 (avg)");
    says(ncclReduceScatter(&value, &value, 1, ncclFloat32,
                           static_cast<ncclRedOp_t>(7), comm, nullptr),
         "reduce_scatter with unsupported reduction 7 (unknown reduction)");
    says(ncclAllGather(&value, &value, 1, ncclFloat32, nullptr, nullptr),
         "all_gather without a communicator");
    says(ncclCommSplit(comm, 0, 0, nullptr, nullptr),
         "split without a place for the new communicator");
    ncclComm_t part = nullptr;
    says(ncclCommSplit(comm, -3, 0, &part, nullptr),
         "split with color -3, expected -1 (no part) or more");
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
    EXPECT_STREQ(ncclGetLastError(comm), "ncclGroupEnd without ncclGroupStart");
    EXPECT_EQ(ncclCommDestroy(comm), ncclInvalidUsage);
    EXPECT_STREQ(ncclGetLastError(comm),
                 "communicators of a context are freed with it");
    // An invalid call takes its group with it; nothing of it is sent.
    EXPECT_EQ(ncclGroupStart(), ncclSuccess);
    EXPECT_EQ(ncclSend(&value, 1, ncclFloat32, 1, comm, nullptr), ncclSuccess);
    EXPECT_EQ(ncclSend(&value, 1, ncclFloat32, 9, comm, nullptr),
              ncclInvalidArgument);
    EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
    // Everything goes on to work.
    RETURN_IF_FAILED(
        ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum, comm, nullptr));
    return 0;
  }));
}

TEST(Errors, FirstErrorByTimeIsTheRootCause) {
  Outcome outcome = Launch(4).run([&](mercury_context *context) {
    float value = 0;
    ncclComm_t comm = mercury_comm(context, 0);
    if (mercury_rank(context) == 2) {
      int result = ncclSend(&value, 1, ncclFloat32, 8, comm, nullptr);
      mercury_check(context, result, "hop at ring.mlir:12");
      EXPECT_EQ(mercury_status(context), ncclInvalidArgument);
      // Only the first error is kept.
      mercury_check(context, ncclInternalError, "later");
      EXPECT_EQ(mercury_status(context), ncclInvalidArgument);
      return mercury_status(context);
    }
    RETURN_IF_FAILED(
        ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum, comm, nullptr));
    return 0;
  });
  EXPECT_EQ(outcome.code, ncclInvalidArgument);
  EXPECT_TRUE(outcome.has("rank 2: hop at ring.mlir:12: send: peer 8"))
      << outcome.text;
}

TEST(Errors, ResultOfRankMain) {
  Outcome outcome = Launch(2).run(
      [](mercury_context *context) { return mercury_rank(context) ? 9 : 0; });
  EXPECT_EQ(outcome.code, 9);
  EXPECT_TRUE(outcome.has("rank 1: rank_main returned 9")) << outcome.text;

  outcome = Launch(2).run([](mercury_context *context) -> int {
    if (mercury_rank(context) == 0)
      throw 1;
    return 0;
  });
  EXPECT_EQ(outcome.code, ncclInternalError);
  EXPECT_TRUE(outcome.has("rank 0: rank_main threw an exception"))
      << outcome.text;

  // A recorded error counts even when rank_main returns 0.
  outcome = Launch(2).run([](mercury_context *context) {
    if (mercury_rank(context) == 1)
      mercury_check(context, ncclSystemError, "patch");
    return 0;
  });
  EXPECT_EQ(outcome.code, ncclSystemError);
  EXPECT_TRUE(outcome.has("rank 1: patch: ")) << outcome.text;
}

TEST(Errors, GroupLeftOpen) {
  Outcome outcome = Launch(1).run([](mercury_context *) {
    ncclGroupStart();
    return 0;
  });
  EXPECT_EQ(outcome.code, ncclInvalidUsage);
  EXPECT_TRUE(outcome.has("rank_main returned inside of a group"))
      << outcome.text;
}

TEST(Errors, TextIsCut) {
  if (processCount() > 1)
    GTEST_SKIP() << "one rank";
  mercury_host_config config;
  mercury_host_config_init(&config);
  char text[8];
  std::memset(text, 'x', sizeof(text));
  int code = mercury_host_run(
      &config, [](mercury_context *, void *) { return 3; }, nullptr, text,
      sizeof(text));
  EXPECT_EQ(code, 3);
  EXPECT_STREQ(text, "rank 0:");
  EXPECT_EQ(mercury_host_run(
                &config, [](mercury_context *, void *) { return 3; }, nullptr,
                nullptr, 0),
            3);
}

TEST(Errors, Configurations) {
  if (processCount() > 1)
    GTEST_SKIP() << "launches of other sizes than the number of processes";
  auto nothing = [](mercury_context *) { return 0; };
  Outcome outcome = Launch({{"gpu", 0, 0, 0}}, {}).run(nothing);
  EXPECT_EQ(outcome.code, ncclInvalidArgument);
  EXPECT_EQ(outcome.text, "level 'gpu' has size 0, expected at least 1");
  outcome = Launch({{"gpu", 2, -1, 0.5}}, {}).run(nothing);
  EXPECT_EQ(outcome.text, "level 'gpu' has bandwidth -1 and latency 0.5, "
                          "expected figures that are not negative");
  outcome = Launch({{"gpu", 2, 0, 0}}, {{1}}).run(nothing);
  EXPECT_TRUE(outcome.has("communicator 0 names level 1 of 1")) << outcome.text;
  outcome = Launch({{"gpu", 2, 0, 0}}, {{0, 0}}).run(nothing);
  EXPECT_TRUE(outcome.has("names level 0 twice")) << outcome.text;
  outcome =
      Launch({{"a", 1000000, 0, 0}, {"b", 1000000, 0, 0}}, {}).run(nothing);
  EXPECT_TRUE(outcome.has("more than 4096 ranks")) << outcome.text;
  EXPECT_RUNS(Launch({}, {}).run(nothing));
  outcome = Launch(2).run([](mercury_context *context) {
    EXPECT_EQ(mercury_comm(context, 1), nullptr);
    return mercury_status(context);
  });
  EXPECT_EQ(outcome.code, ncclInvalidArgument);
  EXPECT_TRUE(outcome.has("communicator 1 asked for, the launch has 1"))
      << outcome.text;
}

// What only a program that calls the C interface itself can get wrong.
TEST(Errors, ConfigurationsInC) {
  mercury_host_config config;
  auto text = [&] {
    char buffer[256];
    EXPECT_EQ(mercury_host_run(
                  &config, [](mercury_context *, void *) { return 0; }, nullptr,
                  buffer, sizeof(buffer)),
              ncclInvalidArgument);
    mercury_host_config_init(&config);
    return std::string(buffer);
  };
  mercury_host_config_init(&config);
  config.num_levels = 2;
  EXPECT_EQ(text(), "2 levels at a NULL pointer");
  config.num_communicators = 3;
  EXPECT_EQ(text(), "3 communicators at a NULL pointer");
  mercury_host_communicator communicator = {nullptr, 1};
  config.communicators = &communicator;
  config.num_communicators = 1;
  EXPECT_EQ(text(), "communicator 0 has 1 levels at a NULL pointer");
  config.mode = static_cast<mercury_host_mode>(7);
  EXPECT_EQ(text(), "unknown mode 7");
  config.time_scale = -2;
  EXPECT_EQ(text(), "time scale -2, watchdog 30 s and memory limit 0 must not "
                    "be negative");
  char buffer[64];
  EXPECT_EQ(mercury_host_run(&config, nullptr, nullptr, buffer, sizeof(buffer)),
            ncclInvalidArgument);
  EXPECT_STREQ(buffer, "config or rank_main is NULL");
}

TEST(Errors, MessageThatNobodyReceives) {
  Outcome outcome =
      Launch(2).mode(MERCURY_EAGER).run([](mercury_context *context) {
        float value = 0;
        if (mercury_rank(context) == 0)
          RETURN_IF_FAILED(ncclSend(&value, 1, ncclFloat32, 1,
                                    mercury_comm(context, 0), nullptr));
        return 0;
      });
  EXPECT_EQ(outcome.code, ncclInvalidUsage);
  EXPECT_TRUE(outcome.has("rank 0 sent 4 bytes to rank 1 on communicator 'gpu' "
                          "{0,1}, which never received them"))
      << outcome.text;
}

} // namespace
