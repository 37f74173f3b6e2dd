//===- ReduceTest.cpp - Types and reductions ------------------------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace mercury::test;

namespace {

/// Applies `reduction` in the type of the arguments.
template <typename T> T combine(ncclRedOp_t reduction, T a, T b) {
  switch (reduction) {
  case ncclSum:
    return static_cast<T>(a + b);
  case ncclProd:
    return static_cast<T>(a * b);
  case ncclMax:
    return a < b ? b : a;
  default:
    return b < a ? b : a;
  }
}

/// Values small enough that no product of four overflows.
template <typename T> std::vector<T> valuesOf(int rank, size_t count) {
  std::mt19937 random(17 + rank);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(static_cast<int>(random() % 3) + 1);
  return values;
}

template <typename T> class ReduceTest : public testing::Test {};
template <typename T> constexpr ncclDataType_t kType = ncclInt8;
template <> constexpr ncclDataType_t kType<uint8_t> = ncclUint8;
template <> constexpr ncclDataType_t kType<int32_t> = ncclInt32;
template <> constexpr ncclDataType_t kType<uint32_t> = ncclUint32;
template <> constexpr ncclDataType_t kType<int64_t> = ncclInt64;
template <> constexpr ncclDataType_t kType<uint64_t> = ncclUint64;
template <> constexpr ncclDataType_t kType<float> = ncclFloat32;
template <> constexpr ncclDataType_t kType<double> = ncclFloat64;
using Types = testing::Types<int8_t, uint8_t, int32_t, uint32_t, int64_t,
                             uint64_t, float, double>;
TYPED_TEST_SUITE(ReduceTest, Types);

TYPED_TEST(ReduceTest, AllReductions) {
  using T = TypeParam;
  // Small ones are computed by one thread, large ones by all.
  for (size_t count : {size_t(1), size_t(700), size_t(20011)})
    for (ncclRedOp_t reduction : {ncclSum, ncclProd, ncclMax, ncclMin}) {
      std::vector<T> expected = valuesOf<T>(0, count);
      for (int rank = 1; rank < 4; ++rank) {
        std::vector<T> values = valuesOf<T>(rank, count);
        for (size_t i = 0; i < count; ++i)
          expected[i] = combine(reduction, expected[i], values[i]);
      }
      EXPECT_RUNS(Launch(4).run([&](mercury_context *context) {
        std::vector<T> values =
            valuesOf<T>(static_cast<int>(mercury_rank(context)), count);
        std::vector<T> result(count);
        RETURN_IF_FAILED(ncclAllReduce(values.data(), result.data(), count,
                                       kType<T>, reduction,
                                       mercury_comm(context, 0), nullptr));
        EXPECT_EQ(result, expected);
        return 0;
      }));
    }
}

TEST(Reduce, IntegersWrap) {
  EXPECT_RUNS(Launch(2).run([&](mercury_context *context) {
    int8_t narrow = 100;
    int32_t wide = std::numeric_limits<int32_t>::max();
    ncclComm_t comm = mercury_comm(context, 0);
    RETURN_IF_FAILED(
        ncclAllReduce(&narrow, &narrow, 1, ncclInt8, ncclSum, comm, nullptr));
    RETURN_IF_FAILED(
        ncclAllReduce(&wide, &wide, 1, ncclInt32, ncclSum, comm, nullptr));
    EXPECT_EQ(narrow, -56);
    EXPECT_EQ(wide, -2);
    return 0;
  }));
}

TEST(Reduce, NaNStays) {
  EXPECT_RUNS(Launch(3).run([&](mercury_context *context) {
    for (int64_t source = 0; source < 3; ++source)
      for (ncclRedOp_t reduction : {ncclSum, ncclProd, ncclMax, ncclMin}) {
        float value = mercury_rank(context) == source
                          ? std::numeric_limits<float>::quiet_NaN()
                          : 1.0f;
        RETURN_IF_FAILED(ncclAllReduce(&value, &value, 1, ncclFloat32,
                                       reduction, mercury_comm(context, 0),
                                       nullptr));
        EXPECT_TRUE(std::isnan(value)) << source << " " << reduction;
      }
    return 0;
  }));
}

/// Value of a binary floating-point number of 16 bits.
double decode(uint16_t bits, int mantissaBits, int bias) {
  int exponentMask = (1 << (15 - mantissaBits)) - 1;
  int exponent = (bits >> mantissaBits) & exponentMask;
  int mantissa = bits & ((1 << mantissaBits) - 1);
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == exponentMask)
    return mantissa ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(mantissa + (1 << mantissaBits),
                           exponent - bias - mantissaBits);
}

/// Rounds to nearest even by searching among all finite values.
uint16_t encode(float value, int mantissaBits, int bias) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(static_cast<double>(value));
  uint16_t infinity =
      static_cast<uint16_t>(((1 << (15 - mantissaBits)) - 1) << mantissaBits);
  uint16_t low = 0,
           high = infinity; // largest low with decode(low) <= magnitude
  while (high - low > 1) {
    uint16_t middle = static_cast<uint16_t>((low + high) / 2);
    (decode(middle, mantissaBits, bias) <= magnitude ? low : high) = middle;
  }
  double below = decode(low, mantissaBits, bias);
  // The value after the largest finite one, as if the exponent went on.
  double above = high == infinity
                     ? below + (below - decode(low - 1, mantissaBits, bias))
                     : decode(high, mantissaBits, bias);
  double down = magnitude - below, up = above - magnitude;
  bool roundUp = up < down || (up == down && (low & 1));
  return sign | (roundUp ? high : low);
}

/// Format, mantissa bits and bias of the two 16-bit types.
struct Narrow {
  ncclDataType_t type;
  int mantissaBits;
  int bias;
};
const Narrow kNarrow[] = {{ncclFloat16, 10, 15}, {ncclBfloat16, 7, 127}};

TEST(Reduce, NarrowFloatsSurviveConversion) {
  for (Narrow format : kNarrow)
    EXPECT_RUNS(Launch(1).run([&](mercury_context *context) {
      std::vector<uint16_t> all(65536), result(65536);
      for (int i = 0; i < 65536; ++i)
        all[i] = static_cast<uint16_t>(i);
      RETURN_IF_FAILED(ncclAllReduce(all.data(), result.data(), all.size(),
                                     format.type, ncclSum,
                                     mercury_comm(context, 0), nullptr));
      for (int i = 0; i < 65536; ++i) {
        double value = decode(all[i], format.mantissaBits, format.bias);
        if (std::isnan(value))
          EXPECT_TRUE(
              std::isnan(decode(result[i], format.mantissaBits, format.bias)))
              << i;
        else
          EXPECT_EQ(result[i], all[i]);
      }
      return 0;
    }));
}

// f16 and bf16 accumulate in f32, in rank order, and round once: 2048 + 1 + 1
// is 2050 in f16, not 2048.
TEST(Reduce, NarrowFloatsRoundOnce) {
  const size_t count = 20000;
  for (Narrow format : kNarrow) {
    std::vector<std::vector<uint16_t>> inputs(4);
    std::mt19937 random(3);
    for (auto &input : inputs)
      for (size_t i = 0; i < count; ++i) {
        // All exponents that leave the sum finite, subnormals included.
        uint16_t bits;
        do
          bits = static_cast<uint16_t>(random());
        while (std::fabs(decode(bits, format.mantissaBits, format.bias)) >
                   20000 ||
               std::isnan(decode(bits, format.mantissaBits, format.bias)));
        input.push_back(bits);
      }
    const double exact[] = {2048, 1, 1, 0};
    for (int rank = 0; rank < 4; ++rank)
      inputs[rank][0] = encode(static_cast<float>(exact[rank]),
                               format.mantissaBits, format.bias);
    EXPECT_RUNS(Launch(4).run([&](mercury_context *context) {
      std::vector<uint16_t> result(count);
      RETURN_IF_FAILED(ncclAllReduce(inputs[mercury_rank(context)].data(),
                                     result.data(), count, format.type, ncclSum,
                                     mercury_comm(context, 0), nullptr));
      for (size_t i = 0; i < count; ++i) {
        float sum = 0;
        for (int rank = 0; rank < 4; ++rank) {
          float value = static_cast<float>(
              decode(inputs[rank][i], format.mantissaBits, format.bias));
          sum = rank == 0 ? value : sum + value;
        }
        EXPECT_EQ(result[i], encode(sum, format.mantissaBits, format.bias))
            << "element " << i << " sum " << sum;
      }
      if (format.type == ncclFloat16)
        EXPECT_EQ(decode(result[0], 10, 15), 2050);
      return 0;
    }));
  }
}

TEST(Reduce, NarrowFloatsOverflowToInfinity) {
  EXPECT_RUNS(Launch(2).run([&](mercury_context *context) {
    uint16_t half = 0x7bff; // 65504
    RETURN_IF_FAILED(ncclAllReduce(&half, &half, 1, ncclFloat16, ncclSum,
                                   mercury_comm(context, 0), nullptr));
    EXPECT_EQ(half, 0x7c00);
    uint16_t brain = 0x7f7f;
    RETURN_IF_FAILED(ncclAllReduce(&brain, &brain, 1, ncclBfloat16, ncclSum,
                                   mercury_comm(context, 0), nullptr));
    EXPECT_EQ(brain, 0x7f80);
    return 0;
  }));
}

TEST(Reduce, SameBitsOnAllRanksAndRuns) {
  const size_t count = 30000;
  std::vector<float> first;
  for (int run = 0; run < 3; ++run)
    EXPECT_RUNS(Launch(4).run([&](mercury_context *context) {
      std::mt19937 random(static_cast<unsigned>(mercury_rank(context)));
      std::normal_distribution<float> normal;
      std::vector<float> values(count), result(count), all(4 * count);
      for (float &value : values)
        value = normal(random) * 1000;
      RETURN_IF_FAILED(ncclAllReduce(values.data(), result.data(), count,
                                     ncclFloat32, ncclSum,
                                     mercury_comm(context, 0), nullptr));
      RETURN_IF_FAILED(
          mercury_host_gather(context, result.data(), count * 4, all.data()));
      if (mercury_rank(context) != 0)
        return 0;
      if (run == 0)
        first = result;
      for (int rank = 0; rank < 4; ++rank)
        EXPECT_EQ(std::memcmp(&all[rank * count], first.data(), count * 4), 0);
      return 0;
    }));
}

} // namespace
