//===- HostTensorTest.cpp - Element types ---------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTensor.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mercury::run;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(HostTensor, F16OfKnownValues) {
  EXPECT_EQ(encodeF16(0.0), 0x0000);
  EXPECT_EQ(encodeF16(-0.0), 0x8000);
  EXPECT_EQ(encodeF16(1.0), 0x3c00);
  EXPECT_EQ(encodeF16(-2.0), 0xc000);
  EXPECT_EQ(encodeF16(65504.0), 0x7bff); // the largest
  EXPECT_EQ(encodeF16(65519.0), 0x7bff);
  EXPECT_EQ(encodeF16(65520.0), 0x7c00); // rounds to infinity
  EXPECT_EQ(encodeF16(1e300), 0x7c00);
  EXPECT_EQ(encodeF16(-infinity), 0xfc00);
  EXPECT_EQ(encodeF16(0x1p-14), 0x0400); // the smallest normal
  EXPECT_EQ(encodeF16(0x1p-24), 0x0001); // the smallest subnormal
  EXPECT_EQ(encodeF16(0x1p-25), 0x0000); // a tie, to even
  EXPECT_EQ(encodeF16(0x1.8p-25), 0x0001);
  EXPECT_EQ(encodeF16(0x1.ff8p-15), 0x03ff); // the largest subnormal
  EXPECT_EQ(encodeF16(0x1.ffcp-15), 0x0400); // a carry into the normals
}

TEST(HostTensor, F16RoundsTiesToEven) {
  EXPECT_EQ(encodeF16(1 + 0x1p-11), 0x3c00);
  EXPECT_EQ(encodeF16(1 + 0x3p-11), 0x3c02);
  EXPECT_EQ(encodeF16(1 + 0x1p-11 + 0x1p-40), 0x3c01);
}

TEST(HostTensor, EveryF16AndBF16RoundTrips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double half = decodeF16(bits), bfloat = decodeBF16(bits);
    if (std::isnan(half))
      EXPECT_TRUE(std::isnan(decodeF16(encodeF16(half))));
    else
      EXPECT_EQ(encodeF16(half), bits);
    if (std::isnan(bfloat))
      EXPECT_TRUE(std::isnan(decodeBF16(encodeBF16(bfloat))));
    else
      EXPECT_EQ(encodeBF16(bfloat), bits);
  }
}

TEST(HostTensor, BF16OfKnownValues) {
  EXPECT_EQ(encodeBF16(1.0), 0x3f80);
  EXPECT_EQ(encodeBF16(1 + 0x1p-8), 0x3f80); // a tie, to even
  EXPECT_EQ(encodeBF16(1 + 0x3p-8), 0x3f82);
  // Rounds once: through f32 this would be a tie and give 0x3f80.
  EXPECT_EQ(encodeBF16(1 + 0x1p-8 + 0x1p-40), 0x3f81);
  EXPECT_EQ(encodeBF16(3.5e38), 0x7f80);
}

TEST(HostTensor, AllOnesAreNaNOfEveryFloat) {
  for (ElementKind kind : {ElementKind::F64, ElementKind::F32, ElementKind::F16,
                           ElementKind::BF16})
    EXPECT_TRUE(std::isnan(HostTensor({kind, {1}}, 0xff).get(0)));
}

TEST(HostTensor, SpecsAndIndices) {
  EXPECT_EQ((TensorSpec{ElementKind::BF16, {4, 8}}.str()), "4x8xbf16");
  EXPECT_EQ((TensorSpec{ElementKind::F64, {}}.bytes()), 8);
  EXPECT_EQ(printIndex({4, 8}, 17), "[2, 1]");
  EXPECT_EQ(printIndex({}, 0), "[]");
}

} // namespace
