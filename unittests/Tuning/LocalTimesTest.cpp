//===- LocalTimesTest.cpp - Seconds of a rank's own work ------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/LocalTimes.h"

#include <gtest/gtest.h>

using namespace mercury;

/// 1 Tflop/s of bf16 at half the peak, 1 TB/s.
static DeviceModel device() {
  DeviceModel device;
  device.peak["bf16"] = 2e12;
  device.memoryBandwidth = 1e12;
  device.memoryFraction = 1;
  device.achieved = {{AchievedRate::Work::Gemm,
                      "bf16",
                      "",
                      0,
                      false,
                      false,
                      {{{1, 0.5}}},
                      0.1}};
  return device;
}

static LocalWork attention(int64_t headDim, bool causal, bool backward) {
  LocalWork work;
  work.kind = LocalWork::Kind::Attention;
  work.multiplyAdds = 1e12;
  work.size = 4096;
  work.type = "bf16";
  work.headDim = headDim;
  work.causal = causal;
  work.backward = backward;
  return work;
}

TEST(LocalTimes, TheLongerOfProductsAndMemory) {
  DeviceModel d = device();
  LocalTimes times(d);
  LocalTime large = times.time(gemmWork(1, 1000, 1000, 1000, "bf16", 2));
  EXPECT_DOUBLE_EQ(large.seconds, 2e-3);
  EXPECT_DOUBLE_EQ(large.memory, 6e-6);
  EXPECT_DOUBLE_EQ(large.interval, 0.1);
  EXPECT_FALSE(large.assumed);
  // A column: each element of A is read for one multiply-add.
  d.memoryBandwidth = 1e10;
  LocalTime thin = times.time(gemmWork(1, 1000, 1, 1000, "bf16", 2));
  EXPECT_DOUBLE_EQ(thin.seconds, thin.memory);
  EXPECT_GT(thin.memory, thin.compute);
}

TEST(LocalTimes, LaunchComesOnTop) {
  DeviceModel d = device();
  d.launch = 1e-5;
  LocalTime time = LocalTimes(d).time(gemmWork(1, 100, 100, 100, "bf16", 2));
  EXPECT_DOUBLE_EQ(time.seconds, 1e-5 + 2e-6);
  EXPECT_EQ(LocalTimes(d).time(LocalWork()).seconds, 0);
}

TEST(LocalTimes, MemoryWorkNeedsNoPeak) {
  DeviceModel d = device();
  d.memoryFraction = 0.5;
  LocalWork work;
  work.kind = LocalWork::Kind::Elementwise;
  work.bytes = 1e9;
  EXPECT_DOUBLE_EQ(LocalTimes(d).time(work).seconds, 2e-3);
}

TEST(LocalTimes, TakesTheCurveOfTheNearestCase) {
  DeviceModel d = device();
  auto add = [&](const char *library, int64_t headDim, bool causal,
                 bool backward, double fraction) {
    d.achieved.push_back({AchievedRate::Work::Attention,
                          "bf16",
                          library,
                          headDim,
                          causal,
                          backward,
                          {{{1, fraction}}},
                          0.05});
  };
  add("FA2", 64, false, false, 0.1);
  add("FA2", 128, false, false, 0.2);
  add("FA3", 128, false, false, 0.4);
  add("FA2", 128, true, false, 0.15);
  add("FA2", 128, false, true, 0.12);
  LocalTimes times(d);
  auto rate = [&](LocalWork work, const char *library) {
    work.library = library;
    return times.rateOf(work);
  };
  auto isNear = [](double a, double b) { return std::abs(a / b - 1) < 1e-9; };
  EXPECT_TRUE(isNear(rate(attention(128, false, false), "FA2").at(1), 0.4e12));
  EXPECT_TRUE(isNear(rate(attention(128, false, false), "FA3").at(1), 0.8e12));
  EXPECT_TRUE(isNear(rate(attention(128, true, false), "FA2").at(1), 0.3e12));
  EXPECT_TRUE(isNear(rate(attention(128, false, true), "FA3").at(1), 0.24e12));
  EXPECT_FALSE(rate(attention(128, true, false), "FA2").assumed);
  // Another head dimension takes the nearest, and says so.
  Rate nearest = rate(attention(32, false, false), "FA2");
  EXPECT_TRUE(isNear(nearest.at(1), 0.2e12));
  EXPECT_TRUE(nearest.assumed);
  // A direction and a mask that were not measured together: scaled.
  Rate both = rate(attention(128, true, true), "FA2");
  EXPECT_LT(both.at(1), 0.24e12);
  EXPECT_TRUE(both.assumed);
}

TEST(LocalTimes, HalfTypesHaveOneRate) {
  DeviceModel d = device();
  EXPECT_DOUBLE_EQ(
      LocalTimes(d).time(gemmWork(1, 1000, 1000, 1000, "f16", 2)).compute,
      2e-3);
  EXPECT_TRUE(
      LocalTimes(d).time(gemmWork(1, 1000, 1000, 1000, "f32", 4)).assumed);
}

TEST(LocalTimes, WithoutFiguresDefaultsAreAssumed) {
  DeviceModel d;
  LocalTime time = LocalTimes(d).time(gemmWork(1, 4096, 4096, 4096, "f32", 4));
  EXPECT_TRUE(time.assumed);
  EXPECT_GT(time.seconds, 0);
  EXPECT_GE(time.interval, 0.5);
}
