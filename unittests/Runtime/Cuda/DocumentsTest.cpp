//===- DocumentsTest.cpp - Checks of documents on devices -----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

using namespace mercury::test;

namespace {

/// Checks device memory, in the order of the compute stream.
void check(mercury_context *context, const std::vector<int32_t> &values,
           int64_t sequences, int64_t keys, bool areSegments) {
  DeviceVector<int32_t> memory(context, values);
  mercury_check_documents(context, mercury_compute_stream(context),
                          memory.get(), sequences,
                          static_cast<int64_t>(values.size()) / sequences, keys,
                          areSegments, "check at f.mlir:3");
}

TEST(CudaDocuments, GoodOnes) {
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    for (int i = 0; i < 10; ++i) {
      check(context, {5, 0, 3}, 1, 8, false);
      check(context, {5, 3, 0, 8}, 2, 8, false);
      check(context, {0, 0, 4, -1, 2, 2}, 2, -1, true);
      check(context, {}, 1, 0, false);
    }
    return mercury_synchronize(context);
  }));
}

// What is enqueued behind runs on what is there; its end tells.
TEST(CudaDocuments, BadOnesAreNamed) {
  for (int64_t ranks : {1, 2}) {
    Outcome outcome = Launch(ranks).run([](mercury_context *context) {
      check(context, {5, 3, 4, 3}, 2, 8, false);
      DeviceVector<float> values(context, std::vector<float>(10));
      launchKernel(context, "add", mercury_compute_stream(context),
                   values.get(), 10, 1);
      return mercury_synchronize(context);
    });
    EXPECT_EQ(outcome.code, ncclInvalidArgument);
    EXPECT_TRUE(outcome.has(": check at f.mlir:3: sequence 1: lengths of "
                            "documents sum to 7 keys, but attention has 8"))
        << outcome.text;
    outcome = Launch(ranks).run([](mercury_context *context) {
      check(context, {0, 2, 1}, 1, -1, true);
      return 0; // the launch waits for the rest
    });
    EXPECT_EQ(outcome.code, ncclInvalidArgument);
    EXPECT_TRUE(outcome.has("segments decrease: that of key 2 is 1 after 2"))
        << outcome.text;
  }
  EXPECT_EQ(fakeCudaLive(), 0);
  EXPECT_EQ(mercury_cuda_live_handles(), 0);
}

// Numbers that a kernel makes are read when it has made them.
TEST(CudaDocuments, InOrderOfTheStream) {
  Outcome outcome = Launch(1).run([](mercury_context *context) {
    void *compute = mercury_compute_stream(context);
    // As integers, 0 and the number of 1.0f.
    DeviceVector<float> values(context, {0, 0});
    launchKernel(context, "slow", compute, values.get(), 1, 1);
    mercury_check_documents(context, static_cast<cudaStream_t>(compute),
                            reinterpret_cast<const int32_t *>(values.get()), 1,
                            2, -1, /*are_segments=*/1, "check");
    return mercury_synchronize(context);
  });
  EXPECT_EQ(outcome.text,
            "rank 0: check: segments decrease: that of key 1 is 0 "
            "after 1065353216");
}

} // namespace
