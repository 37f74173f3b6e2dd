//===- AllocatorTest.cpp - Counted memory ---------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <cstdint>
#include <cstring>

using namespace mercury::test;

namespace {

TEST(Allocator, CountsByClass) {
  EXPECT_RUNS(Launch(2).run([](mercury_context *context) {
    void *a = mercury_alloc(context, 1000, MERCURY_TRAVELLING, 0);
    void *b = mercury_alloc(context, 24, MERCURY_STAGING, -1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 64, 0u);
    std::memset(a, 1, 1000);
    mercury_host_stats stats;
    mercury_host_get_stats(context, &stats);
    EXPECT_EQ(stats.current_bytes, 1024);
    EXPECT_EQ(stats.peak_bytes, 1024);
    EXPECT_EQ(stats.class_peak_bytes[MERCURY_TRAVELLING], 1000);
    EXPECT_EQ(stats.class_peak_bytes[MERCURY_STAGING], 24);
    mercury_free(context, a);
    mercury_free(context, nullptr);
    // Reused, and counted anew.
    void *c = mercury_alloc(context, 990, MERCURY_WORKSPACE, 1);
    EXPECT_EQ(c, a);
    mercury_host_get_stats(context, &stats);
    EXPECT_EQ(stats.current_bytes, 1014);
    EXPECT_EQ(stats.peak_bytes, 1024);
    EXPECT_EQ(stats.class_peak_bytes[MERCURY_WORKSPACE], 990);
    mercury_host_reset_stats(context);
    mercury_host_get_stats(context, &stats);
    EXPECT_EQ(stats.peak_bytes, 1014);
    EXPECT_EQ(stats.class_peak_bytes[MERCURY_TRAVELLING], 0);
    mercury_free(context, b);
    mercury_free(context, c);
    mercury_host_get_stats(context, &stats);
    EXPECT_EQ(stats.current_bytes, 0);
    return 0;
  }));
}

TEST(Allocator, EmptyBlocksAreDistinct) {
  EXPECT_RUNS(Launch(1).run([](mercury_context *context) {
    void *a = mercury_alloc(context, 0, MERCURY_OWN_SHARD, -1);
    void *b = mercury_alloc(context, 0, MERCURY_OWN_SHARD, -1);
    EXPECT_NE(a, nullptr);
    EXPECT_NE(a, b);
    mercury_free(context, a);
    mercury_free(context, b);
    return 0;
  }));
}

TEST(Allocator, Limit) {
  Launch launch(2);
  launch.config.memory_limit = 100;
  Outcome outcome = launch.run([](mercury_context *context) {
    if (mercury_rank(context) == 0)
      return 0;
    void *a = mercury_alloc(context, 60, MERCURY_TRAVELLING, 0);
    EXPECT_NE(a, nullptr);
    mercury_free(context, a);
    EXPECT_NE(mercury_alloc(context, 70, MERCURY_TRAVELLING, 0), nullptr);
    EXPECT_EQ(mercury_status(context), 0);
    EXPECT_EQ(mercury_alloc(context, 31, MERCURY_STAGING, 0), nullptr);
    EXPECT_EQ(mercury_status(context), ncclSystemError);
    return mercury_status(context);
  });
  EXPECT_EQ(outcome.code, ncclSystemError);
  EXPECT_EQ(outcome.text,
            "rank 1: rank 1 asked for 31 bytes (staging), holds 70 of 100");
}

TEST(Allocator, Misuse) {
  Outcome outcome = Launch(1).run([](mercury_context *context) {
    EXPECT_EQ(mercury_alloc(context, -1, MERCURY_STAGING, 0), nullptr);
    return 0;
  });
  EXPECT_TRUE(outcome.has("asked for -1 bytes (staging)")) << outcome.text;
  outcome = Launch(1).run([](mercury_context *context) {
    EXPECT_EQ(mercury_alloc(context, 1, MERCURY_NUM_CLASSES, 0), nullptr);
    return 0;
  });
  EXPECT_TRUE(outcome.has("memory class 5 is not between 0 and 4"))
      << outcome.text;
  outcome = Launch(1).run([](mercury_context *context) {
    void *block = mercury_alloc(context, 8, MERCURY_STAGING, 0);
    mercury_free(context, block);
    mercury_free(context, block);
    return 0;
  });
  EXPECT_TRUE(outcome.has("frees a pointer that it does not hold"))
      << outcome.text;
  outcome = Launch(1).run([](mercury_context *context) {
    EXPECT_EQ(mercury_alloc(context, INT64_MAX, MERCURY_STAGING, 0), nullptr);
    return 0;
  });
  EXPECT_TRUE(outcome.has("which the system refused")) << outcome.text;
}

// Blocks that the program leaves are freed with the context (the address
// sanitizer would see it).
TEST(Allocator, LeftByTheProgram) {
  EXPECT_RUNS(Launch(1).run([](mercury_context *context) {
    mercury_alloc(context, 1 << 20, MERCURY_STAGING, 0);
    return 0;
  }));
}

} // namespace
