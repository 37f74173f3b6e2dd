//===- DocumentsTest.cpp - Checks of documents ----------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <chrono>
#include <thread>

using namespace mercury::test;

namespace {

/// Numbers of `sequences` sequences, and what they are to be.
struct Documents {
  std::vector<int32_t> values;
  int64_t sequences = 1, keys = -1;
  bool areSegments = false;

  void check(mercury_context *context, cudaStream_t stream) const {
    mercury_check_documents(context, stream, values.data(), sequences,
                            static_cast<int64_t>(values.size()) / sequences,
                            keys, areSegments, "check at f.mlir:3");
  }
};

Documents lengths(std::vector<int32_t> values, int64_t keys,
                  int64_t sequences = 1) {
  return {std::move(values), sequences, keys, false};
}

Documents segments(std::vector<int32_t> values, int64_t sequences = 1) {
  return {std::move(values), sequences, -1, true};
}

// At once, and when the compute stream comes to it.
TEST(Documents, GoodOnes) {
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    for (const Documents &documents :
         {lengths({5, 0, 3}, 8), lengths({5, 0, 3}, -1), lengths({}, 0),
          lengths({2147483647, 2147483647}, -1), lengths({3, 5, 8, 0}, 8, 2),
          segments({0, 0, 1, 7}), segments({}),
          segments({-3, 4, -3, -3, 4, 4}, 3)}) {
      documents.check(context, nullptr);
      EXPECT_EQ(mercury_status(context), 0);
      documents.check(context, mercury_compute_stream(context));
      EXPECT_EQ(mercury_synchronize(context), 0);
    }
    return 0;
  }));
}

TEST(Documents, BadOnesAreNamed) {
  const std::pair<Documents, const char *> cases[] = {
      {lengths({20, 20}, 32),
       "lengths of documents sum to 40 keys, but attention has 32"},
      {lengths({}, 32),
       "lengths of documents sum to 0 keys, but attention has 32"},
      {lengths({2147483647, 2147483647}, 4),
       "lengths of documents sum to 4294967294 keys, but attention has 4"},
      {lengths({10, -3, 25}, 32), "length of document 1 is -3"},
      {lengths({10, -3}, -1), "length of document 1 is -3"},
      {lengths({4, 4, 4, 3}, 8, 2),
       "sequence 1: lengths of documents sum to 7 keys, but attention has 8"},
      {segments({0, 0, 1, 0}), "segments decrease: that of key 3 is 0 after 1"},
      {segments({0, 0, 1, 1, 2, -7}, 2),
       "sequence 1: segments decrease: that of key 2 is -7 after 2"}};
  for (const auto &[documents, text] : cases)
    for (bool onStream : {false, true}) {
      Outcome outcome =
          Launch(2).run([&, &documents = documents](mercury_context *context) {
            documents.check(context, onStream ? mercury_compute_stream(context)
                                              : nullptr);
            return static_cast<int>(mercury_synchronize(context));
          });
      EXPECT_EQ(outcome.code, ncclInvalidArgument);
      EXPECT_TRUE(outcome.has(std::string(": check at f.mlir:3: ") + text))
          << outcome.text;
    }
}

/// (int32_t *at, int32_t value)
void store(void **parameters) {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  **static_cast<int32_t **>(parameters[0]) =
      *static_cast<int32_t *>(parameters[1]);
}

// The stream's kernels make the numbers: not before they are there.
TEST(Documents, InOrderOfTheStream) {
  for (int32_t last : {3, 4}) {
    Outcome outcome = Launch(2).run([&](mercury_context *context) {
      Documents documents = lengths({5, -1}, 8);
      auto at = reinterpret_cast<int64_t>(&documents.values[1]);
      int64_t slots[] = {at, last};
      void *parameters[] = {&slots[0], &slots[1]};
      mgpuLaunchKernel(
          reinterpret_cast<void *>(store), 1, 1, 1, 1, 1, 1, 0,
          reinterpret_cast<void *>(mercury_compute_stream(context)), parameters,
          nullptr, 2);
      documents.check(context, mercury_compute_stream(context));
      return static_cast<int>(mercury_synchronize(context));
    });
    EXPECT_EQ(outcome.code, last == 3 ? ncclSuccess : ncclInvalidArgument);
    EXPECT_TRUE(outcome.has(last == 3 ? "" : "sum to 9 keys")) << outcome.text;
  }
}

// Ranks that wait for one that has failed end, too.
TEST(Documents, OthersDoNotWait) {
  Outcome outcome = Launch(2).run([](mercury_context *context) {
    if (mercury_rank(context) == 1)
      lengths({1}, 2).check(context, nullptr);
    int32_t value = 0;
    RETURN_IF_FAILED(ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum,
                                   mercury_comm(context, 0), nullptr));
    return static_cast<int>(mercury_status(context));
  });
  EXPECT_EQ(outcome.code, ncclInvalidArgument);
  EXPECT_TRUE(outcome.has("rank 1: check at f.mlir:3: lengths of documents sum "
                          "to 1 keys, but attention has 2"))
      << outcome.text;
}

} // namespace
